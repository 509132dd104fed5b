"""Compute the products from which the browser ranks a query's neighbors under any layer mix.

The cosine of two mixes needs only the products of their layers (core.elmo.mix): L x L of a query with a row, and the gram of each. The
products of a few rows therefore serve every mix; the rows are chosen by trying mixes all over the simplex. The browser ranks this table
again at every pixel of a drag (pages/_map/mix.js).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from ..elmo.mix import layer_normalized, mix_cosines
from .neighbors import Products, best, grams_beside
from .rows import Rows
from .table import OccurrenceTable

STEPS, MIXES = (10, 100)  # mixes in tenths, 66 of three layers; of more layers in fewer steps, so that they are about so many at most
EACH = 60  # nearest rows that every mix contributes
MOST = 2_000  # rows in all


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Rows of a table that may be a query's nearest under some mix, in the table's order."""

    rows: np.ndarray  # (n,) numbers in the table
    cross: np.ndarray  # (n, L, L) float32: query layer i with row layer j
    grams: np.ndarray  # (n, L(L+1)/2) float32, of the rows with themselves
    own: np.ndarray  # (L(L+1)/2,) float32, of the query with itself

    def cosines(self, weights) -> np.ndarray:
        """Return the cosines (n,) float64 under one mix (L,), as the browser computes them."""
        wide = (item.astype(np.float64) for item in (self.cross, self.own, self.grams))
        return mix_cosines(*wide, np.asarray(weights, np.float64))


def mixes(lengths: np.ndarray) -> np.ndarray:
    """Return mixes (K, L), each with sum 1, evenly spread in the layers' share of the mix: weight times mean vector length (L,)."""
    n, steps = len(lengths), STEPS
    while steps > 1 and comb(steps + n - 1, n - 1) > MIXES:
        steps -= 1
    grid = [np.bincount(parts, minlength=n) for parts in combinations_with_replacement(range(n), steps)]
    weights = np.array(grid, np.float64) / np.maximum(np.asarray(lengths, np.float64), 1e-12)
    return weights / weights.sum(axis=1, keepdims=True)


def of_word(table: OccurrenceTable, products: Products, lengths: np.ndarray) -> Candidates:
    """Return the other occurrences of the query's word in any of its forms, as core.index.neighbors.SAME selects them."""
    keep = table.same_word(products.query.word, read_as=products.query.read_as) & ~table.own_row(products.query)
    return _chosen(table.rows, products, keep, lengths)


def of_types(table: OccurrenceTable, products: Products, lengths: np.ndarray) -> Candidates:
    """Return the other spellings by their mean vectors; `products` must be with `table.types`."""
    keep = np.ones(len(table.types), bool)
    if (code := table.word_codes.get(products.query.word.casefold())) is not None:
        keep[code] = False
    return _chosen(table.types, products, keep, lengths)


def _chosen(rows: Rows, products: Products, keep: np.ndarray, lengths: np.ndarray) -> Candidates:
    """Return all candidates if they are few, else the union of the nearest under each of `mixes`, fewer of each if that is too many."""
    chosen = np.flatnonzero(keep)
    if len(chosen) > MOST:
        cosines = mix_cosines(products.cross, products.query_gram, grams_beside(rows, products), mixes(lengths))
        values = np.where(keep, cosines, -np.inf)  # (K, N)
        ranked = np.stack([best(value, EACH) for value in values])  # (K, EACH), best first
        depth = EACH
        while len(chosen := np.unique(ranked[:, :depth])) > MOST:
            depth -= 1
    return of_rows(rows, products, chosen)


def of_rows(rows: Rows, products: Products, chosen: np.ndarray) -> Candidates:
    """Return exactly these rows (n,) as candidates."""
    grams = grams_beside(rows, products)
    cross = np.ascontiguousarray(products.cross[chosen], np.float32)
    return Candidates(chosen, cross, np.ascontiguousarray(grams[chosen], np.float32), np.asarray(products.query_gram, np.float32))


def together(parts: Sequence[Candidates], rows: np.ndarray) -> Candidates:
    """Join one query's candidates of several tables, numbered by `rows`."""
    cross, grams = (np.concatenate([getattr(part, name) for part in parts]) for name in ("cross", "grams"))
    return Candidates(rows, cross, grams, parts[0].own)


def between(first: Products, second: Products) -> np.ndarray:
    """Return the products (L, L) float32 of both queries' layers, normalized if the products are."""
    a, b = (layer_normalized(item.query.layers) if item.normalized else item.query.layers for item in (first, second))
    return (a.astype(np.float64) @ b.T.astype(np.float64)).astype(np.float32)


def pairs(layers: np.ndarray) -> np.ndarray:
    """Return the layer products (n(n+1)/2, L, L) float32 of all pairs of rows (n, L, D), each row with itself and later ones."""
    n, n_layers, dim = layers.shape
    flat = layers.reshape(n * n_layers, dim).astype(np.float64)
    blocks = (flat @ flat.T).reshape(n, n_layers, n, n_layers).transpose(0, 2, 1, 3)  # (n, n, L, L)
    return blocks[np.triu_indices(n)].astype(np.float32)


def chance(senses: np.ndarray) -> float:
    """Return how often the nearest other row has the same sense if senses (n,) are shuffled: the mean over all shuffles."""
    counts = np.unique(senses, return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / (len(senses) * (len(senses) - 1)))
