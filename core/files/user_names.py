"""Store users' files under names that nobody can guess, and show the owners' names for them.

The name of an uploaded file comes from a browser or an archive, so its sender chooses every character. It is never part of a path: `store`
writes the bytes under random digits, and `clean_name` makes the owner's name safe to show. A pasted or uploaded corpus has a name for lists,
addresses and errors: the owner's title and the first digits of the file's fingerprint, such as "letters.txt · 8c1f…".
"""

import json
import re
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..common import config
from ..common.errors import MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten
from ..common.memo import Bounded
from .atomic import cannot_write
from .formats import recognize_suffix

MAX_CHARACTERS, MAX_BYTES = 100, 200  # of a name; file systems take 255 bytes
UNNAMED = "file"
DIGITS = 16  # of a stored file's name, and of a fingerprint in the name of a corpus
MAX_TITLE = 40  # characters of the title of a corpus
_DIGITS = re.compile(rf"[0-9a-f]{{{DIGITS}}}")
_JOINERS = "\u200c\u200d"  # some scripts are misspelled without them
_WINDOWS_SIGNS = r'[:*?"<>|]'  # that Windows refuses
_WINDOWS_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)", re.IGNORECASE)
_STORED_NAME = re.compile(rf"(?<![0-9a-f])([0-9a-f]{{{DIGITS}}})(?![0-9a-f])((?:\.[a-z0-9]+)*)")
_TITLES: Bounded[str, tuple[str, str]] = Bounded(10_000)  # digits -> the owner's name, the stored suffix


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read and its owner's name for it."""

    name: str
    path: Path


def clean_name(name: str) -> str:
    r"""Return a file name that is safe on every system and in a line of text: the last part of `name`, without unsafe characters.

    Control characters, half characters and signs that change the direction of text are removed. A long name loses its beginning, so that
    the suffix stays.

    >>> clean_name("C:\\mails\\my mails.csv"), clean_name("../.."), clean_name("a\0b\u202evsc.exe"), clean_name("NUL.txt")
    ('my mails.csv', 'file', 'a_bvsc.exe', '_NUL.txt')
    """
    last = re.split(r"[/\\]", name)[-1]
    clean = "".join(map(_clean_sign, unicodedata.normalize("NFC", last)))
    clean = re.sub(_WINDOWS_SIGNS, "_", " ".join(clean.split()))[-MAX_CHARACTERS:]
    while len(clean.encode()) > MAX_BYTES:
        clean = clean[1:]
    clean = clean.lstrip(" ").rstrip(". ")
    if _WINDOWS_DEVICE.match(clean):
        clean = f"_{clean}"
    return clean or UNNAMED


def store(name: str, content: bytes, folder: Path) -> Source:
    """Write the bytes of a file into `folder` under a random name.

    The stored name has the suffix if the program knows it, because readers of files choose by it. `restore_names` puts the owner's name
    into their messages. Raises BadInput if the disk is full.
    """
    digits, suffix = secrets.token_hex(DIGITS // 2), recognize_suffix(name)
    path = folder / f"{digits}{suffix}"
    folder.mkdir(parents=True, exist_ok=True)
    title = clean_name(name)
    try:
        path.write_bytes(content)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise cannot_write(folder / title, error) from None
    _TITLES.put(digits, (title, suffix))
    return Source(title, path)


def restore_names(text: str) -> str:
    """Replace the name of each stored file in a text, such as an error, by its owner's name."""

    def replace_digits(match: re.Match) -> str:
        if (title := _TITLES.get(match[1])) is None:
            return match[0]
        name, suffix = title
        if match[2].startswith(suffix):
            return name + match[2][len(suffix) :]
        return name[: -len(suffix)] + match[2] if suffix and name.casefold().endswith(suffix) else name + match[2]

    return _STORED_NAME.sub(replace_digits, text)


def _clean_sign(sign: str) -> str:
    category = unicodedata.category(sign)
    if category == "Cc":
        return " " if sign.isspace() else "_"
    if category in ("Zl", "Zp"):
        return " "
    return "" if category == "Cs" or (category == "Cf" and sign not in _JOINERS) else sign


def corpus_folder() -> Path:
    """Return the folder of the texts of users. The leading dot hides it from every list."""
    return config.cache_folder() / "corpora" / ".own"


def corpus_name(path: str | Path) -> str | None:
    """Return the name of a user's corpus by its file, or None for any other path."""
    path = Path(path)
    with suppress(OSError, ValueError):
        if path.suffix == ".jsonl" and path.is_file() and path.resolve().parent == corpus_folder().resolve():
            return f"{_title(path)} · {path.stem[:DIGITS]}"
    return None


def corpus_path(name: str) -> Path | None:
    """Return the file of a user's corpus by its name, or None for any other name. Raises MissingArtifact if the file no longer exists."""
    title, digits = _parts(name)
    if not digits:
        return None
    result = next(iter(sorted(corpus_folder().glob(f"{digits}*.jsonl"))), None)
    if result is None:
        raise MissingArtifact(t("“{name}” is no longer here. Add it again under Your texts.", name=shorten(title.strip() or name)))
    return result


def is_corpus_name(text: str) -> bool:
    """Return whether a text has the form of a user corpus's name."""
    return bool(_parts(text)[1])


def corpus_exists(name: str) -> bool:
    """Return whether a name is that of a user's corpus that still exists."""
    with suppress(MissingArtifact):
        return corpus_path(name) is not None
    return False


def corpus_title(name: str, among: Iterable[str] = ()) -> str:
    """Return the title of a corpus for a list. It has four digits if another name of `among` has the same title.

    >>> corpus_title("letters.txt · 8c1f8c1f8c1f8c1f"), corpus_title("sentences")
    ('letters.txt', 'sentences')
    """
    title, digits = _parts(name)
    if not digits:
        return name
    return f"{title} · {digits[:4]}" if any(_parts(other_name)[0] == title for other_name in among if other_name != name) else title


def corpus_titles(names: Sequence[str]) -> list[str]:
    """Return the titles of several texts for a table. A path is shortened to its file name, with the folders that make it unique.

    >>> corpus_titles(["/data/a/letters.txt", "/data/b/letters.txt", "sentences"])
    ['a/letters.txt', 'b/letters.txt', 'sentences']
    """
    parts = [Path(corpus_title(name, names)).parts for name in names]
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
            return shorten(name, MAX_TITLE, end=8)
    return "corpus"
