"""Files that are whole or not there: written beside their place under a name of one's own, and renamed; and locks on files."""

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
from pathlib import Path

from filelock import FileLock

from ..common.errors import BadInput
from ..common.i18n import t
from .ours import check_place, find_stranger, free_name, say_stranger

_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
_UNWRITABLE |= {errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG}  # a file is where a folder should be, or ...

_HERE, _EXCHANGE = -100, 2  # of renameat2: AT_FDCWD, RENAME_EXCHANGE
_HELD: ContextVar[frozenset[Path]] = ContextVar("_HELD", default=frozenset())  # paths whose lock this context holds
# Surrounds the renaming of (temporary, path) in this context; raises BadInput if `path` must stay (core.files.outputs).
GUARD: ContextVar[Callable[[Path, Path], contextlib.AbstractContextManager[None]] | None] = ContextVar("GUARD", default=None)


@contextlib.contextmanager
def replacing(path: str | Path, *, own: str = "") -> Iterator[Path]:
    """Yield a path in the same folder to write a file or a folder at; it becomes `path` on success, is removed on failure.

    A reader sees the old artifact or the new one, whole. (Where two folders cannot be exchanged in one step, the old one is moved aside
    first: should the machine stop between those two renames, the next call moves it back.) What a process that was killed has left is removed by the
    next call for the same path. BadInput if the disk is full or the place cannot be written.

    Of a folder only files go that the new one has too, by name, or that are `own` (core.files.ours); BadInput names any other.
    """
    path = Path(path)
    check_place(path)
    path = Path(os.path.realpath(path)) if path.is_symlink() else path  # the link stays
    temporary = _temporary_name(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        yield temporary
        _commit(temporary, path, own)
    except OSError as error:
        if (refusal := cannot_write(path, error)) is error:
            raise
        raise refusal from error
    finally:
        _remove(temporary)


def _commit(temporary: Path, path: Path, own: str) -> None:
    """Put a complete file or folder in its place. If a user's file is there by now, the result stays next to it and BadInput names both."""
    if not temporary.is_dir():
        with temporary.open("rb+") as stream:
            os.fsync(stream.fileno())  # or the rename could outlive the content
        with contextlib.suppress(OSError):
            shutil.copymode(path, temporary)
    guard = GUARD.get()
    try:
        if temporary.is_dir():
            _check_swap(temporary, path, own)
        with guard(temporary, path) if guard else contextlib.nullcontext():
            _swap_folder(temporary, path) if temporary.is_dir() else rename(temporary, path)
    except BadInput as refusal:
        if guard is None:
            raise
        aside = free_name(path)
        rename(temporary, aside)
        raise BadInput(t("{reason} The result is in {path}.", reason=refusal, path=aside)) from None


def rename(source: Path, target: Path) -> None:
    """Put a file in another's place. Windows refuses while somebody reads that: for a second it is tried again."""
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
    """Alone with a file that several threads and processes change; filelock.Timeout if others hold it longer than that.

    A hidden file beside it is the lock, and is removed in the end: whoever waits for a lock that is no longer there makes it
    anew (filelock compares the file that it holds with the one of that name). Its folder is made if there is none.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    with FileLock(lock, timeout=timeout_s, thread_local=False):
        token = _HELD.set(_HELD.get() | {path})
        try:
            yield
        finally:
            _HELD.reset(token)
            with contextlib.suppress(OSError):  # Windows removes no open file; there the lock may stay
                lock.unlink()


def locked_once(path: str | Path) -> contextlib.AbstractContextManager[None]:
    """`locked`, or nothing if this context holds the lock already."""
    return contextlib.nullcontext() if Path(os.path.realpath(path)) in _HELD.get() else locked(path)


def cannot_write(path: Path, error: OSError) -> Exception:
    """The sentence for a write that the system refused; `error` itself where it is about something else."""
    elsewhere = error.filename is not None and not str(error.filename).startswith(str(path.parent))
    if error.errno not in _UNWRITABLE or elsewhere:
        return error
    reason = os.strerror(error.errno)
    return BadInput(t("{path} cannot be written: {reason}. Free space or change folder.", path=path, reason=reason))


def _temporary_name(path: Path, what: str = "tmp") -> Path:
    """A name that tells which process of which machine writes there; the suffix stays, as some writers would add one."""
    return path.with_name(f".{_machine()}-{os.getpid()}-{secrets.token_hex(4)}.{what}-{_tag(path)}")


def _tag(path: Path) -> str:
    """A name that is short enough for a prefix, and different for every name."""
    return f"{hashlib.sha256(path.name.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}-{path.name[-40:]}"


@functools.cache
def _machine() -> str:
    """Of this machine since it was started: process numbers of another say nothing here."""
    booted = Path("/proc/sys/kernel/random/boot_id")
    name = f"{platform.node()} {booted.read_text(encoding='ascii') if booted.is_file() else ''}"
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def _sweep(path: Path) -> None:
    """Clear up after processes of this machine that were killed while they wrote `path`."""
    if os.name != "posix":  # elsewhere nobody can be asked whether a process runs
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
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


def _check_swap(temporary: Path, path: Path, own: str) -> None:
    """BadInput where a file of somebody's would go with the folder that was there."""
    new = (re.escape(each.relative_to(temporary).as_posix()) for each in temporary.rglob("*"))
    if path.is_dir() and (name := find_stranger(path, "|".join([*filter(None, [own]), *new]))) is not None:
        raise BadInput(say_stranger(path, name))


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
    """Give two paths each other's name in one step (Linux): a process that is killed leaves both whole. False where that cannot be done."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        return libc.renameat2(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE) == 0
    return False


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink() if path.is_symlink() or path.is_file() else shutil.rmtree(path, ignore_errors=True)
