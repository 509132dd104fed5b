"""Run the command line (`python -m core`), and be the package that `import elmoscope` loads.

pyproject.toml installs this file as elmoscope/__init__.py. A wheel holds the app next to it, in `_app/`; an editable install reads the project's folder.
"""

import gc
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_APP = Path(__file__).resolve().parent / "_app"
_MARKS = {"core": "workspace.py", "pages": "_frame/frame.py"}  # top-level names that the app needs, and a file that only its own have
_MODULES = {
    "open_workspace": "core.workspace",
    "ElmoVectorizer": "core.elmo.estimators",
    "ContextVectorizer": "core.elmo.estimators",
    "live": "core.live.notebook",
    "__version__": "core",
}


def _check_names() -> None:
    """Raise ImportError if another package or module is imported, or would be, under a top-level name that the app needs."""
    for name, mark in _MARKS.items():
        spec = sys.modules[name].__spec__ if name in sys.modules else find_spec(name)
        folders = [Path(folder) for folder in spec.submodule_search_locations or ()] if spec else []
        if spec is None or any((folder / mark).is_file() for folder in folders):
            continue
        if spec.origin is None and name not in sys.modules:  # a folder without __init__.py gives way to a package
            continue
        place = spec.origin or next(map(str, folders), name)
        raise ImportError(
            f"Elmoscope needs the top-level name '{name}', which {place} has taken. "
            f"Rename that {'package' if folders else 'module'}, or use Elmoscope in a process of its own."
        )


if __name__ == "elmoscope":
    _check_names()
    if (_APP / "core").is_dir() and str(_APP) not in sys.path:
        sys.path.insert(0, str(_APP))


def __getattr__(name: str):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _check_names()
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES])


def main() -> int:
    """Run the command that the program's arguments name; return its exit status."""
    from core.common.pythons import unsupported

    if message := unsupported():  # first, as such a Python lacks what the commands import
        sys.exit(f"error: {message}")
    from core.cli.main import main as run

    try:
        return run()
    finally:
        gc.freeze()  # otherwise Python's last collection visits all that torch loaded: 0.6 s of each command


if __name__ == "__main__":
    sys.exit(main())
