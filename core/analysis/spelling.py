"""How the char-CNN reads a spelling: its neighbors in layer 0 among known words, and the character windows that fire.

The char-CNN's vector is v = b + sum_f a_f W_f: a_f is a filter's strongest answer anywhere in the word, W_f its column of the
projection (Jozefowicz et al. 2016, section 3.1). The part of v's length that a filter gives is a_f (W_f . v) / |v|^2; with the
bias' part these sum to 1. Behind a highway layer the answers are mixed and no filter has a part: strengths stand for parts.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ..common.config import cache_folder
from ..common.directions import unit
from ..common.errors import CorruptArtifact
from ..common.i18n import t
from ..elmo.encoder import Encoder
from ..elmo.language_model import SPECIALS
from ..elmo.mix import widen
from ..elmo.model import CharacterCNN
from ..files.artifacts import lines_of, replacing, text_fingerprint
from ..static.vectors import StaticNeighbor, StaticVectors
from ..text.tokens import END_WORD, SENTENCE_BEGIN, SENTENCE_END

BEGIN_MARK, END_MARK = "‹", "›"  # how the marks of a word's beginning and end are shown
UNREAD = 0.15  # of the vector from windows with letters, for or against: with less, the cosine to one of letters never seen is above 0.9
WORDS_AT_ONCE = 256  # read between two looks at whether to stop
SAVED_EVERY = 8  # times so many words
MIN_PAIRS_READ = 50  # words, before pairs of them say what is usual
DRAWN_SETS, DRAWN_AT_ONCE = 4_000, 250  # sets of words drawn to say how near their nearest two are by chance


@dataclass(frozen=True, slots=True)
class Window:
    """A run of characters that at least one filter of that width answered strongest to."""

    width: int  # places: a byte of the word, a mark, or padding behind the word
    start: int  # first place; 0 is the mark of the beginning
    first: int  # columns of Firing.letters that it covers, both ends included
    last: int
    text: str  # what stands in it, marks included; "" where that is padding alone
    lettered: bool  # it covers a letter of the word, not marks and padding alone
    share: float  # of the vector: see Firing
    filters: int  # how many of that width answered here


@dataclass(frozen=True, slots=True)
class Firing:
    """Which windows a word's vector comes from; their shares and `bias` sum to 1, and are negative where one speaks against."""

    word: str
    letters: tuple[str, ...]  # begin mark, the characters that are read, end mark
    widths: tuple[int, ...]  # of the filters, in the model's order
    grid: np.ndarray  # (filter widths, letters) shares of lettered windows, each spread evenly over the places it covers
    windows: tuple[Window, ...]  # largest share first, whatever its sign
    bias: float  # share of the projection's bias; 0 where not exact
    exact: bool  # False behind a highway layer: shares are those of the answers' strengths
    cut: int  # characters behind those that are read

    @property
    def unlettered(self) -> float:
        """Share of what reads no letter of the word: the bias, and windows with nothing but marks and padding."""
        return self.bias + sum(window.share for window in self.windows if not window.lettered)

    @property
    def is_unread(self) -> bool:
        """Whether the letters of the word are none to the model."""
        return self.exact and sum(abs(window.share) for window in self.windows if window.lettered) <= UNREAD

    @property
    def heaviest(self) -> Window | None:
        """The window with the largest share that reads letters."""
        return next((window for window in self.windows if window.lettered), None)

    @property
    def by_letter(self) -> np.ndarray:
        """(letters,) share of each letter over all widths."""
        return self.grid.sum(axis=0)

    @property
    def by_width(self) -> np.ndarray:
        """(filter widths,) share of each width."""
        return self.grid.sum(axis=1)


def split_words(text: str, most: int) -> tuple[tuple[str, ...], int]:
    """Distinct words of a text, parted by blanks and commas: the first `most`, and how many there are behind them."""
    words = tuple(dict.fromkeys(word for word in re.split(r"[\s,]+", text) if word))
    return words[:most], max(0, len(words) - most)


def answers(characters: CharacterCNN, word: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Of each convolution: its filters' strongest answers after the ReLU, and the first place where each was found. The answers are those
    of `CharacterCNN.pooled`, float32 (n,); places are int64 (n,), 0 being the mark of the beginning."""
    ids = characters.ids([word])
    used = int((ids[0] == END_WORD).int().argmax()) + 1
    strengths, places = [], []
    with torch.inference_mode():
        x = characters.embedding(ids[:, : used + characters.widest]).transpose(1, 2)  # (1, C, places)
        x = x.expand(2, -1, -1)  # twice, as CharacterCNN.pooled says
        for convolution, anchored in zip(characters.convolutions, characters.anchored, strict=True):
            windows = x[:, :, : convolution.kernel_size[0]] if anchored else x
            strongest, place = convolution(windows)[0].max(dim=1)
            strengths.append(torch.relu(strongest).numpy(force=True))
            places.append(place.numpy(force=True))
    return strengths, places


def firing(characters: CharacterCNN, word: str) -> Firing:
    """Which character windows the vector of `word` comes from, and how much of it from each."""
    letters, owner, cut = _letters(word, characters.max_characters)
    strengths, places = answers(characters, word)
    shares, bias = _shares(characters, strengths)
    widths = tuple(convolution.kernel_size[0] for convolution in characters.convolutions)
    grid = np.zeros((len(widths), len(letters)))
    windows = []
    for k, (width, strength, place, share) in enumerate(zip(widths, strengths, places, shares, strict=True)):
        answered = strength > 0
        for start in np.unique(place[answered]).tolist():
            here = answered & (place == start)
            total = float(share[here].sum())
            columns = owner[start : start + width]
            lettered = bool(((columns > 0) & (columns < owner[-1])).any())
            if lettered:
                np.add.at(grid[k], columns, total / len(columns))
            first, last = (int(columns[0]), int(columns[-1])) if len(columns) else (int(owner[-1]),) * 2
            text = "".join(letters[c] for c in dict.fromkeys(columns.tolist()))
            windows.append(Window(width, start, first, last, text, lettered, total, int(here.sum())))
    windows.sort(key=lambda window: -abs(window.share))
    return Firing(word, letters, widths, grid, tuple(windows), bias, not len(characters.highways), cut)


def _shares(characters: CharacterCNN, strengths: list[np.ndarray]) -> tuple[list[np.ndarray], float]:
    """(each filter's share of the vector, by convolution; the bias' share); see the module's text."""
    flat = np.concatenate(strengths).astype(np.float64)
    if len(characters.highways):
        parts = flat / (flat.sum() or 1.0)
        bias = 0.0
    else:
        weight = characters.projection.weight.numpy(force=True)
        added = characters.projection.bias.numpy(force=True).astype(np.float64)
        vector = weight @ flat.astype(np.float32) + added  # (P,)
        squared = float(vector @ vector) or 1.0
        parts, bias = flat * (vector @ weight) / squared, float(added @ vector) / squared
    return np.split(parts, np.cumsum([len(part) for part in strengths])[:-1]), bias


def _letters(word: str, max_characters: int) -> tuple[tuple[str, ...], np.ndarray, int]:
    """What is shown of a word, the column of each place up to its end mark, and how many characters are not read."""
    places = [0]
    read = []
    left = max_characters - 2  # bytes that a token has room for
    for character in [word] if word in (SENTENCE_BEGIN, SENTENCE_END) else word:
        size = 1 if len(character) > 1 else len(character.encode("utf-8", "ignore"))
        if left <= 0:
            break
        read.append(character)
        places += [len(read)] * min(size, left)
        left -= size
    cut = 0 if word in (SENTENCE_BEGIN, SENTENCE_END) else len(word) - len(read)
    return (BEGIN_MARK, *read, END_MARK), np.array([*places, len(read) + 1]), cut


class Spellings:
    """The words of a vocabulary, most frequent first, with layer 0's vectors of as many as have been read so far. Kept on disk as they are
    read, so that they are read once for a model; one thread reads, others may search meanwhile."""

    def __init__(self, words: Sequence[str], model: str, projection: int) -> None:
        """`model` is the fingerprint of its weights, `projection` P; CorruptArtifact if what was kept does not fit."""
        self.words = tuple(word for word in words if word not in SPECIALS)
        name = f"{model}-{text_fingerprint(self.words)[:8]}.safetensors"
        self.file = cache_folder() / "spellings" / name
        self.vectors = np.zeros((len(self.words), projection), np.float16)  # of unit length
        self.read = 0
        if self.file.is_file():
            kept = self._open_kept()
            self.vectors[: len(kept)], self.read = kept, len(kept)

    def extend(
        self,
        encoder: Encoder,
        upto: int,
        *,
        report: Callable[[int, int], None] = lambda done, total: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Read the words up to number `upto`, 256 at a time, and keep them on disk; `report(read, to be read)` after each."""
        upto = min(upto, len(self.words))
        times = 0
        while self.read < upto and not stop():
            last = min(self.read + WORDS_AT_ONCE, upto)
            self.vectors[self.read : last] = unit(encoder.word_vectors(list(self.words[self.read : last])))
            self.read, times = last, times + 1
            report(self.read, upto)
            if times % SAVED_EVERY == 0:
                self._keep()
        if times % SAVED_EVERY:
            self._keep()

    def nearest(self, rows: np.ndarray, k: int, *, exclude: Sequence[str], among: int | None = None) -> list[list[StaticNeighbor]]:
        """For each of m vectors (m, P) the k nearest of the first `among` words read, by cosine, without that of `exclude`."""
        n = min(self.read, among or self.read)
        results = []
        cosines = unit(rows) @ widen(self.vectors[:n]).T  # (m, n)
        for cosine, left_out in zip(cosines, exclude, strict=True):
            best = np.argsort(-cosine, kind="stable")[: k + 1]
            results.append([StaticNeighbor(self.words[row], float(cosine[row])) for row in best if self.words[row] != left_out][:k])
        return results

    def usual_cosine(self, n_words: int = 2, share: float = 0.95) -> float | None:
        """The cosine that, in `share` of draws of n words among those read, the nearest two of them stay below; None with too few words. Of
        many words the nearest two are near by chance: they are held against nearest ones, not against any one pair."""
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
        return float(np.quantile(np.concatenate(highest), share))

    def _open_kept(self) -> np.ndarray:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            kept = load_file(self.file)["vectors"]
        except (OSError, KeyError, ValueError, SafetensorError):
            kept = np.empty((0, 0))
        if kept.dtype != np.float16 or kept.ndim != 2 or kept.shape[1] != self.vectors.shape[1] or len(kept) > len(self.words):
            message = t("{file} belongs to another vocabulary. Delete it to rebuild it.", file=self.file)
            raise CorruptArtifact(message)
        return kept

    def _keep(self) -> None:
        from safetensors.numpy import save_file

        with replacing(self.file) as temporary:
            save_file({"vectors": self.vectors[: self.read].copy()}, temporary)


def list_words(folder: Path, vectors: StaticVectors) -> tuple[list[str], bool]:
    """(words, most frequent first; whether they are the model's own): the softmax's vocabulary, else the static vectors' words."""
    file = folder / "vocabulary.txt"
    if not file.is_file():
        return list(vectors.words), False
    try:
        return lines_of(file.read_bytes()), True
    except UnicodeDecodeError as error:
        message = t("{file} is not UTF-8 text (byte {n}). Get the model again.", file=file, n=error.start)
        raise CorruptArtifact(message) from None


def cosine_matrix(rows: Sequence[np.ndarray | None]) -> np.ndarray:
    """n vectors, None where a word has none -> (n, n) cosines, NaN in that word's row and column."""
    matrix = np.full((len(rows), len(rows)), np.nan)
    known = [k for k, row in enumerate(rows) if row is not None]
    if known:
        units = unit(np.stack([rows[k] for k in known]))
        matrix[np.ix_(known, known)] = units @ units.T
    return matrix
