"""Report notes and progress from the function that reads a file to the caller that shows them."""

import time
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .i18n import InThread

Notes = dict[Hashable, str]

_collected: ContextVar[Notes | None] = ContextVar("notes", default=None)


class ReadingNote(UserWarning):
    """A warning that carries a note if nobody collects notes, as in a notebook."""


def add(key: Hashable, text: str) -> None:
    """Add a note; a later one of the same key takes its place, so that a count can grow."""
    if (notes := _collected.get()) is not None:
        notes[key] = text


def remove(key: Hashable) -> None:
    """Remove a note that no longer holds, if there is one."""
    if (notes := _collected.get()) is not None:
        notes.pop(key, None)


@contextmanager
def collecting() -> Iterator[Notes]:
    """Collect the notes added within; the caller shows them."""
    notes: Notes = {}
    token = _collected.set(notes)
    try:
        yield notes
    finally:
        _collected.reset(token)


@contextmanager
def passing_on() -> Iterator[None]:
    """Collect the notes added within and pass them to the outer collector, or warn without one."""
    with collecting() as notes:
        yield
    for key, text in notes.items():
        if _collected.get() is not None:
            add(key, text)
        else:
            warnings.warn(text, ReadingNote, stacklevel=4)


Report = Callable[[int, int, float], None]  # bytes, tokens or sentences done, in all, per second
REPORTED_EVERY_S = 0.1

_watcher: InThread[Callable[[int], None]] = InThread("steps")
watch_steps = _watcher.within  # calls a function with the bytes of each step within the context; steps can be very frequent


def step(n_bytes: int = 0) -> None:
    """Report that a part of a file was read. `n_bytes` is its length, if known. Exceptions of the watcher are passed on."""
    if (watcher := _watcher.get()) is not None:
        watcher(n_bytes)


def with_pace(report: Report | None) -> Callable[[int, int], None]:
    """Return a function of the items done and of all that calls `report`, if there is one, with the items per second since now as well."""
    started = time.monotonic()

    def add_pace(done: int, total: int) -> None:
        if report:
            report(done, total, done / max(time.monotonic() - started, 1e-9))

    return add_pace


class ReadingProgress:
    """The number of bytes read so far of several files. `report` is called several times a second, and may raise to end the reading."""

    def __init__(self, total: int, report: Report | None) -> None:
        self._total, self._report = max(1, total), report
        self._start, self._file_bytes = 0, 0  # of the current file
        self._start_time = self._report_time = time.monotonic()

    def reach(self, start: int) -> None:
        """Begin the next file, which starts at byte `start` of all files."""
        self._start, self._file_bytes = start, 0
        self.step(0)

    def step(self, n_bytes: int) -> None:
        """Count `n_bytes` more bytes of the current file. They are unpacked bytes, so a packed file may have more than its size."""
        self._file_bytes += n_bytes
        seconds = time.monotonic()
        if self._report and seconds - self._report_time > REPORTED_EVERY_S:
            self._report_time = seconds
            n_read = min(self._start + self._file_bytes, self._total - 1)
            self._report(n_read, self._total, n_read / max(seconds - self._start_time, 1e-9))
