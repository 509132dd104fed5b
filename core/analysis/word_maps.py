"""The maps of a word: frozen ones opened or fitted, a new token placed in them, and a mix's layout made from its layers'."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from ..common.config import cache_folder
from ..common.directions import unit_rows
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..elmo.mix import layer_normalized, layer_weights, mixed, pulls
from ..files.artifacts import replacing, safe_name, text_fingerprint
from ..files.quotas import may_store
from ..index.neighbors import Products, best, cosines_of_mixes
from ..index.table import OccurrenceTable
from .aligned_umap import FrozenMaps, ProjectionConfig, aligned_maps, follow, insert, trustworthiness

ALL_WORDS = "all words"
NEIGHBORS_TO_PLACE = 8  # nearest tokens that decide where a new one is placed on a map
MEASURED = "trustworthiness without ties"  # how a stored map was measured; files with other figures have other names


def open_maps(table: OccurrenceTable, word: str, *, fit: bool = False) -> FrozenMaps | None:
    """Open the frozen maps of a word's labeled rows, or of all words: bundled, cached, or fitted now if `fit`."""
    name = f"{safe_name(word)}.safetensors"
    made_by = f"{table_name(table)}-{text_fingerprint([repr(ProjectionConfig()), MEASURED])[:8]}"
    cached = cache_folder() / "maps" / made_by / name
    for path in (table.folder / "maps" / name, cached):
        if path.is_file():
            return FrozenMaps.load(path)
    if not fit:
        return None
    maps = fit_maps(table, word)
    if may_store(maps.coordinates.nbytes):
        cached.parent.mkdir(parents=True, exist_ok=True)
        maps.save(cached)
    return maps


def map_rows(table: OccurrenceTable, word: str) -> np.ndarray:
    """Return the rows on a map of `word` in the order of its points: rows with a labeled sense, then with a predicted one.

    A map of all words shows the table's basic rows.
    """
    rows = table.basic.rows_to_draw() if word == ALL_WORDS else table.rows_to_draw(word)
    if not len(rows):
        if not (names := ", ".join(table.lemmas[:12])):
            raise BadInput(t("This corpus has no labeled words. Label some on the page Senses, or choose another corpus."))
        raise BadInput(t("'{word}' has no labeled sentences here. Choose one of: {known} ...", word=shorten(word), known=names))
    return rows


def rows_to_measure(table: OccurrenceTable, word: str) -> np.ndarray:
    """Return the rows of a word, or of all words, that a person labeled with a sense. Raises BadInput without any."""
    map_rows(table, word)
    if not len(rows := table.basic.labeled_rows() if word == ALL_WORDS else table.labeled_rows(word)):
        raise BadInput(
            t("Nobody labeled a sentence of “{word}”: its senses are a model’s guesses. Label some on Senses.", word=shorten(word))
        )
    return rows


def fit_maps(table: OccurrenceTable, word: str) -> FrozenMaps:
    """Fit aligned UMAP to a word's rows in layers 0, 1, 2 and their equal mix (Peters et al. 2018, eq. 1 with equal s_j)."""
    layers = table.rows.take(map_rows(table, word))  # (n, L, D)
    spaces = [layers[:, k] for k in range(layers.shape[1])] + [layers.mean(axis=1)]
    names = [str(k) for k in range(layers.shape[1])] + ["mix"]
    # Few points: a smaller neighborhood than the usual 15, or every point would be everyone's neighbor.
    config = ProjectionConfig(n_neighbors=15 if len(layers) > 200 else 10)
    return aligned_maps(spaces, names, config)


def place(table: OccurrenceTable, products: Products, rows: np.ndarray, maps: FrozenMaps) -> np.ndarray:
    """Return a token's places (K, 2) in the frozen maps of those rows, from its nearest rows in each map's space."""
    weights = [layer_weights(space, table.meta["layers"]) for space in maps.names]
    cosines = cosines_of_mixes(table.rows, products, weights)[:, rows]  # (K, n)
    neighbors = np.stack([best(cosine, NEIGHBORS_TO_PLACE) for cosine in cosines])  # (K, k)
    # All maps are concatenated, so that one call places in all of them
    shift = maps.coordinates.shape[1] * np.arange(len(weights))[:, None]
    return insert(maps.coordinates.reshape(-1, 2), neighbors + shift, np.take_along_axis(cosines, neighbors, axis=1))


def place_under(table: OccurrenceTable, products: Products, rows: np.ndarray, flat: np.ndarray, weights) -> np.ndarray:
    """Return a token's place (2,) in one layout (n, 2) of those rows under one layer mix."""
    cosines = cosines_of_mixes(table.rows, products, [weights])[:, rows]  # (1, n)
    neighbors = best(cosines[0], NEIGHBORS_TO_PLACE)[None]
    return insert(flat, neighbors, np.take_along_axis(cosines, neighbors, axis=1))[0]


def follow_mix(layers: np.ndarray, weights: np.ndarray, maps: FrozenMaps, *, normalized: bool = False) -> np.ndarray:
    """Return the map (n, 2) of a layer mix, laid out from the frozen maps of its layers.

    The start is the average of those maps in the proportions of the absolute weights, so the result depends on the weights and not on
    the path of the slider. A single layer, and the equal mix, is its frozen map. Normalized layers have no frozen map, so each mix of
    them is laid out.
    """
    start = pulls(weights)
    shares = np.copysign(start, weights)
    shares = -shares if (shares <= 0).all() else shares  # the same directions, turned around
    for k, single in enumerate([*np.eye(len(layers)), np.full(len(layers), 1 / len(layers))]):
        if np.abs(shares - single).max() < 0.005:
            if not normalized:
                return maps.coordinates[k]
            start = shares = single
    space = mixed(layer_normalized(layers) if normalized else layers, shares)
    return follow(space, mixed(maps.coordinates[: len(layers)].astype(float), start), maps.config)


MOST = 300_000  # tokens on a map; of more, random complete sentences
# At most so many tokens that UMAP lays out, and so many of one spelling, or a third of them would be "the" and "."
LAID_OUT, OF_ONE_SPELLING = 2_000, 8
TRUST_POINTS = 1_000  # tokens on which trust is measured
ROWS_AT_ONCE = 2_048
FULL = 65_535  # places are integers from 0 to this
FORMAT = 1  # of a saved file


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TokenMaps:
    """K maps of the same N tokens, sentence after sentence, on shared axes of one scale."""

    names: tuple[str, ...]  # (K,), of the spaces
    rows: np.ndarray  # (N,) int64, of the table
    places: np.ndarray  # (K, N, 2) uint16: 0 is left and below, FULL right and above
    trust: tuple[float, ...]  # (K,), 1 is perfect, 0.5 at random; NaN where equal vectors do not say who is nearest
    laid_out: int  # tokens that UMAP laid out

    def save(self, path: Path) -> None:
        """Write one safetensors file, atomically."""
        from safetensors.numpy import save

        about = {"names": self.names, "trust": [str(item) for item in self.trust], "laid_out": self.laid_out}
        with replacing(path) as temporary:
            temporary.write_bytes(save({"rows": self.rows, "places": self.places}, {"elmoscope_tokens": json.dumps(about)}))

    @classmethod
    def load(cls, path: Path) -> "TokenMaps | None":
        """Read a file that `save` wrote; None if it is missing or of another kind."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                about = json.loads(file.metadata()["elmoscope_tokens"])
                values = {name: file.get_tensor(name) for name in ("rows", "places")}
            trust = tuple(float(item) for item in about["trust"])
            return cls(names=tuple(about["names"]), trust=trust, laid_out=int(about["laid_out"]), **values)
        except (SafetensorError, OSError, LookupError, TypeError, ValueError):
            return None


def file_of(table: OccurrenceTable, names: Sequence[str]) -> Path:
    """Return the path of the stored maps of a table."""
    made_by = text_fingerprint([repr(ProjectionConfig()), repr((*names, MOST, LAID_OUT, OF_ONE_SPELLING, NEIGHBORS_TO_PLACE, FORMAT))])[:8]
    return cache_folder() / "maps" / "tokens" / f"{table_name(table)}-{made_by}.safetensors"


def table_name(table: OccurrenceTable) -> str:
    """Return the part of a file name that identifies a table. It is made safe, because meta.json may come from anyone."""
    return f"{safe_name(str(table.meta['model']))}-{safe_name(str(table.meta['corpus'])[:16])}"


def token_maps(
    table: OccurrenceTable,
    names: Sequence[str],
    report: Callable[[int, int, float], None] = lambda done, total, speed: None,
    *,
    laid_out: int = LAID_OUT,
    max_tokens: int = MOST,
) -> TokenMaps:
    """Compute the maps of the spaces `names`. `report(tokens placed, total, tokens per second)` may end the work by raising."""
    rows = sentence_rows(table, max_tokens)
    mixes = [layer_weights(name, table.meta["layers"]) for name in names]
    report(0, len(rows), 0.0)
    reference_rows = rows_to_lay_out(table, rows, laid_out)
    spaces = _spaces(table, reference_rows, mixes)
    flat = aligned_maps(spaces, names, ProjectionConfig(), lambda line: report(0, len(rows), 0.0)).coordinates
    places = np.empty((len(names), len(rows), 2), np.uint16)
    started = perf_counter()
    for first in range(0, len(rows), ROWS_AT_ONCE):
        block = rows[first : first + ROWS_AT_ONCE]
        for k, vectors in enumerate(_spaces(table, block, mixes)):
            coordinates = _place_near(vectors, spaces[k], flat[k])
            places[k, first : first + len(block)] = np.round((np.clip(coordinates, -1, 1) + 1) / 2 * FULL)
        done = first + len(block)
        report(min(done, len(rows) - 1), len(rows), done / (perf_counter() - started))
    sample = np.sort(np.random.default_rng(1).permutation(len(rows))[:TRUST_POINTS])
    trust = [trustworthiness(space, places[k, sample]) for k, space in enumerate(_spaces(table, rows[sample], mixes))]
    return TokenMaps(names=tuple(names), rows=rows, places=places, trust=tuple(trust), laid_out=len(reference_rows))


def sentence_rows(table: OccurrenceTable, max_tokens: int = MOST, seed: int = 0) -> np.ndarray:
    """Return the rows (N,) of complete sentences in order; of random sentences if there are more than `max_tokens`."""
    order = np.lexsort((table.position, table.sentence))
    if len(order) <= max_tokens:
        return order
    sizes = np.bincount(table.sentence)
    shuffled = np.random.default_rng(seed).permutation(len(sizes))
    return order[np.isin(table.sentence[order], shuffled[np.cumsum(sizes[shuffled]) <= max_tokens])]


def rows_to_lay_out(table: OccurrenceTable, rows: np.ndarray, n: int = LAID_OUT, seed: int = 0) -> np.ndarray:
    """Draw at random the rows (M,) that UMAP lays out, at most OF_ONE_SPELLING per spelling."""
    random = np.random.default_rng(seed).permutation(rows)
    word = table.word[random]
    order = np.argsort(word, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(word[order]) != 0])
    turn = np.empty(len(word), int)  # how many of its spelling were drawn before
    turn[order] = np.arange(len(word)) - np.repeat(starts, np.diff(np.r_[starts, len(word)]))
    return np.sort(random[turn < OF_ONE_SPELLING][:n])


def sense_numbers(table: OccurrenceTable, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for rows (N,) the number, from 1, of the labeled word, and of its sense among that word's; 0 for unlabeled rows."""
    lemma, sense = np.zeros(len(rows), np.uint16), np.zeros(len(rows), np.uint16)
    senses = [table.senses_of(lemma) for lemma in table.lemmas]
    for k in np.flatnonzero((table.sense[rows] >= 0) & (table.lemma[rows] >= 0)):
        number = table.lemma[rows[k]]
        lemma[k], sense[k] = number + 1, 1 + senses[number].index(table.senses[table.sense[rows[k]]])
    return lemma, sense


def spreads(maps: TokenMaps, words: np.ndarray, wanted: Sequence[int]) -> np.ndarray:
    """Return the median distance (W, K) of a spelling's tokens from their median, as a share of the map's width."""
    result = np.zeros((len(wanted), len(maps.names)))
    order = np.argsort(words, kind="stable")
    first, last = (np.searchsorted(words[order], wanted, side=side) for side in ("left", "right"))
    for w in range(len(wanted)):
        points = maps.places[:, order[first[w] : last[w]]].astype(np.float64) / FULL  # (K, n, 2)
        if points.shape[1]:
            result[w] = np.median(np.linalg.norm(points - np.median(points, axis=1, keepdims=True), axis=2), axis=1)
    return result


def _spaces(table: OccurrenceTable, rows: np.ndarray, mixes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the unit vectors (n, D) of some rows in every space."""
    layers = table.rows.take(rows).transpose(1, 0, 2)
    return [unit_rows(mixed(layers, weights)) for weights in mixes]


def _place_near(vectors: np.ndarray, references: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """Place vectors (n, D) where the nearest of `known` (M, D) are densest on a map (M, 2)."""
    cosines = vectors @ references.T
    k = min(NEIGHBORS_TO_PLACE, len(references))
    neighbors = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    return insert(flat, neighbors, np.take_along_axis(cosines, neighbors, axis=1))
