"""The corpora that visitors bring, by name: what a list, an address and an error show in place of a path of this machine. A name is what
its owner calls the text and the first digits of its file's fingerprint, which nobody can guess: "letters.txt · 8c1f…"."""

import json
import re
from collections.abc import Iterable, Sequence
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
    called, digits = _parts(name)
    if not digits:
        return None
    result = next(iter(sorted(folder().glob(f"{digits}*.jsonl"))), None)
    if result is None:
        raise MissingArtifact(t("“{name}” is no longer here. Add it again under Your texts.", name=shorten(called.strip() or name)))
    return result


def is_name(text: str) -> bool:
    """Return whether a text has the form of an own corpus's name."""
    return bool(_parts(text)[1])


def is_kept(name: str) -> bool:
    """Whether that is the name of an own corpus which is still here."""
    with suppress(MissingArtifact):
        return path_of(name) is not None
    return False


def title_of(name: str, among: Iterable[str] = ()) -> str:
    """What a list shows of a name: no digits, unless another of `among` is called the same; then four of them.

    >>> title_of("letters.txt · 8c1f8c1f8c1f8c1f"), title_of("sentences")
    ('letters.txt', 'sentences')
    """
    called, digits = _parts(name)
    if not digits:
        return name
    return f"{called} · {digits[:4]}" if any(_parts(other)[0] == called for other in among if other != name) else called


def titles_of(names: Sequence[str]) -> list[str]:
    """Return what tables call several texts: of a path the file's name, and as many folders before it as tell them apart.

    >>> titles_of(["/data/a/letters.txt", "/data/b/letters.txt", "sentences"])
    ['a/letters.txt', 'b/letters.txt', 'sentences']
    """
    parts = [Path(title_of(name, names)).parts for name in names]
    longest = max(map(len, parts), default=0)
    distinct = len({*names})
    for k in range(1, longest + 1):
        titles = ["/".join(each[-k:]) for each in parts]
        if len({*titles}) == distinct:
            return titles
    return list(names)


def _parts(name: str) -> tuple[str, str]:
    """What a corpus is called, and the digits behind; no digits where it is no own one."""
    called, mark, digits = name.rpartition("·")  # no pattern with two blanks in a row: it would take the square of a long name's time
    return (called.strip(), digits.strip()) if mark and _DIGITS.fullmatch(digits.strip()) else (name, "")


def _title(path: Path) -> str:
    """The first document's name without the folders it lay in, on one line."""
    with suppress(OSError, ValueError, AttributeError), path.open(encoding="utf-8") as lines:
        document = str(json.loads(next(lines, "")).get("document") or "")
        name = re.split(r"[/\\]", document)[-1]
        name = " ".join("".join(c if c.isprintable() else " " for c in name).replace("·", " ").split())
        if name:
            return shorten(name, LONGEST, end=8)
    return "corpus"
