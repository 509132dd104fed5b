"""What stands before the heavy packages are loaded: a cold server shows the title and the menu first."""

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
