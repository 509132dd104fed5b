"""What stands around a word that nobody labeled: its occurrences in a corpus and the spellings nearest to it in each of two sentences.

A point is an occurrence of the word, or a spelling at the mean of its occurrences (the table of types). Which of the two sentences
a point leans to is the difference of its cosines with the word there; in layer 0, which reads the spelling only, there is none where
both sentences spell the word alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..common.directions import unit_rows
from ..elmo.mix import mixed
from ..index.neighbors import Query
from ..index.table import OccurrenceTable
from ..text.composed import folded
from .axes import Pole, View, find_views, pole_views
from .maps import FrozenMaps, ProjectionConfig, aligned_maps

TYPES_EACH = 40  # nearest spellings of each sentence: their union is drawn
MOST_OCCURRENCES = 120  # of the word that are drawn, evenly over the corpus
CLOSE = 0.02  # difference of cosines under which a point leans to neither sentence: two digits are what is shown of a cosine


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """N points of one table, all of them once: occurrences first, then spellings."""

    words: tuple[str, ...]
    rows: np.ndarray  # (N,) of the table: the occurrence itself, or the occurrence of the spelling nearest to one of the sentences
    occurrences: int  # so many of the points are occurrences of the word
    counts: np.ndarray  # (N,) occurrences that a point is the mean of
    layers: np.ndarray  # (N, L, D) float32

    def __len__(self) -> int:
        return len(self.words)


def rows_of(table: OccurrenceTable, word: str, queries: Sequence[Query]) -> np.ndarray:
    """(N,) bool: the occurrences of a word, read as the queries of that spelling are (core.text.readings)."""
    readings = {query.read_as for query in queries if folded(query.word) == folded(word)} or {""}
    return np.any([table.same_word(word, read_as=reading) for reading in readings], axis=0)


def surroundings(
    table: OccurrenceTable,
    words: Sequence[str],
    queries: Sequence[Query],
    weights,
    *,
    types: int = TYPES_EACH,
    most: int = MOST_OCCURRENCES,
) -> Surroundings:
    """The occurrences of `words` in the table and the spellings nearest to each query under a mix; `table` is of all tokens. The queries'
    own occurrences, and the words themselves as spellings, are left out. Without queries there are occurrences alone."""
    keep = np.any([rows_of(table, word, queries) for word in words], axis=0) if words else np.zeros(len(table), bool)
    for query in queries:
        keep &= ~table.own_row(query)
    rows = np.flatnonzero(keep)
    if len(rows) > most:
        rows = rows[np.linspace(0, len(rows) - 1, most).astype(int)]
    own = {word.casefold() for word in words}
    near = {}
    for query in queries:
        result = table.nearest_types(query, weights, k=types + len(own))
        result = [item for item in result if item.word not in own][:types]
        for item, o in zip(result, table.nearest_of_types(query, [item.word for item in result], weights), strict=True):
            near.setdefault(item.word, (o.row, item.occurrences))
    codes = np.array([table.word_codes[word] for word in near], int)
    return Surroundings(
        (*(table.words[code] for code in table.word[rows]), *near),
        np.concatenate([rows, np.array([row for row, _ in near.values()], int)]),
        len(rows),
        np.concatenate([np.ones(len(rows), int), np.array([n for _, n in near.values()], int)]),
        np.concatenate([table.rows.take(rows), table.types.take(codes)]),
    )


def leans(layers: np.ndarray, first: np.ndarray, second: np.ndarray, weights) -> np.ndarray:
    """Points (N, L, D), the word in two sentences (L, D) each, a mix -> (N,): cosine with the first minus cosine with the second."""
    if not len(layers):
        return np.zeros(0)
    rows, ends = (unit_rows(mixed(each, weights, axis=1), np.float64) for each in (layers, np.stack([first, second])))
    return rows @ (ends[0] - ends[1])


def cosine(first: np.ndarray, second: np.ndarray, weights) -> float:
    """Of two tokens' mixes, (L, D) each; 0 where one has no length."""
    a, b = unit_rows(mixed(np.stack([first, second]), weights, axis=1), np.float64)
    return float(a @ b)


def sides(result: np.ndarray) -> np.ndarray:
    """Leans (N,) -> 1 toward the first sentence, 2 toward the second, 0 where the difference is too small to speak of."""
    return np.where(result >= CLOSE, 1, np.where(result <= -CLOSE, 2, 0))


def by_spread(layers: np.ndarray, stars: np.ndarray, mixes: Sequence[np.ndarray]) -> list[View]:
    """(N, L, D), (S, L, D) -> for each mix the plane of largest spread of points and stars together, the stars last."""
    everything = np.concatenate([layers, stars]).transpose(1, 0, 2)
    return find_views([mixed(everything, weights) for weights in mixes])


def by_sentences(layers: np.ndarray, stars: np.ndarray, mixes: Sequence[np.ndarray]) -> list[View]:
    """As `by_spread`, with the first axis from the second star to the first."""
    everything = np.concatenate([layers, stars])
    ends = tuple(Pole("", np.array([-1]), stars[k : k + 1]) for k in (0, 1))
    return pole_views(everything, np.arange(len(everything)), ends, mixes=mixes)


def by_umap(layers: np.ndarray, stars: np.ndarray, names: Sequence[str], mixes: Sequence[np.ndarray]) -> FrozenMaps:
    """As `by_spread`, by UMAP, all spaces aligned; by PCA where the points are too few."""
    everything = np.concatenate([layers, stars]).transpose(1, 0, 2)
    return aligned_maps([mixed(everything, weights) for weights in mixes], names, ProjectionConfig(n_neighbors=10))


def at_large(table: OccurrenceTable, weights, *, drawn: int = 300, seed: int = 0) -> float:
    """Mean cosine of two occurrences of an index, of one word or of two; of random words it is core.analysis.anisotropy's."""
    rows = np.random.default_rng(seed).permutation(len(table))[:drawn]
    if len(rows) < 2:
        return 0.0
    layers = table.rows.take(np.sort(rows))
    result = unit_rows(mixed(layers, weights, axis=1), np.float64)
    total = result.sum(axis=0)
    return float((total @ total - np.einsum("nd,nd->", result, result)) / (len(rows) * (len(rows) - 1)))
