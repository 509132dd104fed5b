"""Store files whose names somebody else chose: under a name of our own, with theirs only to be shown.

A file's name comes from a browser or an archive, so whoever sends it chooses every character. It is never part of a path. `clean_name`
makes it fit to be shown, exported and offered as a download; `keep` stores the bytes under random digits.
"""

import re
import secrets
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from core.common.memo import Bounded
from core.files.formats import recognize_suffix

MOST, MOST_BYTES = 100, 200  # of a name; file systems take 255 bytes
UNNAMED = "file"
DIGITS = 16  # of a stored file's name
_JOINERS = "\u200c\u200d"  # without which some scripts are misspelled
_REFUSED = r'[:*?"<>|]'  # by Windows
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)", re.IGNORECASE)  # of Windows
_STORED = re.compile(rf"(?<![0-9a-f])([0-9a-f]{{{DIGITS}}})(?![0-9a-f])((?:\.[a-z0-9]+)*)")
_TITLES: Bounded[str, tuple[str, str]] = Bounded(10_000)  # digits -> the name to be shown, the suffix that is stored


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A stored file, and its owner's name for it."""

    name: str
    path: Path


def clean_name(name: str, most: int = MOST) -> str:
    """Return a name for one line of text and for a file on every system: its last part, without signs that hide or redirect.

    Control characters, half characters and signs that change the direction of text go. The beginning is cut, so that the suffix stays.

    >>> clean_name("C:\\\\mails\\\\my mails.csv"), clean_name("../.."), clean_name("a\\0b\\u202evsc.exe"), clean_name("NUL.txt")
    ('my mails.csv', 'file', 'a_bvsc.exe', '_NUL.txt')
    """
    last = re.split(r"[/\\]", name)[-1]
    clean = "".join(map(_clean_sign, unicodedata.normalize("NFC", last)))
    clean = re.sub(_REFUSED, "_", " ".join(clean.split()))[-most:]
    while len(clean.encode()) > MOST_BYTES:
        clean = clean[1:]
    clean = clean.lstrip(" ").rstrip(". ")
    if _DEVICE.match(clean):
        clean = f"_{clean}"
    return clean or UNNAMED


def keep(name: str, content: bytes, folder: Path) -> Uploaded:
    """Write a file's bytes into `folder` under a name of our own.

    Only a suffix that this program knows is taken over, for readers choose by it. What they say of the file, `titled` puts in its owner's words.
    """
    digits, suffix = secrets.token_hex(DIGITS // 2), recognize_suffix(name)
    path = folder / f"{digits}{suffix}"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    title = clean_name(name)
    _TITLES.put(digits, (title, suffix))
    return Uploaded(title, path)


def titled(text: str) -> str:
    """Return a text, such as an error, with the owner's name in place of each stored file's."""

    def replace_digits(match: re.Match) -> str:
        if (title := _TITLES.get(match[1])) is None:
            return match[0]
        name, suffix = title
        if match[2].startswith(suffix):
            return name + match[2][len(suffix) :]
        return name[: -len(suffix)] + match[2] if suffix and name.casefold().endswith(suffix) else name + match[2]

    return _STORED.sub(replace_digits, text)


def _clean_sign(sign: str) -> str:
    category = unicodedata.category(sign)
    if category == "Cc":
        return " " if sign.isspace() else "_"
    if category in ("Zl", "Zp"):
        return " "
    return "" if category == "Cs" or (category == "Cf" and sign not in _JOINERS) else sign
