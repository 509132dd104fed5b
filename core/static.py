"""Static word vectors, one per spelling (GloVe, word2vec), through gensim's KeyedVectors.

A word out of the vocabulary has no vector, and that is said: it never becomes zeros. Files are read by our own parser,
which names the line that is wrong, allocates for what it has read, not for what a header promises, and never unpickles.
"""

from __future__ import annotations

import contextlib
import copy
import difflib
import gzip
import hashlib
import json
import logging
import lzma
import re
import socket
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import numpy as np

from core.errors import BadInput, CorruptArtifact, MissingArtifact

DOWNLOADS = {  # names of gensim.downloader and what is fetched, MB
    "glove-twitter-25": 105, "glove-twitter-50": 200, "glove-twitter-100": 388, "glove-twitter-200": 759,
    "glove-wiki-gigaword-50": 66, "glove-wiki-gigaword-100": 129, "glove-wiki-gigaword-200": 253,
    "glove-wiki-gigaword-300": 377, "word2vec-google-news-300": 1663,
}  # fmt: skip
MAX_DIM, MAX_LINE, MAX_BYTES = 10_000, 1 << 20, 6 << 30  # of a vector, a line, all vectors
UNREADABLE = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Neighbour:
    word: str
    cosine: float


class StaticVectors:
    """Words, most frequent first where the file is so ordered, and their vectors (V, D) float32; shared, never changed."""

    def __init__(self, words: list[str], vectors: np.ndarray, *, name: str, provenance: dict) -> None:
        self.name, self.provenance, self.words, self.dim = name, provenance, words, vectors.shape[1]
        self._row = {word: k for k, word in enumerate(words)}
        self._vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        self._vectors.flags.writeable = False

    @cached_property
    def keyed(self):
        """The same as gensim's KeyedVectors, read-only; made at the first search, as importing gensim takes a second."""
        from gensim.models import KeyedVectors

        keyed = KeyedVectors(self.dim)
        keyed.index_to_key, keyed.key_to_index, keyed.vectors = self.words, self._row, self._vectors
        norms = np.linalg.norm(self._vectors, axis=1).astype(np.float32)
        keyed.norms = np.where(norms > 0, norms, 1)  # a row of zeros is at cosine 0 from all
        return keyed

    def spelling(self, word: str) -> str | None:
        """The spelling whose vector stands for `word`: itself, else in lower case, else None."""
        return next((form for form in (word, word.lower()) if form in self._row), None)

    def __contains__(self, word: str) -> bool:
        return self.spelling(word) is not None

    def vector(self, word: str) -> np.ndarray | None:
        """(D,) float32, read-only, of spelling(word); None if the word is not in the vocabulary."""
        spelling = self.spelling(word)
        return None if spelling is None else self._vectors[self._row[spelling]]

    def known_spelling(self, word: str) -> str:
        """spelling(word); BadInput says that it is unknown and names near spellings."""
        spelling = self.spelling(word)
        if spelling is None:
            near = ", ".join(self.near_spellings(word)) or "none"
            raise BadInput(f"'{word[:60]}' is not among the {len(self.words):,} words of {self.name}. Near spellings: {near}.")
        return spelling

    def neighbours(self, word: str, k: int = 10) -> list[Neighbour]:
        """The k words nearest to `word` by cosine, itself left out; BadInput if it is unknown."""
        spelling = self.known_spelling(word)
        return self.neighbours_of_vector(self.vector(spelling), k, exclude=[spelling])

    def neighbours_of_vector(self, vector: np.ndarray, k: int = 10, *, exclude: Iterable[str] = ()) -> list[Neighbour]:
        """The k words nearest to a vector (D,) by cosine, best first, without the spellings in `exclude`."""
        vector, left_out = np.asarray(vector, np.float64), set(exclude)
        norm = np.linalg.norm(vector)
        if vector.shape != (self.dim,) or not 0 < norm < np.inf:
            raise BadInput(f"Only a finite vector of shape ({self.dim},), not all zeros, has neighbours in {self.name}.")
        if k < 1:
            raise BadInput(f"At least 1 neighbour must be asked for, got {k}.")
        found = self.keyed.similar_by_vector((vector / norm).astype(np.float32), topn=min(k + len(left_out), len(self.words)))
        return [Neighbour(word, float(cosine)) for word, cosine in found if word not in left_out][:k]

    def near_spellings(self, word: str, k: int = 5) -> list[str]:
        """Known words that look like `word`: same first letter, length within 2, the 3,000 most frequent such."""
        target = word.lower()
        first, least, most = {target[:1], target[:1].upper()}, len(target) - 2, len(target) + 2
        alike = (known for known in self.words if known[:1] in first and least <= len(known) <= most)
        return difflib.get_close_matches(target, list(islice(alike, 3000)), n=k, cutoff=0.6)


def analogy(vectors: StaticVectors, a: str, b: str, c: str, k: int = 10) -> list[Neighbour]:
    """a : b :: c : ?, the k words nearest to b - a + c of unit length each (3CosAdd, Mikolov et al. 2013)."""
    a, b, c = (vectors.known_spelling(word) for word in (a, b, c))
    unit = [vectors.vector(word) / (np.linalg.norm(vectors.vector(word)) or 1) for word in (a, b, c)]
    return vectors.neighbours_of_vector(unit[1] - unit[0] + unit[2], k, exclude=[a, b, c])


def load_vectors(path: str | Path, *, limit: int | None = None, report: Report | None = None) -> StaticVectors:
    """Read a folder of ours or a file: GloVe text, word2vec text or binary, told apart by content; plain, .gz, .xz or .zip.

    At most the first `limit` words; of equal words the first counts. Raises MissingArtifact, BadInput or CorruptArtifact,
    which name the file and the line at fault.
    """
    path = Path(path)
    if limit is not None and limit < 1:
        raise BadInput(f"limit must be at least 1 word, got {limit}.")
    if path.is_dir():
        return _load_folder(path, limit)
    if not path.is_file():
        raise MissingArtifact(f"There is no vector file {path}.")
    try:
        with _opened(path) as stream:
            head = stream.read(MAX_LINE)
        with _opened(path) as stream:
            words, vectors, provenance = _collect(stream, head, path.name, limit, report)
    except UNREADABLE as error:
        raise CorruptArtifact(f"{path.name} cannot be read to its end: {error}.") from None
    provenance |= {"path": str(path), "bytes": path.stat().st_size}
    return StaticVectors(words, vectors, name=re.sub(r"(\.(txt|vec|bin|gz|xz|zip))+$", "", path.name), provenance=provenance)


def download_vectors(name: str, *, report: Report | None = None) -> StaticVectors:
    """Fetch one of DOWNLOADS by gensim.downloader (kept in ~/gensim-data) and load it; MissingArtifact when that fails."""
    if name not in DOWNLOADS:
        raise BadInput(f"'{name}' is not offered for download; there are {', '.join(DOWNLOADS)}.")
    import gensim.downloader

    log, timeout = logging.getLogger("gensim.downloader"), socket.getdefaulttimeout()
    log.disabled = True  # it logs a traceback when offline
    socket.setdefaulttimeout(30)
    heard = SimpleNamespace(write=lambda text: report(text.strip()) if report and text.strip() else None, flush=lambda: None)
    try:
        with contextlib.redirect_stdout(heard):  # gensim prints its progress
            path = gensim.downloader.load(name, return_path=True)  # the data only: nothing that is fetched is run
    except Exception as error:  # gensim raises plain Exception and ValueError for network and checksum alike
        failed = f"'{name}' ({DOWNLOADS[name]} MB) could not be downloaded: {error}."
        raise MissingArtifact(f"{failed} Try again online, or load a vector file that you have by its path.") from None
    finally:
        log.disabled = False
        socket.setdefaulttimeout(timeout)
    vectors = load_vectors(path, report=report)
    vectors.name = name
    return vectors


def evaluate_vectors(vectors: StaticVectors, *, restrict: int = 30_000) -> dict:
    """Spearman's rho on WordSim-353 and SimLex-999, accuracy on Google's analogies, by gensim's own code and copies.

    Unknown words are left out and `covered` says the share that was asked. Analogies: among the first `restrict` words.
    """
    from gensim.test.utils import datapath

    keyed, result = copy.copy(vectors.keyed), {}  # gensim swaps its word table while it evaluates
    for key, file in (("wordsim353", "wordsim353.tsv"), ("simlex999", "simlex999.txt")):
        result[key] = {"spearman": None, "covered": 0.0}
        with contextlib.suppress(ValueError):  # gensim's, when not one pair is known
            _, rho, unknown = keyed.evaluate_word_pairs(datapath(file))
            result[key] = {"spearman": round(float(rho[0]), 4), "covered": round(1 - float(unknown) / 100, 4)}
    lines = Path(datapath("questions-words.txt")).read_text(encoding="utf-8").splitlines()
    sections = keyed.evaluate_word_analogies(datapath("questions-words.txt"), restrict_vocab=restrict)[1][:-1]
    result["analogies"] = {"among_first": restrict, "questions": sum(not line.startswith(":") for line in lines)}
    for group, grammar in (("semantic", [False]), ("syntactic", [True]), ("all", [False, True])):
        members = [s for s in sections if s["section"].startswith("gram") in grammar]
        correct = sum(len(s["correct"]) for s in members)
        asked = correct + sum(len(s["incorrect"]) for s in members)
        result["analogies"][group] = {"accuracy": round(correct / asked, 4) if asked else None, "asked": asked}
    return result


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked on the way."""
    if path.suffix.lower() != ".zip":
        with {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix.lower(), open)(path, "rb") as stream:
            yield stream
        return
    with zipfile.ZipFile(path) as archive:
        files = [file for file in archive.namelist() if not file.endswith("/") and not file.startswith("__MACOSX")]
        if len(files) != 1:
            held = ", ".join(files[:8]) or "none"
            raise BadInput(f"{path.name} must hold one file of vectors, and holds {held}: unpack the one you want.")
        with archive.open(files[0]) as stream:
            yield stream


def _kind(head: bytes, name: str) -> tuple[str, int | None, int]:
    """Format, words promised (None without a header) and D of a file that begins with `head`."""
    line, _, body = head.partition(b"\n")
    header = re.fullmatch(rb"\s*(\d{1,18})\s+(\d{1,18})\s*", line)
    count, dim = map(int, header.groups()) if header else (None, max(0, len(line.split()) - 1))
    start = (body if header else head)[:4096]  # binary: control characters, or more than 3 bytes that are not UTF-8
    binary = re.search(rb"[\x00-\x08\x0e-\x1f]", start) or len(start.decode(errors="ignore").encode()) < len(start) - 3
    if not head.strip():
        raise BadInput(f"{name} is empty.")
    if re.match(rb"\x80[\x02-\x05]", head):
        raise BadInput(f"{name} is a Python pickle and is not opened, as it may run code: write it by save_word2vec_format.")
    if binary and not header:
        raise BadInput(f"{name}, line 1: neither readable text nor the two numbers that word2vec's binary format begins with.")
    if not 1 <= dim <= MAX_DIM:
        raise BadInput(f"{name}, line 1: a word and from 1 to {MAX_DIM:,} numbers are expected, not {dim:,}.")
    return ("word2vec binary" if binary else "word2vec text" if header else "GloVe text"), count, dim


def _collect(stream: IO[bytes], head: bytes, name: str, limit: int | None, report: Report | None):
    """Words, vectors (V, D) and what the file is; `head` is its beginning, by which its format is known."""
    form, count, dim = _kind(head, name)
    if count is not None:
        stream.readline(MAX_LINE)
    rows, unit = (_binary_rows, "word") if form == "word2vec binary" else (_text_rows, "line")
    places, values, seen, place = {}, bytearray(), 0, int(form == "word2vec text")  # a header is line 1
    try:
        for place, (word, row) in enumerate(rows(stream, dim), start=place + 1):  # noqa: B020
            if row and places.setdefault(word, place) == place:  # the first of equal words
                values += row
            seen += bool(row)
            if report and seen % 50_000 == 0:
                report(f"{seen:,} words of {name} read")
            if len(values) > MAX_BYTES:
                raise BadInput(f"{name} holds more than {MAX_BYTES >> 30} GB of vectors: give a limit of words.")
            if seen == count or len(places) == limit:
                break
    except ValueError as error:
        said = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error
        raise BadInput(f"{name}, {unit} {place + 1}: {said}.") from None
    if not places or (count is not None and seen < count and len(places) != limit):
        raise CorruptArtifact(f"{name} promises {count or 0:,} words and ends after {seen:,}: it is cut off.")
    matrix = np.frombuffer(values, "<f4").reshape(-1, dim)
    if len(bad := np.flatnonzero(~(np.abs(matrix) <= 1e15).all(axis=1))):  # also finds what is not a number
        raise BadInput(f"{name}, {unit} {list(places.values())[bad[0]]}: a value is not a number, or above 1e15.")
    return list(places), matrix, {"format": form, "duplicates": seen - len(places)}


def _text_rows(stream: IO[bytes], dim: int) -> Iterator[tuple[str, bytes]]:
    """(word, D float32) of each line, b"" for a blank one; ValueError says what is wrong with a line."""
    while line := stream.readline(MAX_LINE):
        if not line.strip():
            yield "", b""
            continue
        word, *numbers = line.decode().rstrip().replace("\t", " ").rsplit(" ", dim)  # some words of GloVe hold spaces
        if len(numbers) != dim or (" " in word and re.fullmatch(r"[-+]?\d*\.?\d+([eE][-+]?\d+)?", word.rsplit(" ", 1)[1])):
            raise ValueError(f"{len(line.split()) - 1} numbers where {dim} are expected")
        if not word:
            raise ValueError("there is no word before the numbers")
        yield word, array("f", map(float, numbers)).tobytes()


def _binary_rows(stream: IO[bytes], dim: int) -> Iterator[tuple[str, bytes]]:
    """(word, D float32) of each entry: the word, a space, the numbers; ends where an entry is not whole."""
    buffer, at, size = b"", 0, 4 * dim
    while True:
        end = buffer.find(b" ", at) + 1
        if end and len(buffer) >= end + size:
            yield buffer[at : end - 1].lstrip(b"\n").decode(errors="replace"), buffer[end : end + size]
            at = end + size
        elif not end and len(buffer) - at > MAX_LINE:
            raise ValueError("no word ends here within 1 MB")
        elif more := stream.read(MAX_LINE):
            buffer, at = buffer[at:] + more, 0
        else:
            return


def _load_folder(folder: Path, limit: int | None) -> StaticVectors:
    """Vectors as core.glove saves them, their checksums compared."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        if (meta["format"], meta["version"]) != ("elmoscope-vectors", 1):
            raise CorruptArtifact(f"{folder} is not in version 1 of our format of vectors.")
        files = {file: (folder / file).read_bytes() for file in ("vectors.safetensors", "words.txt")}
        for file, data in files.items():
            if hashlib.sha256(data).hexdigest() != meta["sha256"][file]:
                raise CorruptArtifact(f"{folder / file} is damaged: its checksum is not the one in meta.json.")
        words, arrays = files["words.txt"].decode().split("\n"), load(files["vectors.safetensors"])
        vectors = arrays["vectors"][:limit].astype(np.float32) * arrays["scales"][:limit, None]  # int8 times scale
        if len(words) != len(arrays["vectors"]) or vectors.ndim != 2 or len(set(words)) != len(words):
            raise CorruptArtifact(f"{folder} is damaged: {len(words):,} words, vectors of shape {arrays['vectors'].shape}.")
        return StaticVectors(words[:limit], vectors, name=str(meta["name"]), provenance={**meta, "path": str(folder)})
    except FileNotFoundError as error:
        raise MissingArtifact(f"{folder} is not a folder of vectors: it has no {Path(error.filename).name}.") from None
    except (OSError, ValueError, KeyError, TypeError, IndexError, SafetensorError) as error:
        raise CorruptArtifact(f"The vectors in {folder} cannot be read: {error!r}.") from None
