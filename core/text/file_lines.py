"""Read the lines of a file, or the rows of a JSON file, with their places: unpacked, decoded and within limits.

Every error is one sentence that names the place. A few rows that cannot be read are left out and noted.
"""

import gzip
import io
import lzma
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, TextIO

from ..common import reports
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..files.artifacts import check_fits, iterate_json_list, parse_json
from ..files.formats import check_beginning, detect_encoding, suffix_of

MAX_BYTES = 100_000_000  # of a file, unpacked
MAX_LINE_BYTES = 1_000_000
MAX_JSON_BYTES = 50_000_000  # of a .json file, which is read at once
ANY_SIZE = 1 << 62
MOST_LEFT_OUT = 5  # rows for each one left out
ENOUGH = 1_000  # rows after which a file can be refused before its end
MAX_CONTROLS = 8  # control characters in a line of text in an unknown encoding
_WIDE = ((BOM_UTF32_LE, "utf-32"), (BOM_UTF32_BE, "utf-32"), (BOM_UTF16_LE, "utf-16"), (BOM_UTF16_BE, "utf-16"))  # Excel's "Unicode text"


class Place(NamedTuple):
    """A place in a file: "a.csv, line 3". It is put into words only for a message."""

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
    """An error in one row, with its place."""

    def __init__(self, place: Place | str, result: str, needed: str) -> None:
        super().__init__(f"{place}: {result}. {needed}")
        self.place, self.result, self.needed = place, result, needed

    def __reduce__(self) -> tuple:
        """Return what pickle makes the error of in another process."""
        return type(self), (self.place, self.result, self.needed)


def refuse(place: Place | str, result: str, needed: str) -> NoReturn:
    """Raise BadRow with the error at a place and the remedy."""
    raise BadRow(place, result, needed)


def show_value(value: Any, max_length: int = 80) -> str:
    """Return a JSON value on one line of at most `max_length` characters, with its first level only."""
    if isinstance(value, list | dict):
        parts = ", ".join("..." if isinstance(part, list | dict) else show_value(part) for part in islice(value, 20))
        if isinstance(value, list):
            text = f"[{parts}]"
        else:
            text = t("a row of {names}", names=parts) if parts else t("an empty row")
    else:
        text = "null" if value is None else repr(value)
    return text if len(text) <= max_length else text[: max_length - 3] + "..."


def is_guess(row: dict) -> bool:
    """Return whether a row's sense is a model's guess, not a person's: its "given" is false."""
    mark = row.get("given", True)
    return mark.strip().casefold() in ("false", "0") if isinstance(mark, str) else mark is not None and mark == 0


class LeftOut:
    """Rows that cannot be read: a few are left out and noted; a file with a fifth of them or more is refused."""

    def __init__(self, name: str, kind: str = "left out") -> None:
        self.n_rows = 0  # counted by the caller, those left out included
        self._name = name
        self._key = name, kind  # of its note
        self._first: BadRow | None = None
        self._numbers: list[int] = []

    def add(self, error: BadRow) -> None:
        """Leave out one row. Raises BadInput as soon as it is clear that there are many."""
        self._first = self._first or error
        self._numbers.append(error.place.number if isinstance(error.place, Place) else 0)
        if self.n_rows >= ENOUGH:
            self.check()
        is_item = isinstance(self._first.place, Place) and self._first.place.is_item
        place = t("item {n}", n=self._numbers[0]) if is_item else t("line {n}", n=self._numbers[0])
        values = {"name": self._name, "n": len(self._numbers), "place": place, "why": self._first.result}
        reports.add(self._key, t("{name}: rows left out: {n:,}. The first is {place}: {why}.", **values))

    def check(self) -> None:
        """Raise BadInput with the places if at least a fifth of the rows are left out."""
        if not self._numbers or MOST_LEFT_OUT * len(self._numbers) < self.n_rows:
            return
        result = self._first.result
        if others := self._numbers[1:]:
            numbers = ", ".join(f"{number:,}" for number in others[:3]) + (", …" if len(others) > 3 else "")
            values = {"found": result, "numbers": numbers}
            if isinstance(self._first.place, Place) and self._first.place.is_item:
                result = t("{found}; errors also in item {numbers}", **values)
            else:
                result = t("{found}; errors also in line {numbers}", **values)
        reports.remove(self._key)  # the error replaces it
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
            raise BadInput(t("{name} has over {most:,} lines or paragraphs, blank ones included. Split it.", **values))


def iterate_lines(
    path: Path,
    *,
    is_size_checked: bool = True,
    max_bytes: int = MAX_BYTES,
    longest: int = MAX_LINE_BYTES,
    in_pieces: bool = False,
    tolerant: bool = False,
    encoding: str | None = None,
) -> Iterator[tuple[Place, str]]:
    """Yield the lines of a file, plain or packed (.xz, .gz), with their places, unpacked and decoded (core.files.formats).

    Raises BadInput for a file that is too large, incomplete or not text.

    Parameters
    ----------
    is_size_checked : refuse a file larger than `max_bytes` at once, not where the reading reaches that limit.
    max_bytes : the limit of its unpacked bytes.
    longest : the limit of a line's bytes.
    in_pieces : yield a longer line in pieces that have the same place, instead of an error.
    tolerant : replace and note wrong bytes in UTF-8, while fewer than a fifth of the lines that are not ASCII have any (in text of ANY_SIZE,
        however many). Other text is read in a guessed encoding, or else as Latin-1, with a note.
    encoding : that of text that is not UTF-8, instead of a guess.
    """
    check_fits(path, max_bytes if is_size_checked else ANY_SIZE)
    open_file = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix.lower(), open)
    total = 0
    count = LineCount(path.name)
    try:
        with open_file(path, "rb") as packed:
            stream, is_wide = _as_utf8(packed, path)
            decoder = _Decoder(path, open_file, "utf-8" if is_wide else None, encoding, tolerant)
            for number, data in _pieces(stream, longest, in_pieces):
                reports.step(len(data))
                place = Place(path.name, number)
                total += len(data)
                if max_bytes < ANY_SIZE:
                    count.add()
                if total > max_bytes:
                    refuse(place, t("over {n:,} bytes unpacked", n=max_bytes), t("Use a smaller file."))
                if len(data) > longest and not in_pieces:
                    refuse(place, t("over {n:,} bytes without line break", n=longest), t("Use shorter lines."))
                yield place, decoder.decode(data, place, total)
        decoder.check(are_few=max_bytes < ANY_SIZE)
    except UnicodeDecodeError:
        raise BadInput(t("{name} begins as UTF-16 or UTF-32 but has invalid bytes. Save it as UTF-8 text.", name=path.name)) from None
    except PermissionError:
        raise BadInput(t("{name} cannot be read: permission denied. Allow reading, or choose another file.", name=path.name)) from None
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise BadInput(t("{name} is incomplete: {error}. Save it again, or unpack it.", name=path.name, error=error)) from None


class _Decoder:
    """Decodes the lines of a file: as UTF-8, or in the encoding of the first line that is not ASCII."""

    def __init__(self, path: Path, open_file: Callable, encoding: str | None, fallback: str | None, tolerant: bool) -> None:
        self._path, self._open_file, self._encoding, self._fallback, self._tolerant = path, open_file, encoding, fallback, tolerant
        self._n_lines = 0  # that are not ASCII
        self._wrong: list[BadRow] = []  # errors of those with wrong bytes
        self._n_read = 0  # lines that are not blank
        self._with_nul: list[BadRow] = []  # errors of lines with a NUL byte

    def decode(self, data: bytes, place: Place, end: int) -> str:
        """Return the text of a line that ends at byte `end` of the file."""
        self._n_read += not data.isspace()
        if b"\x00" in data:
            data = self._without_nul(data, place)
        if data.isascii():
            return data.decode()
        self._encoding = self._encoding or self._choose(data, place, end)
        self._n_lines += 1
        try:
            text = data.decode(self._encoding)
        except UnicodeDecodeError as error:
            values = {"n": error.start + 1, "byte": data[error.start], "encoding": self._encoding.upper()}
            message = t("byte {n} ({byte:#04x}) is not {encoding}", **values)
            self._wrong.append(BadRow(place, message, t("Save it as UTF-8 (spreadsheets: CSV UTF-8).")))
            if not self._tolerant:
                raise self._wrong[0] from None
            note_wrong_bytes(place.name, self._wrong[0].place.number, len(self._wrong), self._encoding)
            text = data.decode(self._encoding, "replace")
        return text.removeprefix("\ufeff") if end == len(data) else text

    def check(self, *, are_few: bool) -> None:
        """Raise BadInput if a fifth of the lines have a NUL byte or, with `are_few`, a fifth of those that are not ASCII have wrong bytes."""
        self._check_nul()
        if are_few and self._wrong and MOST_LEFT_OUT * len(self._wrong) >= self._n_lines:
            raise self._wrong[0]

    def _choose(self, data: bytes, place: Place, end: int) -> str:
        encoding = detect_encoding(self._open_file, self._path, end, data, is_thorough=self._tolerant)
        if encoding == "utf-8" or (encoding is None and not self._tolerant):
            return "utf-8"
        if self._tolerant and _has_controls(data):
            raise BadInput(t("{place}: these bytes are not text in any known encoding. Save it in UTF-8.", place=place))
        encoding = self._fallback or encoding or "latin-1"
        values = {"name": place.name, "line": place.number, "encoding": "Latin-1" if encoding == "latin-1" else encoding.upper()}
        text = t("{name} is not UTF-8 (line {line}) and was read as {encoding}. If letters look wrong, save it as UTF-8.", **values)
        reports.add((place.name, "encoding"), text)
        return encoding

    def _without_nul(self, data: bytes, place: Place) -> bytes:
        """Return a line with blanks for its NUL bytes, and note it. Raises BadRow for a line of a binary file."""
        error = BadRow(place, t("a NUL byte"), t("Save it as UTF-8 text."))
        if _has_controls(data) or 4 * data.count(b"\x00") >= len(data):
            raise error
        self._with_nul.append(error)
        if self._n_read >= ENOUGH:
            self._check_nul()
        values = {"name": place.name, "n": len(self._with_nul), "line": self._with_nul[0].place.number}
        reports.add((place.name, "NUL"), t("{name}: lines with NUL bytes, read as blanks: {n:,} (first: line {line}).", **values))
        return data.replace(b"\x00", b" ")

    def _check_nul(self) -> None:
        if self._with_nul and MOST_LEFT_OUT * len(self._with_nul) >= self._n_read:
            reports.remove((self._path.name, "NUL"))  # the error replaces it
            raise self._with_nul[0]


def note_wrong_bytes(name: str, line: int | str, n: int, encoding: str = "utf-8") -> None:
    """Note that `n` lines, the first of them `line`, have bytes that are not in the encoding of the file."""
    values = {"name": name, "encoding": encoding.upper(), "n": n, "line": line}
    reports.add((name, "bytes"), t("{name}: lines with bytes that are not {encoding}, shown as �: {n:,} (first: line {line}).", **values))


def _has_controls(data: bytes) -> bool:
    """Return whether a line has more control characters than text has."""
    return sum(byte < 9 or 13 < byte < 32 for byte in data[:4096]) > MAX_CONTROLS


def _as_utf8(stream: BinaryIO, path: Path) -> tuple[BinaryIO, bool]:
    """Return a stream of UTF-8, and whether it was UTF-16 or UTF-32. Raises BadInput for a file of another kind under a text's name."""
    beginning = stream.read(16)
    stream.seek(0)
    encoding = wide_encoding(beginning)
    if encoding is None:
        check_beginning(path, beginning)
        return stream, False
    return io.BufferedReader(Recoded(io.TextIOWrapper(stream, encoding, newline=""))), True


def wide_encoding(data: bytes) -> str | None:
    """Return "utf-16" or "utf-32" for text that begins with their byte order mark."""
    return next((encoding for mark, encoding in _WIDE if data.startswith(mark)), None)


class Recoded(io.RawIOBase):
    """The UTF-8 bytes of text in another encoding."""

    def __init__(self, text: TextIO) -> None:
        self._text, self._rest = text, b""

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes and return their number."""
        self._rest = self._rest or self._text.read(1 << 16).encode()
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n


def _pieces(stream: BinaryIO, longest: int, in_pieces: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the number, from 1, and the bytes of each line. A line of more than `longest` bytes comes in pieces, or up to that limit."""
    number, rest = 1, b""
    while data := rest + (more := stream.readline(longest + 1 - len(rest))):
        rest = b""
        lines = data.splitlines(keepends=True)
        if len(lines) == 1 and len(data) > longest:
            end = _find_cut(data) if in_pieces else len(data)
            lines, rest = [data[:end]], data[end:]
        elif more and not data.endswith(b"\n"):
            rest = lines.pop()  # the line may continue, or a line feed may follow its carriage return
        for line in lines:
            yield number, line
            number += line.endswith((b"\n", b"\r"))


def _find_cut(data: bytes) -> int:
    """Return where to cut: after a space, comma, period or line break, which are part of no letter in any encoding.

    Without one, cut before a character of UTF-8.
    """
    if end := max(data.rfind(sign) for sign in (b"\n", b" ", b".", b",")) + 1:
        return end
    end = len(data) - 1
    while end > len(data) - 4 and data[end] & 0xC0 == 0x80:
        end -= 1
    return end


def json_rows(path: Path, left_out: LeftOut | None = None, needed: str = "", **reading: Any) -> Iterator[tuple[Place, Any]]:
    """Yield the JSON values of a .jsonl file (or a .json file of that form), line by line, or the items of a .json list.

    With `left_out`, lines that are not JSON are left out, and `left_out` counts them and all rows. `needed` is the remedy in messages, and
    `reading` is as `iterate_lines` takes it.
    """
    if suffix_of(path) not in (".json", ".jsonl"):
        raise BadInput(t("{name} is not a .jsonl or .json file. Save the labeled rows as one of them.", name=path.name))
    is_strict = left_out is None
    left_out = left_out or LeftOut(path.name)
    needed = needed or t('Use {{"tokens": ["the", "bank"]}} per line; in .json, [["the", "bank"], ...].')
    if is_json_list(path):
        try:
            for k, item in enumerate(_items(path)):
                left_out.n_rows += 1
                yield Place(path.name, k, True), item
        except ValueError as error:
            raise BadRow(path.name, str(error), needed) from None
        return
    for place, text in iterate_lines(path, **reading):
        if not text.strip():
            continue
        left_out.n_rows += 1
        try:
            value = parse_json(text, is_table=True)
        except ValueError as error:
            bad_row = BadRow(place, str(error), needed)
            if is_strict:
                raise bad_row from None
            left_out.add(bad_row)
        else:
            yield place, value


def is_json_list(path: Path) -> bool:
    """Return whether a file is one JSON value instead of one per line, which may be named .json, too. A list of rows may be named .jsonl."""
    lines = iterate_lines(path, in_pieces=True, tolerant=True, is_size_checked=suffix_of(path) == ".json")
    first = list(islice((line for _, line in lines if line.strip()), 1))
    if suffix_of(path) != ".json":
        return bool(first) and re.match(r"\s*\[\s*(\{|$)", first[0]) is not None
    with suppress(ValueError):
        return not first or not isinstance(parse_json(first[0], is_table=True), dict)
    return True


def _items(path: Path) -> Iterator[Any]:
    """Yield the items of a .json list. Raises ValueError for any other content."""
    text = "".join(line for _, line in iterate_lines(path, max_bytes=MAX_JSON_BYTES, longest=MAX_JSON_BYTES))
    if not text.strip():
        return
    LineCount(path.name).add(text.count("[") + text.count("{"))  # each list takes much more memory than its characters
    if not text.lstrip().startswith("["):
        raise ValueError(t("{value} instead of sentences", value=show_value(parse_json(text, is_table=True))))
    yield from iterate_json_list(text)
