"""Files of word vectors, line by line: GloVe text, word2vec text or binary, plain or packed. Our own parser: it names the line that is
wrong, allocates for what it has read, not for what a header promises, and never unpickles."""

import contextlib
import gzip
import lzma
import re
import zipfile
import zlib
from array import array
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from core.common.errors import BadInput, CorruptArtifact
from core.common.i18n import t, tn
from core.text.composed import composed

MAX_DIM, MAX_LINE, MAX_BYTES = 10_000, 1 << 20, 6 << 30  # of a vector, a line, all vectors
UNREADABLE = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)
Report = Callable[[str], None]


def read(path: Path, limit: int | None, report: Report | None) -> tuple[list[str], np.ndarray, dict]:
    """Words, their vectors (V, D) float32, and what the file is; the first `limit` words at most. The format is known by content; .gz, .xz
    and .zip are unpacked on the way. Raises BadInput or CorruptArtifact, which name the file and the line at fault."""
    try:
        with _unpack(path) as stream:
            head = stream.read(MAX_LINE)
        with _unpack(path) as stream:
            return _collect(stream, head, path.name, limit, report)
    except UNREADABLE as error:
        raise CorruptArtifact(t("Cannot read all of {name}: {error}. Choose another file.", name=path.name, error=error)) from None


@contextlib.contextmanager
def _unpack(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked on the way."""
    if path.suffix.lower() != ".zip":
        with {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix.lower(), open)(path, "rb") as stream:
            yield _behind_mark(stream)
        return
    with zipfile.ZipFile(path) as archive:
        files = [file for file in archive.namelist() if not file.endswith("/") and not file.startswith("__MACOSX")]
        if len(files) != 1:
            held = ", ".join(files[:8]) or t("none")
            raise BadInput(t("{name} must hold one vector file, not {held}: unpack one.", name=path.name, held=held))
        with archive.open(files[0]) as stream:
            yield _behind_mark(stream)


def _behind_mark(stream: IO[bytes]) -> IO[bytes]:
    """The stream behind a byte order mark, where it begins with one, which is no part of the first word."""
    if stream.read(len(BOM_UTF8)) != BOM_UTF8:
        stream.seek(0)
    return stream


def _kind(head: bytes, name: str) -> tuple[str, int | None, int]:
    """Format, words promised (None without a header) and D of a file that begins with `head`."""
    line, _, body = head.partition(b"\n")
    header = re.fullmatch(rb"\s*(\d{1,18})\s+(\d{1,18})\s*", line)
    count, dim = map(int, header.groups()) if header else (None, max(0, len(line.split()) - 1))
    start = (body if header else head)[:4096]  # binary: control characters, or more than 3 bytes that are not UTF-8
    binary = re.search(rb"[\x00-\x08\x0e-\x1f]", start) or len(start.decode(errors="ignore").encode()) < len(start) - 3
    if not head.strip():
        raise BadInput(t("{name} is empty. Choose another file.", name=name))
    if re.match(rb"\x80[\x02-\x05]", head):
        raise BadInput(t("{name} is a pickle and may run code: use save_word2vec_format.", name=name))
    if binary and not header:
        raise BadInput(t("{name}, line 1: neither text nor a word2vec header.", name=name))
    if not 1 <= dim <= MAX_DIM:
        raise BadInput(t("{name}, line 1: expected a word and 1 to {most:,} numbers, not {n:,}.", name=name, most=MAX_DIM, n=dim))
    return ("word2vec binary" if binary else "word2vec text" if header else "GloVe text"), count, dim


def _collect(stream: IO[bytes], head: bytes, name: str, limit: int | None, report: Report | None):
    """Words, vectors (V, D) and what the file is; `head` is its beginning, by which its format is known."""
    form, count, dim = _kind(head, name)
    if count is not None:
        stream.readline(MAX_LINE)
    rows = _binary_rows if form == "word2vec binary" else _text_rows
    header = int(form == "word2vec text")  # line 1
    places = {}
    values = bytearray()
    seen = 0
    place = header
    try:
        for place, (word, row) in enumerate(rows(stream, dim), start=header + 1):
            if row and places.setdefault(composed(word), place) == place:  # the first of equal words
                values += row
            seen += bool(row)
            if report and seen % 50_000 == 0:
                report(t("{n:,} words of {name} read", n=seen, name=name))
            if len(values) > MAX_BYTES:
                raise BadInput(t("{name} exceeds {n} GB: limit the words.", name=name, n=MAX_BYTES >> 30))
            if seen == count or len(places) == limit:
                break
    except ValueError as error:
        fault = t("not UTF-8 text") if isinstance(error, UnicodeDecodeError) else error
        raise BadInput(_at(form, name, place + 1, fault)) from None
    if not places or (count is not None and seen < count and len(places) != limit):
        raise CorruptArtifact(
            t("{name} ends after {n:,} of {promised:,} words. Download it again.", name=name, promised=count or 0, n=seen)
        )
    matrix = np.frombuffer(values, "<f4").reshape(-1, dim)
    if len(bad := np.flatnonzero(~(np.abs(matrix) <= 1e15).all(axis=1))):  # also finds what is not a number
        raise BadInput(_at(form, name, list(places.values())[bad[0]], t("not a number, or above 1e15")))
    return list(places), matrix, {"format": form, "duplicates": seen - len(places)}


def _at(form: str, name: str, place: int, fault: object) -> str:
    """What is wrong, and where: the line of a text file, the word of a binary one."""
    if form == "word2vec binary":
        return t("{name}, word {n}: {said}.", name=name, n=place, said=fault)
    return t("{name}, line {n}: {said}.", name=name, n=place, said=fault)


def _text_rows(stream: IO[bytes], dim: int) -> Iterator[tuple[str, bytes]]:
    """(word, D float32) of each line, b"" for a blank one; ValueError says what is wrong with a line."""
    while line := stream.readline(MAX_LINE):
        if not line.strip():
            yield "", b""
            continue
        word, *numbers = line.decode().rstrip().replace("\t", " ").rsplit(" ", dim)  # some words of GloVe hold spaces
        if len(numbers) != dim or (" " in word and re.fullmatch(r"[-+]?\d*\.?\d+([eE][-+]?\d+)?", word.rsplit(" ", 1)[1])):
            raise ValueError(tn("{n} number instead of {dim}", "{n} numbers instead of {dim}", len(line.split()) - 1, dim=dim))
        if not word:
            raise ValueError(t("no word before the numbers"))
        yield word, array("f", map(float, numbers)).tobytes()


def _binary_rows(stream: IO[bytes], dim: int) -> Iterator[tuple[str, bytes]]:
    """(word, D float32) of each entry: the word, a space, the numbers; ends where an entry is not whole."""
    buffer = b""
    at = 0
    size = 4 * dim
    while True:
        end = buffer.find(b" ", at) + 1
        if end and len(buffer) >= end + size:
            yield buffer[at : end - 1].lstrip(b"\n").decode(errors="replace"), buffer[end : end + size]
            at = end + size
        elif not end and len(buffer) - at > MAX_LINE:
            raise ValueError(t("no word ends within 1 MB"))
        elif more := stream.read(MAX_LINE):
            buffer = buffer[at:] + more
            at = 0
        else:
            return
