"""Quotas of visits: how many texts, and how much of the cache, a visit and all visits together may take.

Where a server is public and room is short, texts of visits that have ended give way, the longest unused first. Then the visit that holds the
most gives way, as long as it holds more than the visit that needs the room: what was made of its texts first, then the texts. On the user's
own machine nothing gives way and nothing expires.
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

from core.common.config import cache_folder
from core.common.errors import BadInput, ElmoscopeError
from core.common.i18n import InThread, t, tn
from core.common.limits import expires, limits
from core.files import disk_space, own_names
from core.files.artifacts import read_json, write_json
from core.files.disk_space import Room

MADE_OF_TEXTS = ("indexes", "maps", "maps/tokens", "encoded")  # folders of the cache whose entries are named by what they were made of
CHECKPOINTS = "training"  # states of trainings, of which each is written again after every epoch
RESUMED_WITHIN_S = 600.0  # the state of a training that may still run
TOUCHED_AFTER_S = 300.0  # a text in use is marked as used this often
TEMPORARY = ".tmp-"  # in names of what is being written (core.files.atomic)
UPLOAD = "upload"  # the first part of a key of `Held.made`

VISIT: InThread[str] = InThread("visit")  # the visit that this thread works for; None for the machine's own work


@dataclass
class Held:
    """What a visit holds: its texts, and the bytes of what was made or brought for it."""

    texts: set[Path] = field(default_factory=set)
    made: dict[tuple[Hashable, ...], int] = field(default_factory=dict)  # the first part of a key names the corpus

    @property
    def text_bytes(self) -> int:
        return sum(map(_file_size, tuple(self.texts)))

    @property
    def n_bytes(self) -> int:
        return self.text_bytes + sum(tuple(self.made.values()))


@dataclass(frozen=True, slots=True)
class _Spare:
    """Something that may give way: a text with all that was made of it, or only the latter."""

    text: Path
    with_text: bool
    n_bytes: int


class Visits:
    """The visits of a server and what each of them holds. `is_there(visit)` says whether its page is open."""

    def __init__(self, is_there: Callable[[str], bool] = lambda visit: True) -> None:
        self.is_there = is_there
        self._held: dict[str, Held] = {}
        self._lock = threading.RLock()

    def held(self, visit: str | None = None) -> Held:
        """Return what a visit holds, by default this thread's; the machine's own work holds nothing."""
        with self._lock:
            for gone in [other for other in self._held if not self.is_there(other)]:
                del self._held[gone]
            visit = visit or VISIT.get()
            return self._held.setdefault(visit, Held()) if visit else Held()

    def use(self, text: Path) -> None:
        """Hold a text for this thread's visit, and mark it as used now."""
        self.held().texts.add(text)
        _touch(text)

    def release(self, text: Path) -> bool:
        """Let go of a text; return whether another visit still holds it."""
        with self._lock:
            self._drop(self.held(), text)
            return any(text in other.texts for other in self._held.values())

    @contextlib.contextmanager
    def writing(self, text: Path, n_bytes: int) -> Iterator[None]:
        """Hold a new text of so many bytes, which is written within. BadInput, before anything is written, where there is no room for it."""
        with self._lock:
            self._check_visit(n_bytes)
            most, n = limits(), len(texts())
            room = self.make_room(n_bytes, n_texts=1)
            if n >= most.max_texts and len(texts()) >= most.max_texts:
                raise BadInput(
                    tn(
                        "{n:,} text is stored, the limit here. Try again later.",
                        "{n:,} texts are stored, the limit here. Try again later.",
                        n,
                    )
                )
            check_fits(room, n_bytes)
            yield
            self.use(text)

    def check(self, n_bytes: int) -> None:
        """BadInput where this thread's visit, or all visits together, may not bring so many bytes more."""
        with self._lock:
            self._check_bytes(n_bytes)
            brought = sum(size for held in self._held.values() for key, size in held.made.items() if key[0] == UPLOAD)
            room = self.room(brought + n_bytes)
            check_fits(Room(room.used + brought, room.free), n_bytes)

    def room(self, needed: int, n_texts: int = 0) -> Room:
        """Return what is used and free, as if everything had given way that may, as far as it is `needed`."""
        with self._lock:
            return self._at_best(needed, n_texts)[0]

    def make_room(self, needed: int, *, n_texts: int = 0, layers: Path | None = None) -> Room:
        """Let give way what may, as far as it is `needed`, and nothing where that would not do; return the room as `room` does."""
        most = limits().max_disk_mb * 10**6
        with self._lock:
            room, spare = self._at_best(needed, n_texts, layers)
            if room.used + needed <= most and needed <= room.free:
                self._remove(spare)
                disk_space.make_room(needed, most, layers)
            return room

    def remove(self, text: Path, marks: Iterable[str] = ()) -> None:
        """Remove a text and everything made of it; `marks` are additional ones of the names of that. No job may be at work on it."""
        with self._lock:
            self._remove([_Spare(text, True, 0)], marks, unfinished=True)

    def expire(self) -> None:
        """Remove texts, and states of trainings, that nobody has used for as long as they are stored; texts in use are marked as used."""
        if not expires():
            return
        since = time.time() - 3600 * limits().max_text_hours
        with self._lock:
            self.held()
            in_use = set().union(*(held.texts for held in self._held.values()))
            for text in in_use:
                _touch(text)
            self._remove([_Spare(text, True, 0) for text in texts() - in_use if _last_use(text) < since])
            for file in _entries(cache_folder() / CHECKPOINTS):
                if file.suffix == ".pt" and _last_use(file) < since:
                    with contextlib.suppress(OSError):
                        file.unlink()

    def _check_visit(self, n_bytes: int) -> None:
        if not VISIT.get():
            return
        n = sum(text.is_file() for text in self.held().texts)
        if n >= limits().max_session_texts:
            raise BadInput(
                tn("You have {n} text, the limit here. Delete it first.", "You have {n} texts, the limit here. Delete one first.", n)
            )
        self._check_bytes(n_bytes)

    def _check_bytes(self, n_bytes: int) -> None:
        spent, most = self.held().n_bytes, limits().max_session_disk_mb
        if VISIT.get() and spent + n_bytes > most * 10**6:
            values = {"need": n_bytes / 1e6, "spent": spent / 1e6, "most": most}
            raise BadInput(
                t("This needs {need:,.1f} MB; you have used {spent:,.1f} of {most:,} MB. Use less text, or delete one.", **values)
            )

    def _at_best(self, needed: int, n_texts: int, layers: Path | None = None) -> tuple[Room, list[_Spare]]:
        """Return the room when as much has given way as is needed, and what that is."""
        most = limits()
        surplus = len(texts()) + n_texts - most.max_texts if n_texts else 0
        spare = list(islice(self._candidates(n_texts, by_number=True), max(0, surplus)))
        room = _without(disk_space.room(layers), sum(item.n_bytes for item in spare))
        candidates = self._candidates(needed)
        while (room.used + needed > most.max_disk_mb * 10**6 or needed > room.free) and (item := next(candidates, None)):
            if item.text not in {other.text for other in spare if other.with_text}:
                spare.append(item)
                room = _without(room, item.n_bytes)
        return room, spare

    def _candidates(self, needed: int, *, by_number: bool = False) -> Iterator[_Spare]:
        """What may give way to this thread's visit, in that order; `needed` are bytes, or texts where only their number counts."""
        if not expires():
            return
        if not by_number:
            since = time.time() - RESUMED_WITHIN_S
            for file in sorted(_entries(cache_folder() / CHECKPOINTS), key=_last_use):
                if file.suffix == ".pt" and _last_use(file) < since:
                    yield _Spare(file, True, _file_size(file))
        mine = self.held()
        others = {visit: held for visit, held in self._held.items() if held is not mine}
        made = [place for name in MADE_OF_TEXTS for place in _entries(cache_folder() / name)]
        in_use = set().union(mine.texts, *(held.texts for held in others.values()))
        for text in sorted(texts() - in_use, key=_last_use):
            yield _Spare(text, True, _file_size(text) + _count_bytes_made(text, made))
        shares = {visit: len(held.texts) if by_number else held.n_bytes for visit, held in others.items()}
        my_share = (len(mine.texts) if by_number else mine.n_bytes) + needed
        larger = {visit for visit, share in shares.items() if share > my_share}
        queues = {}
        for visit in larger:  # what a smaller visit holds too, stays
            own = sorted((text for text in others[visit].texts - mine.texts if text.is_file()), key=_last_use)
            own = [text for text in own if {other for other, held in others.items() if text in held.texts} <= larger]
            sizes = {text: _count_bytes_made(text, made) for text in own}
            items = [] if by_number else [_Spare(text, False, size) for text, size in sizes.items() if size]
            items += [_Spare(text, True, _file_size(text) + sizes[text] * by_number) for text in own]
            queues[visit] = deque(items)
        gone = set()
        while shares and shares[largest := max(shares, key=shares.__getitem__)] > my_share:
            if not queues[largest]:
                del shares[largest]
                continue
            item = queues[largest].popleft()
            shares[largest] -= 1 if by_number else item.n_bytes
            if item not in gone:  # another visit's share, too
                gone.add(item)
                yield item

    def _remove(self, items: list[_Spare], marks: Iterable[str] = (), *, unfinished: bool = False) -> None:
        made = [place for name in MADE_OF_TEXTS for place in _entries(cache_folder() / name)] if items else []
        made = [place for place in made if unfinished or TEMPORARY not in place.name]  # a job that writes it removes it in the end
        for item in items:
            its_marks = {*_marks(item.text), *marks}
            for place in [place for place in made if _is_marked(place, its_marks)]:
                with contextlib.suppress(OSError):
                    shutil.rmtree(place, ignore_errors=True) if place.is_dir() else place.unlink(missing_ok=True)
            for held in self._held.values():
                self._drop(held, item.text, item.with_text)
            if item.with_text:
                for file in (item.text, _facts(item.text)):
                    with contextlib.suppress(OSError):
                        file.unlink(missing_ok=True)

    def _drop(self, held: Held, text: Path, with_text: bool = True) -> None:
        for key in [key for key in held.made if text.stem[: own_names.DIGITS] in str(key[0])]:
            del held.made[key]
        if with_text:
            held.texts.discard(text)


VISITS = Visits()


def texts() -> set[Path]:
    """The files of all texts that visits have brought."""
    return {place for place in _entries(own_names.folder()) if place.suffix == ".jsonl" and not place.name.startswith(".")}


def mark(text: Path, marks: Iterable[str]) -> None:
    """Write, next to a text, by which marks in their names what is made of it is known."""
    write_json(_facts(text), {"marks": list(dict.fromkeys(marks))})
    _facts(text).chmod(0o600)


def may_store(n_bytes: int) -> bool:
    """Make room for something of so many bytes that can also be made again; return whether there is any."""
    room = VISITS.make_room(n_bytes)
    return room.used + n_bytes <= limits().max_disk_mb * 10**6 and n_bytes <= room.free


def check_fits(room: Room, needed: int) -> None:
    """BadInput where the cap for all, or the disk, has no room for so many bytes."""
    most = limits().max_disk_mb
    if room.used + needed > most * 10**6:
        values = {"need": needed / 1e6, "used": room.used / 1e6, "most": most}
        raise BadInput(t("This needs {need:,.1f} MB; all texts use {used:,.1f} of {most:,} MB. Delete one, or try again later.", **values))
    if needed > room.free:
        raise BadInput(t("This needs {need:,.1f} MB of disk; {free:,.1f} MB are free.", need=needed / 1e6, free=room.free / 1e6))


def _without(room: Room, n_bytes: int) -> Room:
    return Room(max(0, room.used - n_bytes), room.free + n_bytes)


def _facts(text: Path) -> Path:
    return text.with_suffix(".json")


def _marks(text: Path) -> list[str]:
    with contextlib.suppress(ElmoscopeError, OSError, TypeError):
        return [each for each in read_json(_facts(text), expect=dict).get("marks", ()) if len(each) >= own_names.DIGITS]
    return []


def _is_marked(place: Path, marks: Iterable[str]) -> bool:
    return any(each in place.name for each in marks)


def _count_bytes_made(text: Path, made: list[Path]) -> int:
    marks = _marks(text)
    return sum(disk_space.size(place) for place in made if _is_marked(place, marks))


def _entries(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return list(folder.iterdir())
    return []


def _file_size(file: Path) -> int:
    with contextlib.suppress(OSError):
        return file.stat().st_size
    return 0


def _last_use(text: Path) -> float:
    with contextlib.suppress(OSError):
        stat = text.stat()
        return max(stat.st_atime, stat.st_mtime)
    return 0.0


def _touch(text: Path) -> None:
    """Set the time of the last reading alone: what was computed of the text is known by that of the last change."""
    with contextlib.suppress(OSError):
        if expires() and time.time() - _last_use(text) > TOUCHED_AFTER_S:
            os.utime(text, (time.time(), text.stat().st_mtime))
