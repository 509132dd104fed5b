"""Import libraries whose modules import each other, one thread at a time."""

from importlib import import_module
from threading import RLock
from types import ModuleType

_LOCK = RLock()


def import_library(name: str) -> ModuleType:
    """Return a module of scikit-learn, umap or numba. Other threads wait until it is imported.

    If two threads import such modules at once, each may wait for a module that the other has begun. Python then raises an error in one of
    them, and the work of that user fails.
    """
    with _LOCK:
        return import_module(name)
