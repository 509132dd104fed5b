"""What may be replaced or removed on disk: files of our own names and marks; all else is somebody's, and is named instead. `own` is a
pattern of paths within a folder, written with "/"."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from itertools import chain, count
from pathlib import Path

from ..common.errors import BadInput
from ..common.i18n import t

TEMPORARY = re.compile(r"\.[0-9a-f]{8}-\d+-[0-9a-f]{8}\.(tmp|old)-.*")  # of core.files.atomic, left by one that was killed


def check_place(path: str | Path) -> None:
    """BadInput where a path has no name of its own, or is the folder that one is in: its place cannot be taken."""
    path = Path(path)
    if path.name in ("", "..") or (path.is_dir() and _is_here(path)):
        raise BadInput(t("{path} is or contains your current folder. Name another.", path=path))


def _is_here(folder: Path) -> bool:
    with suppress(OSError):  # the folder that one was in is gone
        return Path.cwd().is_relative_to(folder.resolve())
    return False


def check_replaceable(folder: str | Path, own: str, *, marked: Callable[[Path], bool] = lambda folder: True) -> None:
    """BadInput, before any work begins, where `folder` holds what is not `own`, or does not bear our mark: it would be lost."""
    folder = Path(folder)
    check_place(folder)
    if folder.exists() and not folder.is_dir():
        raise BadInput(t("{path} is a file. Name a new folder.", path=folder))
    name = find_stranger(folder, own)
    if name is None and folder.is_dir() and not marked(folder):
        name = next((entry.name for entry in sorted(folder.iterdir()) if not TEMPORARY.fullmatch(entry.name)), None)
    if name is not None:
        raise BadInput(say_stranger(folder, name))


def say_stranger(folder: str | Path, name: str) -> str:
    """The sentence for a folder that holds a file of somebody's."""
    return t("{place} has other files ({name}). Move them, or name a new folder.", place=folder, name=name)


def find_stranger(folder: Path, own: str) -> str | None:
    """The first path within a folder that is none of `own`, nor a temporary of ours; None where there is none."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if Path(place, name).is_symlink()]
        folders[:] = [name for name in folders if name not in links and not TEMPORARY.fullmatch(name)]
        within = Path(place).relative_to(folder)
        names = sorted([*files, *links]) or ([""] if not folders and Path(place) != Path(folder) else [])  # an empty folder counts
        for name in names:
            path = (within / name).as_posix()
            if not is_own(path, own):
                return path
    return None


def is_own(path: str, own: str) -> bool:
    """Whether a path within a folder is of `own`, or a temporary of ours."""
    return re.fullmatch(own, path) is not None or any(TEMPORARY.fullmatch(part) for part in path.split("/"))


def free_name(path: Path) -> Path:
    """Return the path, or if it is taken the first of name-2, name-3, ... that is free."""
    names = chain([path], (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2)))
    return next(name for name in names if not os.path.lexists(name))


def remove_own(folder: str | Path, own: str) -> None:
    """Remove the files of `own` that lie in a folder, and the folder once nothing else is in it."""
    folder = Path(folder)
    if not folder.is_dir() or folder.is_symlink():
        return
    for path in folder.iterdir():
        if path.is_file() and is_own(path.name, own):
            path.unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()
