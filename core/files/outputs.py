"""Protect a user's files from the commands that write for them.

A command replaces a file only if the same command wrote it and nobody has changed it since, or if the user allows it (`overwrite`). It never
replaces a file that it reads. The cache records the sha256 of what was written, by path.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..common import config
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from . import atomic
from .artifacts import read_json, write_json
from .atomic import GUARD, locked, locked_once
from .sums import file_sha256

RECORD = "written.json"  # in the cache
WRITABLE = 0o222  # the write bits of a file's mode; a write-protected file has none
MOST = 5_000  # files in the record
SUMS_KEPT = 4  # sums per file: if a run is killed between the record and the rename, the file still has an older sum
Marked = Callable[[Path], bool]


@dataclass(slots=True)
class Outputs:
    """The files that one run of a command reads and writes."""

    command: str
    inputs: tuple[Path, ...] = ()
    named: tuple[Path, ...] = ()  # outputs that the user named; other places in assets and the cache are the program's
    files: tuple[Path, ...] = ()  # of these, the files to check first
    overwrite: bool = False
    _checks: dict[Path, Callable[[], str]] = field(default_factory=dict)  # return why a place must stay as it is
    _states: dict[Path, frozenset] = field(default_factory=dict)  # of these places, as this run saw or left them

    def check_file(self, path: str | Path, *, merged: bool = False) -> None:
        """Raise BadInput if the command may not write this file. A `merged` file may be in a folder that the command reads."""
        path = _real(path)
        atomic.check_place(path)
        if self._is_program_file(path):
            return
        if any(path.is_relative_to(place) or place.is_relative_to(path) for place in self._checks):
            raise BadInput(t("{path} is named for two outputs. Name two files.", path=path))
        self._check(path, partial(self._refusal, path, merged=merged))

    def check_folder(self, folder: str | Path, pattern: str, *, marked: Marked | None = None) -> None:
        """Raise BadInput if the command may not replace this folder.

        `pattern` matches the files that the command writes (core.files.atomic); any other file is never lost. `marked` recognizes a folder in a
        format of ours, whose files count as written by the command although the record does not know them.
        """
        atomic.check_replaceable(folder, pattern, marked=marked or (lambda _: True))
        folder = _real(folder)
        if self._is_program_file(folder):
            return
        if sum(_real(place).is_relative_to(folder) for place in self.named) > 1:
            raise BadInput(t("{path} is named for two outputs. Name two files.", path=folder))
        self._check(folder, partial(self._folder_refusal, folder, is_marked=marked is not None))

    @contextlib.contextmanager
    def guarding(self) -> Iterator[None]:
        """Check the files first, then again whatever replaces a checked file or folder inside the `with`, and record it."""
        for path in self.files:
            self.check_file(path)
        token = GUARD.set(self._replacing)
        try:
            yield
        finally:
            GUARD.reset(token)

    def _check(self, place: Path, refusal: Callable[[], str]) -> None:
        if reason := refusal():
            raise BadInput(reason)
        self._checks[place] = refusal
        self._states[place] = _state(place)

    @contextlib.contextmanager
    def _replacing(self, temporary: Path, path: Path) -> Iterator[None]:
        path = _real(path)
        if not any(map(path.is_relative_to, self._checks)):
            yield
            return
        adds = atomic.is_locked(path)  # to what other runs wrote there
        with locked_once(path):
            if path in self._checks and (reason := self._checks[path]()):  # else within a folder that the command has made
                raise BadInput(reason)
            if path in self._checks and not (adds or _state(path) <= self._states[path]):
                raise BadInput(t("{path} was written by another run meanwhile and stays as it is.", path=path))
            remember(self.command, {path / file.relative_to(temporary): file_sha256(file) for file in _files(temporary)})
            yield
            self._states |= {place: _state(place) for place in self._checks if path.is_relative_to(place)}

    def _is_program_file(self, path: Path) -> bool:
        places = (_real(config.ASSETS), _real(config.cache_folder()))
        return any(map(path.is_relative_to, places)) and not any(path.is_relative_to(_real(named)) for named in self.named)

    def _folder_refusal(self, folder: Path, *, is_marked: bool) -> str:
        if folder.is_dir() and any(_real(read).is_relative_to(folder) for read in self.inputs if read.exists()):
            return t("{path} is read by this command and stays as it is. Name another.", path=folder)
        return next(filter(None, (self._refusal(file, lenient=is_marked) for file in _files(folder))), "")

    def _refusal(self, path: Path, *, merged: bool = False, lenient: bool = False) -> str:
        """Return why a file cannot be replaced; "" if it can. A `lenient` check accepts a file that is not in the record."""
        if not path.exists():
            return ""
        if path.is_dir():
            return t("{path} is a folder. Name a file.", path=path)
        if not path.is_file():
            return t("{path} is not a file. Name a file.", path=path)
        if not path.stat().st_mode & WRITABLE:
            return t("{path} is write-protected. Name another, or allow writing.", path=path)
        writer, is_unchanged = _last_writer(path)
        is_replaceable = is_unchanged if writer == self.command else lenient and writer is None
        for read in self.inputs:
            if read.is_dir() and path.is_relative_to(_real(read)) and not (is_replaceable or merged):
                return t("{path} is in a folder that this command reads, and stays as it is. Name another.", path=path)
            if read.is_file() and path.samefile(read):
                return t("{path} is read by this command and stays as it is. Name another.", path=path)
        if self.overwrite or is_replaceable:
            return ""
        values = {"path": path, "command": self.command}
        if writer == self.command:
            return t("{path} was changed after “{command}” wrote it. Name another, or add --overwrite.", **values)
        return t("{path} exists and “{command}” did not write it. Name another, or add --overwrite.", **values)


def remember(command: str, sums: Mapping[Path, str]) -> None:
    """Record what a command is about to write. A cache that cannot be written is no error: the file then needs `overwrite` next time."""
    place = config.cache_folder() / RECORD
    with contextlib.suppress(OSError, ElmoscopeError), locked(place):
        record = _read_record()
        for path, digest in sums.items():
            before = record.pop(str(path), {})
            earlier = before["sha256"] if before.get("command") == command else []
            record[str(path)] = {"command": command, "sha256": [*(item for item in earlier if item != digest), digest][-SUMS_KEPT:]}
        if len(record) > MOST:
            record = {path: entry for path, entry in record.items() if os.path.exists(path) or Path(path) in sums}
        write_json(place, dict(list(record.items())[-MOST:]))


def set_aside(path: str | Path) -> Path:
    """Rename a file that cannot be read, so that another can take its place; return its new name."""
    path = Path(path)
    aside = atomic.free_name(path.with_name(f"{path.stem}-unreadable{path.suffix}"))
    atomic.rename(path, aside)
    return aside


def _last_writer(path: Path) -> tuple[str | None, bool]:
    """Return the command that wrote a file, None if it is not in the record, and whether nobody has changed the file since."""
    entry = _read_record().get(str(path))
    return (entry["command"], file_sha256(path) in entry["sha256"]) if entry else (None, False)


def _read_record() -> dict[str, dict]:
    """Return the record by path; entries that are not in its form are left out."""
    with contextlib.suppress(ElmoscopeError):
        record = read_json(config.cache_folder() / RECORD, expect=dict)
        return {path: entry for path, entry in record.items() if _is_entry(entry)}
    return {}


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("command"), str) and isinstance(entry.get("sha256"), list)


def _files(place: Path) -> Iterable[Path]:
    """Return the file, or the files in a folder, without those that a killed process has left."""
    if not place.is_dir():
        return [place] if place.exists() else []
    files = (file for file in sorted(place.rglob("*")) if file.is_file())
    return [file for file in files if not any(map(atomic.TEMPORARY.fullmatch, file.relative_to(place).parts))]


def _state(place: Path) -> frozenset:
    """Return the files of a place, with what changes when they are replaced."""
    stats = ((file, file.stat()) for file in _files(place))
    return frozenset((file, stat.st_ino, stat.st_mtime_ns) for file, stat in stats)


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path))
