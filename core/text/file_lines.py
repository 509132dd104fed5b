"""The lines of a file with their places, unpacked and decoded, within stated limits; every fault is one sentence with its place."""

import gzip
import lzma
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

from core.common.errors import BadInput
from core.common.i18n import t
from core.files.artifacts import check_fits
from core.files.encodings import encoding_of

MAX_BYTES = 100_000_000  # of a file, unpacked
MAX_LINE_BYTES = 1_000_000
ANY_SIZE = 1 << 62


class Place(NamedTuple):
    """Where something stands: "a.csv, line 3"; worded in the reader's language only if it must be told, as few places are."""

    name: str  # of a file; "" for typed text
    number: int
    is_item: bool = False  # of a JSON list, not a line

    def __str__(self) -> str:
        if self.is_item:
            return t("{name}, item {number}", name=self.name, number=self.number)
        if self.name:
            return t("{name}, line {number}", name=self.name, number=self.number)
        return t("The text, line {number}", number=self.number)


def refuse(place: Place | str, result: str, needed: str) -> NoReturn:
    raise BadInput(f"{place}: {result}. {needed}")


def show_value(value: Any, most: int = 80) -> str:
    """A JSON value on one line, cut short; of what is in it, only the first level."""
    if isinstance(value, list | dict):
        parts = ", ".join("..." if isinstance(part, list | dict) else show_value(part) for part in islice(value, 20))
        text = f"[{parts}]" if isinstance(value, list) else t("a row of {names}", names=parts) if parts else t("an empty row")
    else:
        text = "null" if value is None else repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def is_guess(row: dict) -> bool:
    """Whether a row says that its sense is a model's guess, not a person's: "given" is false."""
    given = row.get("given", True)
    return given.strip().casefold() in ("false", "0") if isinstance(given, str) else given is not None and given == 0


def fitting(rows: Iterable[tuple[Place, list[str]]], width: int, mark: str) -> Iterator[tuple[Place, list[str]]]:
    """Rows of cells set apart by `mark`, none of them with more than `width`; BadInput names the first that have. In a table of one column
    the mark belongs to the text, and the row is that text."""
    if width == 1:
        yield from ((place, [mark.join(row)]) for place, row in rows)
        return
    rows = iter(rows)
    for place, row in rows:
        if any(map(str.strip, row[width:])):
            further = [other.number for other, cells in rows if any(map(str.strip, cells[width:]))]
            message = t("{n} cells for {width} columns", n=len(row), width=width)
            if further:
                numbers = ", ".join(f"{number:,}" for number in further[:3]) + (", …" if len(further) > 3 else "")
                message = t("{found}, also in line {numbers}", found=message, numbers=numbers)
            refuse(place, message, _how_to_quote(mark))
        yield place, row


def _how_to_quote(mark: str) -> str:
    if mark == "\t":
        return t("Replace tabs in cells with blanks.")
    return t('Quote a cell with "{mark}": "Win money{mark} now!".', mark=mark)


def iterate_lines(
    path: Path,
    *,
    whole: bool,
    most: int = MAX_BYTES,
    longest: int = MAX_LINE_BYTES,
    in_pieces: bool = False,
    position: list[int] | None = None,
) -> Iterator[tuple[Place, str]]:
    """The lines of a file, unpacked and decoded (core.files.encodings); BadInput for one too long, too many bytes in all, or no text.
    `in_pieces`: a line longer than `longest` bytes is no fault, but comes in pieces that have the same place. `position` holds how many bytes
    were read, unpacked."""
    check_fits(path, most if whole else ANY_SIZE)
    opened, total, encoding = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix.lower(), open), 0, None
    try:
        with opened(path, "rb") as stream:
            for number, data in _pieces(stream, longest, in_pieces):
                place, total = Place(path.name, number), total + len(data)
                if position is not None:
                    position[:] = [total]
                if total > most:
                    refuse(place, t("over {n:,} bytes unpacked", n=most), t("Use a smaller file."))
                if len(data) > longest and not in_pieces:
                    refuse(place, t("over {n:,} bytes without line break", n=longest), t("Use shorter lines."))
                yield place, _decoded(data, place, total == len(data), encoding := encoding or encoding_of(opened, path, total, data))
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        message = t("{name} is incomplete: {error}. Save it again, or unpack it.", name=path.name, error=error)
        raise BadInput(message) from None


def _pieces(stream: BinaryIO, longest: int, in_pieces: bool) -> Iterator[tuple[int, bytes]]:
    """(number of the line from 1, bytes): a line of more than `longest` bytes up to where it is too long, or in pieces."""
    number, rest = 1, b""
    while data := rest + stream.readline(longest + 1 - len(rest)):
        rest = b""
        if in_pieces and len(data) > longest:
            end = _whole(data)
            data, rest = data[:end], data[end:]
        yield number, data
        number += data.endswith(b"\n")


def _whole(data: bytes) -> int:
    """How many of some bytes end with a whole letter: at a sign that is part of no other letter in any encoding read here, else in UTF-8."""
    if end := max(data.rfind(sign) for sign in (b"\n", b" ", b".", b",")) + 1:
        return end
    end = len(data) - 1
    while end > len(data) - 4 and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


def _decoded(data: bytes, place: Place | str, is_first: bool, encoding: str | None = None) -> str:
    if b"\x00" in data:
        utf16 = is_first and data[:2] in (b"\xff\xfe", b"\xfe\xff")
        refuse(place, t("UTF-16 text") if utf16 else t("a NUL byte"), t("Save it as UTF-8 text."))
    try:
        return data.decode("utf-8-sig" if is_first and encoding in (None, "utf-8") else encoding or "utf-8")
    except UnicodeDecodeError as error:
        message = t("byte {n} ({byte:#04x}) is not UTF-8", n=error.start + 1, byte=data[error.start])
        refuse(place, message, t("Save it as UTF-8 (spreadsheets: CSV UTF-8)."))
