"""What stands before the heavy packages are loaded: title and menu; and that a server has opened Home before it answers."""

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
def test_title_and_menu_stand_before_torch_is_loaded(tmp_path):
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


def test_homes_first_visitor_waits_for_nothing_that_is_opened_or_computed(tmp_path):
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


def test_the_longest_openings_are_computed_ahead(tmp_path):
    (tmp_path / "later.py").write_text(LATER.replace('"app.py"', repr(str(ROOT / "app.py"))).replace('f"pages/', f'f"{ROOT}/pages/'))
    command = [sys.executable, str(tmp_path / "later.py")]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["senses 0 []", "models 0 []", "learn 0 []"]
