"""Elmoscope as a Python package: `import elmoscope`.

The import loads nothing until one of the names below is used, and leaves sys.path as it is. All modules are below `elmoscope.core`, so another
top-level package may be called `core`.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core import __version__ as __version__
    from .core.elmo.estimators import ContextVectorizer as ContextVectorizer
    from .core.elmo.estimators import ElmoVectorizer as ElmoVectorizer
    from .core.live.page import live as live
    from .core.workspace import open_workspace as open_workspace

_MODULES = {"open_workspace": "workspace", "ElmoVectorizer": "elmo.estimators", "ContextVectorizer": "elmo.estimators", "live": "live.page"}
__all__ = [*_MODULES]
_FOLDER = Path(__file__).resolve().parent
if not (_FOLDER / "core").is_dir():  # in a checkout, which an editable installation uses as well, `core` is two folders above
    __path__.append(str(_FOLDER.parents[1]))


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module(".core", __name__).__version__
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".core.{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES, "__version__"])
