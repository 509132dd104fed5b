"""The sense space: three views of an occurrence, joined and mapped so that senses separate.

The parts, each of length 1: layer 1; the sum of the other words' static vectors (core.static.vectors); the words that both directions
expect in its place (core.elmo.substitutes). The mean of all occurrences of a word is subtracted from each part, and the parts are joined. A
linear map, learned from labeled words (core.lab.sense_space_map), weighs what differs between senses against what differs within one. A
word that it was learned from is placed by a map that has not seen it.

Layers 0, 1, 2 and their mix stay as the paper defines them; this space is ours. Neighbors in it are ranked after subtracting the mean of all
words.
"""

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..common.directions import unit
from ..common.errors import ElmoscopeError
from ..common.memo import Bounded
from ..common.model_layers import SENSES as SENSES  # its name, next to the layers' and the mix's
from ..elmo.encoder import Encoder
from ..elmo.language_model import Prediction
from ..elmo.mix import layer_weights
from ..elmo.models import Model, open_language_model
from ..elmo.substitutes import Substitutes
from ..files.artifacts import write_json
from ..files.atomic import replacing
from ..static.vectors import StaticVectors, topics
from ..text.readings import WordInContext
from .neighbors import ANY, Index, Neighbor, Question, best, cosines, products_of
from .rows import Query
from .table import OccurrenceTable

FILE = "sense_space.npz"  # of a model's folder: its Learned
KEPT = "substitutes.npy"  # of a table's folder: the substitutes of its rows; meta.json has their FORMAT under SUBSTITUTES
LAYER = 1  # whose vectors are the first part: of a biLM's layers the one that separates senses best
FOLDS = 10
FORMAT = 2
SUBSTITUTES = "substitutes"
MOST_TABLES, MOST_COMPUTED = 8, 50_000  # whose substitutes are cached, and rows of each: 256 bytes a row with the bundled model
MOST_TOPIC_TABLES, MOST_TOPICS = 3, 6_000_000  # tables whose context sums are cached, and numbers in each (24 MB)
LAST = 2  # readings that are cached, for two sides
MOST_TYPED = 64  # sentences whose substitutes stay in memory: a typed letter changes one of two
MOST_READ = 300  # rows whose sentences a search reads: two seconds
MOST_PLACED = 40_000  # rows with stored substitutes that a search places: 1.2 seconds
ROWS_AT_ONCE = 8_192  # placed at a time: 16 MB
WEIGHTS = (1.0,)  # the space is one layer


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Maps and means learned from labeled words."""

    maps: np.ndarray  # (FOLDS + 1, V, D): without each tenth of the words, and of all
    mean: np.ndarray  # (V,) of the parts, over words
    words: frozenset[str] = frozenset()  # those that it was learned from

    def map_for(self, word: str = "") -> np.ndarray:
        """Return the map (V, D) of `number_for`."""
        return self.maps[self.number_for(word)]

    def number_for(self, word: str) -> int:
        """Return the number of the map that has not seen the word, which is the map of all words for any other."""
        return fold_of(word) if word in self.words else FOLDS


def fold_of(word: str) -> int:
    """Return the tenth of the words that a word belongs to, the same everywhere."""
    return zlib.crc32(word.encode()) % FOLDS


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
    _context_sums: Bounded[tuple, tuple[np.ndarray, np.ndarray]] = field(  # of a table's rows, and which of them are computed
        default_factory=lambda: Bounded(MOST_TOPIC_TABLES)
    )
    _last: tuple[tuple, ...] = ()  # of `_places_of`
    _typed: Bounded[tuple, np.ndarray] = field(default_factory=lambda: Bounded(MOST_TYPED))  # of `views`

    @property
    def widths(self) -> tuple[int, int, int]:
        """Return the sizes of the three parts."""
        return self.encoder.dim, self.vectors.dim if self.vectors else 1, self.substitutes.dim

    @property
    def dim(self) -> int:
        """Return D, the size of a place."""
        return self.learned.maps.shape[2] if self.learned else sum(self.widths)

    @property
    def mean(self) -> np.ndarray:
        """Return the mean (V,) of the parts over many words; zeros if no words were learned from."""
        return self.learned.mean if self.learned else np.zeros(sum(self.widths), np.float32)

    @property
    def mark(self) -> str:
        """Return what distinguishes the map from others of the same model."""
        return f"{zlib.crc32(self.learned.maps.tobytes()):08x}" if self.learned else "parts"

    def views(self, occurrences: Sequence[tuple[Sequence[str], int]], layers: np.ndarray, read: Sequence[np.ndarray] = ()) -> np.ndarray:
        """Return the joined parts (n, V) of n (tokens, position) pairs with `layers` (n, L, D); `read` has the sentences' (L, T, D)."""
        sentences, positions, words = _columns(occurrences)
        keys = [(tuple(tokens), position) for tokens, position in zip(sentences, positions, strict=True)]
        expected = [self._typed.get(key) for key in keys]
        if missing := [k for k, vector in enumerate(expected) if vector is None]:
            encoded = [read[k] for k in missing] if read else []
            places = self.encoder.around([sentences[k] for k in missing], [positions[k] for k in missing], encoded)
            for k, vector in zip(missing, self.substitutes.vectors(places, [words[k] for k in missing]), strict=True):
                expected[k] = vector
                self._typed.put(keys[k], vector)
        return _side_by_side(layers, topics(self.vectors, occurrences), np.stack(expected))

    def alone(self, occurrences: Sequence[tuple[Sequence[str], int]]) -> tuple[np.ndarray, np.ndarray]:
        """Return the parts (n, V) of (tokens, position) pairs and their places (n, 2P), encoding no more than that takes."""
        sentences, positions, words = _columns(occurrences)
        layers, places = self.encoder.alone(sentences, positions)
        vectors = self.substitutes.vectors(places, words)
        return _side_by_side(layers.astype(np.float16), topics(self.vectors, occurrences), vectors), places  # as tables store them

    def of_rows(self, table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
        """Return the parts (n, V) of rows of a table. Their substitutes, which take long, are stored next to the table or in memory."""
        return _side_by_side(table.rows.take(rows), self._topics_of(table, rows), self._substitutes_of(table, rows))

    def place(self, views: np.ndarray, mean: np.ndarray | None = None, word: str = "", *, mapped: bool = True) -> np.ndarray:
        """Place parts (n, V) in the space: (n, D) unit vectors.

        `mean` (V,) is subtracted from each part, by default that of all words. The map is the one that has not seen `word`; none is applied
        unless `mapped`.
        """
        mean = self.mean if mean is None else mean
        joined = np.empty_like(views, dtype=np.float32)
        start = 0
        for width in self.widths:
            part = slice(start, start + width)
            has_part = np.linalg.norm(views[:, part], axis=1, keepdims=True) > 1e-6  # a sentence without known words has no topic
            joined[:, part] = unit(views[:, part] - mean[part]) * has_part
            start += width
        return unit(joined @ self.learned.map_for(word) if self.learned and mapped else joined)

    def of_word(self, table: OccurrenceTable, rows: np.ndarray, word: str = "", *, mapped: bool = True) -> np.ndarray:
        """Place rows of one word of a table (n, D) after subtracting their mean; without `mapped` return the parts (n, V)."""
        views = self.of_rows(table, rows)
        return self.place(views, views.mean(axis=0), word, mapped=mapped)

    def expected(self, views: np.ndarray) -> np.ndarray:
        """Return the last part (n, P) of (n, V): the words expected in a place."""
        return views[:, -self.substitutes.dim :]

    def likeliest(self, table: OccurrenceTable, rows: np.ndarray, k: int) -> list[tuple[Prediction, ...]]:
        """Return the k likeliest substitutes of rows of a table, best first."""
        return self.substitutes.likeliest(*self._places_of(table, rows), k)

    def _topics_of(self, table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
        """Return the `topics` of rows of a table, computed once unless the table is large: each search places almost all rows."""
        width = self.widths[1]
        if len(table) * width > MOST_TOPICS:
            return topics(self.vectors, table.places(rows))
        n = len(table)
        sums, is_known = self._context_sums.value(_key_of(table), lambda: (np.zeros((n, width), np.float32), np.zeros(n, bool)))
        rows = np.asarray(rows, int)
        if len(missing := np.unique(rows[~is_known[rows]])):
            sums[missing] = topics(self.vectors, table.places(missing))
            is_known[missing] = True
        return sums[rows]

    def _substitutes_of(self, table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
        """Return the substitutes (n, P) float32, as stored or by encoding the sentences; only these rows take memory."""
        stored, computed = self._of(table)
        if stored is not None:
            return np.array(stored[rows], np.float32).reshape(len(rows), self.substitutes.dim)
        vectors = {int(row): computed.get(int(row)) for row in rows}
        if missing := [row for row, vector in vectors.items() if vector is None]:
            read = self.substitutes.vectors(*self._places_of(table, np.array(missing))).astype(np.float16)
            for row, vector in zip(missing, read, strict=True):
                vectors[row] = vector
                computed.put(row, vector)
        return np.array([vectors[int(row)] for row in rows], np.float32).reshape(len(rows), self.substitutes.dim)

    def is_stored(self, table: OccurrenceTable) -> bool:
        """Return whether the substitutes of a table are stored, so that its sentences need not be encoded."""
        return self._of(table)[0] is not None

    def _of(self, table: OccurrenceTable) -> tuple[np.ndarray | None, Bounded[int, np.ndarray]]:
        """Return the substitutes of a table's rows as stored next to it, or None, and those that were computed here."""
        return self._kept.value(_key_of(table), lambda: (self._read(table), Bounded(MOST_COMPUTED)))

    def _places_of(self, table: OccurrenceTable, rows: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """Return the places (n, 2P) of rows and their tokens. The last results are cached: a page names the groups it just made."""
        key = _key_of(table)
        wanted = rows.tolist()
        for cached_key, number_of, places, words in self._last:
            if cached_key == key and all(row in number_of for row in wanted):
                chosen = [number_of[row] for row in wanted]
                return places[chosen], [words[k] for k in chosen]
        sentences, positions, words = _columns(table.places(wanted))
        places = self.encoder.alone(sentences, positions)[1]
        self._last = ((key, {row: k for k, row in enumerate(wanted)}, places, words), *self._last)[:LAST]
        return places, words

    def _read(self, table: OccurrenceTable) -> np.ndarray | None:
        """Return the substitutes stored next to a table, (N, P) float16, or None."""
        if not keeps_substitutes(table) or table.meta["model"] != self.fingerprint:
            return None
        with suppress(OSError, EOFError, ValueError):
            stored = np.load(table.folder / KEPT, mmap_mode="r")
            if stored.shape[1:] == (self.substitutes.dim,) and len(stored) >= len(table):  # more than `table.basic` has
                return stored[: len(table)]
        return None

    def keep(self, table: OccurrenceTable) -> None:
        """Store the substitutes of all rows next to their table."""
        vectors = self._substitutes_of(table, np.arange(len(table))).astype(np.float16)
        with replacing(table.folder / KEPT) as temporary, temporary.open("wb") as file:
            np.save(file, vectors)
        write_json(table.folder / "meta.json", table.meta | {SUBSTITUTES: FORMAT})


def _key_of(table: OccurrenceTable) -> tuple[str, str]:
    """Return the key of a table in caches."""
    return str(table.folder), str(table.meta["corpus"])


def _side_by_side(layers: np.ndarray, sums: np.ndarray, substitutes: np.ndarray) -> np.ndarray:
    """Join the three parts of n occurrences, each of length 1."""
    return np.concatenate([unit(np.asarray(layers[:, LAYER], np.float32)), unit(sums), unit(substitutes)], axis=1)


def _columns(occurrences: Sequence[tuple[Sequence[str], int]]) -> tuple[list[list[str]], list[int], list[str]]:
    """Return the sentences, the positions, and the tokens there, from (tokens, position) pairs."""
    return [list(s) for s, _ in occurrences], [position for _, position in occurrences], [s[position] for s, position in occurrences]


def keeps_substitutes(table: OccurrenceTable) -> bool:
    """Return whether the substitutes of a table's rows are stored next to it; otherwise they are computed when needed."""
    return table.meta.get(SUBSTITUTES) == FORMAT


def stored_substitutes(table: OccurrenceTable, rows: np.ndarray) -> np.ndarray:
    """Return the substitutes that are stored next to a table, (n, P) float16 of some rows."""
    return np.load(table.folder / KEPT, mmap_mode="r")[rows]


def open_space(model: Model, vectors: StaticVectors | None) -> SenseSpace | None:
    """Return a model's sense space, or None without a softmax or a biLM."""
    substitutes = substitutes_of(model)
    return None if substitutes is None else make_space(model, substitutes, vectors)


def make_space(model: Model, substitutes: Substitutes, vectors: StaticVectors | None) -> SenseSpace:
    """Return the sense space of a model whose substitutes are open."""
    space = SenseSpace(model.encoder, substitutes, vectors, fingerprint=model.fingerprint)
    space.learned = read(model.folder / FILE, model.fingerprint, sum(space.widths))
    return space


def substitutes_of(model: Model) -> Substitutes | None:
    """Return the substitutes by the model's softmax; None as for `open_space`."""
    with suppress(ElmoscopeError):
        return Substitutes(open_language_model(model))
    return None


def read(path: Path, fingerprint: str, width: int) -> Learned | None:
    """Read what was learned with this very model from parts of this size, or None."""
    with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile, zlib.error), np.load(path) as file:
        if str(file["model"]) == fingerprint and int(file["format"]) == FORMAT and file["maps"].shape[1] == width:
            return Learned(file["maps"].astype(np.float32), file["mean"].astype(np.float32), frozenset(file["words"].tolist()))
    return None


def write(path: Path, learned: Learned, origin: Mapping[str, str]) -> None:
    """Write what `read` reads, with its `origin`: "model" is the fingerprint of the model."""
    arrays = {"maps": learned.maps.astype(np.float16), "mean": learned.mean.astype(np.float32), "words": np.array(sorted(learned.words))}
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **arrays, format=FORMAT, **origin)


@dataclass(frozen=True, slots=True, eq=False)
class SenseIndex(Index):
    """A table's occurrences in a model's sense space.

    Stored substitutes are used at once; the sentences of other rows are encoded. If more than MOST_READ rows need that, or more than
    MOST_PLACED are stored, only the rows nearest at layer 1 are placed.
    """

    table: OccurrenceTable
    space: SenseSpace
    word: str = ""  # by whose map; "" by that of the query's word as the table has it

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that a validated question selects."""
        rows = self.rows(question)
        return self.table.best_of(rows, self.cosines(rows, question.query), question.k)

    def cosines(self, rows: np.ndarray, query: Query) -> np.ndarray:
        """Return the cosines (n,) of some rows with a word in its sentence. Sentences without stored substitutes are encoded."""
        place = self._place(self.space.views([(query.tokens, query.position)], query.layers[None]), query)[0]
        results = [np.empty(0, np.float32)]
        for start in range(0, len(rows), ROWS_AT_ONCE):
            views = self.space.of_rows(self.table, rows[start : start + ROWS_AT_ONCE])
            results.append(self._place(views, query) @ place)
        return np.concatenate(results)

    def rows(self, question: Question) -> np.ndarray:
        """Return the rows (n,) that are placed, in the table's order: all that may answer, unless they are too many."""
        rows = np.flatnonzero(self.table.may_answer(question))
        if len(rows) <= (limit := self.count_most(rows)):
            return rows
        weights = layer_weights(str(LAYER), len(question.query.layers))
        layer = cosines(self.table.rows, products_of(self.table.rows, question.source), weights)
        return np.sort(rows[best(layer[rows], limit)])

    def narrows(self, query: Query, which: str = ANY) -> int:
        """Return how many rows, those nearest at layer 1, are placed if not all that may answer are; else 0."""
        rows = np.flatnonzero(self.table.may_answer(Question(query, WEIGHTS, which=which)))
        limit = self.count_most(rows)
        return limit if len(rows) > limit else 0

    def count_most(self, rows: np.ndarray) -> int:
        """Return how many of these rows a search places."""
        return MOST_PLACED if len(rows) <= MOST_READ or self.space.is_stored(self.table) else MOST_READ

    def _place(self, views: np.ndarray, query: Query) -> np.ndarray:
        """Place parts (n, V) by the map that was learned without the query's word."""
        word = WordInContext(query.tokens, query.position, query.read_as)
        return self.space.place(views, word=self.word or word.lemma_in(self.table) or word.spelling)
