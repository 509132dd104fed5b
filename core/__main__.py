"""`python -m core`: see core.cli.main. Also what `import elmoscope` and the command `elmoscope` are: pyproject.toml puts this file at
elmoscope/__init__.py. A wheel holds the app beside that, in `_app/`; an editable install reads the project's folder.
"""

import gc
import sys
from importlib import import_module
from pathlib import Path

_APP = Path(__file__).resolve().parent / "_app"
if (_APP / "core").is_dir() and str(_APP) not in sys.path:
    sys.path.insert(0, str(_APP))  # before any other package called core

_HOMES = {
    "open_bench": "core.workbench",
    "ElmoVectorizer": "core.elmo.estimators",
    "ContextVectorizer": "core.elmo.estimators",
    "live": "core.live.notebook",
    "__version__": "core",
}


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


def main() -> int:
    """`elmoscope serve` opens the app, with any options of `streamlit run`; all else is as `python -m core`."""
    from core.common.pythons import unsupported

    if message := unsupported():  # before anything is imported that such a Python lacks
        sys.exit(f"error: {message}")
    if sys.argv[1:2] != ["serve"]:
        from core.cli.main import main as run

        try:
            return run()
        finally:
            gc.freeze()  # else Python's last collection walks all that torch loaded: some 0.6 s of each command
    import runpy

    import core

    sys.argv[:] = ["streamlit", "run", str(Path(core.__file__).parents[1] / "app.py"), *sys.argv[2:]]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
