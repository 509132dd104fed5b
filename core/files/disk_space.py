"""Room on disk for everything that is made in the cache: one cap, and the end of the disk itself.

Frozen layers (core.learning.features) are made again from the texts whenever they are wanted, so that they give way by themselves:
those first that were not used for the longest time, and never those that a training has open, here or in another process.
"""

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from core.common.config import cache_folder
from core.files.atomic import locked

LAYERS = "features"
COUNTED = ("indexes", "corpora", "encoded", "maps", "training", LAYERS)  # folders of the cache
LAST_USE = "last-use"  # a file of a folder of layers, whose time it is


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes, what can give way left out."""

    used: int  # of the cap
    free: int  # of the disk


def layers_folder() -> Path:
    """Where the cache keeps frozen layers, a folder for each model and data set."""
    return cache_folder() / LAYERS


def room(layers: Path | None = None) -> Room:
    """What is used and free, as if all layers that can give way had done so; `layers`: their folder, where it is not the cache's."""
    layers = layers or layers_folder()
    with _alone(layers):
        return _room(layers, sum(map(size, _spare(layers))))


def make_room(needed: int, most: int, layers: Path | None = None) -> Room:
    """Remove layers until `needed` bytes more fit the disk and the cap of `most`; nothing goes where even all would not do."""
    layers = layers or layers_folder()
    with _alone(layers):
        spare = _spare(layers)
        at_best = _room(layers, sum(map(size, spare)))
        if at_best.used + needed <= most and needed <= at_best.free:
            now = _room(layers)
            while spare and (now.used + needed > most or needed > now.free):
                _remove(spare.pop(0))
                now = _room(layers)
        return at_best


def hold(folder: Path) -> FileLock:
    """Mark a folder of layers as in use for as long as the answer is kept; the end of its process ends it too."""
    with locked(folder.parent / "room"):
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f"use-{secrets.token_hex(8)}.lock", thread_local=False)
        lock.acquire(timeout=0)
        (folder / LAST_USE).touch()
    return lock


@contextlib.contextmanager
def _alone(layers: Path) -> Iterator[None]:
    """Nobody takes layers into use, or removes them, meanwhile."""
    with locked(layers / "room") if layers.is_dir() else contextlib.nullcontext():
        yield


def _room(layers: Path, spare: int = 0) -> Room:
    folders = {cache_folder() / name for name in COUNTED} | {layers}
    there = next(place for place in (layers, *layers.absolute().parents) if place.is_dir())
    return Room(sum(map(size, folders)) - spare, shutil.disk_usage(there).free + spare)


def _spare(layers: Path) -> list[Path]:
    """Folders of layers that nobody has in use, the longest unused first."""
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
        file.unlink(missing_ok=True)  # of one that has ended
    return False


def _last_use(folder: Path) -> float:
    mark = folder / LAST_USE
    return (mark if mark.is_file() else folder).stat().st_mtime


def _remove(folder: Path) -> None:
    """Away at once under its name, so that half of it is never taken for the whole."""
    gone = folder.with_name(f".gone-{secrets.token_hex(4)}")
    os.replace(folder, gone)
    shutil.rmtree(gone, ignore_errors=True)


def size(folder: Path) -> int:
    """Bytes of all files in it, or of the file; of what goes meanwhile, none."""
    total = 0
    if not folder.is_dir():
        with contextlib.suppress(OSError):
            return folder.stat().st_size
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.stat(os.path.join(place, name)).st_size
    return total
