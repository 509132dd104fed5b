"""Test the start: what loads before the first page, and the versions of Python."""

import subprocess
import sys
from pathlib import Path

import pytest

FRAME_ALONE = """
import sys
from streamlit.testing.v1 import AppTest
import pages._frame.frame as frame

frame.show = lambda module, *args: print("show", module, "torch" in sys.modules)
page = AppTest.from_file("app.py", default_timeout=300).run()
print(page.title[0].value, "torch" in sys.modules, len(page.exception))
"""


def run(code: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere torch alone knows whether there is a graphics card")
def test_title_and_menu_are_drawn_before_torch_is_loaded():
    done = run(FRAME_ALONE)
    lines = ["show pages._home.live False", "Does a word mean the same thing twice? False 0"]
    assert done.stdout.splitlines() == lines, done.stderr[-1500:]


VISITS = """
import asyncio
import sys

connections = []
sys.addaudithook(lambda event, values: connections.append(values) if event in ("socket.getaddrinfo", "socket.connect") else None)
from streamlit.testing.v1 import AppTest
from core.common.memo import Kept
from pages._home import live

async def start():
    async with live.open_ahead(None):
        pass

asyncio.run(start())
made, value = [], Kept.value
Kept.value = lambda self, maker, key, make, **options: value(self, maker, key, lambda: (made.append(maker), make())[1], **options)
live.WARM_UP_AFTER_S = 86_400.0
page = AppTest.from_file("app.py", default_timeout=300).run()
print("home", len(page.exception), made)

from core.analysis import aligned_umap
from core.index import rows

aligned_umap.compile_layout = rows.warm_up = lambda: None  # no page waits for these here
live.open_rest()
for name in ("senses", "models", "learn"):
    made.clear()
    page.switch_page(f"pages/{name}.py").run()
    print(name, len(page.exception), sorted(maker for maker in made if maker.startswith("core.")))
print("connections", connections)
"""


def test_first_visits_of_home_and_of_slow_pages_compute_nothing():
    done = run(VISITS)
    assert done.stdout.splitlines() == ["home 0 []", "senses 0 []", "models 0 []", "learn 0 []", "connections []"], done.stderr[-1500:]
    assert "ScriptRunContext" not in done.stderr  # in the terminal of whoever starts the app


COMMAND = "import runpy, sys; sys.version_info = {version}; sys.argv = ['core', '--help']; runpy.run_module('core', run_name='__main__')"
PAGE = """
from core.common import installation
installation.unsupported = lambda: "Elmoscope needs Python 3.11"
from streamlit.testing.v1 import AppTest
page = AppTest.from_file("app.py")
page.switch_page("pages/mix.py").run()
assert [error.value for error in page.error] == ["Elmoscope needs Python 3.11"], page.error
assert not page.exception and not page.title
"""


@pytest.mark.parametrize("version", [(3, 10, 14), (3, 14, 0)])
def test_command_line_names_the_supported_pythons(version):
    done = run(COMMAND.format(version=version))
    here = ".".join(map(str, version))
    assert done.returncode == 1 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("error: Elmoscope needs Python 3.11, 3.12 or 3.13") and here in done.stderr


def test_page_on_an_unsupported_python_shows_only_an_error():
    assert (done := run(PAGE)).returncode == 0, done.stderr[-1500:]
