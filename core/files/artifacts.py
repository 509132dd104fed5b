"""Write and read artifacts: JSON with provenance, checkpoints of trainings, fingerprints. Nothing is ever pickled.

Every artifact contains `provenance`: the model, corpus and settings that the caller states, the code version, the environment and the date.
"""

import contextlib
import hashlib
import json
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
from ..common.installation import list_versions
from ..common.markup import shorten
from . import sums
from .atomic import replacing
from .sums import file_sha256

MAX_JSON_BYTES = 64 << 20
SHORT = 12  # hex digits that distinguish artifacts on a screen
PACKAGES = ("numpy", "torch", "safetensors", "pyarrow", "gensim", "umap-learn")  # in provenance; never imported here
_BLANKS = re.compile(r"[ \t\n\r]*")  # as JSON defines them
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}  # by Windows


def safe_name(word: str) -> str:
    """Return a unique file name for a word, also on systems that ignore letter case or reserve names.

    A short word of lower-case letters, digits, blanks and hyphens is its own name. Other names end in a part of the word's sha256.

    >>> safe_name("all words"), safe_name("and/or"), safe_name("and_or")
    ('all words', 'and_or~81b9c7a1d707', 'and_or~14c411e7605a')
    """
    is_normal = word == word.casefold() == unicodedata.normalize("NFC", word)
    if is_normal and re.fullmatch(r"[^\W_](?:[^\W_ -]|[ -](?=[^\W_])){0,23}", word) and word not in _RESERVED:
        return word
    readable = re.sub(r"[^a-z0-9]+", "_", word.casefold())[:30].strip("_")
    return f"{readable}~{hashlib.sha256(word.encode('utf-8', 'surrogatepass')).hexdigest()[:SHORT]}"


def lines_of(data: bytes) -> list[str]:
    """Split UTF-8 bytes into lines, with or without carriage returns and a last line end. Raises UnicodeDecodeError."""
    return data.decode("utf-8-sig").replace("\r\n", "\n").removesuffix("\n").split("\n")


def write_json(path: str | Path, obj: Any) -> None:
    """Write `obj` as strict JSON (no NaN) in one step. Dataclasses, paths and numpy values become plain values."""
    text = json.dumps(obj, ensure_ascii=False, allow_nan=False, indent=1, default=_plain)
    with replacing(path) as temporary:
        try:
            temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
        except UnicodeEncodeError:  # half a character (unpaired surrogate): only the escaped form can hold it
            temporary.write_text(json.dumps(obj, allow_nan=False, default=_plain) + "\n", encoding="utf-8", newline="\n")


def read_json(path: str | Path, *, expect: type = object) -> Any:
    """Read a JSON file. Raises MissingArtifact, or CorruptArtifact if it is damaged or not of the type `expect`."""
    path = Path(path)
    check_fits(path, MAX_JSON_BYTES, error=CorruptArtifact)
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


def parse_json(data: bytes | str, *, is_table: bool = False) -> Any:
    """Parse strict JSON into plain values. Raises ValueError with a short reason for every error, including deep nesting and NaN.

    In a table of the user's, NaN is None: pandas writes a missing value so.
    """
    parse_constant = _constant_in_table if is_table else _refuse_constant
    with _shorten_errors():
        return json.loads(data if isinstance(data, str) else data.decode("utf-8-sig"), parse_constant=parse_constant)


def iterate_json_list(text: str) -> Iterator[Any]:
    """Yield the items of a JSON list, a table, one by one, so that one item is in memory at a time.

    Raises ValueError as `parse_json` does, when it reaches the wrong item.
    """
    decoder = json.JSONDecoder(parse_constant=_constant_in_table)
    start = position = _BLANKS.match(text, text.index("[") + 1).end()
    with _shorten_errors():
        while text[position : position + 1] != "]":
            if position > start:
                if text[position : position + 1] != ",":
                    raise json.JSONDecodeError("Expecting ',' delimiter", text, position)
                position = _BLANKS.match(text, position + 1).end()
            try:
                value, position = decoder.raw_decode(text, position)
            except StopIteration as error:
                raise json.JSONDecodeError("Expecting value", text, error.value) from None
            yield value
            position = _BLANKS.match(text, position).end()
        if (end := _BLANKS.match(text, position + 1).end()) < len(text):
            raise json.JSONDecodeError("Extra data", text, end)


@contextlib.contextmanager
def _shorten_errors() -> Iterator[None]:
    """Raise a ValueError with a short reason in place of any error of JSON within the context."""
    try:
        yield
    except RecursionError:
        raise ValueError(t("too many nested levels")) from None
    except UnicodeDecodeError as error:
        raise ValueError(t("byte {n} is not UTF-8", n=error.start + 1)) from None
    except json.JSONDecodeError as error:
        raise ValueError(t("not JSON ({reason}, character {n})", reason=error.msg, n=error.pos)) from None


def check_fits(path: str | Path, max_bytes: int, *, error: type[ElmoscopeError] = BadInput) -> int:
    """Return the size of a file. Raises MissingArtifact, or `error` if it is larger than `max_bytes`."""
    path = Path(path)
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        raise MissingArtifact(t("No file {path}. Check its name, or remake it.", path=path)) from None
    if path.is_dir():
        raise error(t("{path} is a folder. Choose a file.", path=path))
    if size > max_bytes:
        sizes = {"size": megabytes(size), "most": megabytes(max_bytes)}
        raise error(t("{name} is {size}, above the limit of {most}. Use a smaller file.", name=path.name, **sizes))
    sums.check(path)
    return size


def text_fingerprint(texts: Iterable[str]) -> str:
    """Return the sha256 of strings in their order, 64 hex digits. ["ab"] and ["a", "b"] differ."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def short(fingerprint: str) -> str:
    """Return the first 12 digits of a fingerprint, for screens and file names."""
    return fingerprint[:SHORT]


def provenance(**facts: Any) -> dict:
    """Return `facts` with the code version, the environment and the UTC date."""
    environment = {name: version for name, version in list_versions(PACKAGES).items() if version}
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return {**facts, "code_version": __version__, "environment": environment, "date": date}


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _constant_in_table(name: str) -> None:
    if name != "NaN":
        _refuse_constant(name)


def _refuse_constant(name: str) -> None:
    raise ValueError(t("{name} is not a JSON number", name=name))


def megabytes(n_bytes: int) -> str:
    """Return a size as text: in GB or MB with one digit, or in bytes below 0.1 MB."""
    if n_bytes >= 9.95e8:
        return f"{n_bytes / 1e9:,.1f} GB"
    return f"{n_bytes / 1e6:,.1f} MB" if n_bytes >= 100_000 else t("{n:,} bytes", n=n_bytes)


MISFITS = (RuntimeError, KeyError, IndexError, TypeError, AttributeError, ValueError)


def write_checkpoint(path: Path, state: dict) -> None:
    """Write the state of a training in one step: tensors of any device, numbers, texts, and lists and dicts of them."""
    import torch

    with replacing(path) as temporary, temporary.open("wb") as stream:
        try:
            torch.save(_on_cpu(state), stream)
        except RuntimeError as error:  # torch hides the stream's error
            raise error.__context__ or error from None


def _on_cpu(state):
    if isinstance(state, dict):
        return {name: _on_cpu(value) for name, value in state.items()}
    if isinstance(state, list | tuple):
        return type(state)(_on_cpu(value) for value in state)
    return state.cpu() if hasattr(state, "cpu") else state


@contextlib.contextmanager
def read_checkpoint(path: Path) -> Iterator[dict]:
    """Yield the state in a checkpoint, with plain tensors on the CPU. No object is unpickled.

    The caller restores the state within the context. Raises MissingArtifact if the file does not exist, and CorruptArtifact if it is damaged
    or if the state does not fit (MISFITS, with the reason).
    """
    import torch

    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise MissingArtifact(t("No file {path}. Check its name, or remake it.", path=path)) from None
    except Exception as error:  # torch raises almost anything for other files
        kind = type(error).__name__
        raise CorruptArtifact(t("{path} is not a readable checkpoint ({kind}). Move it away.", path=path, kind=kind)) from None
    try:
        yield state
    except MISFITS as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise CorruptArtifact(t("Checkpoint {path} does not fit: {reason}. Change folder.", path=path, reason=reason)) from None


MAX_DIFFERENCES, MAX_LETTERS = 3, 120  # in a message; letters of each value


def list_sums(files: Iterable[str | Path]) -> list[list[str]]:
    """Return [name, sha256] of each file, in order. Raises MissingArtifact."""
    return [[Path(file).name, file_sha256(file)] for file in files]


def describe_differences(before: dict, current: dict) -> str:
    """Describe how the settings of a training differ from those it was begun with; "" if they do not.

    >>> describe_differences({"seed": 0, "shape": {"dim": 2}}, {"seed": 5, "shape": {"dim": 2}})
    'seed: 0, now 5'
    """
    old, new = dict(_flatten(before)), dict(_flatten(current))
    named = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
    lines = [f"{name}: {_describe_value(old.get(name))}, now {_describe_value(new.get(name))}" for name in named[:MAX_DIFFERENCES]]
    return "; ".join([*lines, *(["…"] if len(named) > MAX_DIFFERENCES else [])])


def _flatten(record: dict, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _describe_value(value: object) -> str:
    if isinstance(value, list) and value and all(isinstance(item, list) and len(item) == 2 for item in value):
        value = " ".join(f"{name} ({short(str(digest))})" for name, digest in value)
    return shorten("none" if value is None else value, MAX_LETTERS)
