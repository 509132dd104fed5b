"""Read files of word vectors: GloVe text, word2vec text or binary, plain or packed.

A custom parser: it names the line that is wrong, allocates for what it has read, not for what a header promises, and never unpickles.
What differs from the format but can be read for certain is read and counted (`notes`); what may be garbage is refused.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import re
import zipfile
import zlib
from array import array
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..common import reports
from ..common.errors import BadInput, CorruptArtifact
from ..common.i18n import t, tn
from ..common.limits import limits
from ..common.markup import shorten
from ..text.file_lines import Recoded, wide_encoding
from ..text.normalization import compose

MAX_DIM, MAX_LINE = 10_000, 1 << 20  # of a vector, a line
MAX_READ_PER_STORED = 16  # bytes read for each byte stored; a number of four bytes is written in 5 to 25 bytes
LINE_COST = 16  # bytes added for each line, because even a blank line takes time
FREE_BYTES = 8 * MAX_LINE  # read before any byte must be stored
UNREADABLE = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)
BINARY, WITH_HEADER, WITHOUT_HEADER = "word2vec binary", "word2vec text", "GloVe text"
_OPENERS = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
PACKED = (*_OPENERS, ".zip")
_PACKED = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\x00": ".xz", b"BZh": ".bz2", b"PK\x03\x04": ".zip"}  # by their first bytes
_PICKLE = re.compile(rb"\x80[\x02-\x05]|\([dl]p\d+\n|[]}]q\x00|c[\w.]+\n\w+\n[p(q]")  # of protocols 2 to 5, 0, 1, and either
_TAR = (b"ustar\x0000", b"ustar  \x00")  # from byte 257 on: POSIX, GNU
_FASTTEXT = b"\xba\x16\x4f\x2f"
_HEADER = re.compile(rb"\s*(\d{1,18})\s+(\d{1,18})\s*")
_MINUS = "\u2212".encode()  # as word processors write it
_NUMBER = re.compile(rb"(?:[-+]|%b)?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan|inf|infinity)" % _MINUS, re.IGNORECASE)
_QUOTED = re.compile(rb'"((?:[^"\\]|""|\\.)+)"(?!\S)')  # a quotation mark inside is written "" by pandas, \" by R
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_LINES_COUNTED = 1000  # whose numbers are counted, to know how many a line has
_CHECKED_EVERY = 50_000  # words


def read(path: Path) -> tuple[list[str], np.ndarray, dict]:
    """Return words, their vectors (V, D) float32 and the properties of the file that `notes` describes.

    The format is known by content; .gz, .xz, .bz2 and .zip are unpacked on the way. Raises BadInput or CorruptArtifact, which name the
    file and the line that is wrong (in a binary file, the word).
    """
    try:
        with _unpack(path) as stream:
            head = stream.read(MAX_LINE)
        with _unpack(path) as stream:
            return _collect(stream, head, path.name)
    except UNREADABLE as error:
        raise CorruptArtifact(t("Cannot read all of {name}: {error}. Choose another file.", name=path.name, error=error)) from None


def notes(name: str, properties: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence, in the selected language, for each way in which a file differs from its format; `properties` are those of `read`."""
    sentences = []
    if properties.get("promised") not in (None, properties.get("words")):
        numbers = {"name": name, "promised": properties["promised"], "n": properties["words"]}
        sentences.append(t("{name}: the first line promises {promised:,} words, but the file has {n:,}.", **numbers))
    if properties.get("promised_dim") not in (None, properties.get("dim")):
        numbers = {"name": name, "promised": properties["promised_dim"], "n": properties["dim"]}
        sentences.append(t("{name}: the first line promises {promised:,} numbers per word, but the lines have {n:,}.", **numbers))
    if properties.get("heading"):
        sentences.append(t("{name}: the first row is a heading and was left out.", name=name))
    if n := properties.get("not_utf8", 0):
        values = {"name": name, "n": n, "place": _place(properties["format"], properties["first_not_utf8"])}
        sentences.append(t("{name}: words that are not UTF-8: {n:,} (first: {place}). � replaces unreadable bytes.", **values))
    if n := properties.get("quoted", 0):
        sentences.append(t("{name}: words read without their quotation marks: {n:,}.", name=name, n=n))
    if n := properties.get("duplicates", 0):
        sentences.append(t("{name}: repeated words left out: {n:,}.", name=name, n=n))
    return tuple(sentences)


@contextlib.contextmanager
def _unpack(path: Path) -> Iterator[IO[bytes]]:
    """Open a file's bytes, decompressed; text in UTF-16 or UTF-32 is transcoded to UTF-8."""
    with path.open("rb") as stream:
        start = stream.readline(512)
    named = path.suffix.lower() if path.suffix.lower() in PACKED and _CONTROLS.search(start) else ""  # a damaged archive, unless it is text
    kind = next((suffix for magic, suffix in _PACKED.items() if start.startswith(magic)), named)
    if kind != ".zip":
        with _OPENERS.get(kind, open)(path, "rb") as stream:
            yield _as_utf8(stream)
        return
    with zipfile.ZipFile(path) as archive:
        files = [file for file in archive.namelist() if not file.endswith("/") and not file.rpartition("/")[2].startswith(".")]
        if len(files) != 1:
            names = ", ".join(files[:8]) or t("none")
            raise BadInput(t("{name} must hold one vector file, not {held}: unpack one.", name=path.name, held=names))
        with archive.open(files[0]) as stream:
            yield _as_utf8(stream)


def _as_utf8(stream: IO[bytes]) -> IO[bytes]:
    """Return the stream after a byte order mark, with UTF-16 and UTF-32 transcoded."""
    start = stream.read(512)
    stream.seek(0)
    if start.startswith(BOM_UTF8):
        stream.seek(len(BOM_UTF8))
    codec = _wide_codec(start)
    return io.BufferedReader(Recoded(io.TextIOWrapper(stream, codec, errors="replace", newline=""))) if codec else stream


def _wide_codec(start: bytes) -> str:
    """Return the codec of text in UTF-16 or UTF-32, else "". Without a mark the first line must be one that vectors begin with."""
    if codec := wide_encoding(start):
        return codec
    if b"\x00" not in start[:8]:
        return ""
    for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        line = start.decode(codec, "ignore").encode().partition(b"\n")[0]
        if b"\x00" not in line and (_HEADER.fullmatch(line) or _count_numbers(line)):
            return codec
    return ""


class _ByteCount:
    """The number of unpacked bytes read from a file, and of those stored as words and numbers.

    The stored bytes bound the reading, because a small packed file may hold endless blank lines, blanks or repeated words.
    """

    def __init__(self, name: str) -> None:
        self._name, self._max_mb = name, limits().max_vectors_mb
        self._n_read = self._n_lines = self._n_stored = 0

    def add_read(self, n: int) -> None:
        """Count `n` bytes of a line or a vector as read. Raises BadInput if too few of all bytes read are stored."""
        self._n_read += n
        self._n_lines += 1
        reports.step(n)
        if self._n_read + LINE_COST * self._n_lines > FREE_BYTES + MAX_READ_PER_STORED * self._n_stored:
            values = {"name": self._name, "mb": self._n_read / 1e6, "kept": self._n_stored / 1e6}
            message = t("{name}: only {kept:,.1f} of {mb:,.1f} MB read are vectors. Remove blank lines and repeated words.", **values)
            raise BadInput(message)

    def add_stored(self, n: int) -> None:
        """Count `n` bytes as stored. Raises BadInput if they exceed the memory for vectors."""
        self._n_stored += n
        if self._n_stored > self._max_mb * 10**6:
            values = {"name": self._name, "n": self._max_mb}
            raise BadInput(t("{name} exceeds {n:,} MB of vectors. Use fewer words, or raise ELMOSCOPE_MAX_VECTORS_MB.", **values))


@dataclass(frozen=True, slots=True)
class _Form:
    """The form of a file: its format, what a header promises (words, numbers per word), the numbers per word it has, and its heading."""

    file: str
    name: str
    promised: int | None
    promised_dim: int | None
    dim: int
    has_heading: bool  # a first row without a vector: "word 0 1 2", "# trained on news"
    is_quoted: bool  # each line begins with a quotation mark

    @property
    def is_binary(self) -> bool:
        return self.name == BINARY

    def error(self, place: int, problem: object) -> BadInput:
        """Return an error with its location."""
        return BadInput(t("{name}, {place}: {fault}.", name=self.file, place=_place(self.name, place), fault=problem))


def _form_of(head: bytes, name: str) -> _Form:
    """Return the form of a file that begins with `head`."""
    if not head.strip():
        raise BadInput(t("{name} is empty. Choose another file.", name=name))
    if _PICKLE.match(head):
        raise BadInput(t("{name} is a pickle and may run code: use save_word2vec_format.", name=name))
    if head[257:265] in _TAR:
        raise BadInput(t("{name} is a tar archive. Unpack it and choose the file inside.", name=name))
    if head.startswith(_FASTTEXT):
        raise BadInput(t("{name} is a fastText model. Choose its .vec file.", name=name))
    if _has_old_breaks(head):
        head = head.replace(b"\r", b"\n")
    first, _, rest = head.lstrip().partition(b"\n")
    header = _HEADER.fullmatch(first)
    promised, promised_dim = map(int, header.groups()) if header else (None, None)
    body = rest if header else head.lstrip()
    lines = [line for line in body.splitlines()[:_LINES_COUNTED] if line.strip()] or [b""]
    counts = [_count_numbers(line) for line in lines]
    most_common, n = Counter(counts).most_common(1)[0]
    is_binary = not most_common and _has_binary_bytes(body)
    if is_binary and not header:
        raise BadInput(t("{name}, line 1: neither text nor a word2vec header. Save a word and its numbers per line.", name=name))
    dim = promised_dim if header else counts[0]
    if most_common and n >= max(2, len(counts) * (0.9 if header else 0.5)):  # lines that agree outweigh a header
        dim = most_common
    if not 1 <= dim <= MAX_DIM:
        message = t("{name}, line 1: expected a word and 1 to {most:,} numbers, not {n:,}.", name=name, most=MAX_DIM, n=dim)
        raise BadInput(f"{message} {_advice(head.lstrip())}".rstrip())
    if is_binary:
        form = BINARY
    else:
        form = WITH_HEADER if header else WITHOUT_HEADER
    is_quoted = all(line.lstrip().startswith(b'"') for line in lines)
    return _Form(name, form, promised, promised_dim, dim, not is_binary and _is_heading(lines[0], lines[1:], dim), is_quoted)


def _has_binary_bytes(body: bytes) -> bool:
    """Return whether the first 4 kB have control characters or are not UTF-8. The last letter may be cut in up to three bytes."""
    start = body[:4096]
    n_cut = 3 if len(body) > len(start) else 0
    return bool(_CONTROLS.search(start)) or len(start.decode(errors="ignore").encode()) < len(start) - n_cut


def _advice(head: bytes) -> str:
    """Return what to do with a file without numbers that begins with `head`, or "" for an unknown one."""
    if head.startswith(b"version https://git-lfs"):
        return t("This is only Git LFS’s link to the file: run git lfs pull.")
    if re.match(rb"<(!|\?|html|head|error)", head, re.IGNORECASE):
        return t("This is a web page or a server’s error: download the file again.")
    if re.match(rb'[\[{]\s*["\[{]', head):
        return t("This is JSON: save the vectors as text, a word and its numbers in each line.")
    if re.search(rb"\d\s*[,;]\s*[-+.\d]", head):
        return t("Separate the numbers by blanks, and write decimals with a point.")
    return ""


def _is_heading(line: bytes, others: list[bytes], dim: int) -> bool:
    """Return whether a line is a comment, names the columns, or numbers them from 0 or 1 above decimals, as pandas writes them."""
    names = line.split()
    numbered = ([b"%d" % k for k in range(start, start + dim)] for start in (0, 1))
    if 3 <= dim <= len(names) <= dim + 1 and names[-dim:] in numbered and any(b"." in below for below in others[:1]):
        return True
    if not others or _count_numbers(others[0]) != dim or _count_numbers(line) == dim:
        return False
    return line.startswith(b"#") or not any(map(_NUMBER.fullmatch, names[1:]))


def _count_numbers(line: bytes) -> int:
    """Count the numbers that end a line, without its first field, which is a word even if it is a number. Return 0 if commas separate them."""
    fields = line.split()[1:]
    n = next((k for k, field in enumerate(reversed(fields)) if not _NUMBER.fullmatch(field)), len(fields))
    before = fields[~n].rstrip(b",;") if n < len(fields) else b"a word"
    return n if before and not _NUMBER.fullmatch(before) else 0


def _collect(stream: IO[bytes], head: bytes, name: str) -> tuple[list[str], np.ndarray, dict]:
    """Read all words; `head` is the file's beginning, which determines its form."""
    form = _form_of(head, name)
    places: dict[str, int] = {}
    values = bytearray()
    not_utf8: list[int] = []
    damaged: dict[str, str] = {}  # a damaged word, with � for its bytes -> the key in `places` of the first such word
    rest: list[bytes] = []  # of a binary file, after its last vector
    n_accented = n_words = n_numbers = n_fractions = n_quoted = 0
    count = _ByteCount(name)
    rows = _binary_rows(stream, form, rest, count) if form.is_binary else _text_rows(stream, head, form, count)
    for place, spelling, row in rows:
        if not form.is_binary and (form.is_quoted or b" " in spelling) and _QUOTED.match(spelling):
            spelling = _QUOTED.sub(lambda quoted: re.sub(rb'["\\](["\\])', rb"\1", quoted[1]), spelling)
            n_quoted += 1
        try:
            word = compose(_CONTROLS.sub(b"\xff", spelling).decode())  # control characters mean another encoding
            n_accented += not word.isascii()
        except UnicodeDecodeError:
            escaped = _CONTROLS.sub(lambda control: b"\\x%02x" % ord(control[0]), spelling)
            word = compose(escaped.decode(errors="backslashreplace"))  # different bytes are different words
            damaged.setdefault(compose(_CONTROLS.sub(b"\xff", spelling).decode(errors="replace")), word)
            not_utf8.append(place)
        if places.setdefault(word, place) == place:  # the first of equal words
            values += row
            count.add_stored(len(row) + len(spelling))
        if n_numbers == n_words and _NUMBER.fullmatch(spelling):
            n_numbers += 1
            number = float(spelling.replace(_MINUS, b"-"))
            n_fractions += number % 1 > 0 or number < 0
        n_words += 1
        if n_words % _CHECKED_EVERY == 0:
            _check_encoding(form, not_utf8, n_accented, n_words)
    matrix = np.frombuffer(values, "<f4").reshape(-1, form.dim)
    _check_values(form, matrix, list(places.values()), set(not_utf8))
    _check_end(form, n_words, sum(map(len, rest)))
    _check_encoding(form, not_utf8, n_accented, n_words)
    n_unlike_nodes = n_fractions + n_words - len(places)  # of a graph, which may have whole numbers
    if n_numbers == n_words and n_unlike_nodes > 0.4 * n_words and form.promised_dim != form.dim:  # a matrix
        raise form.error(next(iter(places.values())), t("no word before the numbers"))
    if n_words > 1 and any(all(word.split(None, 1)[:-1] == [str(k)] for k, word in enumerate(places, start)) for start in (0, 1)):
        raise form.error(next(iter(places.values())), t("a row number before the word. Save the vectors without row numbers"))
    _check_counts(form, matrix, next(iter(places.values())))
    properties = {
        "format": form.name,
        "words": n_words,
        "dim": form.dim,
        "duplicates": n_words - len(places),
        "quoted": n_quoted,
        "not_utf8": len(not_utf8),
        "first_not_utf8": not_utf8[0] if not_utf8 else None,
        "promised": form.promised,
        "promised_dim": form.promised_dim,
        "heading": form.has_heading,
    }
    names = {word: name for name, word in damaged.items() if name not in places}
    return [names.get(word, word) for word in places], matrix, properties


def _check_encoding(form: _Form, not_utf8: list[int], n_accented: int, n_words: int) -> None:
    """Refuse a file in another encoding: nearly all of its words beyond ASCII are not UTF-8, or most of very many."""
    n = len(not_utf8)
    if n > 1 and n > n_accented and (n > 0.1 * n_words or n > max(2, 9 * n_accented)):
        raise form.error(not_utf8[0], t("not UTF-8 text ({n:,} of {words:,} words). Save the file as UTF-8", n=n, words=n_words))


def _check_counts(form: _Form, matrix: np.ndarray, first: int) -> None:
    """Refuse a list of word frequencies, and vectors with a count before them."""
    if form.dim == 1 and form.promised_dim != 1:
        raise form.error(first, t("one number for each word, as in a list of frequencies. Choose a file of vectors"))
    if form.dim - 1 == form.promised_dim and not (matrix[:, 0] % 1).any() and (matrix[:, 1:] % 1).any():
        raise form.error(first, t("a count before the numbers. Save the vectors without the counts"))


def _check_values(form: _Form, matrix: np.ndarray, places: list[int], odd_words: set[int]) -> None:
    """Refuse numbers that no vector has.

    In a binary file they show that a word contains a blank: its end is then read as numbers, and the last bytes of its vector as the
    beginning of the next word, one of `odd_words`.
    """
    sizes = np.abs(matrix)
    if len(bad := np.flatnonzero(~(sizes <= 1e15).all(axis=1))):  # also finds what is not a number
        problem = t("not a number, or above 1e15")
        raise form.error(places[bad[0]], _add_displacement_hint(problem) if form.is_binary else problem)
    if not form.is_binary:
        return
    signs = matrix.view("u1").reshape(*matrix.shape, 4)
    ends = signs[..., 3] == ord(" ")
    spelled = ends.any(axis=1)
    for row in np.flatnonzero(spelled):  # the end of a word, up to its last blank
        end = signs[row].tobytes()[: 4 * int(ends[row].argmax()) + 3]
        spelled[row] = end.decode(errors="surrogateescape").isprintable()
    rows = {place: row for row, place in enumerate(places)}
    for place in odd_words:
        if (row := rows.get(place - 1)) is not None and (size := sizes[row][sizes[row] > 0]).size:
            spelled[row] |= size.max() > 1e12 * size.min()
    if len(bad := np.flatnonzero(spelled)):
        raise form.error(places[bad[0]], _add_displacement_hint(t("its numbers are not those of a vector")))


def _check_end(form: _Form, n_words: int, n_left_over: int) -> None:
    """Refuse a file without a word, and a binary one that does not end with a vector."""
    if not n_words or (n_left_over and n_words < form.promised):
        values = {"name": form.file, "promised": form.promised or 0, "n": n_words}
        raise CorruptArtifact(t("{name} ends after {n:,} of {promised:,} words. Download it again.", **values))
    if n_left_over:
        raise form.error(n_words, _add_displacement_hint(t("bytes left over: {n:,}", n=n_left_over)))


def _add_displacement_hint(problem: str) -> str:
    """Add to a problem of a binary file how its words and numbers may have been displaced."""
    return f"{problem}. {t('A word may contain a blank, or the first line may be wrong: save the vectors as text')}"


def _place(form: str, place: int) -> str:
    """Name the line of a text file, the word of a binary one."""
    return t("word {n}", n=place) if form == BINARY else t("line {n}", n=place)


def _lines(stream: IO[bytes], head: bytes, count: _ByteCount) -> Iterator[bytes]:
    """Yield the lines of a text that begins with `head`. A line longer than MAX_LINE is split into pieces."""
    text = io.TextIOWrapper(stream, "latin-1") if _has_old_breaks(head) else None
    while line := stream.readline(MAX_LINE) if text is None else text.readline(MAX_LINE).encode("latin-1"):
        count.add_read(len(line))
        yield line


def _has_old_breaks(head: bytes) -> bool:
    """Return whether lines end in a carriage return alone, as on old Macs."""
    return b"\n" not in head and b"\r" in head


def _text_rows(stream: IO[bytes], head: bytes, form: _Form, count: _ByteCount) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield (line, word, D float32) for each line that is not blank."""
    lines = ((place, line) for place, line in enumerate(_lines(stream, head, count), start=1) if line.strip())
    for _ in range((form.name == WITH_HEADER) + form.has_heading):
        next(lines)
    for place, line in lines:
        fields = line.split()
        if len(fields) != form.dim + 1:
            fields = _with_blanks(line, form.dim)
        word, *numbers = fields
        if _MINUS in line:
            numbers = [number.replace(_MINUS, b"-") for number in numbers]
        try:
            if not word or (b"_" in line and any(b"_" in number for number in numbers)):  # float() takes 1_000
                raise ValueError
            yield place, word, array("f", map(float, numbers)).tobytes()
        except ValueError:
            raise form.error(place, _describe_line(line, form.dim)) from None


def _with_blanks(line: bytes, dim: int) -> list[bytes]:
    """Split a line whose word contains blanks; return an empty word if the line does not have D numbers, or seems to be two lines.

    A word may end in numbers ("section 9") if they cannot be the vector's: integers if it has none, or shorter than all of its numbers.
    """
    word, *numbers = line.rsplit(None, dim)
    word = word.strip()
    if len(numbers) < dim:
        return [b""]
    are_decimals = all(b"." in number or b"e" in number.lower() for number in numbers)
    shortest = min(map(len, numbers))
    last = word.split()[-_count_numbers(word) :] if _count_numbers(word) else []
    is_word = all((are_decimals and field.isdigit()) or len(field) < shortest for field in last)
    return [word, *numbers] if is_word and not _contains_vector(word, dim, are_decimals) else [b""]


def _contains_vector(word: bytes, dim: int, are_decimals: bool) -> bool:
    """Return whether a line break is missing in a word: it begins as a header, or has D numbers in a row, or three decimals.

    Fewer may be part of a phrase ("route 66 diner"). The last number may be joined to the next line's word ("0.6bank").
    """
    if re.match(rb"\d+\s+%d(?!\d)" % dim, word):
        return True
    kinds = "".join(map(_kind_of, word.split()[1:]))
    n_numbers, n_decimals = (max(map(len, re.findall(run, kinds)), default=0) for run in ("[id]+j?", "d+j?"))
    return n_numbers >= max(dim, 2 + are_decimals) or n_decimals >= min(max(dim, 2), 3) or kinds.count("d") >= 3


def _kind_of(field: bytes) -> str:
    """Return i for an integer, d for a decimal, j for a number joined to a word, w for a word."""
    number = _NUMBER.match(field)
    if not number or number[0][-1:].isalpha():  # "nan", "information"
        return "w"
    if number[0] != field:
        return "j"
    return "i" if number[0].lstrip(b"+-" + _MINUS).isdigit() else "d"


def _describe_line(line: bytes, dim: int) -> str:
    """Return why a line is not a word with D numbers."""
    fields = line.split()
    if line[:1].isspace() and len(fields) == dim:
        return t("no word before the numbers")
    wrong = [field for field in fields[-dim:] if not _NUMBER.fullmatch(field)] if len(fields) > dim else []
    if wrong:
        return t("'{field}' is not a number", field=shorten(wrong[0].decode(errors="replace")))
    if (n := _count_numbers(line)) == dim:
        word = shorten(b" ".join(fields[:-dim]).decode(errors="replace"))
        return t("'{word}' contains numbers. A line break may be missing: separate the lines", word=word)
    return tn("{n} number instead of {dim}", "{n} numbers instead of {dim}", n, dim=dim)


def _binary_rows(stream: IO[bytes], form: _Form, rest: list[bytes], count: _ByteCount) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield (number, word, D float32) of each entry: the word, a space, the numbers, an optional line break.

    `rest` receives the remaining bytes.
    """
    stream.readline(MAX_LINE)
    buffer = b""
    start = place = 0
    size = 4 * form.dim
    while True:
        end = buffer.find(b" ", start) + 1
        if end and len(buffer) >= end + size:
            place += 1
            word = buffer[start : end - 1].lstrip(b"\r\n")
            if not word or b"\n" in word:
                raise form.error(place, _add_displacement_hint(t("no word before the numbers")))
            count.add_read(end + size - start)
            yield place, word, buffer[end : end + size]
            start = end + size
        elif not end and len(buffer) - start > MAX_LINE:
            raise form.error(place + 1, t("no word ends within 1 MB"))
        elif more := stream.read(MAX_LINE):
            buffer = buffer[start:] + more
            start = 0
        else:
            rest.append(buffer[start:].strip(b"\r\n"))
            return
