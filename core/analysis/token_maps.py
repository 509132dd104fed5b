"""Put every token of a corpus on one map.

UMAP lays out a few thousand tokens drawn at random; every other token is placed among its nearest of these. So a map of hundreds of
thousands of tokens takes a minute or two. Close tokens are similar, but distant tokens need not differ, as in UMAP itself, and a token
unlike all those laid out is placed near the least unlike. Trustworthiness is measured on random tokens, most of which UMAP has not seen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from ..common.config import cache_folder
from ..common.directions import unit_rows
from ..elmo.mix import layer_weights, mixed
from ..files.artifacts import replacing, safe_name, text_fingerprint
from ..index.table import OccurrenceTable
from .maps import ProjectionConfig, aligned_maps, insert
from .trustworthiness import trustworthiness

MOST = 300_000  # tokens on a map; of more, whole sentences at random
# Tokens that UMAP lays out, at most, and of a spelling at most: else a third of them would be "the" and "."
LAID_OUT, OF_ONE_SPELLING = 2_000, 8
NEIGHBORS = 8  # of those laid out, that decide where another token lies
MEASURED = 1_000  # tokens on which trust is measured
ROWS_AT_ONCE = 2_048
FULL = 65_535  # places are whole numbers from 0 to this
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
    def load(cls, path: Path) -> TokenMaps | None:
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
    made_by = text_fingerprint([repr(ProjectionConfig()), repr((*names, MOST, LAID_OUT, OF_ONE_SPELLING, NEIGHBORS, FORMAT))])[:8]
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
    most: int = MOST,
) -> TokenMaps:
    """Compute the maps of the spaces `names`. `report(tokens placed, total, tokens per second)` may end the work by raising."""
    rows = sentence_rows(table, most)
    mixes = [layer_weights(name, table.meta["layers"]) for name in names]
    report(0, len(rows), 0.0)
    drawn = rows_to_lay_out(table, rows, laid_out)
    spaces = _spaces(table, drawn, mixes)
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
    sample = np.sort(np.random.default_rng(1).permutation(len(rows))[:MEASURED])
    trust = [trustworthiness(space, places[k, sample]) for k, space in enumerate(_spaces(table, rows[sample], mixes))]
    return TokenMaps(names=tuple(names), rows=rows, places=places, trust=tuple(trust), laid_out=len(drawn))


def sentence_rows(table: OccurrenceTable, most: int = MOST, seed: int = 0) -> np.ndarray:
    """Return the rows (N,) of complete sentences in order; of random sentences if there are more than `most` tokens."""
    order = np.lexsort((table.position, table.sentence))
    if len(order) <= most:
        return order
    sizes = np.bincount(table.sentence)
    shuffled = np.random.default_rng(seed).permutation(len(sizes))
    return order[np.isin(table.sentence[order], shuffled[np.cumsum(sizes[shuffled]) <= most])]


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
    k = min(NEIGHBORS, len(references))
    neighbors = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    return insert(flat, neighbors, np.take_along_axis(cosines, neighbors, axis=1))
