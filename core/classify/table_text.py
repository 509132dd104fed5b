"""Read the lines of a file of labeled rows, plain or compressed, in the encoding that its bytes suggest."""

import codecs
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from ..common import notes, steps
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..files.artifacts import check_fits
from ..files.encodings import SAMPLE, guess, is_utf8
from ..files.formats import check_beginning
from ..text.file_lines import MOST_LEFT_OUT, LineCount, Place, note_replaced, wide_encoding

PIECE = 1 << 20  # bytes
MAX_LINE = 10_000_000  # characters
_NOT_ASCII = re.compile(rb"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class TableText:
    """A text file and its encoding."""

    path: Path
    codec: str
    errors: str = "strict"

    def lines(self, newline: str = "\n") -> Iterator[tuple[Place, str]]:
        """Yield the place and the text of each line, with its line break. `newline` is as in `open`.

        Raises BadInput for a line that is too long, and for too many lines.
        """
        name = self.path.name
        count = LineCount(name)
        with _unpack(self.path) as stream, io.TextIOWrapper(stream, self.codec, self.errors, newline) as text:
            for number, line in enumerate(iter(lambda: text.readline(MAX_LINE + 1), ""), start=1):
                steps.step(len(line))
                count.add()
                if len(line) > MAX_LINE:
                    place = Place(name, number)
                    raise BadInput(t("{place}: over {n:,} characters without line break. Use shorter lines.", place=place, n=MAX_LINE))
                yield Place(name, number), line


def open_text(path: Path, encoding: str | None) -> TableText:
    """Return the text of a file, plain or compressed. Text that is not UTF-8 is read in `encoding`, or in a guessed one with a note.

    Raises BadInput for a file that is empty, too large, incomplete or not text.
    """
    check_fits(path, limits().max_table_mb * 10**6)
    try:
        scan = _scan_bytes(path)
        return _choose_encoding(path, scan, encoding)
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        message = t("{name} is incomplete: {error}. Save it again, or unpack it.", name=path.name, error=error)
        raise BadInput(message) from None


def refuse_empty(name: str) -> NoReturn:
    raise BadInput(t("{name} is empty. It needs rows, each a text and its label.", name=name))


def _unpack(path: Path) -> BinaryIO:
    return {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix.lower(), open)(path, "rb")


def _pieces(path: Path) -> Iterator[bytes]:
    with _unpack(path) as stream:
        while piece := stream.read(PIECE):
            steps.step(len(piece))
            yield piece


@dataclass(slots=True)
class _ByteScan:
    """The properties of a file's bytes that decide its encoding."""

    beginning: bytes = b""
    first_non_ascii: int | None = None  # position of a byte
    error_line: int | None = None  # first line that is not valid UTF-8, or UTF-16 in a file that begins with its mark
    is_blank: bool = True
    has_nul: bool = False


def _scan_bytes(path: Path) -> _ByteScan:
    max_bytes = limits().max_table_mb * 10**6
    scan, decoder, total, line = _ByteScan(), None, 0, 1
    for piece in _pieces(path):
        if not total:
            scan.beginning = piece[:4096]
            check_beginning(path, piece[:16])
            decoder = codecs.getincrementaldecoder(wide_encoding(piece) or "utf-8")()
        if scan.first_non_ascii is None and (match := _NOT_ASCII.search(piece)):
            scan.first_non_ascii = total + match.start()
        total += len(piece)
        if total > max_bytes:
            values = {"name": path.name, "mb": max_bytes // 10**6}
            raise BadInput(t("{name} unpacks to more than {mb} MB; at most that is read. Use a smaller file.", **values))
        scan.has_nul |= b"\x00" in piece
        if scan.error_line is None:
            try:
                scan.is_blank &= not decoder.decode(piece).removeprefix("\ufeff").strip()
            except UnicodeDecodeError as error:
                scan.is_blank, scan.error_line = False, line + error.object.count(b"\n", 0, error.start)
        line += piece.count(b"\n")
    if scan.error_line is None and decoder is not None:
        try:
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            scan.error_line = line
    return scan


def _choose_encoding(path: Path, scan: _ByteScan, encoding: str | None) -> TableText:
    name, wide = path.name, wide_encoding(scan.beginning)
    if scan.has_nul and not wide:
        raise BadInput(t("{name} is not text (it holds NUL bytes). Save it as plain text in UTF-8.", name=name))
    if scan.is_blank:
        refuse_empty(name)
    if scan.error_line is None:
        return TableText(path, wide or "utf-8-sig")
    if wide or sum(byte < 9 or 13 < byte < 32 for byte in scan.beginning) > 8:
        place = Place(name, scan.error_line)
        raise BadInput(t("{place}: these bytes are not text in any known encoding. Save it in UTF-8.", place=place)) from None
    if not encoding:
        n_invalid, n_non_ascii = _count_invalid_lines(path)
        if MOST_LEFT_OUT * n_invalid < n_non_ascii:
            note_replaced(name, n_invalid, scan.error_line)
            return TableText(path, "utf-8-sig", "replace")
    codec = encoding or guess(_read_sample(path, scan.first_non_ascii)) or "latin-1"
    codec = codec if _decodes(path, codec) else "latin-1"
    title = "Latin-1" if codec == "latin-1" else codec.upper()
    notes.add((name, "encoding"), f"{name} is no UTF-8 (line {scan.error_line}) and was read as {title}.")
    return TableText(path, codec)


def _count_invalid_lines(path: Path) -> tuple[int, int]:
    """Count the lines that are not UTF-8, and those that are not ASCII."""
    n_invalid = n_non_ascii = 0
    with _unpack(path) as stream:
        while line := stream.readline(MAX_LINE):
            steps.step(len(line))
            if not line.isascii():
                n_non_ascii += 1
                n_invalid += not is_utf8(line)
    return n_invalid, n_non_ascii


def _read_sample(path: Path, position: int) -> bytes:
    """Return the bytes around a position, such as the first byte that is not ASCII."""
    with _unpack(path) as stream:
        stream.seek(max(0, position - SAMPLE // 4))
        return stream.read(SAMPLE + 1)


def _decodes(path: Path, codec: str) -> bool:
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for piece in _pieces(path):
            decoder.decode(piece)
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    return True
