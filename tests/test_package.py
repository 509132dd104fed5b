"""What pip installs answers from an empty folder: the command, the app, the names that `import elmoscope` hands out."""

import json
import os
import re
import socket
import subprocess
import sys
import sysconfig
import tomllib
import urllib.request
from pathlib import Path

import pytest

from tests.browser.conftest import wait_until_up

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="module", params=[[str(ROOT)], ["-e", str(ROOT)]], ids=["wheel", "editable"])
def installed(request, tmp_path_factory) -> Path:
    """The scripts of a fresh environment into which Elmoscope was installed; the packages that it needs are this environment's."""
    home = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    scripts = home / SCRIPTS
    ask = [scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    (packages / "needed.pth").write_text("\n".join({sysconfig.get_path(kind) for kind in ("purelib", "platlib")}))
    options = ["--no-deps", "--no-build-isolation", "--ignore-installed", "--no-compile", "--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "--python", scripts / "python", "install", *options, *request.param]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return scripts


def run(command: list, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_command_answers_from_an_empty_folder(installed: Path, tmp_path: Path):
    command = [installed / "elmoscope", "neighbours", "--word", "bank", "--sentence", "We sat on the bank.", "--json"]
    answer = json.loads(run(command, tmp_path))
    assert answer["neighbours"][0]["word"] == "bank"


def test_the_names_are_handed_out_when_they_are_wanted(installed: Path, tmp_path: Path):
    code = (
        "import sys, elmoscope; early = 'torch' in sys.modules; import core; "
        "print(early, elmoscope.open_bench.__name__, elmoscope.ElmoVectorizer.__name__, elmoscope.ContextVectorizer.__name__, core.__file__)"
    )
    *said, place = run([installed / "python", "-c", code], tmp_path).split()
    assert said == ["False", "open_bench", "ElmoVectorizer", "ContextVectorizer"]
    assert Path(place).is_relative_to(installed.parent) or Path(place).is_relative_to(ROOT)


def test_serve_opens_the_app_from_an_empty_folder(installed: Path, tmp_path: Path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path / "log.txt"
    command = [installed / "elmoscope", "serve", "--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"]
    with log.open("w") as file:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=file, stderr=subprocess.STDOUT)
    try:
        wait_until_up(f"http://127.0.0.1:{port}", process, log)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            assert answer.status == 200 and b"<title>Elmoscope</title>" in answer.read()
    finally:
        process.terminate()
        process.wait(20)


def test_the_package_needs_what_requirements_say_in_those_versions_or_later():
    lines = [line.split("#")[0].strip() for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()]
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert needed == [re.sub("==", ">=", line, count=1) for line in lines if line and line[0] != "-"]
