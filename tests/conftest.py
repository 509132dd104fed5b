"""Fixtures of all tests, with a private cache and the local data if there is any."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings

# The same examples in every run, and no clock: a test fails for what the code does. tests/bench/fuzz.py draws new ones.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch) -> Path:
    """Every test has a cache of its own, so that none reads or writes the user's."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(folder))
    monkeypatch.setattr("core.files.quotas.VISITS._holdings", {})
    return folder


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    return (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "shared-cache"


@pytest.fixture(scope="session")
def built_index(shared_cache: Path) -> Path:
    """The folder with the index of every token of the bundled sentences, built once: it takes half a minute."""
    from core.elmo.models import BUNDLED_MODEL, open_model
    from core.index.tables import open_table
    from core.text.corpora import BUNDLED_CORPUS

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ELMOSCOPE_CACHE", str(shared_cache))
        return open_table(BUNDLED_CORPUS, open_model(BUNDLED_MODEL)).folder


@pytest.fixture
def whole_index(built_index: Path, private_cache: Path) -> None:
    """For a test that waits for every token of the bundled sentences: its cache holds their index."""
    shutil.copytree(built_index, private_cache / "indexes" / built_index.name, copy_function=os.link)


@pytest.fixture(scope="session")
def live_page(shared_cache: Path) -> Path:
    """The page of the bundled model that needs no server, written once for both workers."""
    from core.live.page import page_of, write
    from core.workspace import open_workspace

    path = shared_cache / "elmoscope.html"
    shared_cache.mkdir(exist_ok=True)
    with FileLock(f"{path}.lock"), pytest.MonkeyPatch.context() as patch:
        patch.setenv("ELMOSCOPE_CACHE", str(shared_cache))
        if not path.exists():
            write(path, page_of(open_workspace()))
    return path


@pytest.fixture(autouse=True)
def main_module():
    """Streamlit's AppTest leaves its page behind as `__main__`, which a process started later would run again."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture
def call(capsys) -> Callable[..., tuple[int, str, str]]:
    """`call("embed", ...)` -> (exit status, stdout, stderr) of a command; `call("lab", "card", ...)` of core.lab. The last of two equal options counts."""

    def run(*words) -> tuple[int, str, str]:
        from core.cli.main import elmoscope, main
        from core.lab.__main__ import lab
        from core.lab.__main__ import main as lab_main

        words = list(map(str, words))
        is_lab = words[:1] == ["lab"]
        command = lab if is_lab else elmoscope
        for word in words[is_lab:]:
            command = command.commands.get(word, command) if hasattr(command, "commands") else command
        options = [param for param in command.params if param.param_type_name == "option" and not (param.multiple or param.is_flag)]
        for name in (name for option in options for name in option.opts):
            while words.count(name) > 1:
                del words[words.index(name) : words.index(name) + 2]
        capsys.readouterr()
        return lab_main(words[1:]) if is_lab else main(words), *capsys.readouterr()

    return run


@pytest.fixture
def answer(call) -> Callable[..., dict]:
    """`answer("embed", ...)` adds --json and gives the object on stdout."""

    def run(*words) -> dict:
        status, out, err = call(*words, "--json")
        assert status == 0, err
        return json.loads(out)

    return run


@pytest.fixture
def refused(call) -> Callable[..., str]:
    """`refused("embed", ...)` -> the one error on stderr, its last line, of a command that ends with status 2."""

    def run(*words) -> str:
        status, out, err = call(*words)
        lines = [line for line in err.splitlines() if line.startswith("error: ")]
        assert (status, out) == (2, "") and len(lines) == 1 and err.endswith(lines[0] + "\n") and "Traceback" not in err
        return lines[0]

    return run


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of local data; the test is skipped where there is none."""
    if not os.environ.get("ELMOSCOPE_DATA"):
        pytest.skip("ELMOSCOPE_DATA is not set: no local data")
    return Path(os.environ["ELMOSCOPE_DATA"])
