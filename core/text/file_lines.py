"""The lines of a file with their places, unpacked and decoded, within stated limits; every fault is one sentence with its place."""

import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, TextIO

from ..common import notes, steps
from ..common.errors import BadInput
from ..common.i18n import t, tn
from ..common.limits import limits
from ..files.artifacts import check_fits
from ..files.encodings import encoding_of
from ..files.formats import check_beginning

MAX_BYTES = 100_000_000  # of a file, unpacked
MAX_LINE_BYTES = 1_000_000
ANY_SIZE = 1 << 62
MOST_LEFT_OUT = 5  # rows for each one left out
ENOUGH = 1_000  # rows, by which a file is refused before its end
_WIDE = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}  # as Excel's "Unicode text"


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


class BadRow(BadInput):
    """What is wrong with one row, and where."""

    def __init__(self, place: Place | str, result: str, needed: str) -> None:
        super().__init__(f"{place}: {result}. {needed}")
        self.place, self.result, self.needed = place, result, needed


def refuse(place: Place | str, result: str, needed: str) -> NoReturn:
    """Raise BadRow: what is wrong at a place, and what to do."""
    raise BadRow(place, result, needed)


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


class LeftOut:
    """The rows of a file that cannot be read: left out and noted while they are few, refused where they are a fifth of all or more."""

    def __init__(self, name: str) -> None:
        self.n_rows = 0  # seen so far, counted by the caller, those left out included
        self._name, self._first, self._numbers = name, None, []

    def add(self, error: BadRow) -> None:
        """Leave out one row. BadInput once it is clear that they are many."""
        self._first = self._first or error
        self._numbers.append(error.place.number if isinstance(error.place, Place) else 0)
        if self.n_rows >= ENOUGH:
            self.check()
        notes.add((self._name, "left out"), self._describe())

    def _describe(self) -> str:
        n, number, why = len(self._numbers), self._numbers[0], self._first.result
        if isinstance(self._first.place, Place) and self._first.place.is_item:
            if n == 1:
                return t("{name}: 1 row is left out, item {item}: {why}.", name=self._name, item=number, why=why)
            return t("{name}: {n:,} rows are left out, the first is item {item}: {why}.", name=self._name, n=n, item=number, why=why)
        if n == 1:
            return t("{name}: 1 row is left out, line {line}: {why}.", name=self._name, line=number, why=why)
        return t("{name}: {n:,} rows are left out, the first in line {line}: {why}.", name=self._name, n=n, line=number, why=why)

    def check(self) -> None:
        """Raise BadInput, with the places, where a fifth of the rows or more are left out."""
        if not self._numbers or MOST_LEFT_OUT * len(self._numbers) < self.n_rows:
            return
        result = self._first.result
        if further := self._numbers[1:]:
            numbers = ", ".join(f"{number:,}" for number in further[:3]) + (", …" if len(further) > 3 else "")
            result = t("{found}; errors also in line {numbers}", found=result, numbers=numbers)
        notes.remove((self._name, "left out"))  # the error says it
        raise BadInput(f"{self._first.place}: {result}. {self._first.needed}")


class LineCount:
    """The number of lines or paragraphs read from a file so far, with an upper limit, by default that of lines."""

    def __init__(self, name: str, max_lines: int | None = None) -> None:
        self._name, self._n, self._max_lines = name, 0, max_lines or limits().max_lines

    def add(self, n: int = 1) -> None:
        """Count `n` more lines. Raises BadInput if they exceed the limit."""
        self._n += n
        if self._n > self._max_lines:
            values = {"name": self._name, "most": self._max_lines}
            message = t("{name} has over {most:,} lines or paragraphs, blank ones included. Split it.", **values)
            raise BadInput(message)


def iterate_lines(
    path: Path,
    *,
    whole: bool,
    most: int = MAX_BYTES,
    longest: int = MAX_LINE_BYTES,
    in_pieces: bool = False,
    position: list[int] | None = None,
    replace: bool = False,
) -> Iterator[tuple[Place, str]]:
    """The lines of a file, unpacked and decoded (core.files.encodings); BadInput for one too long, too many bytes in all, or no text.
    `in_pieces`: a line longer than `longest` bytes is no fault, but comes in pieces that have the same place. `position` holds how many bytes
    were read, unpacked. `replace`: a few lines with bytes that are not UTF-8 are no error; the bytes are replaced, and noted."""
    check_fits(path, most if whole else ANY_SIZE)
    opened, total, encoding = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix.lower(), open), 0, None
    count = LineCount(path.name)
    replaced = _Replaced(path.name)
    try:
        with opened(path, "rb") as packed:
            stream, is_wide = _as_utf8(packed, path)
            for number, data in _pieces(stream, longest, in_pieces):
                steps.step(len(data))
                place, total = Place(path.name, number), total + len(data)
                if most < ANY_SIZE:
                    count.add()
                if position is not None:
                    position[:] = [total]
                if total > most:
                    refuse(place, t("over {n:,} bytes unpacked", n=most), t("Use a smaller file."))
                if len(data) > longest and not in_pieces:
                    refuse(place, t("over {n:,} bytes without line break", n=longest), t("Use shorter lines."))
                encoding = encoding or ("utf-8" if is_wide else encoding_of(opened, path, total, data))
                if replace and encoding == "utf-8" and b"\x00" not in data:
                    yield place, replaced.text(data, number)
                else:
                    yield place, _decoded(data, place, total == len(data), encoding)
        replaced.check()
    except UnicodeDecodeError:
        raise BadInput(t("{name} is damaged: it begins as UTF-16, and is not. Save it as UTF-8 text.", name=path.name)) from None
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        message = t("{name} is incomplete: {error}. Save it again, or unpack it.", name=path.name, error=error)
        raise BadInput(message) from None


class _Replaced:
    """The lines of a file whose bytes are not all UTF-8: these are replaced and noted while such lines are few."""

    def __init__(self, name: str) -> None:
        self._name, self._n, self._wrong = name, 0, []

    def text(self, data: bytes, number: int) -> str:
        """Return a line's text."""
        self._n += not data.isascii()
        try:
            return data.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            self._wrong.append((data, number))
            note_replaced(self._name, len(self._wrong), self._wrong[0][1])
            return data.decode("utf-8", "replace")

    def check(self) -> None:
        """Raise BadInput where a fifth of the lines that are not ASCII or more are not UTF-8."""
        if self._wrong and MOST_LEFT_OUT * len(self._wrong) >= self._n:
            data, number = self._wrong[0]
            _decoded(data, Place(self._name, number), False, "utf-8")


def note_replaced(name: str, n: int, line: int) -> None:
    """Note that so many lines have bytes that are not UTF-8, the first in this line."""
    values = {"name": name, "line": line}
    text = tn(
        "{name}: {n:,} line has bytes that are not UTF-8: {line}. They are shown as �.",
        "{name}: {n:,} lines have bytes that are not UTF-8, the first is {line}. They are shown as �.",
        n,
        **values,
    )
    notes.add((name, "bytes"), text)


def _as_utf8(stream: BinaryIO, path: Path) -> tuple[BinaryIO, bool]:
    """Return a stream of UTF-8, and whether it was UTF-16 or UTF-32; BadInput for a file of another kind by a text's name."""
    beginning = stream.read(16)
    stream.seek(0)
    encoding = wide_encoding(beginning)
    if encoding is None:
        check_beginning(path, beginning)
        return stream, False
    return io.BufferedReader(Recoded(io.TextIOWrapper(stream, encoding, newline=""))), True


def wide_encoding(data: bytes) -> str | None:
    """Return "utf-16" or "utf-32" for text that begins with their byte order mark."""
    return next((encoding for mark, encoding in _WIDE.items() if data.startswith(mark)), None)


class Recoded(io.RawIOBase):
    """The UTF-8 bytes of text in another encoding."""

    def __init__(self, text: TextIO) -> None:
        self._text, self._rest = text, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or self._text.read(1 << 16).encode()
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n


def _pieces(stream: BinaryIO, longest: int, in_pieces: bool) -> Iterator[tuple[int, bytes]]:
    """(number of the line from 1, bytes): a line of more than `longest` bytes up to where it is too long, or in pieces."""
    number, rest = 1, b""
    while data := rest + (more := stream.readline(longest + 1 - len(rest))):
        rest = b""
        lines = data.splitlines(keepends=True)
        if len(lines) == 1 and len(data) > longest:
            end = _whole(data) if in_pieces else len(data)
            lines, rest = [data[:end]], data[end:]
        elif more and not data.endswith(b"\n"):
            rest = lines.pop()  # the line may go on, or its carriage return be followed by a line feed
        for line in lines:
            yield number, line
            number += line.endswith((b"\n", b"\r"))


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
        refuse(place, t("a NUL byte"), t("Save it as UTF-8 text."))
    try:
        return data.decode("utf-8-sig" if is_first and encoding in (None, "utf-8") else encoding or "utf-8")
    except UnicodeDecodeError as error:
        message = t("byte {n} ({byte:#04x}) is not UTF-8", n=error.start + 1, byte=data[error.start])
        refuse(place, message, t("Save it as UTF-8 (spreadsheets: CSV UTF-8)."))
