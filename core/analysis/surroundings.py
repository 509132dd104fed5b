"""The surroundings of an unlabeled word: its occurrences in a corpus, and the spellings nearest to it in each of two sentences.

A point is an occurrence of the word, or a spelling at the mean of its occurrences (the table of types). A point's side is the difference
of its cosines with the word in the two sentences. In layer 0, which reads only the spelling, there is no difference if both sentences
spell the word the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..common.directions import unit_rows
from ..elmo.mix import mixed
from ..index.rows import Query
from ..index.table import OccurrenceTable
from ..text.normalization import fold_case
from .axes import Pole, View, find_views, pole_views

TYPES_EACH = 40  # nearest spellings of each sentence; the map shows their union
MOST_OCCURRENCES = 120  # shown at most, spread evenly over the corpus
CLOSE = 0.02  # difference of cosines below which a point belongs to neither sentence; cosines are shown with two digits


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """N distinct points of one table: occurrences first, then spellings."""

    words: tuple[str, ...]
    rows: np.ndarray  # (N,) of the table: the occurrence itself, or the occurrence of the spelling nearest to one of the sentences
    occurrences: int  # so many of the points are occurrences of the word
    counts: np.ndarray  # (N,) occurrences that a point is the mean of
    layers: np.ndarray  # (N, L, D) float32

    def __len__(self) -> int:
        return len(self.words)


def rows_of(table: OccurrenceTable, word: str, queries: Sequence[Query]) -> np.ndarray:
    """Return a mask (N,) of the occurrences of a word that are read as the queries are (core.text.readings)."""
    readings = {query.read_as for query in queries if fold_case(query.word) == fold_case(word)} or {""}
    return np.any([table.same_word(word, read_as=reading) for reading in readings], axis=0)


def surroundings(
    table: OccurrenceTable,
    words: Sequence[str],
    queries: Sequence[Query],
    weights,
    *,
    types: int = TYPES_EACH,
    max_occurrences: int = MOST_OCCURRENCES,
) -> Surroundings:
    """Return the occurrences of `words` and the spellings nearest to each query under a layer mix.

    `table` holds all tokens. The queries' own occurrences, and the words themselves as spellings, are left out. Without queries the result
    holds occurrences only.
    """
    keep = np.any([rows_of(table, word, queries) for word in words], axis=0) if words else np.zeros(len(table), bool)
    for query in queries:
        keep &= ~table.own_row(query)
    rows = np.flatnonzero(keep)
    if len(rows) > max_occurrences:
        rows = rows[np.linspace(0, len(rows) - 1, max_occurrences).astype(int)]
    excluded = {word.casefold() for word in words}
    nearest = {}
    for query in queries:
        result = table.nearest_types(query, weights, k=types + len(excluded))
        result = [item for item in result if item.word not in excluded][:types]
        for item, o in zip(result, table.nearest_of_types(query, [item.word for item in result], weights), strict=True):
            nearest.setdefault(item.word, (o.row, item.occurrences))
    codes = np.array([table.word_codes[word] for word in nearest], int)
    return Surroundings(
        (*(table.words[code] for code in table.word[rows]), *nearest),
        np.concatenate([rows, np.array([row for row, _ in nearest.values()], int)]),
        len(rows),
        np.concatenate([np.ones(len(rows), int), np.array([n for _, n in nearest.values()], int)]),
        np.concatenate([table.rows.take(rows), table.types.take(codes)]),
    )


def leans(layers: np.ndarray, first: np.ndarray, second: np.ndarray, weights) -> np.ndarray:
    """Return the cosine of points (N, L, D) with the first token minus that with the second, (N,), under a layer mix."""
    if not len(layers):
        return np.zeros(0)
    rows, ends = (unit_rows(mixed(layers_of, weights, axis=1), np.float64) for layers_of in (layers, np.stack([first, second])))
    return rows @ (ends[0] - ends[1])


def cosine(first: np.ndarray, second: np.ndarray, weights) -> float:
    """Return the cosine of two tokens' layer mixes, (L, D) each; 0 if one has no length."""
    a, b = unit_rows(mixed(np.stack([first, second]), weights, axis=1), np.float64)
    return float(a @ b)


def sides(result: np.ndarray) -> np.ndarray:
    """Map differences of cosines (N,) to 1 for the first sentence, 2 for the second, 0 for a difference below CLOSE."""
    return np.where(result >= CLOSE, 1, np.where(result <= -CLOSE, 2, 0))


def by_spread(layers: np.ndarray, stars: np.ndarray, mixes: Sequence[np.ndarray]) -> list[View]:
    """Return the principal plane of points (N, L, D) and stars (S, L, D) for each layer mix, stars last."""
    return find_views(mix_points(layers, stars, mixes))


def mix_points(layers: np.ndarray, stars: np.ndarray, mixes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the vectors (N + S, D) of points (N, L, D) and stars (S, L, D) under each layer mix."""
    everything = np.concatenate([layers, stars]).transpose(1, 0, 2)
    return [mixed(everything, weights) for weights in mixes]


def by_sentences(layers: np.ndarray, stars: np.ndarray, mixes: Sequence[np.ndarray]) -> list[View]:
    """Return views like `by_spread` whose first axis runs from the second star to the first."""
    everything = np.concatenate([layers, stars])
    ends = tuple(Pole("", np.array([-1]), stars[k : k + 1]) for k in (0, 1))
    return pole_views(everything, np.arange(len(everything)), ends, mixes=mixes)


def at_large(table: OccurrenceTable, weights, *, n: int = 300, seed: int = 0) -> float:
    """Return the mean cosine of two random occurrences of a table, which may be of one word."""
    rows = np.random.default_rng(seed).permutation(len(table))[:n]
    if len(rows) < 2:
        return 0.0
    layers = table.rows.take(np.sort(rows))
    result = unit_rows(mixed(layers, weights, axis=1), np.float64)
    total = result.sum(axis=0)
    return float((total @ total - np.einsum("nd,nd->", result, result)) / (len(rows) * (len(rows) - 1)))
