"""Explain how the char-CNN reads a spelling: its nearest words in layer 0, and the character windows that activate filters.

The char-CNN's vector is v = b + sum_f a_f W_f, where a_f is a filter's maximum over the word and W_f its column of the projection
(Jozefowicz et al. 2016, section 3.1). A filter's share of the length of v is a_f (W_f . v) / |v|^2; with the bias's share these
sum to 1. Behind a highway layer the activations are mixed and no filter has a share: activations are shown in their place.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..common.config import cache_folder
from ..common.directions import unit
from ..common.errors import CorruptArtifact
from ..common.i18n import t
from ..elmo.encoder import Encoder
from ..elmo.language_model import SPECIALS
from ..elmo.mix import widen
from ..elmo.model import CharacterCNN
from ..elmo.weights import read_words
from ..files.artifacts import replacing, text_fingerprint
from ..static.vectors import StaticNeighbor, StaticVectors
from ..text.tokens import SENTENCE_BEGIN, SENTENCE_END
from .walk import read_spelling

BEGIN_MARK, END_MARK = "‹", "›"  # how the marks of a word's beginning and end are shown
UNREAD = 0.15  # least share from windows with letters, positive or negative: below, the cosine with unknown letters exceeds 0.9
WORDS_AT_ONCE = 256  # encoded between two reports
SAVED_EVERY = 8  # steps between two saves
MIN_PAIRS_READ = 50  # least number of words for a usual cosine
DRAWN_SETS, DRAWN_AT_ONCE = 4_000, 250  # random sets of words, for the nearest two by chance


@dataclass(frozen=True, slots=True)
class Window:
    """A run of characters at which at least one filter of that width had its maximum."""

    width: int  # places: a byte of the word, a mark, or padding behind the word
    start: int  # first place; 0 is the mark of the beginning
    first: int  # columns of Firing.letters that it covers, both ends included
    last: int
    text: str  # its characters, marks included; "" for padding only
    lettered: bool  # it covers a letter of the word, not marks and padding alone
    share: float  # of the vector: see Firing
    filters: int  # how many of that width answered here


@dataclass(frozen=True, slots=True)
class Firing:
    """The windows that a word's vector comes from. Their shares and `bias` sum to 1; a share may be negative."""

    word: str
    letters: tuple[str, ...]  # begin mark, the characters that are read, end mark
    widths: tuple[int, ...]  # filter widths, in the model's order
    grid: np.ndarray  # (filter widths, letters) shares of lettered windows, each spread evenly over the places it covers
    windows: tuple[Window, ...]  # largest share first, whatever its sign
    bias: float  # share of the projection's bias; 0 where not exact
    exact: bool  # False behind a highway layer: shares are those of the answers' strengths
    cut: int  # characters behind those that are read

    @property
    def unlettered(self) -> float:
        """Return the share of the bias and of windows that cover only marks and padding."""
        return self.bias + sum(window.share for window in self.windows if not window.lettered)

    @property
    def is_unread(self) -> bool:
        """Return whether the model reads no letter of the word."""
        return self.exact and sum(abs(window.share) for window in self.windows if window.lettered) <= UNREAD

    @property
    def heaviest(self) -> Window | None:
        """Return the window with letters that has the largest share."""
        return next((window for window in self.windows if window.lettered), None)


def split_words(text: str, limit: int) -> tuple[tuple[str, ...], int]:
    """Return the first `limit` distinct words of a text, separated by blanks and commas, and the number of the rest."""
    words = tuple(dict.fromkeys(word for word in re.split(r"[\s,]+", text) if word))
    return words[:limit], max(0, len(words) - limit)


def firing(characters: CharacterCNN, word: str) -> Firing:
    """Return the character windows that the vector of `word` comes from, with their shares."""
    letters, owner, cut = _letters(word, characters.max_characters)
    _, banks = read_spelling(characters, word)
    strengths = [bank.pooled for bank in banks]
    shares, bias = _shares(characters, strengths)
    grid = np.zeros((len(banks), len(letters)))
    windows = []
    for k, (bank, share) in enumerate(zip(banks, shares, strict=True)):
        width, answered = bank.width, bank.pooled > 0
        for start in np.unique(bank.places[answered]).tolist():
            is_here = answered & (bank.places == start)
            total = float(share[is_here].sum())
            columns = owner[start : start + width]
            lettered = bool(((columns > 0) & (columns < owner[-1])).any())
            if lettered:
                np.add.at(grid[k], columns, total / len(columns))
            first, last = (int(columns[0]), int(columns[-1])) if len(columns) else (int(owner[-1]),) * 2
            text = "".join(letters[c] for c in dict.fromkeys(columns.tolist()))
            windows.append(Window(width, start, first, last, text, lettered, total, int(is_here.sum())))
    windows.sort(key=lambda window: -abs(window.share))
    return Firing(word, letters, tuple(bank.width for bank in banks), grid, tuple(windows), bias, not len(characters.highways), cut)


def _shares(characters: CharacterCNN, strengths: list[np.ndarray]) -> tuple[list[np.ndarray], float]:
    """Return each filter's share of the vector, by convolution, and the bias's share (see the module docstring)."""
    flat = np.concatenate(strengths).astype(np.float64)
    if len(characters.highways):
        parts, bias = flat / (flat.sum() or 1.0), 0.0
    else:
        weight = characters.projection.weight.numpy(force=True)
        added = characters.projection.bias.numpy(force=True).astype(np.float64)
        vector = weight @ flat.astype(np.float32) + added  # (P,)
        squared = float(vector @ vector) or 1.0
        parts, bias = flat * (vector @ weight) / squared, float(added @ vector) / squared
    return np.split(parts, np.cumsum([len(part) for part in strengths])[:-1]), bias


def _letters(word: str, max_characters: int) -> tuple[tuple[str, ...], np.ndarray, int]:
    """Return the displayed characters of a word, the column of each place up to its end mark, and the number of unread characters."""
    characters = [word] if word in (SENTENCE_BEGIN, SENTENCE_END) else word
    places, read = [0], []
    left = max_characters - 2  # bytes that a token has room for
    for character in characters:
        size = 1 if len(character) > 1 else len(character.encode("utf-8", "ignore"))
        if left <= 0:
            break
        read.append(character)
        places += [len(read)] * min(size, left)
        left -= size
    return (BEGIN_MARK, *read, END_MARK), np.array([*places, len(read) + 1]), len(characters) - len(read)


class Spellings:
    """Words, most frequent first, and layer 0 vectors of those encoded so far, stored on disk once per model. Threads may share it."""

    def __init__(self, words: Sequence[str], model: str, projection: int) -> None:
        """Open the vectors stored for a model's fingerprint and projection size P. Raises CorruptArtifact if they do not fit."""
        self.words = tuple(word for word in words if word not in SPECIALS)
        self.file = cache_folder() / "spellings" / f"{model}-{text_fingerprint(self.words)[:8]}.safetensors"
        self.vectors = np.zeros((len(self.words), projection), np.float16)  # unit vectors
        self.read = 0
        if not self.file.is_file():
            return
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            stored = load_file(self.file)["vectors"]
        except (OSError, KeyError, ValueError, SafetensorError):
            stored = np.empty(0)
        if stored.dtype != np.float16 or stored.shape[1:] != self.vectors.shape[1:] or len(stored) > len(self.words):
            raise CorruptArtifact(t("{file} belongs to another vocabulary. Delete it to rebuild it.", file=self.file))
        self.vectors[: len(stored)] = stored
        self.read = len(stored)

    def extend(self, encoder: Encoder, upto: int, *, report: Callable[[int, int], None] = lambda done, total: None) -> None:
        """Encode and store the words up to number `upto`, 256 at a time, also if `report(encoded, total)` raises after a step."""
        upto = min(upto, len(self.words))
        n_steps = 0
        try:
            while (first := self.read) < upto:
                last = min(first + WORDS_AT_ONCE, upto)
                self.vectors[first:last] = unit(encoder.word_vectors(list(self.words[first:last])))
                self.read = max(self.read, last)  # another thread may have read more
                n_steps += 1
                if n_steps % SAVED_EVERY == 0:
                    self._save()
                report(self.read, upto)
        finally:
            if n_steps % SAVED_EVERY:
                self._save()

    def nearest(self, rows: np.ndarray, k: int, *, exclude: Sequence[str], among: int | None = None) -> list[list[StaticNeighbor]]:
        """Return the k nearest of the first `among` encoded words for each of m vectors (m, P), without those in `exclude`."""
        n = min(self.read, among or self.read)
        cosines = unit(rows) @ widen(self.vectors[:n]).T  # (m, n)
        results = []
        for cosine, left_out in zip(cosines, exclude, strict=True):
            best = np.argsort(-cosine, kind="stable")[: k + 1]
            results.append([StaticNeighbor(self.words[row], float(cosine[row])) for row in best if self.words[row] != left_out][:k])
        return results

    def usual_cosine(self, n_words: int = 2) -> float | None:
        """Return the cosine below which the nearest two of n random words stay in 95% of draws; None with too few words.

        Among many words the nearest two are close by chance, so they are compared with nearest pairs, not with random pairs.
        """
        if self.read < MIN_PAIRS_READ:
            return None
        rng = np.random.default_rng(0)
        highest = []
        pairs = np.triu_indices(n_words, 1)
        for _ in range(0, DRAWN_SETS, DRAWN_AT_ONCE):
            rows = rng.integers(self.read, size=(DRAWN_AT_ONCE, n_words))
            vectors = widen(self.vectors[rows.ravel()]).reshape(*rows.shape, -1)
            cosines = (vectors @ vectors.transpose(0, 2, 1))[:, pairs[0], pairs[1]]  # (sets, pairs)
            highest.append(np.where(rows[:, pairs[0]] == rows[:, pairs[1]], -1, cosines).max(axis=1))  # a word drawn twice is one
        return float(np.quantile(np.concatenate(highest), 0.95))

    def _save(self) -> None:
        from safetensors.numpy import save

        with replacing(self.file) as temporary:
            temporary.write_bytes(save({"vectors": self.vectors[: self.read].copy()}))


def list_words(folder: Path, vectors: StaticVectors) -> tuple[list[str], bool]:
    """Return the softmax's vocabulary, or else the static vectors' words, most frequent first; and whether it is the model's."""
    file = folder / "vocabulary.txt"
    return (read_words(file), True) if file.is_file() else (list(vectors.words), False)


def cosine_matrix(rows: Sequence[np.ndarray | None]) -> np.ndarray:
    """Return the cosines (n, n) of n vectors; NaN in the row and column of a word without a vector (None)."""
    matrix = np.full((len(rows), len(rows)), np.nan)
    if present := [k for k, row in enumerate(rows) if row is not None]:
        units = unit(np.stack([rows[k] for k in present]))
        matrix[np.ix_(present, present)] = units @ units.T
    return matrix
