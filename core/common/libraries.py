"""Import large libraries only when they are needed, because the first paint of a page must not wait for them."""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

Frame: TypeAlias = "pd.DataFrame"
_LOCK = RLock()


def import_library(name: str) -> ModuleType:
    """Return a module of scikit-learn, umap or numba. Other threads wait until it is imported.

    If two threads import such modules at once, each may wait for a module that the other has begun. Python then raises an error in one of
    them, and the work of that user fails.
    """
    with _LOCK:
        return import_module(name)


def frame(data: Mapping[str, Sequence] | Iterable, columns: Sequence[str] | None = None) -> Frame:
    """Return a data frame from columns by name, or from rows."""
    import pandas as pd

    return pd.DataFrame(data, columns=columns)
