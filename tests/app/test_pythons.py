"""On a Python that is too old or too new the command line and every page say so in one sentence, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.parametrize("version", [(3, 10, 14), (3, 14, 0), (4, 0, 0)])
def test_the_command_line_names_the_pythons_that_work(version):
    done = run(COMMAND.format(version=version))
    here = ".".join(map(str, version))
    assert done.returncode == 1 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("error: Elmoscope needs Python 3.11, 3.12 or 3.13") and here in done.stderr


def test_a_page_says_it_in_place_of_all_else():
    done = run(PAGE.format(path="pages/mix.py"))
    assert done.returncode == 0, done.stderr[-1500:]


def test_the_metadata_name_the_same_pythons():
    from core.common.installation import NEWEST, OLDEST

    message = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    named = [f"3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    assert all(f'"Programming Language :: Python :: {item}"' in message for item in named)
    assert f'requires-python = ">={named[0]},<3.{NEWEST[1] + 1}"' in message
    assert f"Python {', '.join(named[:-1])} or {named[-1]}" in (ROOT / "README.md").read_text(encoding="utf-8")
