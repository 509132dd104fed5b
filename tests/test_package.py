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

import numpy as np
import pytest

from pages._export.notebook_file import notebook
from tests.browser.conftest import wait_until_up

ROOT = Path(__file__).resolve().parents[1]
WHEEL = [str(ROOT)]
ONLY_WHEEL = pytest.mark.parametrize("installed", [WHEEL], ids=["wheel"], indirect=True)
SCRIPTS = "Scripts" if os.name == "nt" else "bin"


@pytest.fixture(scope="module", params=[WHEEL, ["-e", str(ROOT)]], ids=["wheel", "editable"])
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
    command = [installed / "elmoscope", "neighbors", "--word", "bank", "--sentence", "We sat on the bank.", "--json"]
    answer = json.loads(run(command, tmp_path))
    assert answer["neighbors"][0]["word"] == "bank"


def test_the_names_are_handed_out_when_they_are_wanted(installed: Path, tmp_path: Path):
    code = (
        "import sys, elmoscope; early = 'torch' in sys.modules; import core; "
        "print(early, elmoscope.open_workspace.__name__, elmoscope.ElmoVectorizer.__name__, elmoscope.ContextVectorizer.__name__, core.__file__)"
    )
    *said, place = run([installed / "python", "-c", code], tmp_path).split()
    assert said == ["False", "open_workspace", "ElmoVectorizer", "ContextVectorizer"]
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


@ONLY_WHEEL
def test_a_notebook_runs_from_an_empty_folder(installed: Path, tmp_path: Path):
    cells = json.loads(notebook("predict", {"text": "The boats lay along the"}))["cells"]
    code = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    (tmp_path / "notebook.py").write_text(code + "\nprint('finished')\n", encoding="utf-8")
    assert run([installed / "python", "notebook.py"], tmp_path).endswith("finished\n")


@pytest.mark.parametrize("name", ["core", "pages"])
@pytest.mark.parametrize("order", ["import {name}, elmoscope", "import elmoscope"])
def test_another_package_under_our_top_level_names_is_named_in_the_error(installed: Path, tmp_path: Path, name: str, order: str):
    package = tmp_path / name / "__init__.py"
    package.parent.mkdir()
    package.write_text("")
    done = subprocess.run([installed / "python", "-c", order.format(name=name)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: Elmoscope needs the top-level name '{name}', which {package} has taken. "
        "Rename that package, or use Elmoscope in a process of its own."
    )


def test_a_folder_without_modules_does_not_hide_the_app(installed: Path, tmp_path: Path):
    for name in ("core", "pages"):
        (tmp_path / name).mkdir()
    assert run([installed / "python", "-c", "import elmoscope; print(elmoscope.open_workspace.__name__)"], tmp_path) == "open_workspace\n"


@ONLY_WHEEL
def test_the_help_names_the_command_as_it_was_called_and_lists_serve(installed: Path, tmp_path: Path):
    text = run([installed / "elmoscope", "--help"], tmp_path)
    assert text.startswith("Usage: elmoscope [OPTIONS] COMMAND") and "\n  serve " in text
    text = run([installed / "elmoscope", "serve", "--help"], tmp_path)
    assert text.startswith("Usage: elmoscope serve") and "--server.port PORT" in text


@ONLY_WHEEL
def test_an_installed_cluster_gives_the_same_vectors_as_one_process(installed: Path, tmp_path: Path):
    """Neither the scheduler nor the worker runs in a folder that holds `core`."""
    (tmp_path / "sentences.txt").write_text("We sat on the bank.\nThe bank lent us money.\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    scheduler = [installed / "python", "-m", "dask", "scheduler", "--host", address, "--no-dashboard"]
    worker = [installed / "python", "-m", "dask", "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    embed = [installed / "elmoscope", "embed", "--input", "sentences.txt", "--output"]
    with (tmp_path / "log.txt").open("w") as log:
        processes = [subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log) for command in (scheduler, worker)]
        try:
            run([*embed, "cluster.npz", "--cluster", address], tmp_path)
        finally:
            for process in processes:
                process.terminate()
                process.wait(20)
    run([*embed, "alone.npz"], tmp_path)
    with np.load(tmp_path / "cluster.npz") as result, np.load(tmp_path / "alone.npz") as expected:
        assert result.files == expected.files
        for key in expected.files:
            np.testing.assert_allclose(result[key], expected[key], atol=1e-4)


def test_the_package_needs_what_requirements_say_in_those_versions_or_later():
    lines = [line.split("#")[0].strip() for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()]
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert needed == [re.sub("==", ">=", line, count=1) for line in lines if line and line[0] != "-"]
