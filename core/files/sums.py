"""Check the bundled files: `assets/SHA256` lists the sha256 of every file, which is compared when the file is first opened.

The list has the form of sha256sum, so `sha256sum -c SHA256` checks it as well. `python -m core.lab bundle` writes it. A file is read once for this:
the cache records its sum with its size and time.
"""

import contextlib
import hashlib
import json
import threading
from functools import lru_cache
from pathlib import Path

from ..common import config
from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from .atomic import locked, replacing

NAME = "SHA256"
_SEEN: dict[str, tuple[int, int, str]] = {}  # path -> size, time in ns, sum; files that this process has read
_LOCK = threading.Lock()


def file_sha256(path: str | Path) -> str:
    """Return the sha256 of a file, 64 hex digits."""
    return file_sum(path, "sha256")


def file_sum(path: str | Path, kind: str) -> str:
    """Return the "sha256" or "md5" of a file in hex digits. Raises MissingArtifact if it cannot be read."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, lambda: hashlib.new(kind, usedforsecurity=False)).hexdigest()
    except OSError as error:
        raise MissingArtifact(t("{path} cannot be read: {error}. Check the path.", path=path, error=error.strerror)) from None


def check(path: str | Path) -> None:
    """Check a bundled file, or all in a bundled folder. Raises CorruptArtifact or MissingArtifact.

    Files outside of assets/ and files that are not in the list are not checked.
    """
    root = config.ASSETS.resolve()
    path = Path(path).resolve()
    if not path.is_relative_to(root):
        return
    name = path.relative_to(root).as_posix()
    listed = [(file, expected) for file, expected in _get_sums(root).items() if name in (".", file) or file.startswith(f"{name}/")]
    are_new = [_check_file(root / file, expected) for file, expected in listed]  # all files are checked
    if any(are_new):
        _write_record()


def sum_of(path: Path, kind: str = "sha256") -> str:
    """Return the "sha256" or "md5" of a file in hex digits. It is read once for each size and time, by this or an earlier process."""
    digest, is_new = _look_up(path, kind)
    if is_new:
        _write_record()
    return digest


def make() -> Path:
    """Write the list of all files in assets/. Return its path."""
    root = config.ASSETS
    return _write(root, {path.relative_to(root).as_posix(): file_sha256(path) for path in bundled_files(root)})


def renew(path: str | Path) -> None:
    """Update the list for a file or a folder that a command has written, if it is in assets/."""
    root, path = config.ASSETS.resolve(), Path(path).resolve()
    if not path.is_relative_to(root) or not (root / NAME).is_file():
        return
    name = path.relative_to(root).as_posix()
    with locked(root / NAME):
        others = {file: digest for file, digest in _get_sums(root).items() if file != name and not file.startswith(f"{name}/")}
        written = [file for file in bundled_files(root) if path in (file, *file.parents)]
        _write(root, others | {file.relative_to(root).as_posix(): file_sha256(file) for file in written})


def _write(root: Path, sums: dict[str, str]) -> Path:
    order = sorted(sums, key=Path)  # files of a folder together
    with replacing(root / NAME) as temporary:
        temporary.write_text("".join(f"{sums[name]}  {name}\n" for name in order), encoding="utf-8", newline="\n")
    return root / NAME


def drop() -> None:
    """Remove the list. Nothing is checked until there is a new one."""
    (config.ASSETS / NAME).unlink(missing_ok=True)


def bundled_files(root: Path) -> list[Path]:
    """Return every file for the list, in order, without READMEs and their pictures."""
    paths = (path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix not in {".md", ".png"})
    return [path for path in paths if path.name != NAME and not any(part.startswith(".") for part in path.relative_to(root).parts)]


def _get_sums(root: Path) -> dict[str, str]:
    """Return file -> sum, empty if there is no list."""
    try:
        stat = (root / NAME).stat()
        return _read(root / NAME, stat.st_size, stat.st_mtime_ns)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise CorruptArtifact(t("{path} is damaged. Reinstall the project’s files.", path=root / NAME)) from None


@lru_cache(maxsize=4)
def _read(path: Path, size: int, time: int) -> dict[str, str]:
    """Read the list once for each size and time. Raises ValueError if it is not a list."""
    lines = path.read_text(encoding="utf-8").splitlines()
    result = dict(line.split("  ", 1)[::-1] for line in lines if len(line.partition("  ")[0]) == 64)
    if len(result) != len(lines):
        raise ValueError
    return result


def _check_file(path: Path, expected: str) -> bool:
    """Compare a file with its sum. Return whether the file was read."""
    if not path.is_file():
        raise MissingArtifact(t("{path} is missing. Reinstall the project’s files.", path=path))
    digest, is_new = _look_up(path)
    if digest != expected:
        message = t("{path} has a different sha256 from {list}.", path=path, list=NAME)
        raise CorruptArtifact(f"{message} {t('Reinstall it or, if you changed it, run: python -m core.lab bundle --sums')}")
    return is_new


def _look_up(path: Path, kind: str = "sha256") -> tuple[str, bool]:
    """Return the sum of a file, and whether the file had to be read for it."""
    stat = path.stat()
    name = str(path.resolve()) if kind == "sha256" else f"{kind}:{path.resolve()}"
    with _LOCK:
        if not _SEEN:
            _SEEN.update(_read_record())
        seen = _SEEN.get(name)
        if seen and seen[:2] == (stat.st_size, stat.st_mtime_ns):
            return seen[2], False
    digest = file_sum(path, kind)  # without the lock: a large file takes seconds
    with _LOCK:
        _SEEN[name] = stat.st_size, stat.st_mtime_ns, digest
    return digest, True


def _record() -> Path:
    return config.cache_folder() / "checksums.json"


def _read_record() -> dict[str, tuple[int, int, str]]:
    """Return the sums that earlier processes recorded, empty if the record cannot be read."""
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
        result = json.loads(_record().read_text(encoding="utf-8"))
        return {str(path): (int(size), int(time), str(digest)) for path, (size, time, digest) in result.items()}
    return {}


def _write_record() -> None:
    """Record the sums for later processes. A read-only cache is no error."""
    with contextlib.suppress(OSError, BadInput), replacing(_record()) as temporary:
        temporary.write_text(json.dumps(_SEEN), encoding="utf-8", newline="\n")
