"""The maps of a word: frozen ones opened or fitted, a new token placed in them, and a mix's layout made from its layers'."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np

from ..common.config import cache_folder
from ..common.directions import unit_rows
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..elmo.mix import layer_normalized, layer_weights, mix_cosines, mixed, pulls, stops
from ..files.artifacts import safe_name, text_fingerprint
from ..files.quotas import may_store
from ..index.neighbors import Products, best, grams_beside
from ..index.table import OccurrenceTable
from .aligned_umap import SAME, FrozenMaps, ProjectionConfig, aligned_maps, follow, insert, trustworthiness

ALL_WORDS = "all words"
NEIGHBORS_TO_PLACE = 8  # nearest tokens that decide where a new one is placed on a map
TRUE_NEIGHBORS = 10  # neighbors of a point in the full space, some of which a map may place elsewhere
MOST = 300_000  # tokens on a map; of more, random complete sentences
LAID_OUT = 2_000  # tokens that UMAP lays out, at most
OF_ONE_SPELLING = 8  # of these, at most; without a limit a third would be "the" and "."
TRUST_POINTS = 1_000  # tokens on which trust is measured
ROWS_AT_ONCE = 2_048
FORMAT = 2  # version of the saved maps of all tokens
MEASURED = "trustworthiness without ties"  # how a stored map was measured; files with other figures have other names


def open_maps(table: OccurrenceTable, word: str) -> FrozenMaps:
    """Open the frozen maps of a word's labeled rows, or of all words: bundled, cached, or else fitted now."""
    name = f"{safe_name(word)}.safetensors"
    made_by = f"{table_name(table)}-{text_fingerprint([repr(ProjectionConfig()), MEASURED])[:8]}"
    cached = cache_folder() / "maps" / made_by / name
    for path in (table.folder / "maps" / name, cached):
        if path.is_file():
            return FrozenMaps.load(path)
    maps = fit_maps(table, word)
    if may_store(maps.coordinates.nbytes):
        cached.parent.mkdir(parents=True, exist_ok=True)
        maps.save(cached)
    return maps


def map_rows(table: OccurrenceTable, word: str) -> np.ndarray:
    """Return the rows on a map of `word` in its points' order, labeled senses before predicted ones. All words means the basic rows."""
    rows = table.basic.rows_to_draw() if word == ALL_WORDS else table.rows_to_draw(word)
    if not len(rows) and not table.lemmas:
        raise BadInput(t("This corpus has no labeled words. Label some on the page Senses, or choose another corpus."))
    if not len(rows):
        names = ", ".join(table.lemmas[:12])
        raise BadInput(t("'{word}' has no labeled sentences here. Choose one of: {known} ...", word=shorten(word), known=names))
    return rows


def rows_to_measure(table: OccurrenceTable, word: str) -> np.ndarray:
    """Return the rows of a word, or of all words, that a person labeled, without copies of a sentence. Raises BadInput if none."""
    map_rows(table, word)
    rows = table.basic.labeled_rows() if word == ALL_WORDS else table.labeled_rows(word)
    if not len(rows) and word == ALL_WORDS:
        raise BadInput(t("Nobody labeled a sentence of this corpus: its senses are a model’s guesses. Label some on Senses."))
    if not len(rows):
        message = t("Nobody labeled a sentence of “{word}”: its senses are a model’s guesses. Label some on Senses.", word=shorten(word))
        raise BadInput(message)
    return table.without_copies(rows)


def fit_maps(table: OccurrenceTable, word: str) -> FrozenMaps:
    """Fit aligned UMAP to a word's rows in layers 0, 1, 2 and their equal mix (Peters et al. 2018, eq. 1 with equal s_j)."""
    layers = table.rows.take(map_rows(table, word))  # (n, L, D)
    spaces = [*layers.swapaxes(0, 1), layers.mean(axis=1)]
    names = [*map(str, range(layers.shape[1])), "mix"]
    # Few points: a smaller neighborhood than the usual 15, or every point would be everyone's neighbor.
    config = ProjectionConfig(n_neighbors=15 if len(layers) > 200 else 10)
    return aligned_maps(spaces, names, config)


def place(
    table: OccurrenceTable, products: Products, rows: np.ndarray, layouts: np.ndarray, mixes: Sequence[Sequence[float]]
) -> np.ndarray:
    """Return a token's places (K, 2) in layouts (K, n, 2) of those rows, from its nearest rows under each of K layer mixes."""
    cosines = mix_cosines(products.cross, products.query_gram, grams_beside(table.rows, products), np.array(mixes))[:, rows]  # (K, n)
    neighbors = np.stack([best(cosine, NEIGHBORS_TO_PLACE) for cosine in cosines])  # (K, k)
    # All layouts are concatenated, so that one call places in all of them
    shift = layouts.shape[1] * np.arange(len(layouts))[:, None]
    return insert(layouts.reshape(-1, 2), neighbors + shift, np.take_along_axis(cosines, neighbors, axis=1))


def follow_mix(layers: np.ndarray, weights: np.ndarray, maps: FrozenMaps, *, normalized: bool = False) -> np.ndarray:
    """Return the map (n, 2) of a layer mix, laid out from the frozen maps of its layers.

    The start is the average of those maps in the proportions of the absolute weights, so the result depends on the weights and not on
    the path of the slider. A single layer, and the equal mix, is its frozen map. Normalized layers have no frozen map, so each mix of
    them is laid out.
    """
    start = pulls(weights)
    shares = np.copysign(start, weights)
    shares = -shares if (shares <= 0).all() else shares  # the same directions, turned around
    for k, stop in enumerate(stops(len(layers))):
        if np.abs(shares - stop).max() < 0.005:
            if not normalized:
                return maps.coordinates[k]
            start = shares = stop
    space = mixed(layer_normalized(layers) if normalized else layers, shares)
    return follow(space, mixed(maps.coordinates[: len(layers)].astype(float), start), maps.config)


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """A point's true neighbors, nearest first, and which of them a map has near."""

    rows: np.ndarray  # (n,) int, numbers of points; n is TRUE_NEIGHBORS or less
    cosines: np.ndarray  # (n,)
    near: np.ndarray  # (n,) bool: among the point's n nearest on the map
    tied: int  # points left out because they are all equally near: none of them is nearer than the others
    others: int  # number of all other points

    @property
    def by_chance(self) -> float:
        """Return the mean number of its neighbors that would be near on a random layout."""
        return len(self.rows) ** 2 / self.others if self.others else 0.0

    @property
    def as_counts(self) -> tuple[int, int, str, int]:
        """Return how many neighbors are near on the map, how many there are, how many would be by chance, and how many are tied."""
        return int(self.near.sum()), len(self.rows), f"{self.by_chance:.1f}", self.tied

    @property
    def as_lists(self) -> list:
        """Return rows, whether the map has them near, cosines, the number of tied and of other points, for JSON."""
        return [self.rows.tolist(), self.near.astype(int).tolist(), self.cosines.round(3).tolist(), self.tied, self.others]


def links(cosines: np.ndarray, places: np.ndarray, place: np.ndarray, *, itself: int | None = None, k: int = TRUE_NEIGHBORS) -> Links:
    """Return the links of a point from its cosines (N,) with all others, their places (N, d) on a map, and its place (d,).

    `itself` is the number of the point or of the same sentence, which is no neighbor. If more points are tied for the last places than there
    are places (in layer 0 all occurrences of a spelling are one vector), none of the tied is counted.
    """
    others = np.flatnonzero(np.arange(len(cosines)) != itself)
    order = others[np.argsort(-cosines[others], kind="stable")]
    chosen = order[:k]
    n_tied = 0
    if len(order) > k and cosines[order[k]] >= (last := cosines[order[k - 1]]) - SAME:
        chosen = order[cosines[order] > last + SAME]
        n_tied = int((np.abs(cosines[order] - last) <= SAME).sum())
    ways = np.linalg.norm(places.astype(np.float64) - place, axis=1)
    reach = np.sort(ways[others])[len(chosen) - 1] if len(chosen) else 0.0
    return Links(chosen, cosines[chosen], ways[chosen] <= reach + 1e-9, n_tied, len(others))


def file_of(table: OccurrenceTable, names: Sequence[str]) -> Path:
    """Return the path of the stored maps of a table."""
    made_by = text_fingerprint([repr(ProjectionConfig()), repr((*names, MOST, LAID_OUT, OF_ONE_SPELLING, NEIGHBORS_TO_PLACE, FORMAT))])[:8]
    return cache_folder() / "maps" / "tokens" / f"{table_name(table)}-{made_by}.safetensors"


def table_name(table: OccurrenceTable) -> str:
    """Return the part of a file name that identifies a table. It is made safe, because meta.json may come from anyone."""
    return f"{safe_name(str(table.meta['model']))}-{safe_name(str(table.meta['corpus'])[:16])}"


def token_maps(
    table: OccurrenceTable,
    rows: np.ndarray,
    names: Sequence[str],
    report: Callable[[int, int, float], None] = lambda done, total, speed: None,
    *,
    laid_out: int = LAID_OUT,
) -> FrozenMaps:
    """Return maps of rows (N,) in the spaces `names`: aligned UMAP of some, near which the others are placed.

    `report(tokens placed, total, tokens per second)` may end the work by raising. The displacement and the provenance are those of the
    tokens that UMAP laid out.
    """
    mixes = [layer_weights(name, table.meta["layers"]) for name in names]
    report(0, len(rows), 0.0)
    spaces = _spaces(table, rows_to_lay_out(table, rows, laid_out), mixes)
    reference = aligned_maps(spaces, names, ProjectionConfig(), lambda line: report(0, len(rows), 0.0))
    coordinates = np.empty((len(names), len(rows), 2), np.float32)
    started = perf_counter()
    for first in range(0, len(rows), ROWS_AT_ONCE):
        block = rows[first : first + ROWS_AT_ONCE]
        for k, vectors in enumerate(_spaces(table, block, mixes)):
            # Where the nearest reference points are densest on the map
            cosines = vectors @ spaces[k].T
            nearest = min(NEIGHBORS_TO_PLACE, len(spaces[k]))
            neighbors = np.argpartition(-cosines, nearest - 1, axis=1)[:, :nearest]
            inserted = insert(reference.coordinates[k], neighbors, np.take_along_axis(cosines, neighbors, axis=1))
            coordinates[k, first : first + len(block)] = np.clip(inserted, -1, 1)
        done = first + len(block)
        report(min(done, len(rows) - 1), len(rows), done / (perf_counter() - started))
    sample = np.sort(np.random.default_rng(1).permutation(len(rows))[:TRUST_POINTS])
    trust = tuple(trustworthiness(space, coordinates[k, sample]) for k, space in enumerate(_spaces(table, rows[sample], mixes)))
    return replace(reference, coordinates=coordinates, trustworthiness=trust)


def sentence_rows(table: OccurrenceTable, max_tokens: int) -> np.ndarray:
    """Return the rows (N,) of complete sentences in order; of random sentences if there are more than `max_tokens`."""
    order = np.lexsort((table.position, table.sentence))
    if len(order) <= max_tokens:
        return order
    sizes = np.bincount(table.sentence)
    shuffled = np.random.default_rng(0).permutation(len(sizes))
    return order[np.isin(table.sentence[order], shuffled[np.cumsum(sizes[shuffled]) <= max_tokens])]


def rows_to_lay_out(table: OccurrenceTable, rows: np.ndarray, n: int) -> np.ndarray:
    """Draw at random the rows (M,) that UMAP lays out, at most OF_ONE_SPELLING per spelling."""
    random = np.random.default_rng(0).permutation(rows)
    import pandas as pd

    drawn_before = pd.Series(table.word[random]).groupby(table.word[random]).cumcount().to_numpy()
    return np.sort(random[drawn_before < OF_ONE_SPELLING][:n])


def sense_numbers(table: OccurrenceTable, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for rows (N,) the number, from 1, of the labeled word, and of its sense among that word's; 0 for unlabeled rows."""
    lemma_of_row, sense_of_row = np.zeros((2, len(rows)), np.uint16)
    senses = [table.senses_of(lemma) for lemma in table.lemmas]
    for k in np.flatnonzero((table.sense[rows] >= 0) & (table.lemma[rows] >= 0)):
        number = table.lemma[rows[k]]
        lemma_of_row[k] = number + 1
        sense_of_row[k] = senses[number].index(table.senses[table.sense[rows[k]]]) + 1
    return lemma_of_row, sense_of_row


def spreads(maps: FrozenMaps, words: np.ndarray, wanted: Sequence[int]) -> np.ndarray:
    """Return the median distance (W, K) of a spelling's tokens from their median, as a share of the map's width."""
    result = np.zeros((len(wanted), len(maps.names)))
    order = np.argsort(words, kind="stable")
    first, last = (np.searchsorted(words[order], wanted, side=side) for side in ("left", "right"))
    for w in range(len(wanted)):
        points = maps.coordinates[:, order[first[w] : last[w]]].astype(np.float64) / 2  # (K, n, 2)
        if points.shape[1]:
            result[w] = np.median(np.linalg.norm(points - np.median(points, axis=1, keepdims=True), axis=2), axis=1)
    return result


def _spaces(table: OccurrenceTable, rows: np.ndarray, mixes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the unit vectors (n, D) of some rows in every space."""
    layers = table.rows.take(rows).transpose(1, 0, 2)
    return [unit_rows(mixed(layers, weights)) for weights in mixes]
