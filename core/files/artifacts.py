"""Files with what made them, written as a whole (core.files.atomic); never pickle. Every artifact carries `provenance`: model, corpus and
config as the caller states them, code version, environment, date."""

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import platform
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

from .. import __version__
from ..common.errors import BadInput, CorruptArtifact, ElmoscopeError, MissingArtifact
from ..common.i18n import t
from . import sums
from .atomic import replacing

MAX_JSON_BYTES = 64 << 20
SHORT = 12  # hex digits that tell artifacts apart on a screen
PACKAGES = ("numpy", "torch", "safetensors", "pyarrow", "gensim", "umap-learn")  # named in provenance, never imported here
_BLANKS = re.compile(r"[ \t\n\r]*")  # as JSON defines them
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}  # by Windows


def safe_name(word: str) -> str:
    """A file's name for a word, another for every word, on every system: where letter case, marks or some names do not count, too.

    A short word of small letters, digits, blanks and hyphens is its own name; any other is told apart by a part of its sha256.

    >>> safe_name("all words"), safe_name("and/or"), safe_name("and_or")
    ('all words', 'and_or~81b9c7a1d707', 'and_or~14c411e7605a')
    """
    is_small = word == word.casefold() == unicodedata.normalize("NFC", word) and re.fullmatch(
        r"[^\W_](?:[^\W_ -]|[ -](?=[^\W_])){0,23}", word
    )
    if is_small and word not in _RESERVED:
        return word
    readable = re.sub(r"[^a-z0-9]+", "_", word.casefold())[:30].strip("_")
    return f"{readable}~{hashlib.sha256(word.encode('utf-8', 'surrogatepass')).hexdigest()[:SHORT]}"


def lines_of(data: bytes) -> list[str]:
    """The lines of a list of words that Windows may have ended with a carriage return, too; UnicodeDecodeError as `decode`."""
    return data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")


def write_json(path: str | Path, obj: Any) -> None:
    """Write `obj` as strict JSON (no NaN), atomically; dataclasses, paths and numpy values become plain ones."""
    text = json.dumps(obj, ensure_ascii=False, allow_nan=False, indent=1, default=_plain)
    with replacing(path) as temporary:
        try:
            temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
        except UnicodeEncodeError:  # half a character (unpaired surrogate): only the escaped form can hold it
            temporary.write_text(json.dumps(obj, allow_nan=False, default=_plain) + "\n", encoding="utf-8", newline="\n")


def read_json(path: str | Path, max_bytes: int = MAX_JSON_BYTES, *, expect: type = object) -> Any:
    """What a JSON file holds; MissingArtifact or CorruptArtifact names the file and what to do."""
    path = Path(path)
    check_fits(path, max_bytes, error=CorruptArtifact)
    try:
        value = parse_json(path.read_bytes())
    except OSError as error:
        raise MissingArtifact(t("{path} cannot be read: {error}. Check its permissions.", path=path, error=error.strerror)) from None
    except ValueError as error:
        raise CorruptArtifact(t("{path} is damaged: {error}. Delete and remake it.", path=path, error=error)) from None
    if not isinstance(value, expect):
        kinds = {"found": type(value).__name__, "wanted": expect.__name__}
        raise CorruptArtifact(t("{path} is damaged: {found} instead of {wanted}. Delete and remake it.", path=path, **kinds))
    return value


def parse_json(data: bytes | str) -> Any:
    """Parse strict JSON into plain values. Raises ValueError with a short reason for every error, including deep nesting and NaN."""
    with _shorten_errors():
        return json.loads(data if isinstance(data, str) else data.decode("utf-8-sig"), parse_constant=_refuse_constant)


def iterate_json_list(text: str) -> Iterator[Any]:
    """Yield the items of a JSON list one by one, so that one item is in memory at a time.

    Raises ValueError as `parse_json` does, when it reaches the wrong item.
    """
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    position = _skip_blanks(text, text.index("[") + 1)
    is_first = True
    with _shorten_errors():
        while text[position : position + 1] != "]":
            if not is_first:
                if text[position : position + 1] != ",":
                    raise json.JSONDecodeError("Expecting ',' delimiter", text, position)
                position = _skip_blanks(text, position + 1)
            try:
                value, position = decoder.raw_decode(text, position)
            except StopIteration as error:
                raise json.JSONDecodeError("Expecting value", text, error.value) from None
            yield value
            is_first, position = False, _skip_blanks(text, position)
        if (end := _skip_blanks(text, position + 1)) < len(text):
            raise json.JSONDecodeError("Extra data", text, end)


def _skip_blanks(text: str, position: int) -> int:
    return _BLANKS.match(text, position).end()


@contextlib.contextmanager
def _shorten_errors() -> Iterator[None]:
    """Raise a ValueError with a short reason in place of any error of JSON within the context."""
    try:
        yield
    except RecursionError:
        raise ValueError(t("too many nested levels")) from None
    except UnicodeDecodeError as error:
        raise ValueError(t("byte {n} is not UTF-8", n=error.start)) from None
    except json.JSONDecodeError as error:
        raise ValueError(t("not JSON ({reason}, character {n})", reason=error.msg, n=error.pos)) from None


def check_fits(path: str | Path, max_bytes: int, *, error: type[ElmoscopeError] = BadInput) -> int:
    """The file's size; MissingArtifact if there is none, `error` if it is larger than `max_bytes`."""
    path = Path(path)
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        raise MissingArtifact(t("No file {path}. Check its name, or remake it.", path=path)) from None
    if path.is_dir():
        raise error(t("{path} is a folder. Choose a file.", path=path))
    if size > max_bytes:
        sizes = {"size": _megabytes(size), "most": _megabytes(max_bytes)}
        raise error(t("{name} is {size}, above the limit of {most}. Use a smaller file.", name=path.name, **sizes))
    sums.check(path)
    return size


def file_sha256(path: str | Path) -> str:
    """sha256 of a file, 64 hex digits."""
    return file_sum(path, "sha256")


def file_sum(path: str | Path, kind: str) -> str:
    """The sum of a file, "sha256" or "md5", in hex digits, read in pieces; MissingArtifact if it cannot be read."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, lambda: hashlib.new(kind, usedforsecurity=False)).hexdigest()
    except OSError as error:
        raise MissingArtifact(t("{path} cannot be read: {error}. Check the path.", path=path, error=error.strerror)) from None


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
    versions = [("python", platform.python_version()), ("system", f"{platform.system()} {platform.machine()}")]
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append((package, importlib.metadata.version(package)))
    return tuple(versions)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _refuse_constant(name: str) -> None:
    raise ValueError(t("{name} is not a JSON number", name=name))


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB" if n_bytes >= 100_000 else t("{n:,} bytes", n=n_bytes)
