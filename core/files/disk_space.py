"""Measure and free the disk space of the cache, which is bounded by one cap and by the size of the disk.

Frozen layers (core.learning.features) can be computed again from the texts, so they are removed when space is needed. The longest unused
are removed first. Layers that a training has open, in this or another process, are never removed.
"""

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ..common.config import cache_folder
from .atomic import locked

LAYERS = "features"
COUNTED = ("indexes", "corpora", "encoded", "maps", "training", LAYERS)  # folders of the cache
LAST_USE = "last-use"  # a file in a folder of layers; its time is that of the last use


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes used of the cap and bytes free on the disk. Removable layers count as free."""

    used: int
    free: int

    def fits(self, needed: int, max_bytes: int) -> bool:
        """Return whether `needed` more bytes fit the cap of `max_bytes` and the disk."""
        return self.used + needed <= max_bytes and needed <= self.free

    def without(self, n_bytes: int) -> "Room":
        """Return the room that is left when `n_bytes` of the cache are removed."""
        return Room(max(0, self.used - n_bytes), self.free + n_bytes)


def layers_folder() -> Path:
    """Return the folder of the cache that holds frozen layers, in a folder for each model and data set."""
    return cache_folder() / LAYERS


def room(layers: Path | None = None) -> Room:
    """Return the used and free bytes, counting all removable layers as free. `layers` is their folder, by default the cache's."""
    layers = layers or layers_folder()
    with _lock_layers(layers):
        return _room(layers, sum(map(count_bytes, _removable_folders(layers))))


def make_room(needed: int, max_bytes: int, layers: Path | None = None) -> Room:
    """Remove layers until `needed` more bytes fit the disk and the cap of `max_bytes`. Remove none if they cannot fit."""
    layers = layers or layers_folder()
    with _lock_layers(layers):
        removable = _removable_folders(layers)
        result = _room(layers, sum(map(count_bytes, removable)))
        if result.fits(needed, max_bytes):
            while removable and not _room(layers).fits(needed, max_bytes):
                _remove(removable.pop(0))
        return result


def hold(folder: Path) -> FileLock:
    """Mark a folder of layers as in use until the returned lock is released or its process ends."""
    with locked(folder.parent / "room"):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f"use-{secrets.token_hex(8)}.lock", thread_local=False)
        lock.acquire(timeout=0)
        (folder / LAST_USE).touch()
    return lock


@contextlib.contextmanager
def _lock_layers(layers: Path) -> Iterator[None]:
    """Keep other threads and processes from holding or removing layers within the context."""
    with locked(layers / "room") if layers.is_dir() else contextlib.nullcontext():
        yield


def _room(layers: Path, removable_bytes: int = 0) -> Room:
    folders = {cache_folder() / name for name in COUNTED} | {layers}
    existing = next(place for place in (layers, *layers.absolute().parents) if place.is_dir())
    return Room(sum(map(count_bytes, folders)) - removable_bytes, shutil.disk_usage(existing).free + removable_bytes)


def _removable_folders(layers: Path) -> list[Path]:
    """Return the folders of layers that are not in use, the longest unused first."""
    folders = [place for place in layers.iterdir() if place.is_dir()] if layers.is_dir() else []
    return sorted((place for place in folders if not _is_held(place)), key=_last_use)


def _is_held(folder: Path) -> bool:
    for file in folder.glob("use-*.lock"):
        lock = FileLock(file, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return True
        lock.release()
        file.unlink(missing_ok=True)  # its process has ended
    return False


def _last_use(folder: Path) -> float:
    mark = folder / LAST_USE
    return (mark if mark.is_file() else folder).stat().st_mtime


def _remove(folder: Path) -> None:
    """Rename a folder before removing it, so that a partly removed one is never opened."""
    renamed = folder.with_name(f".gone-{secrets.token_hex(4)}")
    os.replace(folder, renamed)
    shutil.rmtree(renamed, ignore_errors=True)


def count_bytes(path: Path) -> int:
    """Return the size of a file, or of all files in a folder. Files that are deleted meanwhile count as empty."""
    total = 0
    files = (os.path.join(place, name) for place, _, names in os.walk(path) for name in names) if path.is_dir() else (path,)
    for file in files:
        with contextlib.suppress(OSError):
            total += os.stat(file).st_size
    return total
