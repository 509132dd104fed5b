"""Flat views with meaningful axes: principal components, and axes between two poles, such as money minus river or one of two sentences.

A pole is a sense of a labeled word or a list of words, placed at the mean of its occurrences' unit vectors. An axis is the direction
from one pole to the other, as for static vectors (Bolukbasi et al. 2016; SemAxis, An et al. 2018), here in each layer. A point's
score is its projection on that direction, measured from the mean of all points. An occurrence that belongs to a pole would
attract that pole, so it is scored against the pole without it.

A word without labels has its surroundings: its occurrences in a corpus, and the spellings nearest to it in each of two sentences, each at
the mean of its occurrences. A point's side is the difference of its cosines with the word in the two sentences. In layer 0, which reads
only the spelling, there is no difference if both sentences spell the word the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..common.directions import fix_signs, unit, unit_rows
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..elmo.mix import mixed
from ..index.rows import Query
from ..index.table import OccurrenceTable
from ..text.languages import tokenize
from ..text.normalization import fold_case
from ..text.tokens import bare

ONE_POINT = 1e-4  # poles nearer than this are one: in layer 0 all occurrences of a spelling are, up to rounding
MOST_OF_A_POLE = 2_000  # occurrences of a pole's words that are read: the first in the table
TYPES_EACH = 40  # nearest spellings of each sentence; the map shows their union
MOST_OCCURRENCES = 120  # shown at most, spread evenly over the corpus
CLOSE = 0.02  # difference of cosines below which a point belongs to neither sentence; cosines are shown with two digits


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Directions in a space onto which its points are projected. Directions that do not exist are zeros."""

    mean: np.ndarray  # (D,) float64, of the points' unit vectors
    axes: np.ndarray  # (d, D) float64, each of length 1 or 0
    shares: np.ndarray  # (d,) share of the points' variance along each axis
    together: float  # share of the variance within all d; less than the sum where axes are not at right angles

    def place(self, vectors: np.ndarray) -> np.ndarray:
        """Project vectors (n, D) of any length to coordinates (n, d) float32, in units of the unit vectors."""
        return ((unit_rows(vectors, np.float64) - self.mean) @ self.axes.T).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One space as it is drawn."""

    plane: Plane
    coordinates: np.ndarray  # (N, d) float32; by poles: each point by its poles without it


@dataclass(frozen=True, slots=True, eq=False)
class Pole:
    """One end of an axis, with n occurrences."""

    name: str
    rows: np.ndarray  # (n,) of the labeled table; -1 where an occurrence is not in it
    layers: np.ndarray  # (n, L, D) float32


def find_views(spaces: Sequence[np.ndarray], dims: int = 2) -> list[View]:
    """Return the first `dims` principal components of each of K spaces (N, D), rotated so that points stay near their previous place.

    A rotation or reflection within the plane changes neither the plane nor its share of the variance. In the first space the largest
    loading of each axis is positive.
    """
    from scipy.linalg import orthogonal_procrustes

    views: list[View] = []
    for space in spaces:
        rows = unit_rows(space, np.float64)
        mean = rows.mean(axis=0)
        rows -= mean
        axes = _components(rows, dims)
        if views:
            axes = orthogonal_procrustes(rows @ axes.T, views[-1].coordinates)[0].T @ axes  # (Gower 1975)
        plane = _plane(rows, mean, axes)
        views.append(View(plane, (rows @ axes.T).astype(np.float32)))
    return views


def axis_scores(
    points: np.ndarray, plus: np.ndarray, minus: np.ndarray, plus_of: np.ndarray, minus_of: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the axis (D,) from `minus` to `plus`, and the score (N,) of every point against the poles without that point.

    `points` (N, D), `plus` (n, D) and `minus` (m, D) may have any length. `plus_of` (n,) and `minus_of` (m,) give the point
    that each member of a pole is, or -1. A pole that consists only of the point is placed at the mean of all points for it. Scores
    are in units of the distance between the complete poles. If the poles coincide, axis and scores are zero.
    """
    rows, plus, minus = (unit_rows(vectors, np.float64) for vectors in (points, plus, minus))
    axis = plus.mean(axis=0) - minus.mean(axis=0)
    length = float(np.linalg.norm(axis))
    if length <= ONE_POINT:
        return np.zeros_like(axis), np.zeros(len(rows))
    mean = rows.mean(axis=0)
    centered = rows - mean
    squares = np.einsum("nd,nd->n", centered, rows)  # each point's contribution to its product with the members' sum
    ends = []
    for members, point_of_member in ((plus, plus_of), (minus, minus_of)):
        memberships = np.bincount(point_of_member[point_of_member >= 0], minlength=len(rows))  # (N,)
        others = len(members) - memberships
        products = centered @ members.sum(axis=0) - memberships * squares
        ends.append(np.where(others > 0, products / np.maximum(others, 1), centered @ mean))
    return axis / length, (ends[0] - ends[1]) / length


def pole_views(
    layers: np.ndarray, rows: np.ndarray, x: tuple[Pole, Pole], y: tuple[Pole, Pole] | None = None, *, mixes: Sequence[Sequence[float]]
) -> list[View]:
    """Return a view on these axes for each layer mix, of points (N, L, D) that are the table's `rows` (N,).

    x and y run from their second pole to their first. Without y, the vertical axis is the largest spread orthogonal to x,
    mirrored to agree with the previous view.
    """
    views: list[View] = []
    number = {int(row): k for k, row in enumerate(rows)}
    for weights in mixes:
        points = mixed(layers, weights, axis=1)
        axes, columns = [], []
        for pair in filter(None, (x, y)):
            members = (mixed(end.layers, weights, axis=1) for end in pair)
            points_of_ends = (np.array([number.get(int(row), -1) for row in end.rows]) for end in pair)
            axis, scores = axis_scores(points, *members, *points_of_ends)
            axes.append(axis)
            columns.append(scores)
        vectors = unit_rows(points, np.float64)
        mean = vectors.mean(axis=0)
        centered = vectors - mean
        if y is None:
            rest = centered - np.outer(centered @ axes[0], axes[0])
            axes.append(_components(rest, 1)[0])
            if views and (rest @ axes[1]) @ views[-1].coordinates[:, 1] < 0:
                axes[1] = -axes[1]
            columns.append(rest @ axes[1])
        views.append(View(_plane(centered, mean, np.stack(axes)), np.stack(columns, axis=1).astype(np.float32)))
    return views


def sense_names(table: OccurrenceTable) -> list[str]:
    """List the senses that can serve as poles ("bank: river edge"), by word, each word's most frequent senses first."""
    names = []
    for lemma in table.lemmas:
        codes, counts = np.unique(table.sense[table.labeled_rows(lemma)], return_counts=True)
        order = sorted(zip(-counts, (table.senses[code] for code in codes), strict=True))
        names += [f"{lemma}: {sense}" for _, sense in order]
    return names


def pole(table: OccurrenceTable, text: str, everything: OccurrenceTable | None = None) -> Pole:
    """Return the occurrences of a sense ("bank: river edge") or of words ("money, loan").

    Words are looked up as spellings or lemmas among the labeled words of `table`, then in `everything`, the corpus's table of all
    tokens. Raises BadInput with the words that neither contains.
    """
    if text in sense_names(table):
        lemma, sense = text.split(": ", 1)
        rows = table.labeled_rows(lemma)
        rows = rows[table.sense[rows] == table.senses.index(sense)]
        return Pole(text, rows, table.rows.take(rows))
    if not (words := _words(text)):
        raise BadInput(t("An end of the axis is empty. Choose a sense or type words separated by commas."))
    parts, missing = [], []
    for word in words:
        if len(rows := _rows_of(table, word)):
            parts.append((rows, table.rows.take(rows)))
        elif everything is not None and len(rows := _rows_of(everything, word)[:MOST_OF_A_POLE]):
            parts.append((np.full(len(rows), -1), everything.rows.take(rows)))
        else:
            missing.append(shorten(word))
    if missing:
        raise BadInput(t("“{words}” does not occur in these sentences. Choose a sense or other words.", words="”, “".join(missing[:5])))
    return Pole(", ".join(words), *map(np.concatenate, zip(*parts, strict=True)))


def outside(table: OccurrenceTable, text: str) -> list[str]:
    """Return the words of a pole without an occurrence in the table; empty for a sense."""
    return [] if text in sense_names(table) else [word for word in _words(text) if not len(_rows_of(table, word))]


def _words(text: str) -> list[str]:
    words = (bare(token).casefold() for part in text.split(",") for token in tokenize(part))
    return list(dict.fromkeys(word for word in words if any(c.isalnum() for c in word)))


def _rows_of(table: OccurrenceTable, word: str) -> np.ndarray:
    same = np.isin(table.word, table.plain_codes.get(fold_case(word), ()))
    if word in table.lemmas:
        same |= table.lemma == table.lemmas.index(word)
    return np.flatnonzero(same)


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """N distinct points of one table: occurrences first, then spellings."""

    words: tuple[str, ...]
    rows: np.ndarray  # (N,) of the table: the occurrence itself, or the occurrence of the spelling nearest to one of the sentences
    occurrences: int  # number of points that are occurrences of the word
    counts: np.ndarray  # (N,) occurrences that a point is the mean of
    layers: np.ndarray  # (N, L, D) float32

    def __len__(self) -> int:
        return len(self.words)


def occurrence_mask(table: OccurrenceTable, word: str, queries: Sequence[Query]) -> np.ndarray:
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
    is_point = np.any([occurrence_mask(table, word, queries) for word in words], axis=0) if words else np.zeros(len(table), bool)
    for query in queries:
        is_point &= ~table.own_row(query)
    rows = np.flatnonzero(is_point)
    if len(rows) > max_occurrences:
        rows = rows[np.linspace(0, len(rows) - 1, max_occurrences).astype(int)]
    excluded = {fold_case(word) for word in words}
    nearest = {}
    for query in queries:
        neighbors = table.nearest_types(query, weights, k=types + len(excluded))
        neighbors = [item for item in neighbors if fold_case(item.word) not in excluded][:types]
        occurrences = table.nearest_of_types(query, [item.word for item in neighbors], weights)
        for item, occurrence in zip(neighbors, occurrences, strict=True):
            nearest.setdefault(item.word, (table.word_codes[item.word], occurrence.row, item.occurrences))
    codes, of_types, counts = np.array([*nearest.values()], int).reshape(-1, 3).T
    return Surroundings(
        words=(*(table.words[code] for code in table.word[rows]), *nearest),
        rows=np.concatenate([rows, of_types]),
        occurrences=len(rows),
        counts=np.concatenate([np.ones(len(rows), int), counts]),
        layers=np.concatenate([table.rows.take(rows), table.types.take(codes)]),
    )


def cosines(layers: np.ndarray, token: np.ndarray, weights) -> np.ndarray:
    """Return the cosines (N,) of points (N, L, D) with a token (L, D) under a layer mix; 0 for a vector without length."""
    rows, ends = (unit(mixed(item, weights, axis=1).astype(np.float64)) for item in (layers, token[None]))
    return rows @ ends[0]


def cosine(first: np.ndarray, second: np.ndarray, weights) -> float:
    """Return the cosine of two tokens' layer mixes, (L, D) each; 0 if one has no length."""
    return float(cosines(first[None], second, weights)[0])


def sides(result: np.ndarray) -> np.ndarray:
    """Map differences of cosines (N,) to 1 for the first sentence, 2 for the second, 0 for a difference below CLOSE."""
    return np.select([result >= CLOSE, result <= -CLOSE], [1, 2])


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


def _components(centered: np.ndarray, dims: int) -> np.ndarray:
    """Return the directions (dims, D) of largest variance of centered rows (N, D), zeros for those that do not exist."""
    from scipy.linalg import eigh

    n, size = centered.shape
    n_axes = min(dims, n, size)
    products = centered @ centered.T if n <= size else centered.T @ centered
    values, vectors = eigh(products, subset_by_index=[len(products) - n_axes, len(products) - 1])
    lengths = np.sqrt(np.maximum(values, 0))
    real = lengths > 1e-6 * np.sqrt(n)  # anything smaller is rounding
    axes = (vectors.T @ centered / np.maximum(lengths, 1e-30)[:, None] if n <= size else vectors.T)[real][::-1]
    return np.pad(fix_signs(axes), ((0, dims - len(axes)), (0, 0)))


def _plane(centered: np.ndarray, mean: np.ndarray, axes: np.ndarray) -> Plane:
    total = (centered**2).sum()
    total = total if total > 1e-9 * len(centered) else np.inf  # all points are one: no variance to share
    basis, sizes, _ = np.linalg.svd(axes.T, full_matrices=False)
    span = basis[:, sizes > 1e-6]
    shares = ((centered @ axes.T) ** 2).sum(axis=0) / total
    return Plane(mean, axes, shares, float(((centered @ span) ** 2).sum() / total))
