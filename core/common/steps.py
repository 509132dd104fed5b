"""Steps of long reading: readers call `step`, and whoever started the reading counts the steps and may stop it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Report = Callable[[int, int, float], None]  # bytes read, bytes in all, bytes per second
REPORTED_EVERY_S = 0.1

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


class ReadingProgress:
    """How many bytes of some files have been read, reported several times a second. What `report` raises ends the reading."""

    def __init__(self, total: int, report: Report | None) -> None:
        self._total, self._report = max(1, total), report
        self._before, self._within = 0, 0
        self._began = self._last = time.monotonic()

    def reach(self, done: int) -> None:
        """Begin the next file, `done` bytes after the first one's beginning."""
        self._before, self._within = done, 0
        self.step(0)

    def step(self, n_bytes: int) -> None:
        """Count bytes, unpacked: a packed file may have more than its size."""
        self._within += n_bytes
        now = time.monotonic()
        if self._report and now - self._last > REPORTED_EVERY_S:
            self._last = now
            done = min(self._before + self._within, self._total - 1)
            self._report(done, self._total, done / max(now - self._began, 1e-9))
