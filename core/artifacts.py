"""Files that are whole or not there: written beside their place and renamed, with what made them; never pickle.

Every artifact carries `provenance`: model, corpus and config as the caller states them, code version, environment, date.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

from core import __version__, manifest
from core.errors import BadInput, CorruptArtifact, ElmoscopeError, MissingArtifact
from core.texts import t

MAX_JSON_BYTES = 64 << 20
SHORT = 12  # hex digits that tell artifacts apart on a screen
PACKAGES = ("numpy", "torch", "safetensors", "pyarrow", "gensim", "umap-learn")  # named in provenance, never imported here
_UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
_UNWRITABLE |= {errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG}  # a file is where a folder should be, or ...


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a path in the same folder to write a file or a folder at; it becomes `path` on success, is removed on failure.

    A reader sees the old artifact or the new one, whole. (A folder that exists is moved aside first: should the machine
    stop between those two renames, the next call moves it back.) What a process that was killed has left is removed by the
    next call for the same path. BadInput if the disk is full or the place cannot be written.
    """
    path = Path(path)
    temporary = _beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        yield temporary
        if temporary.is_dir():
            _swap_folder(temporary, path)
        else:
            with temporary.open("rb+") as stream:
                os.fsync(stream.fileno())  # or the rename could outlive the content
            os.replace(temporary, path)
    except OSError as error:
        if (told := cannot_write(path, error)) is error:
            raise
        raise told from error
    finally:
        _remove(temporary)


def cannot_write(path: Path, error: OSError) -> Exception:
    """The sentence for a write that the system refused; `error` itself where it is about something else."""
    elsewhere = error.filename is not None and not str(error.filename).startswith(str(path.parent))
    if error.errno not in _UNWRITABLE or elsewhere:
        return error
    reason = os.strerror(error.errno)
    return BadInput(t("{path} cannot be written: {reason}. Free some space, or choose another folder.", path=path, reason=reason))


def write_json(path: str | Path, obj: Any) -> None:
    """Write `obj` as strict JSON (no NaN), atomically; dataclasses, paths and numpy values become plain ones."""
    text = json.dumps(obj, ensure_ascii=False, allow_nan=False, indent=1, default=_plain)
    with replacing(path) as temporary:
        try:
            temporary.write_text(text + "\n", encoding="utf-8")
        except UnicodeEncodeError:  # half a character (unpaired surrogate): only the escaped form can hold it
            temporary.write_text(json.dumps(obj, allow_nan=False, default=_plain) + "\n", encoding="utf-8")


def read_json(path: str | Path, max_bytes: int = MAX_JSON_BYTES, *, expect: type = object) -> Any:
    """What a JSON file holds; MissingArtifact or CorruptArtifact names the file and what to do."""
    path = Path(path)
    check_fits(path, max_bytes, error=CorruptArtifact)
    try:
        value = parse_json(path.read_bytes())
    except OSError as error:
        told = t("{path} cannot be read: {error}. Check the file's permissions.", path=path, error=error.strerror)
        raise MissingArtifact(told) from None
    except ValueError as error:
        told = t("{path} is damaged: {error}. Delete it and make it again.", path=path, error=error)
        raise CorruptArtifact(told) from None
    if not isinstance(value, expect):
        told = t(
            "{path} is damaged: it holds a {found}, not a {wanted}. Delete it and make it again.",
            path=path, found=type(value).__name__, wanted=expect.__name__,
        )  # fmt: skip
        raise CorruptArtifact(told)
    return value


def parse_json(data: bytes | str) -> Any:
    """Strict JSON to plain values; every fault, too deep a nesting and NaN included, is a ValueError with a short reason."""
    try:
        return json.loads(data if isinstance(data, str) else data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError(t("it is nested too deeply")) from None
    except UnicodeDecodeError as error:
        raise ValueError(t("byte {n} is not UTF-8", n=error.start)) from None
    except json.JSONDecodeError as error:
        raise ValueError(t("it is not JSON ({reason}, at character {n})", reason=error.msg, n=error.pos)) from None


def check_fits(path: str | Path, max_bytes: int, *, error: type[ElmoscopeError] = BadInput) -> int:
    """The file's size; MissingArtifact if there is none, `error` if it is larger than `max_bytes`."""
    path = Path(path)
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        raise MissingArtifact(t("There is no file {path}. Check its name, or make it again.", path=path)) from None
    if path.is_dir():
        raise error(t("{path} is a folder; a file is needed here.", path=path))
    if size > max_bytes:
        told = t(
            "{name} is {size}; at most {most} can be read here. Use a smaller file.",
            name=path.name, size=_megabytes(size), most=_megabytes(max_bytes),
        )  # fmt: skip
        raise error(told)
    manifest.check(path)
    return size


def file_sha256(path: str | Path) -> str:
    """sha256 of a file, 64 hex digits, read in pieces."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        told = t("{path} cannot be read: {error}. Check that it is there.", path=path, error=error.strerror)
        raise MissingArtifact(told) from None


def text_fingerprint(texts: Iterable[str]) -> str:
    """sha256 of strings in their order, 64 hex digits; ["ab"] and ["a", "b"] differ."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def short(fingerprint: str) -> str:
    """The first 12 digits of a fingerprint, for screens and file names."""
    return fingerprint[:SHORT]


def provenance(**facts: Any) -> dict:
    """`facts`, with the code version, the environment and the UTC date added: what every artifact records."""
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return {**facts, "code_version": __version__, "environment": dict(_environment()), "date": date}


@functools.cache
def _environment() -> tuple[tuple[str, str], ...]:
    found = [("python", platform.python_version()), ("system", f"{platform.system()} {platform.machine()}")]
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found.append((package, importlib.metadata.version(package)))
    return tuple(found)


def _beside(path: Path, what: str = "tmp") -> Path:
    """A name that tells which process of which machine writes there; the suffix stays, as some writers would add one."""
    return path.with_name(f".{_machine()}-{os.getpid()}-{secrets.token_hex(4)}.{what}-{path.name[-40:]}")


@functools.cache
def _machine() -> str:
    """Of this machine since it was started: process numbers of another say nothing here."""
    booted = Path("/proc/sys/kernel/random/boot_id")
    told = f"{platform.node()} {booted.read_text(encoding='ascii') if booted.is_file() else ''}"
    return hashlib.sha256(told.encode()).hexdigest()[:8]


def _sweep(path: Path) -> None:
    """Clear up after processes of this machine that were killed while they wrote `path`."""
    if os.name != "posix":  # elsewhere nobody can be asked whether a process runs
        return
    left = re.compile(rf"\.{_machine()}-(\d+)-[0-9a-f]{{8}}\.(tmp|old)-{re.escape(path.name[-40:])}")
    for entry in os.scandir(path.parent):
        if (found := left.fullmatch(entry.name)) and not _is_running(int(found[1])):
            if found[2] == "old" and not path.exists():
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


def _swap_folder(temporary: Path, path: Path) -> None:
    aside = _beside(path, "old")
    for attempt in range(5):  # more than twice only if another process writes the same folder
        try:
            os.rename(temporary, path)
            _remove(aside)
            return
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or attempt == 4:
                if aside.exists() and not path.exists():
                    os.rename(aside, path)
                raise
        _remove(aside)
        with contextlib.suppress(FileNotFoundError):
            os.rename(path, aside)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink() if path.is_symlink() or path.is_file() else shutil.rmtree(path, ignore_errors=True)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _refuse_constant(name: str) -> None:
    raise ValueError(t("it holds {name}, which is no JSON number", name=name))


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB" if n_bytes >= 100_000 else t("{n:,} bytes", n=n_bytes)
