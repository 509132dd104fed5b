"""The sense space: an occurrence seen three ways at once, and stretched along what tells senses apart.

Three parts, each of length 1: layer 1; the sum of the other words' static vectors (core.static.vectors); the words that both directions
expect in its place (core.elmo.substitutes). What all occurrences of a word share is taken off each part, and the parts are joined. A
linear map, learned from labeled words (core.analysis.sense_map), weighs what differs between senses against what differs within one. A
word that it was learned from is judged by a map that has not seen it.

Layers 0, 1, 2 and their mix stay what the paper defines; this space is ours.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import numpy as np

from ..common.directions import unit
from ..common.errors import ElmoscopeError
from ..common.memo import Bounded
from ..common.model_layers import SENSES as SENSES  # its name beside the layers' and the mix's
from ..elmo.encoder import Encoder
from ..elmo.language_model import Prediction
from ..elmo.models import Model, open_language_model
from ..elmo.substitutes import Substitutes
from ..files.artifacts import write_json
from ..files.atomic import replacing
from ..static.vectors import StaticVectors, static_contexts
from .table import OccurrenceTable

FILE = "sense_space.npz"  # of a model's folder: its Learned
KEPT = "substitutes.npy"  # of a table's folder: the substitutes of its rows; meta.json says in which FORMAT, as SUBSTITUTES
LAYER = 1  # whose vectors are the first part: of a biLM's the one that tells senses apart best
FOLDS = 10
FORMAT = 2
SUBSTITUTES = "substitutes"
MOST_TABLES, MOST_COMPUTED = 8, 50_000  # whose substitutes are cached, and rows of each: 256 bytes a row with the bundled model
LAST = 2  # readings that are kept: of two sides
MOST_TYPED = 64  # sentences whose substitutes stay in memory: a typed letter changes one of two


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Maps and means learned from labeled words."""

    maps: np.ndarray  # (FOLDS + 1, V, D): without each tenth of the words, and of all
    mean: np.ndarray  # (V,) of the parts, over words
    words: frozenset[str] = frozenset()  # those that it was learned from

    def map_for(self, word: str = "") -> np.ndarray:
        """The map that has not seen the word: of all words where it is none of them."""
        return self.maps[self.number_for(word)]

    def number_for(self, word: str = "") -> int:
        """Its number among the maps."""
        return fold_of(word) if word in self.words else FOLDS


def fold_of(word: str) -> int:
    """The tenth of the words that a word belongs to, the same everywhere."""
    return crc32(word.encode()) % FOLDS


@dataclass(slots=True, eq=False)
class SenseSpace:
    """The space of one model; `learned` None joins the parts as they are."""

    encoder: Encoder
    substitutes: Substitutes
    vectors: StaticVectors | None
    learned: Learned | None = None
    fingerprint: str = ""  # of the model
    _kept: Bounded[tuple, tuple[np.ndarray | None, Bounded[int, np.ndarray]]] = field(  # a table's: from disk, computed here
        default_factory=lambda: Bounded(MOST_TABLES)
    )
    _last: tuple[tuple, ...] = ()  # of `_places_of`
    _typed: Bounded[tuple, np.ndarray] = field(default_factory=lambda: Bounded(MOST_TYPED))  # of `views`

    @property
    def widths(self) -> tuple[int, int, int]:
        """The sizes of the three parts."""
        return self.encoder.dim, self.vectors.dim if self.vectors else 1, self.substitutes.dim

    @property
    def dim(self) -> int:
        """D, of `placed`."""
        return self.learned.maps.shape[2] if self.learned else sum(self.widths)

    @property
    def mean(self) -> np.ndarray:
        """Return the mean (V,) of the parts over many words; zeros if no words were learned from."""
        return self.learned.mean if self.learned else np.zeros(sum(self.widths), np.float32)

    @property
    def mark(self) -> str:
        """Return what distinguishes the map from others of the same model."""
        return f"{crc32(self.learned.maps.tobytes()):08x}" if self.learned else "parts"

    def views(self, occurrences: Sequence[tuple[Sequence[str], int]], layers: np.ndarray, read: Sequence[np.ndarray] = ()) -> np.ndarray:
        """(tokens, position) each, their layers (n, L, D), and what was `read` of the sentences, (L, T, D) each -> (n, V) parts side by side."""
        sentences, positions, words = _columns(occurrences)
        keys = [(tuple(tokens), position) for tokens, position in zip(sentences, positions, strict=True)]
        expected = [self._typed.get(key) for key in keys]
        if missing := [k for k, vector in enumerate(expected) if vector is None]:
            places = self.encoder.around(
                [sentences[k] for k in missing], [positions[k] for k in missing], [read[k] for k in missing if read]
            )
            for k, vector in zip(missing, self.substitutes.vectors(places, [words[k] for k in missing]), strict=True):
                expected[k] = vector
                self._typed.put(keys[k], vector)
        return self._side_by_side(layers, sentences, positions, np.stack(expected))

    def alone(self, occurrences: Sequence[tuple[Sequence[str], int]]) -> tuple[np.ndarray, np.ndarray]:
        """(tokens, position) each -> (n, V) as of `views`, and their places (n, 2P): read no further than that takes."""
        sentences, positions, words = _columns(occurrences)
        layers, places = self.encoder.alone(sentences, positions)
        vectors = self.substitutes.vectors(places, words)
        return self._side_by_side(layers.astype(np.float16), sentences, positions, vectors), places  # as tables store them

    def of_rows(self, table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
        """(n, V) of some rows of a table; what takes long, their substitutes, is kept beside the table or in memory."""
        sentences, positions, _ = _columns(_in_place(table, rows))
        return self._side_by_side(table.rows.take(rows), sentences, positions, self._substitutes_of(table, rows))

    def place(self, views: np.ndarray, mean: np.ndarray | None = None, word: str = "", *, mapped: bool = True) -> np.ndarray:
        """(n, V) -> (n, D) unit vectors: each part minus that of `mean`, what is shared (all words' if None), to length 1, then the map for a word."""
        mean = self.mean if mean is None else mean
        joined = np.empty_like(views, dtype=np.float32)
        start = 0
        for width in self.widths:
            part = slice(start, start + width)
            there = np.linalg.norm(views[:, part], axis=1, keepdims=True) > 1e-6  # a sentence without known words has no topic
            joined[:, part] = unit(views[:, part] - mean[part]) * there
            start += width
        return unit(joined @ self.learned.map_for(word) if self.learned and mapped else joined)

    def of_word(self, table: OccurrenceTable, rows: np.ndarray, word: str = "", *, mapped: bool = True) -> np.ndarray:
        """(n, D): some rows of one word of a table in the space minus their own mean; not `mapped`: the parts as they are, (n, V)."""
        views = self.of_rows(table, rows)
        return self.place(views, views.mean(axis=0), word, mapped=mapped)

    def expected(self, views: np.ndarray) -> np.ndarray:
        """Return the last part (n, P) of (n, V): the words expected in a place."""
        return views[:, -self.substitutes.dim :]

    def likeliest(self, table: OccurrenceTable, rows: np.ndarray, k: int) -> list[tuple[Prediction, ...]]:
        """The k likeliest substitutes of some rows of a table, best first."""
        return self.substitutes.likeliest(*self._places_of(table, rows), k)

    def _side_by_side(self, layers: np.ndarray, sentences: list[list[str]], positions: list[int], substitutes: np.ndarray) -> np.ndarray:
        spans = [(position, position + 1) for position in positions]
        topics = static_contexts(self.vectors, sentences, spans) if self.vectors else np.zeros((len(sentences), 1), np.float32)
        return np.concatenate([unit(np.asarray(layers[:, LAYER], np.float32)), unit(topics), unit(substitutes)], axis=1)

    def _substitutes_of(self, table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
        """(n, P) float32: as they were kept, or from the sentences read anew; only rows that were asked for take memory."""
        kept, computed = self._of(table)
        vectors = {int(row): computed.get(int(row)) if kept is None else kept[row] for row in rows}
        if missing := [row for row, vector in vectors.items() if vector is None]:
            read = self.substitutes.vectors(*self._places_of(table, np.array(missing))).astype(np.float16)
            for row, vector in zip(missing, read, strict=True):
                vectors[row] = vector
                computed.put(row, vector)
        return np.array([vectors[int(row)] for row in rows], np.float32).reshape(len(rows), self.substitutes.dim)

    def unread(self, table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
        """Return which rows (n,) have no stored substitutes, so that their sentences are encoded."""
        kept, _ = self._of(table)
        return np.full(len(rows), kept is None)

    def _of(self, table: OccurrenceTable) -> tuple[np.ndarray | None, Bounded[int, np.ndarray]]:
        key = str(table.folder), str(table.meta["corpus"])
        return self._kept.value(key, lambda: (self._read(table), Bounded(MOST_COMPUTED)))

    def _places_of(self, table: OccurrenceTable, rows: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """(n, 2P) the places of some rows, and their tokens; the last that were read are kept, as a page names groups of what it grouped."""
        key, wanted = (str(table.folder), str(table.meta["corpus"])), rows.tolist()
        for known, number, places, words in self._last:
            if known == key and all(row in number for row in wanted):
                chosen = [number[row] for row in wanted]
                return places[chosen], [words[k] for k in chosen]
        sentences, positions, words = _columns(_in_place(table, wanted))
        places = self.encoder.alone(sentences, positions)[1]
        self._last = ((key, {row: k for k, row in enumerate(wanted)}, places, words), *self._last)[:LAST]
        return places, words

    def _read(self, table: OccurrenceTable) -> np.ndarray | None:
        """Return the substitutes stored next to a table, (N, P) float16, or None."""
        if not keeps_substitutes(table) or table.meta["model"] != self.fingerprint:
            return None
        with suppress(OSError, EOFError, ValueError):
            kept = np.load(table.folder / KEPT, mmap_mode="r")
            if kept.shape[1:] == (self.substitutes.dim,) and len(kept) >= len(table):  # more than `table.basic` has
                return kept[: len(table)]
        return None

    def keep(self, table: OccurrenceTable) -> None:
        """Write the substitutes of all rows of a table beside it."""
        vectors = self._substitutes_of(table, np.arange(len(table))).astype(np.float16)
        with replacing(table.folder / KEPT) as temporary, temporary.open("wb") as file:
            np.save(file, vectors)
        write_json(table.folder / "meta.json", table.meta | {SUBSTITUTES: FORMAT})


def _in_place(table: OccurrenceTable, rows: Iterable[int]) -> list[tuple[tuple[str, ...], int]]:
    """Return (tokens, position) of some rows."""
    return [(occurrence.tokens, occurrence.position) for occurrence in map(table.occurrence, map(int, rows))]


def _columns(occurrences: Sequence[tuple[Sequence[str], int]]) -> tuple[list[list[str]], list[int], list[str]]:
    """Return the sentences, the positions, and the tokens there, from (tokens, position) pairs."""
    return [list(s) for s, _ in occurrences], [position for _, position in occurrences], [s[position] for s, position in occurrences]


def keeps_substitutes(table: OccurrenceTable) -> bool:
    """Whether the substitutes of a table's rows lie beside it; else, as of older indexes, they are computed when asked for."""
    return table.meta.get(SUBSTITUTES) == FORMAT


def stored_substitutes(table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
    """Return the substitutes that are stored next to a table, (n, P) float16 of some rows."""
    return np.load(table.folder / KEPT, mmap_mode="r")[rows]


def new_file(folder: Path, rows: int, dim: int) -> np.ndarray:
    """Create a file (rows, dim) float16 for the substitutes of a table that is being made."""
    return np.lib.format.open_memmap(folder / KEPT, mode="w+", dtype=np.float16, shape=(rows, dim))


def open_space(model: Model, vectors: StaticVectors | None) -> SenseSpace | None:
    """A model's sense space; None where it has no softmax, or is no biLM."""
    if (substitutes := substitutes_of(model)) is None:
        return None
    space = SenseSpace(model.encoder, substitutes, vectors, fingerprint=model.fingerprint)
    space.learned = read(model.folder / FILE, model.fingerprint, sum(space.widths))
    return space


def substitutes_of(model: Model) -> Substitutes | None:
    """By the model's softmax; None as of `open_space`."""
    with suppress(ElmoscopeError):
        return Substitutes(open_language_model(model))
    return None


def read(path: Path, fingerprint: str, width: int) -> Learned | None:
    """Read what was learned with this very model from parts of this size, or None."""
    with suppress(OSError, ValueError, KeyError), np.load(path) as file:
        if str(file["model"]) == fingerprint and int(file["format"]) == FORMAT and file["maps"].shape[1] == width:
            return Learned(file["maps"].astype(np.float32), file["mean"].astype(np.float32), frozenset(file["words"].tolist()))
    return None


def write(path: Path, learned: Learned, facts: Mapping[str, str]) -> None:
    """Write what `read` reads. `facts` state its origin: "model" is its fingerprint."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            maps=learned.maps.astype(np.float16),
            mean=learned.mean.astype(np.float32),
            words=np.array(sorted(learned.words)),
            format=FORMAT,
            **facts,
        )
