"""Replace files and folders safely: complete or not at all, never a user's file, one writer at a time.

A new file is written next to its place under a temporary name, and then renamed. Before a folder is replaced, every file in it must be of ours:
its path in the folder, with "/", matches `pattern`.
"""

import contextlib
import ctypes
import errno
import functools
import hashlib
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from itertools import chain, count
from pathlib import Path

from filelock import FileLock

from ..common.errors import BadInput
from ..common.i18n import t

TEMPORARY = re.compile(r"\.[0-9a-f]{8}-(\d+-[0-9a-f]{8}\.(tmp|old)-.*|.*\.lock)")  # left by a killed process (`_temporary_name`, `locked`)
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
_UNWRITABLE |= {errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.EFBIG}  # of another kind, or beyond a limit

_HERE, _EXCHANGE = -100, 2  # of renameat2: AT_FDCWD, RENAME_EXCHANGE
_HELD: ContextVar[frozenset[Path]] = ContextVar("_HELD", default=frozenset())  # paths whose lock this context holds
# Surrounds the renaming of (temporary, path) in this context; raises BadInput if `path` must stay (core.files.outputs).
GUARD: ContextVar[Callable[[Path, Path], contextlib.AbstractContextManager[None]] | None] = ContextVar("GUARD", default=None)


@contextlib.contextmanager
def replacing(path: str | Path, *, pattern: str = "") -> Iterator[Path]:
    """Yield a temporary path for a file or folder. It becomes `path` on success, and is removed on failure.

    Readers see the complete old artifact or the complete new one. (If two folders cannot be exchanged in one step, the old one is moved aside
    first. If the machine stops between the two renames, the next call moves it back.) The next call for the same path also removes what a
    killed process has left.

    A folder's files are replaced only if the new folder has a file of the same name, or if `pattern` matches them. Raises BadInput for any other
    file, if the disk is full, and if the place cannot be written.
    """
    path = Path(path)
    check_place(path)
    path = Path(os.path.realpath(path)) if path.is_symlink() else path  # the link stays
    temporary = _temporary_name(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        yield temporary
        _commit(temporary, path, pattern)
    except OSError as error:
        if (refusal := cannot_write(path, error)) is error or TEMPORARY.fullmatch(path.parent.name):
            raise  # within an unfinished folder: its own `replacing` names the folder
        raise refusal from error
    finally:
        _remove(temporary)


def _commit(temporary: Path, path: Path, pattern: str) -> None:
    """Put a complete file or folder in its place. If a user's file is there by now, the result stays next to it and BadInput names both."""
    if not temporary.is_dir():
        with temporary.open("rb+") as stream:
            os.fsync(stream.fileno())  # or the rename could outlive the content
        with contextlib.suppress(OSError):
            shutil.copymode(path, temporary)
    guard = GUARD.get()
    try:
        if temporary.is_dir():
            _check_swap(temporary, path, pattern)
        with guard(temporary, path) if guard else contextlib.nullcontext():
            if temporary.is_dir():
                _swap_folder(temporary, path)
            else:
                rename(temporary, path)
    except BadInput as refusal:
        if guard is None:
            raise
        aside = free_name(path)
        rename(temporary, aside)
        raise BadInput(t("{reason} The result is in {path}.", reason=refusal, path=aside)) from None


def rename(source: Path, target: Path) -> None:
    """Rename a file over another one. Windows refuses while the other one is being read, so try again for a second."""
    for wait_s in (0.02, 0.05, 0.1, 0.3, 0.6):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if os.name != "nt":
                raise
            time.sleep(wait_s)
    os.replace(source, target)


@contextlib.contextmanager
def locked(path: str | Path, *, timeout_s: float = -1) -> Iterator[None]:
    """Lock a file against other threads and processes that change it. Raises filelock.Timeout if they hold it for longer.

    The lock is a hidden file next to it, removed at the end. A waiting process creates it again (filelock compares the file that it holds with
    the file of that name). A missing folder is created.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{_tag(path)}.lock")
    with FileLock(lock, timeout=timeout_s, thread_local=False):
        token = _HELD.set(_HELD.get() | {path})
        try:
            yield
        finally:
            _HELD.reset(token)
            with contextlib.suppress(OSError):  # Windows removes no open file; there the lock may stay
                lock.unlink()


def is_locked(path: str | Path) -> bool:
    """Return whether this context holds the lock of a file."""
    return Path(os.path.realpath(path)) in _HELD.get()


def locked_once(path: str | Path) -> contextlib.AbstractContextManager[None]:
    """Lock a file as `locked` does, or do nothing if this context holds the lock already."""
    return contextlib.nullcontext() if is_locked(path) else locked(path)


def cannot_write(path: Path, error: OSError) -> Exception:
    """Return a BadInput for a write that the system refused, or `error` itself if it has another cause."""
    failed = path if error.filename is None else Path(str(error.filename))
    if error.errno not in _UNWRITABLE or not (str(failed).startswith(str(path.parent)) or path.is_relative_to(failed)):
        return error
    reason = os.strerror(error.errno)
    return BadInput(t("{path} cannot be written: {reason}. Free space or change folder.", path=path, reason=reason))


def _temporary_name(path: Path, what: str = "tmp") -> Path:
    """Return a name with the machine and the process that writes there. The suffix stays, because some writers would add one."""
    return path.with_name(f".{_machine()}-{os.getpid()}-{secrets.token_hex(4)}.{what}-{_tag(path)}")


def _tag(path: Path) -> str:
    """Return a unique name that is short enough for a prefix."""
    return f"{hashlib.sha256(path.name.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}-{path.name[-40:]}"


@functools.cache
def _machine() -> str:
    """Return a mark of this machine since its start. Process numbers of other machines mean nothing here."""
    booted = Path("/proc/sys/kernel/random/boot_id")
    name = f"{platform.node()} {booted.read_text(encoding='ascii') if booted.is_file() else ''}"
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def _sweep(path: Path) -> None:
    """Remove what killed processes of this machine left while they wrote `path`."""
    if os.name != "posix":  # other systems do not say whether a process runs
        return
    left = re.compile(rf"\.{_machine()}-(\d+)-[0-9a-f]{{8}}\.(tmp|old)-{re.escape(_tag(path))}")
    for entry in os.scandir(path.parent):
        if (match := left.fullmatch(entry.name)) and not _is_running(int(match[1])):
            if match[2] == "old" and not path.exists():
                os.rename(entry.path, path)
            else:
                _remove(Path(entry.path))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return not isinstance(error, ProcessLookupError)  # otherwise it is another user's
    return True


def _check_swap(temporary: Path, path: Path, pattern: str) -> None:
    """Raise BadInput if the new folder would remove a user's file."""
    new = (re.escape(entry.relative_to(temporary).as_posix()) for entry in temporary.rglob("*"))
    if path.is_dir() and (name := find_foreign_file(path, "|".join([*filter(None, [pattern]), *new]))) is not None:
        raise BadInput(describe_foreign_file(path, name))


def _swap_folder(temporary: Path, path: Path) -> None:
    aside = _temporary_name(path, "old")
    for attempt in range(5):  # more than twice only if another process writes the same folder
        try:
            os.rename(temporary, path)
            _remove(aside)
            return
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST) and _exchange(temporary, path):
                return  # the old folder has the temporary name, and goes with it
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or attempt == 4:
                if aside.exists() and not path.exists():
                    os.rename(aside, path)
                raise
        _remove(aside)
        with contextlib.suppress(FileNotFoundError):
            os.rename(path, aside)


def _exchange(first: Path, second: Path) -> bool:
    """Exchange the names of two paths in one step (Linux), so that a killed process leaves both complete.

    Return False if that is impossible.
    """
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        return libc.renameat2(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE) == 0
    return False


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_symlink() or path.is_file():
            path.unlink()
        else:
            shutil.rmtree(path, ignore_errors=True)


def check_place(path: str | Path) -> None:
    """Raise BadInput for a path without a name, and for the current folder or one above it."""
    path = Path(path)
    has_current_folder = False
    with contextlib.suppress(OSError):  # the current folder was deleted
        has_current_folder = path.is_dir() and Path.cwd().is_relative_to(path.resolve())
    if path.name in ("", "..") or has_current_folder:
        raise BadInput(t("{path} is or contains your current folder. Name another.", path=path))


def check_replaceable(folder: str | Path, pattern: str, *, marked: Callable[[Path], bool] = lambda folder: True) -> None:
    """Raise BadInput, before any work begins, if `folder` has files that `pattern` does not match, or if `marked` rejects it."""
    folder = Path(folder)
    check_place(folder)
    if folder.exists() and not folder.is_dir():
        raise BadInput(t("{path} is a file. Name a new folder.", path=folder))
    name = find_foreign_file(folder, pattern)
    if name is None and folder.is_dir() and not marked(folder):
        name = next((entry.name for entry in sorted(folder.iterdir()) if not TEMPORARY.fullmatch(entry.name)), None)
    if name is not None:
        raise BadInput(describe_foreign_file(folder, name))


def describe_foreign_file(folder: str | Path, name: str) -> str:
    """Return the error message for a folder with a user's file."""
    return t("{place} has other files ({name}). Move them, or name a new folder.", place=folder, name=name)


def find_foreign_file(folder: Path, pattern: str) -> str | None:
    """Return the first path in a folder that is neither matched by `pattern` nor a temporary file of ours, or None."""
    for place, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if Path(place, name).is_symlink()]
        folders[:] = [name for name in folders if name not in links and not TEMPORARY.fullmatch(name)]
        within = Path(place).relative_to(folder)
        names = sorted([*files, *links]) or ([""] if not folders and Path(place) != Path(folder) else [])  # an empty folder counts
        for name in names:
            path = (within / name).as_posix()
            if not is_own_file(path, pattern):
                return path
    return None


def is_own_file(path: str, pattern: str) -> bool:
    """Return whether a path in a folder is matched by `pattern`, or is a temporary file of ours."""
    return re.fullmatch(pattern, path) is not None or any(TEMPORARY.fullmatch(part) for part in path.split("/"))


def free_name(path: Path) -> Path:
    """Return the path, or if it is taken the first of name-2, name-3, ... that is free."""
    names = chain([path], (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2)))
    return next(name for name in names if not os.path.lexists(name))


def remove_own_files(folder: str | Path, pattern: str) -> None:
    """Remove the files in a folder that `pattern` matches, and the folder if it is then empty."""
    folder = Path(folder)
    if not folder.is_dir() or folder.is_symlink():
        return
    for path in folder.iterdir():
        if path.is_file() and is_own_file(path.name, pattern):
            path.unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()
