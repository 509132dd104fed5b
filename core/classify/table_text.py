"""The text of a file of labeled rows, as lines in the encoding that its bytes show. Read in pieces, as often as needed."""

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

from core.common import notes, steps
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import limits
from core.files.artifacts import check_fits
from core.files.encodings import SAMPLE, guess, is_utf8
from core.files.formats import check_beginning
from core.text.file_lines import MOST_LEFT_OUT, LineCount, Place, note_replaced, wide_encoding

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
        """Yield the lines with their ends and places; `newline` is as `open` takes it. BadInput for one that is too long, or too many."""
        name = self.path.name
        count = LineCount(name)
        with _unpacked(self.path) as stream, io.TextIOWrapper(stream, self.codec, self.errors, newline) as text:
            for number, line in enumerate(iter(lambda: text.readline(MAX_LINE + 1), ""), start=1):
                steps.step(len(line))
                count.add()
                if len(line) > MAX_LINE:
                    place = Place(name, number)
                    raise BadInput(t("{place}: over {n:,} characters without line break. Use shorter lines.", place=place, n=MAX_LINE))
                yield Place(name, number), line


def open_text(path: Path, encoding: str | None) -> TableText:
    """Return the text of a file, plain or packed, that is not empty. Text that is not UTF-8 is read in `encoding`, or in what its bytes look
    like, with a note."""
    check_fits(path, limits().max_table_mb * 10**6)
    try:
        seen = _look(path)
        return _text(path, seen, encoding)
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        message = t("{name} is incomplete: {error}. Save it again, or unpack it.", name=path.name, error=error)
        raise BadInput(message) from None


def refuse_empty(name: str) -> NoReturn:
    raise BadInput(t("{name} is empty. It needs rows, each a text and its label.", name=name))


def _unpacked(path: Path) -> BinaryIO:
    return {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix.lower(), open)(path, "rb")


def _pieces(path: Path) -> Iterator[bytes]:
    with _unpacked(path) as stream:
        while piece := stream.read(PIECE):
            steps.step(len(piece))
            yield piece


@dataclass(slots=True)
class _Seen:
    """What one look at a file's bytes has shown."""

    beginning: bytes = b""
    first_above: int | None = None  # byte that is not ASCII
    error_line: int | None = None  # where it is not text in its own encoding, UTF-8 or UTF-16
    is_blank: bool = True
    has_nul: bool = False


def _look(path: Path) -> _Seen:
    most = limits().max_table_mb * 10**6
    seen, decoder, total, line = _Seen(), None, 0, 1
    for piece in _pieces(path):
        if not total:
            seen.beginning = piece[:4096]
            check_beginning(path, piece[:16])
            decoder = codecs.getincrementaldecoder(wide_encoding(piece) or "utf-8")()
        if seen.first_above is None and (above := _NOT_ASCII.search(piece)):
            seen.first_above = total + above.start()
        total += len(piece)
        if total > most:
            values = {"name": path.name, "mb": most // 10**6}
            raise BadInput(t("{name} unpacks to more than {mb} MB; at most that is read. Use a smaller file.", **values))
        seen.has_nul |= b"\x00" in piece
        if seen.error_line is None:
            try:
                seen.is_blank &= not decoder.decode(piece).removeprefix("\ufeff").strip()
            except UnicodeDecodeError as error:
                seen.is_blank, seen.error_line = False, line + error.object.count(b"\n", 0, error.start)
        line += piece.count(b"\n")
    if seen.error_line is None and decoder is not None:
        try:
            decoder.decode(b"", True)
        except UnicodeDecodeError:
            seen.error_line = line
    return seen


def _text(path: Path, seen: _Seen, encoding: str | None) -> TableText:
    name, wide = path.name, wide_encoding(seen.beginning)
    if seen.has_nul and not wide:
        raise BadInput(t("{name} is not text (it holds NUL bytes). Save it as plain text in UTF-8.", name=name))
    if seen.is_blank:
        refuse_empty(name)
    if seen.error_line is None:
        return TableText(path, wide or "utf-8-sig")
    if wide or sum(byte < 9 or 13 < byte < 32 for byte in seen.beginning) > 8:
        place = Place(name, seen.error_line)
        raise BadInput(t("{place}: these bytes are not text in any known encoding. Save it in UTF-8.", place=place)) from None
    if not encoding:
        wrong, all_above = _count_wrong(path)
        if MOST_LEFT_OUT * wrong < all_above:
            note_replaced(name, wrong, seen.error_line)
            return TableText(path, "utf-8-sig", "replace")
    codec = encoding or guess(_sample(path, seen.first_above)) or "latin-1"
    codec = codec if _decodes(path, codec) else "latin-1"
    written = "Latin-1" if codec == "latin-1" else codec.upper()
    notes.add((name, "encoding"), f"{name} is no UTF-8 (line {seen.error_line}) and was read as {written}.")
    return TableText(path, codec)


def _count_wrong(path: Path) -> tuple[int, int]:
    """Count the lines that are not UTF-8, and those that are not ASCII."""
    wrong = above = 0
    with _unpacked(path) as stream:
        while line := stream.readline(MAX_LINE):
            steps.step(len(line))
            if not line.isascii():
                above += 1
                wrong += not is_utf8(line)
    return wrong, above


def _sample(path: Path, at: int) -> bytes:
    """Return the bytes around the first that is not ASCII."""
    with _unpacked(path) as stream:
        stream.seek(max(0, at - SAMPLE // 4))
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
