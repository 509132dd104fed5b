"""The corpora that visitors bring, by name: what a list, an address and an error show in place of a path of this machine. A name is what
its owner calls the text and the first digits of its file's fingerprint, which nobody can guess: "letters.txt · 8c1f…"."""

import json
import re
from contextlib import suppress
from pathlib import Path

from core.common import config
from core.common.errors import MissingArtifact
from core.common.i18n import t
from core.common.markup import shorten

DIGITS, LONGEST = 16, 40  # of the fingerprint, of what its owner calls it
_DIGITS = re.compile(rf"[0-9a-f]{{{DIGITS}}}")


def folder() -> Path:
    """Where texts that visitors bring are kept; the leading dot keeps them out of every list."""
    return config.cache_folder() / "corpora" / ".own"


def name_of(path: str | Path) -> str | None:
    """The name of an own corpus by its file; None for any other path."""
    path = Path(path)
    with suppress(OSError, ValueError):
        if path.suffix == ".jsonl" and path.is_file() and path.resolve().parent == folder().resolve():
            return f"{_title(path)} · {path.stem[:DIGITS]}"
    return None


def path_of(name: str) -> Path | None:
    """The file of an own corpus by its name; None for what is no such name. MissingArtifact where it is here no longer."""
    called, mark, digits = name.rpartition("·")  # no pattern with two blanks in a row: it would take the square of a long name's time
    digits = digits.strip()
    if not mark or not _DIGITS.fullmatch(digits):
        return None
    result = next(iter(sorted(folder().glob(f"{digits}*.jsonl"))), None)
    if result is None:
        raise MissingArtifact(t("“{name}” is no longer here. Add it again under Corpus.", name=shorten(called.strip() or name)))
    return result


def is_kept(name: str) -> bool:
    """Whether that is the name of an own corpus which is still here."""
    with suppress(MissingArtifact):
        return path_of(name) is not None
    return False


def _title(path: Path) -> str:
    """The first document's name without the folders it lay in, on one line."""
    with suppress(OSError, ValueError, AttributeError), path.open(encoding="utf-8") as lines:
        document = str(json.loads(next(lines, "")).get("document") or "")
        name = re.split(r"[/\\]", document)[-1]
        name = " ".join("".join(c if c.isprintable() else " " for c in name).replace("·", " ").split())
        if name:
            return shorten(name, LONGEST, end=8)
    return "corpus"
