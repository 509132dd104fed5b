"""Install Elmoscope into a fresh environment and use it from a folder with other packages called core and pages."""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import numpy as np
import pytest

from pages._export.notebook_values import notebook
from tests.raw_client import LOCAL, free_port, start_server

ROOT = Path(__file__).resolve().parents[1]
WHEEL = [str(ROOT)]
ONLY_WHEEL = pytest.mark.parametrize("installed", [WHEEL], ids=["wheel"], indirect=True)
UNCOMPRESSED = "import zlib; zlib.Z_DEFAULT_COMPRESSION = zlib.Z_NO_COMPRESSION"  # compressing the models takes seconds


@pytest.fixture(scope="module", params=[WHEEL, ["-e", str(ROOT)]], ids=["wheel", "editable"])
def installed(request, tmp_path_factory) -> Path:
    """The scripts of a fresh environment with Elmoscope. Its dependencies are those of this environment."""
    home = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    ask = [scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    (packages / "needed.pth").write_text("\n".join({sysconfig.get_path(kind) for kind in ("purelib", "platlib")}))
    options = ["--no-deps", "--no-build-isolation", "--ignore-installed", "--no-compile", "--quiet", "--disable-pip-version-check"]
    (home / "sitecustomize.py").write_text(UNCOMPRESSED)
    run([sys.executable, "-m", "pip", "--python", scripts / "python", "install", *options, *request.param], home, PYTHONPATH=str(home))
    return scripts


def run(command: list, folder: Path, **environment: str) -> str:
    done = subprocess.run(command, cwd=folder, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder with other packages called core and pages."""
    for name in ("core", "pages"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("FOREIGN = True\n")
    return tmp_path


def test_command_runs_next_to_foreign_packages(installed: Path, foreign: Path, whole_index: None):
    """Search the bundled sentences, whose index is in the cache, and a short text, whose index the command builds."""
    (foreign / "text.txt").write_text("The bank of the river was steep.\nMoney is in the bank.\n", encoding="utf-8")
    command = [installed / "elmoscope", "neighbors", "--word", "bank", "--sentence", "We sat on the bank.", "--json"]
    for options in ([], ["--corpus", "text.txt"]):
        assert json.loads(run([*command, *options], foreign))["neighbors"][0]["word"] == "bank"


@pytest.mark.parametrize("order", ["import elmoscope, core, pages", "import core, pages, elmoscope"])
def test_import_leaves_path_and_foreign_packages_alone(installed: Path, foreign: Path, order: str):
    code = f"""
import sys
from pathlib import Path
path = list(sys.path)
{order}
assert not {{"torch", "elmoscope.core"}} & sys.modules.keys(), "loaded too early"
from elmoscope import *
names = [elmoscope.open_workspace, elmoscope.ElmoVectorizer, elmoscope.ContextVectorizer, elmoscope.live]
assert [each.__module__.startswith("elmoscope.core.") for each in names] == [True] * 4
assert names == [open_workspace, ElmoVectorizer, ContextVectorizer, live] and "import_module" not in globals()
assert sys.path == path and core.FOREIGN and pages.FOREIGN and elmoscope.__version__
assert Path(elmoscope.__file__).with_name("py.typed").is_file()
from elmoscope.core.cli.wire import VIEWS, view_named
assert all(view_named(name).__module__.startswith("elmoscope.core.views.") for name in VIEWS)
assert not [name for name in sys.modules if name.startswith(("core.", "pages."))]
"""
    run([installed / "python", "-c", code], foreign)


@ONLY_WHEEL
def test_serve_opens_the_app_next_to_foreign_packages(installed: Path, foreign: Path):
    port, other = free_port(), {"STREAMLIT_SERVER_PORT": "1"}  # the option wins
    options = ("--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true")
    command = (installed / "elmoscope", "serve")
    with start_server(LOCAL, foreign / "server", environment=other, options=options, port=port, command=command, cwd=foreign) as server:
        answer = server.request("GET", "/")
        assert answer.status == 200 and "<title>Elmoscope</title>" in answer.text


def test_exported_notebook_runs_next_to_foreign_packages(installed: Path, foreign: Path):
    cells = json.loads(notebook("predict", {"text": "The boats lay along the"}))["cells"]
    code = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    (foreign / "notebook.py").write_text(code + "\nprint('finished')\n", encoding="utf-8")
    assert run([installed / "python", "notebook.py"], foreign).endswith("finished\n")


@ONLY_WHEEL
def test_the_help_names_the_command_as_it_was_called_and_lists_serve(installed: Path, tmp_path: Path):
    text = run([installed / "elmoscope", "--help"], tmp_path)
    assert text.startswith("Usage: elmoscope [OPTIONS] COMMAND") and "\n  serve " in text
    text = run([installed / "elmoscope", "serve", "--help"], tmp_path)
    assert text.startswith("Usage: elmoscope serve") and "--server.port PORT" in text


@ONLY_WHEEL
def test_an_installed_cluster_gives_the_same_vectors_as_one_process(installed: Path, tmp_path: Path, answer):
    """Run the scheduler, the worker and the command outside the checkout, and compare them with this process."""
    (tmp_path / "sentences.txt").write_text("We sat on the bank.\nThe bank lent us money.\n")
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = [installed / "python", "-m", "dask", "scheduler", "--host", address, "--no-dashboard"]
    worker = [installed / "python", "-m", "dask", "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    embed = [installed / "elmoscope", "embed", "--input", "sentences.txt", "--output", "cluster.npz", "--cluster", address]
    with (tmp_path / "log.txt").open("w") as log:
        processes = [subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log) for command in (scheduler, worker)]
        try:
            run(embed, tmp_path)
        finally:
            for process in processes:
                process.terminate()
                process.wait(20)
    answer("embed", "--input", tmp_path / "sentences.txt", "--output", tmp_path / "alone.npz")
    with np.load(tmp_path / "cluster.npz") as result, np.load(tmp_path / "alone.npz") as expected:
        assert result.files == expected.files
        for key in expected.files:
            np.testing.assert_allclose(result[key], expected[key], atol=1e-4)


def test_the_package_needs_what_requirements_say_in_those_versions_or_later():
    lines = [line.split("#")[0].strip() for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()]
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert needed == [re.sub("==", ">=", line, count=1) for line in lines if line and line[0] != "-"]
