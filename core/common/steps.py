"""Steps of long reading: readers call `step`, and whoever started the reading counts the steps and may stop it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_taken: ContextVar[Callable[[int], None] | None] = ContextVar("steps", default=None)


def step(n_bytes: int = 0) -> None:
    """Report that a part of a file was read, `n_bytes` long where that is known. Raises what the watcher raises to stop the reading."""
    if (taken := _taken.get()) is not None:
        taken(n_bytes)


@contextmanager
def watched(taken: Callable[[int], None]) -> Iterator[None]:
    """Call `taken` for each step within, in this context alone. It may be called very often."""
    token = _taken.set(taken)
    try:
        yield
    finally:
        _taken.reset(token)
