"""Store uploaded files under random names, and show their owners' names for them.

The name of a file comes from a browser or an archive, so its sender chooses every character. It is never part of a path. `clean_name`
makes it safe to show, to export and to offer as a download. `store` writes the bytes under random digits.
"""

import re
import secrets
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from ..common.memo import Bounded
from .formats import recognize_suffix

MAX_CHARACTERS, MAX_BYTES = 100, 200  # of a name; file systems take 255 bytes
UNNAMED = "file"
DIGITS = 16  # of a stored file's name
_JOINERS = "\u200c\u200d"  # some scripts are misspelled without them
_WINDOWS_SIGNS = r'[:*?"<>|]'  # that Windows refuses
_WINDOWS_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)", re.IGNORECASE)
_STORED_NAME = re.compile(rf"(?<![0-9a-f])([0-9a-f]{{{DIGITS}}})(?![0-9a-f])((?:\.[a-z0-9]+)*)")
_TITLES: Bounded[str, tuple[str, str]] = Bounded(10_000)  # digits -> the owner's name, the stored suffix


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A stored file and its owner's name for it."""

    name: str
    path: Path


def clean_name(name: str, max_characters: int = MAX_CHARACTERS) -> str:
    """Return a file name that is safe on every system and in a line of text: the last part of `name`, without unsafe characters.

    Control characters, half characters and signs that change the direction of text are removed. A long name loses its beginning, so that
    the suffix stays.

    >>> clean_name("C:\\\\mails\\\\my mails.csv"), clean_name("../.."), clean_name("a\\0b\\u202evsc.exe"), clean_name("NUL.txt")
    ('my mails.csv', 'file', 'a_bvsc.exe', '_NUL.txt')
    """
    last = re.split(r"[/\\]", name)[-1]
    clean = "".join(map(_clean_sign, unicodedata.normalize("NFC", last)))
    clean = re.sub(_WINDOWS_SIGNS, "_", " ".join(clean.split()))[-max_characters:]
    while len(clean.encode()) > MAX_BYTES:
        clean = clean[1:]
    clean = clean.lstrip(" ").rstrip(". ")
    if _WINDOWS_DEVICE.match(clean):
        clean = f"_{clean}"
    return clean or UNNAMED


def store(name: str, content: bytes, folder: Path) -> Uploaded:
    """Write the bytes of a file into `folder` under a random name.

    The stored name has the suffix if the program knows it, because readers of files choose by it. `restore_names` puts the owner's name
    into their messages.
    """
    digits, suffix = secrets.token_hex(DIGITS // 2), recognize_suffix(name)
    path = folder / f"{digits}{suffix}"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    title = clean_name(name)
    _TITLES.put(digits, (title, suffix))
    return Uploaded(title, path)


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
