"""Names of the corpora that users paste or upload. Lists, addresses and errors show them in place of paths.

A name is the owner's title of the text and the first digits of its file's fingerprint, which nobody can guess: "letters.txt · 8c1f…".
"""

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from ..common import config
from ..common.errors import MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten

DIGITS, LONGEST = 16, 40  # digits of the fingerprint, characters of the title
_DIGITS = re.compile(rf"[0-9a-f]{{{DIGITS}}}")


def folder() -> Path:
    """Return the folder of the texts of users. The leading dot hides it from every list."""
    return config.cache_folder() / "corpora" / ".own"


def name_of(path: str | Path) -> str | None:
    """Return the name of a user's corpus by its file, or None for any other path."""
    path = Path(path)
    with suppress(OSError, ValueError):
        if path.suffix == ".jsonl" and path.is_file() and path.resolve().parent == folder().resolve():
            return f"{_title(path)} · {path.stem[:DIGITS]}"
    return None


def path_of(name: str) -> Path | None:
    """Return the file of a user's corpus by its name, or None for any other name. Raises MissingArtifact if the file no longer exists."""
    title, digits = _parts(name)
    if not digits:
        return None
    result = next(iter(sorted(folder().glob(f"{digits}*.jsonl"))), None)
    if result is None:
        raise MissingArtifact(t("“{name}” is no longer here. Add it again under Your texts.", name=shorten(title.strip() or name)))
    return result


def is_name(text: str) -> bool:
    """Return whether a text has the form of a user corpus's name."""
    return bool(_parts(text)[1])


def is_kept(name: str) -> bool:
    """Return whether a name is that of a user's corpus that still exists."""
    with suppress(MissingArtifact):
        return path_of(name) is not None
    return False


def title_of(name: str, among: Iterable[str] = ()) -> str:
    """Return the title of a corpus for a list. It has four digits if another name of `among` has the same title.

    >>> title_of("letters.txt · 8c1f8c1f8c1f8c1f"), title_of("sentences")
    ('letters.txt', 'sentences')
    """
    title, digits = _parts(name)
    if not digits:
        return name
    return f"{title} · {digits[:4]}" if any(_parts(other)[0] == title for other in among if other != name) else title


def titles_of(names: Sequence[str]) -> list[str]:
    """Return the titles of several texts for a table. A path is shortened to its file name, with the folders that make it unique.

    >>> titles_of(["/data/a/letters.txt", "/data/b/letters.txt", "sentences"])
    ['a/letters.txt', 'b/letters.txt', 'sentences']
    """
    parts = [Path(title_of(name, names)).parts for name in names]
    longest = max(map(len, parts), default=0)
    distinct = len({*names})
    for k in range(1, longest + 1):
        titles = ["/".join(names_of_path[-k:]) for names_of_path in parts]
        if len({*titles}) == distinct:
            return titles
    return list(names)


def _parts(name: str) -> tuple[str, str]:
    """Return the title and the digits of a corpus name, without digits if the corpus is not a user's."""
    title, mark, digits = name.rpartition("·")  # a pattern with two optional blanks would take quadratic time on a long name
    return (title.strip(), digits.strip()) if mark and _DIGITS.fullmatch(digits.strip()) else (name, "")


def _title(path: Path) -> str:
    """Return the name of the first document without its folders, on one line."""
    with suppress(OSError, ValueError, AttributeError), path.open(encoding="utf-8") as lines:
        document = str(json.loads(next(lines, "")).get("document") or "")
        name = re.split(r"[/\\]", document)[-1]
        name = " ".join("".join(c if c.isprintable() else " " for c in name).replace("·", " ").split())
        if name:
            return shorten(name, LONGEST, end=8)
    return "corpus"
