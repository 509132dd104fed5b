"""The Python 3.10 environment of AllenNLP 2.10.1, which no newer Python installs, with the packages of `allennlp_requirements.txt`."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import Timeout

from ..common.config import cache_folder
from ..common.errors import EngineUnavailable
from ..common.markup import shorten
from ..files.artifacts import write_json
from ..files.atomic import locked
from ..files.sums import file_sha256

VERSION = "2.10.1"
REQUIREMENTS = Path(__file__).with_name("allennlp_requirements.txt")
WORKER = Path(__file__).with_name("allennlp_worker.py")
SETUP = "python -m core allennlp setup"
MADE = "elmoscope-made"  # marker, written first: this folder is ours to remove
READY = "elmoscope-ready.json"  # marker, written last: the versions, and what was installed
UV = "uv==0.13.9"  # fetches a Python if this machine has none


def environment_path() -> Path:
    """Return the environment's folder: ELMOSCOPE_ALLENNLP, or `allennlp-env` in the user's cache folder."""
    value = os.environ.get("ELMOSCOPE_ALLENNLP")
    return (Path(os.path.expanduser(value)) if value else cache_folder() / "allennlp-env").resolve()


def is_ready() -> bool:
    """Return whether `setup` has finished for the current requirements."""
    folder = environment_path()
    with suppress(OSError, ValueError):
        marker = json.loads((folder / READY).read_text("utf-8"))
        return isinstance(marker, dict) and marker.get("requirements") == file_sha256(REQUIREMENTS) and _python_of(folder).exists()
    return False


def worker_command() -> list[str]:
    """Return the command that starts the worker. Raises EngineUnavailable if the environment is not ready."""
    if not is_ready():
        raise EngineUnavailable(f"AllenNLP is not installed in {environment_path()}. Run: {SETUP}")
    return _worker_of(environment_path())


def find_python310() -> Path | None:
    """Return a Python 3.10 that can make environments, or None. Each candidate is started, because a shim may fail."""
    home = Path.home()
    data = Path(os.environ.get("APPDATA") or home) if os.name == "nt" else home / ".local" / "share"
    program = "python.exe" if os.name == "nt" else "bin/python3.10"
    candidates = [[sys.executable], ["py", "-3.10"] if os.name == "nt" else ["python3.10"], ["python3"]]
    candidates += [[str(path)] for path in sorted(home.glob(".pyenv/versions/3.10*/bin/python"), reverse=True)]
    candidates += [[str(path)] for path in sorted(data.glob(f"uv/python/cpython-3.10*/{program}"), reverse=True)]
    return next((python for python in map(_as_python310, candidates) if python), None)


def setup(report: Callable[[str], None]) -> Path:
    """Make the environment unless it is ready, passing pip's lines to `report`; return its folder.

    Uses a Python 3.10 of this machine, or else one that uv downloads. About 0.9 GB of download and 2 GB of disk. An unfinished environment
    is removed and remade. An environment that the user made is used if AllenNLP works in it, and is never removed. Raises EngineUnavailable.
    """
    folder = environment_path()
    with _only_one(folder):
        if is_ready():
            return folder
        if (folder / MADE).exists() or not folder.exists() or not any(folder.iterdir()):
            _install(_choose_python(report), folder, report)
        elif not _python_of(folder).exists():
            raise EngineUnavailable(f"{folder} has other files. Set ELMOSCOPE_ALLENNLP to another folder, then run: {SETUP}")
        report("Starting AllenNLP for the first time; this takes up to a minute.")
        versions = _first_ping(folder)
        marker = {"requirements": file_sha256(REQUIREMENTS), **versions}
        write_json(folder / READY, marker)
        report(f"AllenNLP {versions['allennlp']} is ready in {folder}")
    return folder


def _python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _worker_of(folder: Path) -> list[str]:
    return [str(_python_of(folder)), "-I", str(WORKER)]  # -I: do not import modules next to the worker


def _as_python310(command: Sequence[str]) -> Path | None:
    """Return the interpreter that `command` starts if it is a Python 3.10 with venv and pip."""
    question = "import sys, venv, ensurepip; print(*sys.version_info[:2], sys.executable)"
    try:
        pipes = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        done = subprocess.run([*command, "-I", "-c", question], timeout=30.0, **pipes)
    except (OSError, subprocess.TimeoutExpired):
        return None
    answer = done.stdout.strip().split(maxsplit=2)
    return Path(answer[2]) if done.returncode == 0 and answer[:2] == ["3", "10"] and len(answer) == 3 else None


def _choose_python(report: Callable[[str], None]) -> Path:
    if chosen := find_python310() or _python_by_uv(report):
        return chosen
    raise EngineUnavailable(
        f"AllenNLP {VERSION} needs Python 3.10; none was found that can make environments, and uv could not fetch one. Install one "
        f"(pyenv install 3.10, or python3.10 with python3.10-venv), or connect to a network, then run: {SETUP}"
    )


def _python_by_uv(report: Callable[[str], None]) -> Path | None:
    """Return a Python 3.10 downloaded by the machine's uv or one from PyPI, or None."""
    with TemporaryDirectory() as folder, suppress(EngineUnavailable, OSError):
        report("There is no Python 3.10 here: fetching one by uv")
        uv = shutil.which("uv")
        if not uv:
            _stream([sys.executable, "-I", "-m", "pip", "install", "--no-deps", "--target", folder, UV], report)
            uv = shutil.which("uv", path=Path(folder) / "bin")
        _stream([uv or "uv", "python", "install", "3.10"], report)
    return find_python310()


def _install(python: Path, folder: Path, report: Callable[[str], None]) -> None:
    """Make a new environment with all requirements in `folder`, replacing its content."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MADE).touch()
    report(f"Making an environment with {python} in {folder}")
    _stream([str(python), "-I", "-m", "venv", str(folder)], report)
    pip = [str(_python_of(folder)), "-I", "-m", "pip", "install", "--no-deps", "--no-input", "--progress-bar", "off"]
    _stream([*pip, "-r", str(REQUIREMENTS)], report)


def _stream(command: Sequence[str], report: Callable[[str], None]) -> None:
    """Run a command to its end, passing each line to `report`; kill it if `report` raises."""
    env = {name: value for name, value in os.environ.items() if name not in ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")}
    env |= {"PIP_USER": "0", "PIP_CONSTRAINT": REQUIREMENTS.as_uri(), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    lines = deque(maxlen=50)
    with subprocess.Popen(list(command), env=env, start_new_session=True, **pipes) as process:
        try:
            for line in process.stdout:
                lines.append(line.decode("utf-8", "replace").strip())
                report(lines[-1])
        except BaseException:
            kill(process)
            raise
    if process.returncode != 0:
        errors = [line for line in lines if line.lower().startswith("error")] or [line for line in lines if line]
        reason = f": {shorten(errors[-1], 300)}" if errors else ""
        raise EngineUnavailable(f"AllenNLP was not installed{reason}. It needs the network and 2 GB of disk; then run: {SETUP}")


def _first_ping(folder: Path) -> dict[str, str]:
    """Return the versions of allennlp, torch and python from a temporary worker."""
    try:
        done = subprocess.run(_worker_of(folder), input=b'{"op": "ping"}\n', capture_output=True, timeout=600.0)
        answer = json.loads(done.stdout)
        reason = answer.get("error", "")
        if answer["ok"] and answer["allennlp"] == VERSION:
            return {name: answer[name] for name in ("allennlp", "torch", "python")}
        reason = reason or f"it is version {answer['allennlp']}"
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, AttributeError) as error:
        reason = shorten(" ".join(str(error).split()), 200)
    raise EngineUnavailable(f"AllenNLP {VERSION} does not start in {folder} ({reason}). Remove that folder, then run: {SETUP}")


def kill(process: subprocess.Popen) -> None:
    """End a process and its children at once. It must lead a session of its own."""
    if process.poll() is None:
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Hold the lock next to `folder`, which the system releases when its holder dies. Raises EngineUnavailable if it is taken."""
    try:
        with locked(folder, timeout_s=0):
            yield
    except Timeout:
        raise EngineUnavailable(f"AllenNLP is being installed in {folder} right now. Wait until that has ended.") from None
