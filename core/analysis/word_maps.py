"""The maps of a word: frozen ones opened or fitted, a new token placed in them, and a mix's layout made from its layers'."""

import numpy as np

from ..common.config import cache_folder
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..elmo.mix import layer_normalized, layer_weights, mixed, shares_of
from ..files.artifacts import safe_name, text_fingerprint
from ..files.quotas import may_store
from ..index.neighbors import Products, best, cosines_of_mixes
from ..index.table import OccurrenceTable
from .maps import FrozenMaps, ProjectionConfig, aligned_maps, follow, insert
from .token_maps import table_name

ALL_WORDS = "all words"
NEIGHBORS_TO_PLACE = 8  # nearest occurrences that decide where a new one lands on a map
MEASURED = "trustworthiness without ties"  # how what is kept of a map was measured: other figures are not taken for these


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
    """Return the rows of a word, or of all words, that a person labeled with a sense. Raises BadInput if there are none."""
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
    shift = (
        maps.coordinates.shape[1] * np.arange(len(weights))[:, None]
    )  # the maps lie one behind the other: one call places in all of them
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
    start = shares_of(weights)
    shares = np.copysign(start, weights)
    shares = -shares if (shares <= 0).all() else shares  # the same directions, turned around
    for k, single in enumerate([*np.eye(len(layers)), np.full(len(layers), 1 / len(layers))]):
        if np.abs(shares - single).max() < 0.005:
            if not normalized:
                return maps.coordinates[k]
            start = shares = single
    space = mixed(layer_normalized(layers) if normalized else layers, shares)
    return follow(space, mixed(maps.coordinates[: len(layers)].astype(float), start), maps.config)
