"""Static word vectors, one per spelling (GloVe, word2vec).

A word outside the vocabulary has no vector; it never becomes zeros. The sums of the other words' vectors are a baseline without a network:
they show whether contextual vectors know more than the words of the sentence.
"""

import contextlib
import copy
import difflib
import hashlib
import json
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from ..common.config import NEIGHBORS
from ..common.directions import unit
from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.limits import limits
from ..common.markup import shorten
from ..files.artifacts import lines_of
from ..files.download import Report
from ..files.registry import resolve
from ..text.normalization import plain_word
from ..text.tokens import JOINER, bare
from . import formats

MOST_SEEN = 200_000  # tokens whose row is cached
ANALOGY_WORDS = 30_000
COMMONEST = 200  # the most frequent words, which are left out because they reveal nothing about a topic


@dataclass(frozen=True, slots=True)
class StaticNeighbor:
    """A neighboring word and its cosine."""

    word: str
    cosine: float


class StaticVectors:
    """Words, most frequent first if the file is ordered so, and their vectors (V, D) float32. Shared and never changed."""

    def __init__(self, words: list[str], vectors: np.ndarray, *, name: str, provenance: dict) -> None:
        self.name = name
        self.provenance = provenance
        self.words = words
        self.dim = vectors.shape[1]
        self._row = {word: k for k, word in enumerate(words)}
        self._seen: dict[str, int] = {}
        self._vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        self._vectors.flags.writeable = False

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence, in the selected language, for each way in which the file differs from its format."""
        return formats.notes(*self.file_properties)

    @property
    def file_properties(self) -> tuple[str, dict]:
        """Return the file's name and its properties, which core.static.formats.notes describes."""
        return Path(self.provenance.get("path", "")).name, self.provenance

    @cached_property
    def keyed(self):
        """Return read-only gensim KeyedVectors for gensim's evaluations. Importing gensim takes seconds."""
        from gensim.models import KeyedVectors

        keyed = KeyedVectors(self.dim)
        keyed.index_to_key, keyed.key_to_index, keyed.vectors = self.words, self._row, self._vectors
        keyed.norms = self._norms
        return keyed

    @cached_property
    def _norms(self) -> np.ndarray:
        """Return the lengths (V,) float32, 1 for a row of zeros, so that its cosines are 0."""
        norms = np.linalg.norm(self._vectors, axis=1).astype(np.float32)
        return np.where(norms > 0, norms, 1)

    def spelling(self, word: str) -> str | None:
        """Return the spelling under which `word` has a vector: itself, else in lower case, else with capitals, else None."""
        if word in self._row:
            return word
        plain = plain_word(word).replace("\u2019", "'").strip()
        forms = (word.lower(), plain, plain.lower(), plain.capitalize(), plain.upper())
        return next((form for form in forms if form in self._row), None)

    def __contains__(self, word: str) -> bool:
        return self.spelling(word) is not None

    def vector(self, word: str) -> np.ndarray | None:
        """Return the vector (D,) float32, read-only, of spelling(word), or None if the word is not in the vocabulary."""
        spelling = self.spelling(word)
        return None if spelling is None else self._vectors[self._row[spelling]]

    def rows_of(self, tokens: Sequence[str]) -> np.ndarray:
        """Return the row (n,) of each token's vector, -1 for a token without one. Lookups are cached."""
        if len(self._seen) > MOST_SEEN:
            self._seen = {}
        seen = self._seen
        for token in tokens:
            if token not in seen:
                seen[token] = self._row.get(self.spelling(token), -1)
        return np.array([seen[token] for token in tokens], np.int64)

    def vectors_of(self, tokens: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the places (k,) of a text's tokens that have a vector, and their vectors (k, D) float32."""
        rows = self.rows_of(tokens)
        places = np.flatnonzero(rows >= 0)
        return places, self._vectors[rows[places]]

    def cosine(self, a: str, b: str) -> float | None:
        """Return the cosine of two spellings' vectors, or None if one is unknown or all zeros."""
        x, y = self.vector(a), self.vector(b)
        if x is None or y is None or not (x.any() and y.any()):
            return None
        return float(unit(x.astype(np.float64)) @ unit(y.astype(np.float64)))

    def find_spelling(self, word: str) -> str:
        """Return spelling(word). Raises BadInput with similar spellings if it is unknown."""
        spelling = self.spelling(word)
        if spelling is None:
            similar = ", ".join(self.near_spellings(word)) or t("none. Choose another word")
            values = {"word": shorten(word), "n": len(self.words), "vectors": self.name, "near": similar}
            raise BadInput(t("'{word}' is not in {vectors} ({n:,} words). Similar spellings: {near}.", **values))
        return spelling

    def neighbors(self, word: str, k: int = NEIGHBORS) -> list[StaticNeighbor]:
        """Return the k words nearest to `word` by cosine, best first, without the word itself. Raises BadInput if it is unknown."""
        spelling = self.find_spelling(word)
        row, plain = self._row[spelling], bare(spelling)
        if not self._vectors[row].any():
            values = {"word": spelling, "vectors": self.name}
            message = t("The vector of “{word}” in {vectors} is all zeros, so it has no neighbors. Choose another word.", **values)
            raise BadInput(message)
        if k < 1:
            raise BadInput(t("k must be at least 1, not {k}.", k=k))
        left_out = {spelling, plain, JOINER + plain, plain + JOINER}
        cosines = self._vectors @ unit(self._vectors[row].astype(np.float64)).astype(np.float32) / self._norms
        n = min(k + len(left_out), len(cosines))
        nearest = np.argpartition(-cosines, n - 1)[:n]
        nearest = nearest[np.lexsort((nearest, -cosines[nearest]))]
        return [StaticNeighbor(self.words[i], float(cosines[i])) for i in nearest if self.words[i] not in left_out][:k]

    def near_spellings(self, word: str) -> list[str]:
        """Return at most five known words: `word` with tags (bank_NOUN, /c/en/bank), then similar ones.

        Similar words have the same first letter and a length within 2, and are among the 3,000 most frequent such words.
        """
        target = plain_word(word).strip().lower()
        tags = re.compile(rf"(?:.*[/:_|])?{re.escape(target)}(?:[/:_|].*)?", re.IGNORECASE)
        tagged = (candidate for candidate in self.words if target and target in candidate.lower() and tags.fullmatch(candidate))
        first = {target[:1], target[:1].upper()}
        alike = (candidate for candidate in self.words if candidate[:1] in first and abs(len(candidate) - len(target)) <= 2)
        close = difflib.get_close_matches(target, list(islice(alike, 3000)), n=5, cutoff=0.6)
        return list(dict.fromkeys([*islice(tagged, 5), *close]))[:5]


def open_vectors(name: str, *, allow_download: bool = False, report: Report | None = None) -> StaticVectors:
    """Open static vectors by registry name or file, downloading published ones if allowed."""
    return load_vectors(resolve(name, "vectors", allow_download=allow_download, report=report))


def load_vectors(path: str | Path) -> StaticVectors:
    """Read a folder in our format, or a file as core.static.formats.read does. Raises MissingArtifact, BadInput or CorruptArtifact."""
    path = Path(path)
    if path.is_dir():
        return _load_folder(path)
    if not path.is_file():
        raise MissingArtifact(t("No vector file {path}. Choose another.", path=path))
    words, vectors, provenance = formats.read(path)
    provenance |= {"path": str(path), "bytes": path.stat().st_size}
    return StaticVectors(words, vectors, name=re.sub(r"(\.(txt|vec|bin|gz|xz|bz2|zip))+$", "", path.name), provenance=provenance)


def evaluate_vectors(vectors: StaticVectors) -> dict:
    """Return Spearman's rho on WordSim-353 and SimLex-999 and the accuracy on Google's analogies, by gensim.

    Unknown words are skipped; `covered` is the share evaluated. A value is None if no word is known, or if all cosines are equal. Analogies
    use the first ANALOGY_WORDS words.
    """
    from gensim.test.utils import datapath

    keyed = copy.copy(vectors.keyed)  # gensim swaps its word table while it evaluates
    result = {}
    for key, file in (("wordsim353", "wordsim353.tsv"), ("simlex999", "simlex999.txt")):
        result[key] = {"spearman": None, "covered": 0.0}
        with contextlib.suppress(ValueError), warnings.catch_warnings(action="ignore"):  # gensim's, when not one pair is known; scipy's
            _, rho, unknown = keyed.evaluate_word_pairs(datapath(file))
            rank = None if np.isnan(rho[0]) else round(float(rho[0]), 4)  # of equal cosines
            result[key] = {"spearman": rank, "covered": round(1 - float(unknown) / 100, 4)}
    lines = Path(datapath("questions-words.txt")).read_text(encoding="utf-8").splitlines()
    sections = keyed.evaluate_word_analogies(datapath("questions-words.txt"), restrict_vocab=ANALOGY_WORDS)[1][:-1]
    result["analogies"] = {"among_first": ANALOGY_WORDS, "questions": sum(not line.startswith(":") for line in lines)}
    for group, grammar in (("semantic", [False]), ("syntactic", [True]), ("all", [False, True])):
        members = [s for s in sections if s["section"].startswith("gram") in grammar]
        correct = sum(len(s["correct"]) for s in members)
        n_questions = correct + sum(len(s["incorrect"]) for s in members)
        result["analogies"][group] = {"accuracy": round(correct / n_questions, 4) if n_questions else None, "asked": n_questions}
    return result


def static_contexts(
    vectors: StaticVectors, sentences: Sequence[Sequence[str]], spans: Sequence[tuple[int, int]], *, commonest: int = COMMONEST
) -> np.ndarray:
    """Return the sums (N, D) of the static vectors outside the word's place (start, end) in each of N sentences.

    Tokens without a vector and the `commonest` are ignored. The row is zero if none is left.
    """
    sums = np.zeros((len(sentences), vectors.dim), np.float32)
    for k, (tokens, (start, end)) in enumerate(zip(sentences, spans, strict=True)):
        rows = vectors.rows_of([*tokens[:start], *tokens[end:]])
        sums[k] = vectors._vectors[rows[rows >= commonest]].sum(axis=0)  # words are in the order of their frequency
    return sums


def cosines(vectors: np.ndarray, *, centered: bool = False) -> np.ndarray:
    """Return the cosines (n, n) of vectors (n, D) of one word. `centered` subtracts the mean unit vector. Zero vectors have cosine 0."""
    rows = unit(np.asarray(vectors, np.float32))
    if centered:
        rows = unit(rows - rows.mean(axis=0))
    return rows @ rows.T


def topics(vectors: StaticVectors | None, occurrences: Sequence[tuple[Sequence[str], int]]) -> np.ndarray:
    """Return the sums (n, D) of the other words' static vectors around each (tokens, position); zeros (n, 1) without `vectors`."""
    if vectors is None:
        return np.zeros((len(occurrences), 1), np.float32)
    sentences, positions = zip(*occurrences, strict=True) if occurrences else ((), ())
    return static_contexts(vectors, sentences, [(position, position + 1) for position in positions])


def _load_folder(folder: Path) -> StaticVectors:
    """Load vectors saved by core.training.glove after comparing their checksums."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        if not isinstance(meta, dict) or (meta.get("format"), meta.get("version")) != ("elmoscope-vectors", 1):
            raise CorruptArtifact(t("{folder} is not in vector format version 1. Choose another.", folder=folder))
        names = ("vectors.safetensors", "words.txt")
        if 4 * sum((folder / name).stat().st_size for name in names) > limits().max_vectors_mb * 10**6:  # int8 becomes float32
            values = {"name": folder.name, "n": limits().max_vectors_mb}
            raise BadInput(t("{name} exceeds {n:,} MB of vectors. Use fewer words, or raise ELMOSCOPE_MAX_VECTORS_MB.", **values))
        files = {file: (folder / file).read_bytes() for file in names}
        for file, data in files.items():
            if hashlib.sha256(data).hexdigest() != meta["sha256"][file]:
                raise CorruptArtifact(t("{path} is damaged: checksum differs from meta.json. Download it again.", path=folder / file))
        words = lines_of(files["words.txt"])
        arrays = load(files["vectors.safetensors"])
        vectors = arrays["vectors"].astype(np.float32) * arrays["scales"][:, None]  # int8 times scale
        sizes = {*arrays["scales"].shape, len(arrays["vectors"]), len(words), len(set(words))}
        if len(sizes) > 1 or vectors.shape != arrays["vectors"].shape or not vectors.size:
            values = {"folder": folder, "n": len(words), "shape": arrays["vectors"].shape}
            raise CorruptArtifact(t("{folder} is damaged: {n:,} words, vectors of shape {shape}. Download it again.", **values))
        if not (np.abs(vectors) <= 1e15).all():  # also finds what is not a number
            raise ValueError(t("not a number, or above 1e15"))
        return StaticVectors(words, vectors, name=str(meta["name"]), provenance={**meta, "path": str(folder)})
    except FileNotFoundError as error:
        raise MissingArtifact(t("{folder} has no {name}. Choose another.", folder=folder, name=Path(error.filename).name)) from None
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, SafetensorError) as error:
        raise CorruptArtifact(t("Cannot read vectors in {folder}: {error!r}. Choose another.", folder=folder, error=error)) from None
