"""Limit the texts and the disk space of each visit, and of all visits together.

A public server that runs short of space removes data. Texts of visits that have ended are removed first, the longest unused before the
others. Then the visit that holds the most loses data, as long as it holds more than the visit that needs the space: first the data made
from its texts, then the texts. On a user's own machine nothing is removed and nothing expires.
"""

import contextlib
import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ..common.config import cache_folder
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import InThread, t, tn
from ..common.limits import limits, texts_expire
from . import disk_space, user_names
from .artifacts import megabytes, read_json, write_json
from .disk_space import Room

MADE_OF_TEXTS = ("indexes", "maps", "maps/tokens", "encoded")  # folders of the cache: the names of their entries contain marks of a text
CHECKPOINTS = "training"  # a folder of the cache: states of trainings, rewritten after every epoch
RESUMED_WITHIN_S = 600.0  # a training whose state was written this recently may still run
TOUCHED_AFTER_S = 300.0  # the shortest time between two updates of the last use of a text
TEMPORARY = ".tmp-"  # in names of unfinished files and folders (core.files.atomic)
UPLOAD = "upload"  # the first part of a key of `Holdings.data_sizes`

VISIT: InThread[str] = InThread("visit")  # the visit for which this thread works; None for work of the server itself


@dataclass
class Holdings:
    """The texts of a visit, and the bytes of its uploads and of the data made from its texts."""

    texts: set[Path] = field(default_factory=set)
    data_sizes: dict[tuple[Hashable, ...], int] = field(default_factory=dict)  # key -> bytes; a key begins with a corpus or UPLOAD

    @property
    def n_bytes(self) -> int:
        """Return the size of the texts, the uploads and the data."""
        return sum(map(disk_space.count_bytes, tuple(self.texts))) + sum(tuple(self.data_sizes.values()))


@dataclass(frozen=True, slots=True)
class _Removal:
    """The removal of the data made from a text, with or without the text itself."""

    text: Path
    with_text: bool
    n_bytes: int


class Visits:
    """The visits of a server with their holdings. `is_there(visit)` returns whether a page of the visit is open."""

    def __init__(self) -> None:
        self.is_there: Callable[[str], bool] = lambda visit: True
        self._holdings: dict[str, Holdings] = {}
        self._lock = threading.RLock()

    def get_holdings(self, visit: str | None = None) -> Holdings:
        """Return the holdings of a visit, by default this thread's. Work of the server itself has none."""
        with self._lock:
            for ended_visit in [visit_name for visit_name in self._holdings if not self.is_there(visit_name)]:
                del self._holdings[ended_visit]
            visit = visit or VISIT.get()
            return self._holdings.setdefault(visit, Holdings()) if visit else Holdings()

    def use(self, text: Path) -> None:
        """Add a text to the holdings of this thread's visit, and record that it is used now."""
        with self._lock:
            self.get_holdings().texts.add(text)
        _touch(text)

    def release(self, text: Path) -> bool:
        """Remove a text from the holdings of this thread's visit. Return whether another visit still holds it."""
        with self._lock:
            self._drop(self.get_holdings(), text)
            return any(text in holdings.texts for holdings in self._holdings.values())

    @contextlib.contextmanager
    def reserve(self, text: Path, n_bytes: int) -> Iterator[None]:
        """Reserve `n_bytes` for a new text, which the caller writes within the context, and add it to the visit's holdings.

        Raises BadInput on entry if there is no room for the text.
        """
        with self._lock:
            self._check_visit(n_bytes)
            caps, n = limits(), len(list_texts())
            room = self.make_room(n_bytes, n_texts=1)
            if n >= caps.max_texts and len(list_texts()) >= caps.max_texts:
                raise BadInput(t("The limit of stored texts is reached: {n:,}. Try again later.", n=n))
            check_fits(room, n_bytes)
            yield
            self.use(text)

    def check(self, n_bytes: int) -> None:
        """Raise BadInput if this thread's visit, or all visits together, may not upload `n_bytes` more."""
        with self._lock:
            self.check_bytes(n_bytes)
            holdings = self._holdings.values()
            upload_bytes = sum(size for item in holdings for key, size in tuple(item.data_sizes.items()) if key[0] == UPLOAD)
            room = self.estimate_room(upload_bytes + n_bytes)
            check_fits(Room(room.used + upload_bytes, room.free), n_bytes)

    def estimate_room(self, needed: int) -> Room:
        """Return the used and free bytes as they would be if `make_room` removed everything that it may. Nothing is removed."""
        with self._lock:
            return self._plan_removals(needed)[0]

    def make_room(self, needed: int, *, n_texts: int = 0, layers: Path | None = None) -> Room:
        """Remove data until `needed` bytes fit, or nothing if they cannot fit. Return the room as `estimate_room` does."""
        max_bytes = limits().max_disk_mb * 10**6
        with self._lock:
            room, removals = self._plan_removals(needed, n_texts, layers)
            if room.fits(needed, max_bytes):
                self._remove(removals)
                disk_space.make_room(needed, max_bytes, layers)
            return room

    def remove(self, text: Path, marks: Iterable[str] = ()) -> None:
        """Remove a text and all data made from it.

        `marks` are parts of names by which data of the text is recognized, in addition to the stored ones. No job may be working on the text.
        """
        with self._lock:
            self._remove([_Removal(text, True, 0)], marks, unfinished=True)

    def expire(self) -> None:
        """Remove texts and states of trainings that have not been used for `max_text_hours`.

        Record a use of every text that a visit holds.
        """
        if not texts_expire():
            return
        since = time.time() - 3600 * limits().max_text_hours
        with self._lock:
            self.get_holdings()  # forgets the visits that have ended
            texts_in_use = set().union(*(holdings.texts for holdings in self._holdings.values()))
            for text in texts_in_use:
                _touch(text)
            self._remove([_Removal(text, True, 0) for text in list_texts() - texts_in_use if _last_use(text) < since])
            for file in _entries(cache_folder() / CHECKPOINTS):
                if file.suffix == ".pt" and _last_use(file) < since:
                    with contextlib.suppress(OSError):
                        file.unlink()

    def _check_visit(self, n_bytes: int) -> None:
        if not VISIT.get():
            return
        n = sum(text.is_file() for text in tuple(self.get_holdings().texts))
        if n >= limits().max_session_texts:
            raise BadInput(tn("You have {n} text, the limit here. Delete it.", "You have {n} texts, the limit here. Delete one.", n))
        self.check_bytes(n_bytes)

    def check_bytes(self, n_bytes: int) -> None:
        """Raise BadInput if this thread's visit may not store `n_bytes` more."""
        spent, max_mb = self.get_holdings().n_bytes, limits().max_session_disk_mb
        if VISIT.get() and spent + n_bytes > max_mb * 10**6:
            values = {"need": n_bytes / 1e6, "spent": spent / 1e6, "most": max_mb}
            message = t("This needs {need:,.1f} MB; you have used {spent:,.1f} of {most:,} MB. Use less text, or delete one.", **values)
            raise BadInput(message)

    def _plan_removals(self, needed: int, n_texts: int = 0, layers: Path | None = None) -> tuple[Room, list[_Removal]]:
        """Choose removals until `needed` bytes and `n_texts` texts fit. Return the room after them, and the removals."""
        caps = limits()
        surplus = len(list_texts()) + n_texts - caps.max_texts if n_texts else 0
        removals = list(islice(self._iterate_removals(n_texts, by_number=True), max(0, surplus)))
        room = disk_space.room(layers).without(sum(item.n_bytes for item in removals))
        candidates = self._iterate_removals(needed)
        while not room.fits(needed, caps.max_disk_mb * 10**6) and (item := next(candidates, None)):
            if item.text not in {removal.text for removal in removals if removal.with_text}:
                removals.append(item)
                room = room.without(item.n_bytes)
        return room, removals

    def _iterate_removals(self, needed: int, *, by_number: bool = False) -> Iterator[_Removal]:
        """Yield the removals that may make room for this thread's visit, in their order.

        `needed` is in bytes. With `by_number` it is a number of texts, and visits are compared by their texts.
        """
        if not texts_expire():
            return
        if not by_number:
            since = time.time() - RESUMED_WITHIN_S
            for file in sorted(_entries(cache_folder() / CHECKPOINTS), key=_last_use):
                if file.suffix == ".pt" and _last_use(file) < since:
                    yield _Removal(file, True, disk_space.count_bytes(file))
        my_holdings = self.get_holdings()
        others = {visit: holdings for visit, holdings in self._holdings.items() if holdings is not my_holdings}
        places = [place for name in MADE_OF_TEXTS for place in _entries(cache_folder() / name)]
        texts_in_use = set().union(my_holdings.texts, *(holdings.texts for holdings in others.values()))
        for text in sorted(list_texts() - texts_in_use, key=_last_use):
            yield _Removal(text, True, disk_space.count_bytes(text) + _count_data_bytes(text, places))
        shares = {visit: len(holdings.texts) if by_number else holdings.n_bytes for visit, holdings in others.items()}
        my_share = (len(my_holdings.texts) if by_number else my_holdings.n_bytes) + needed
        larger_visits = {visit for visit, share in shares.items() if share > my_share}
        # a text that a smaller visit holds as well is not removed
        kept_texts = my_holdings.texts.union(*(holdings.texts for visit, holdings in others.items() if visit not in larger_visits))
        queues = {}
        for visit in larger_visits:
            removable = sorted((text for text in others[visit].texts - kept_texts if text.is_file()), key=_last_use)
            sizes = {text: _count_data_bytes(text, places) for text in removable}
            items = [] if by_number else [_Removal(text, False, size) for text, size in sizes.items() if size]
            items += [_Removal(text, True, disk_space.count_bytes(text) + sizes[text] * by_number) for text in removable]
            queues[visit] = deque(items)
        yielded = set()
        while shares and shares[largest := max(shares, key=shares.__getitem__)] > my_share:
            if not queues[largest]:
                del shares[largest]
                continue
            item = queues[largest].popleft()
            shares[largest] -= 1 if by_number else item.n_bytes
            if item not in yielded:  # several visits may hold the same text
                yielded.add(item)
                yield item

    def _remove(self, items: list[_Removal], marks: Iterable[str] = (), *, unfinished: bool = False) -> None:
        places = [place for name in MADE_OF_TEXTS for place in _entries(cache_folder() / name)] if items else []
        places = [place for place in places if unfinished or TEMPORARY not in place.name]  # the job that writes such a place removes it
        for item in items:
            for place in _select_marked(places, {*_read_marks(item.text), *marks}):
                with contextlib.suppress(OSError):
                    if place.is_dir():
                        shutil.rmtree(place, ignore_errors=True)
                    else:
                        place.unlink(missing_ok=True)
            for holdings in self._holdings.values():
                self._drop(holdings, item.text, item.with_text)
            if item.with_text:
                for file in (item.text, _marks_file(item.text)):
                    with contextlib.suppress(OSError):
                        file.unlink(missing_ok=True)

    def _drop(self, holdings: Holdings, text: Path, with_text: bool = True) -> None:
        for key in [key for key in tuple(holdings.data_sizes) if text.stem[: user_names.DIGITS] in str(key[0])]:
            del holdings.data_sizes[key]
        if with_text:
            holdings.texts.discard(text)


VISITS = Visits()


def list_texts() -> set[Path]:
    """Return the files of all texts that users have pasted or uploaded."""
    return {place for place in _entries(user_names.corpus_folder()) if place.suffix == ".jsonl" and not place.name.startswith(".")}


def mark(text: Path, marks: Iterable[str]) -> None:
    """Add marks of a text to a file next to it. The names of files and folders made from the text contain one of them."""
    write_json(_marks_file(text), {"marks": list(dict.fromkeys([*_read_marks(text), *marks]))})
    _marks_file(text).chmod(0o600)


def may_store(n_bytes: int) -> bool:
    """Make room for `n_bytes` of data that can be computed again. Return whether the data fits."""
    return VISITS.make_room(n_bytes).fits(n_bytes, limits().max_disk_mb * 10**6)


def check_fits(room: Room, needed: int) -> None:
    """Raise BadInput if `needed` bytes exceed the cap of all visits or the free disk space."""
    max_mb = limits().max_disk_mb
    if room.used + needed > max_mb * 10**6:
        values = {"need": needed / 1e6, "used": room.used / 1e6, "most": max_mb}
        raise BadInput(t("This needs {need:,.1f} MB; all texts use {used:,.1f} of {most:,} MB. Delete one, or try again later.", **values))
    if needed > room.free:
        values = {"need": megabytes(needed), "free": megabytes(room.free)}
        raise BadInput(t("This needs {need} of disk; {free} are free. Free space, or set ELMOSCOPE_CACHE.", **values))


def _marks_file(text: Path) -> Path:
    return text.with_suffix(".json")


def _read_marks(text: Path) -> list[str]:
    with contextlib.suppress(ElmoscopeError, OSError, TypeError):
        return [item for item in read_json(_marks_file(text), expect=dict).get("marks", ()) if len(item) >= user_names.DIGITS]
    return []


def _select_marked(places: Iterable[Path], marks: Iterable[str]) -> list[Path]:
    return [place for place in places if any(item in place.name for item in marks)]


def _count_data_bytes(text: Path, places: list[Path]) -> int:
    return sum(map(disk_space.count_bytes, _select_marked(places, _read_marks(text))))


def _entries(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return list(folder.iterdir())
    return []


def _last_use(text: Path) -> float:
    with contextlib.suppress(OSError):
        stat = text.stat()
        return max(stat.st_atime, stat.st_mtime)
    return 0.0


def _touch(text: Path) -> None:
    """Set the access time to now. The modification time stays, because it identifies what was computed from the text."""
    with contextlib.suppress(OSError):
        if texts_expire() and time.time() - _last_use(text) > TOUCHED_AFTER_S:
            os.utime(text, ns=(time.time_ns(), text.stat().st_mtime_ns))
