"""Test the start: what loads before the first page, and the versions of Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FRAME_ALONE = """
import sys
from streamlit.testing.v1 import AppTest
import pages._frame.frame as frame

frame.show = lambda module, *args: print("asked for", module, "torch" in sys.modules)
page = AppTest.from_file("app.py", default_timeout=300).run()
print(page.title[0].value, "torch" in sys.modules, len(page.exception))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere torch alone knows whether there is a graphics card")
def test_title_and_menu_are_drawn_before_torch_is_loaded(tmp_path):
    (tmp_path / "alone.py").write_text(FRAME_ALONE.replace('"app.py"', repr(str(ROOT / "app.py"))))
    command = [sys.executable, str(tmp_path / "alone.py")]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["asked for pages._home.live False", "Does a word mean the same thing twice? False 0"]


FIRST_VISIT = """
import asyncio
from streamlit.testing.v1 import AppTest
from core.common.memo import Kept
from pages._home.live import open_ahead

async def start():
    async with open_ahead(None):
        pass

asyncio.run(start())
made, value = [], Kept.value
Kept.value = lambda self, maker, key, make, **options: value(self, maker, key, lambda: (made.append(maker), make())[1], **options)
page = AppTest.from_file("app.py", default_timeout=300).run()
print(len(page.exception), made)
"""


def test_first_visit_of_home_computes_nothing(tmp_path):
    (tmp_path / "first.py").write_text(FIRST_VISIT.replace('"app.py"', repr(str(ROOT / "app.py"))))
    command = [sys.executable, str(tmp_path / "first.py")]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["0 []"]
    assert "ScriptRunContext" not in done.stderr  # in the terminal of whoever starts the app


LATER = """
from core.analysis import maps
from core.index import rows
from streamlit.testing.v1 import AppTest
from core.common.memo import Kept
from pages._home.live import open_home, open_rest

open_home()
maps.compile_layout = rows.warm_up = lambda: None  # no page waits for these here
open_rest()
made, value = [], Kept.value
Kept.value = lambda self, maker, key, make, **options: value(self, maker, key, lambda: (made.append(maker), make())[1], **options)
page = AppTest.from_file("app.py", default_timeout=300).run()
for name in ("senses", "models", "learn"):
    made.clear()
    page.switch_page(f"pages/{name}.py").run()
    print(name, len(page.exception), sorted(maker for maker in made if maker.startswith("core.")))
"""


def test_slow_pages_are_computed_before_the_first_visit(tmp_path):
    (tmp_path / "later.py").write_text(LATER.replace('"app.py"', repr(str(ROOT / "app.py"))).replace('f"pages/', f'f"{ROOT}/pages/'))
    command = [sys.executable, str(tmp_path / "later.py")]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["senses 0 []", "models 0 []", "learn 0 []"]


ROOT_PYTHONS = Path(__file__).resolve().parents[2]
COMMAND = "import runpy, sys; sys.version_info = {version}; sys.argv = ['core', '--help']; runpy.run_module('core', run_name='__main__')"
PAGE = """
from core.common import installation
installation.unsupported = lambda: "Elmoscope needs Python 3.11"
from streamlit.testing.v1 import AppTest
page = AppTest.from_file("app.py")
page.switch_page("{path}").run()
assert [error.value for error in page.error] == ["Elmoscope needs Python 3.11"], page.error
assert not page.exception and not page.title
"""


def run(code: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT_PYTHONS, capture_output=True, text=True)


@pytest.mark.parametrize("version", [(3, 10, 14), (3, 14, 0), (4, 0, 0)])
def test_command_line_names_the_supported_pythons(version):
    done = run(COMMAND.format(version=version))
    here = ".".join(map(str, version))
    assert done.returncode == 1 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("error: Elmoscope needs Python 3.11, 3.12 or 3.13") and here in done.stderr


def test_page_on_an_unsupported_python_shows_only_an_error():
    done = run(PAGE.format(path="pages/mix.py"))
    assert done.returncode == 0, done.stderr[-1500:]


def test_metadata_name_the_supported_pythons():
    from core.common.installation import NEWEST, OLDEST

    message = (ROOT_PYTHONS / "pyproject.toml").read_text(encoding="utf-8")
    named = [f"3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    assert all(f'"Programming Language :: Python :: {item}"' in message for item in named)
    assert f'requires-python = ">={named[0]},<3.{NEWEST[1] + 1}"' in message
    assert f"Python {', '.join(named[:-1])} or {named[-1]}" in (ROOT_PYTHONS / "README.md").read_text(encoding="utf-8")
