"""Notes on what was read: rows left out, columns not read, an encoding guessed.

Whoever reads a file adds notes; whoever shows the result collects them. Notes belong to the context (thread or task) that collects them.
"""

import warnings
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Notes = dict[Hashable, str]

_collected: ContextVar[Notes | None] = ContextVar("notes", default=None)


class ReadingNote(UserWarning):
    """The warning that carries a note where nobody collects notes, as in a notebook."""


def add(key: Hashable, text: str) -> None:
    """Add a note; a later one of the same key takes its place, so that a count can grow."""
    notes = _collected.get()
    if notes is not None:
        notes[key] = text


def remove(key: Hashable) -> None:
    """Remove a note that no longer holds, if there is one."""
    notes = _collected.get()
    if notes is not None:
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
    """Collect the notes added within and pass them to the outer collector; warn where there is none."""
    with collecting() as notes:
        yield
    outer = _collected.get()
    if outer is not None:
        outer |= notes
        return
    for text in notes.values():
        warnings.warn(text, ReadingNote, stacklevel=4)
