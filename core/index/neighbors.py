"""Search the neighbors of a token in context under any layer or layer mix (`Index.nearest`).

One pass over the table per query gives the (L, L) products of every row with the query. After that any weights cost nine
multiplications a row (DESIGN: any mix from one pass; core.elmo.mix.mix_cosines).

The browser ranks `Candidates`, a few of the rows, again at every pixel of a drag (pages/_map/mix.js). They are chosen by trying mixes all
over the simplex.
"""

import ctypes
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np
import torch

from ..common.config import NEIGHBORS
from ..common.device import limit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import check_choice
from ..elmo import mix
from ..elmo.mix import check_weights, gram, layer_normalized, mix_cosines, widen
from .rows import Occurrence, Query, Rows, compiled_products

SAME, OTHER, ANY = "same word", "other words", "any word"
ROWS_AT_ONCE = 1024
ROWS_A_THREAD = 2048  # of a block: a small table too is read by several threads
CHUNK = 64  # values of which only the highest is compared first
STEPS, MIXES = 10, 100  # mixes in tenths, 66 of three layers; with more layers in fewer steps, so that they are at most MIXES if possible
EACH = 60  # nearest rows that every mix contributes to the candidates
MOST = 2_000  # candidates
# One pass over the vectors, a part of the table a thread; the products of a piece are too small for torch's own threads.
_READERS = ThreadPoolExecutor(os.cpu_count() or 1, "reader", initializer=limit, initargs=(1,))


@dataclass(frozen=True, slots=True)
class Products:
    """The products of a query's layers: `cross` (N, L, L) with every row, `query_gram` (L(L+1)/2,) with itself."""

    query: Query
    cross: np.ndarray
    query_gram: np.ndarray
    normalized: bool = False  # of layers after layer normalization (core.elmo.mix), the rows' too


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A near occurrence and its cosine."""

    occurrence: Occurrence
    cosine: float

    @property
    def in_any_table(self) -> str:
        """Return what identifies the neighbor in any model's table, whose row numbers differ."""
        return f"{self.occurrence.position} {' '.join(self.occurrence.tokens)}"


@dataclass(frozen=True, slots=True)
class TypeNeighbor:
    """A spelling, by the mean of its occurrences in the corpus."""

    word: str
    cosine: float
    occurrences: int

    @property
    def in_any_table(self) -> str:
        """Return what identifies the neighbor in any table."""
        return self.word


def check_search(k: int, which: str) -> None:
    """Raise BadInput unless a search is for at least one neighbor among ANY, SAME or OTHER words."""
    if k < 1:
        raise BadInput(t("k must be at least 1, got {k}.", k=k))
    check_choice(t("neighbors"), which, (ANY, SAME, OTHER))


@dataclass(frozen=True, slots=True)
class Question:
    """A validated search: the k nearest to a query under a layer mix, among the rows that `which` selects."""

    source: Query | Products
    weights: Sequence[float]
    k: int = NEIGHBORS
    which: str = ANY
    lemmas: tuple[str, ...] = ()  # of the query's word in other tables: its other forms count as the same word here too

    def __post_init__(self) -> None:
        check_search(self.k, self.which)

    @property
    def query(self) -> Query:
        """Return the query."""
        return self.source.query if isinstance(self.source, Products) else self.source


class Index(ABC):
    """An index of occurrences: a table, its shards, or their approximate index."""

    def nearest(self, query: Query | Products, weights, *, k: int = NEIGHBORS, which: str = ANY) -> list[Neighbor]:
        """Return the k nearest occurrences, best first; equal cosines keep the rows' order. The query's own row is left out.

        `which` selects any word, only the same spelling (ignoring case) or only others. If `products` with the table are given instead of a
        query, no vector is read again.
        """
        return self.answer(Question(query, weights, k, which))

    @abstractmethod
    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that a validated question selects, in the order of `nearest`."""


def products(rows: Rows, query: Query) -> Products:
    """Compute all layer products of the query with every row in one pass over the vectors."""
    n_layers = len(query.layers)
    n_shared = int(rows.spellings is not None)  # layers that are stored once for each spelling
    cross = np.empty((n_layers, n_layers, len(rows)), np.float32)  # the order that core.elmo.mix.mix_cosines reads fastest
    pieces = []
    for start, block in zip(rows.starts[:-1], rows.layers, strict=True):
        if (rows.n_layers, rows.dim) != query.layers.shape:
            values = {"n": rows.n_layers, "size": rows.dim, "given": n_layers, "given_size": query.layers.shape[1]}
            raise BadInput(t("The index has {n} layers of {size}, the model {given} of {given_size}.", **values))
        for k in range(0, len(block), ROWS_A_THREAD):
            piece = block[k : k + ROWS_A_THREAD]
            pieces.append((piece, cross[:, n_shared:, start + k : start + k + len(piece)]))
    wanted = np.ascontiguousarray(query.layers, np.float32)  # (L, D)
    multiply = compiled_products() or _layer_products
    for done in [_READERS.submit(multiply, *piece, wanted) for piece in pieces]:
        done.result()
    if n_shared:
        cross[:, 0] = (wanted @ widen(rows.spellings).T)[:, rows.spelling]
    return Products(query, cross.transpose(2, 0, 1), gram(query.layers[None])[0])


def _layer_products(block: np.ndarray, cross: np.ndarray, wanted: np.ndarray) -> None:
    """Write cross[i, j, n], query layer i times row n's layer j, a few rows at a time so that they stay in the processor's cache.

    torch widens float16 with the processor's own instruction, numpy a number at a time.
    """
    n_layers, dim = block.shape[1:]
    # The mapping is read-only, which torch warns of (it might write), so it gets the address. Nothing is written.
    memory = (ctypes.c_char * block.nbytes).from_address(block.ctypes.data)
    narrow = torch.frombuffer(memory, dtype=torch.float16).view(-1, dim)
    wide = torch.empty((ROWS_AT_ONCE * n_layers, dim))
    # Four query rows take less time than three, and the product the other way round four times as much.
    padded = torch.zeros((-(-len(wanted) // 4) * 4, dim))
    padded[: len(wanted)] = torch.from_numpy(wanted)
    result = torch.empty((len(padded), len(narrow)))
    for k in range(0, len(narrow), len(wide)):
        n = min(len(wide), len(narrow) - k)
        wide[:n].copy_(narrow[k : k + n])
        result[:, k : k + n] = torch.mm(padded, wide[:n].t())
    torch.from_numpy(cross).copy_(result[: len(wanted)].view(len(wanted), -1, n_layers).transpose(1, 2))


def normalized_products(rows: Rows, result: Products) -> Products:
    """Return the products after layer normalization, exactly, from those of the original layers."""
    layers = result.query.layers[None]
    means = mix.means_of(layers)
    d = mix.gram_deviations(result.query_gram[None], means, rows.dim)
    cross = mix.normalized_cross(result.cross, (means[0], d[0]), rows.spread, rows.dim)
    return Products(result.query, cross, mix.normalized_gram(result.query_gram[None], means, d, rows.dim)[0], normalized=True)


def cosines(rows: Rows, result: Products, weights) -> np.ndarray:
    """Return the cosine of the query's mix with every row's mix (N,); 0 where a mix has no length."""
    return mix_cosines(result.cross, result.query_gram, grams_beside(rows, result), check_weights(weights, len(result.query.layers)))


def products_of(rows: Rows, request: Query | Products) -> Products:
    """Return the products, computed if a query is given."""
    return request if isinstance(request, Products) else products(rows, request)


def grams_beside(rows: Rows, result: Products) -> np.ndarray:
    """Return the rows' products with themselves (N, L(L+1)/2), normalized if the query's are."""
    return rows.normalized_gram if result.normalized else rows.gram


def best(values: np.ndarray, k: int) -> np.ndarray:
    """Return the rows of the k highest cosines, highest first, ties in row order. A row of -inf is never among them."""
    highest = values
    if len(values) > 2 * CHUNK * k:  # the k-th highest of the chunks' highest: k values are no lower
        end = len(values) // CHUNK * CHUNK
        highest = values[:end].reshape(-1, CHUNK).max(axis=1)
    cut = np.partition(highest, len(highest) - k)[len(highest) - k] if len(highest) > k else -np.inf
    rows = np.flatnonzero(values >= max(cut, -2.0))  # no cosine is below -1
    return rows[np.argsort(-values[rows], kind="stable")][:k]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Rows of a table that may be a query's nearest under some mix, in the table's order."""

    rows: np.ndarray  # (n,) numbers in the table
    cross: np.ndarray  # (n, L, L) float32: query layer i with row layer j
    grams: np.ndarray  # (n, L(L+1)/2) float32, of the rows with themselves
    own: np.ndarray  # (L(L+1)/2,) float32, of the query with itself


def choose_candidates(rows: Rows, result: Products, keep: np.ndarray, lengths: np.ndarray) -> Candidates:
    """Return all rows of `keep` (N,) if they are at most MOST, else the union of the nearest under each of `even_mixes`.

    EACH of every mix are taken, or fewer if their union is larger than MOST.
    """
    chosen = np.flatnonzero(keep)
    if len(chosen) > MOST:
        values = mix_cosines(result.cross, result.query_gram, grams_beside(rows, result), even_mixes(lengths))
        ranked = np.stack([best(value, EACH) for value in np.where(keep, values, -np.inf)])  # (K, EACH), best first
        depth = EACH
        while len(chosen := np.unique(ranked[:, :depth])) > MOST:
            depth -= 1
    return candidates_of(rows, result, chosen)


def even_mixes(lengths: np.ndarray) -> np.ndarray:
    """Return mixes (K, L), each with sum 1, evenly spread in the layers' share of the mix: weight times mean vector length (L,)."""
    weights = grid_of_mixes(len(lengths), MIXES) / np.maximum(np.asarray(lengths, np.float64), 1e-12)
    return weights / weights.sum(axis=1, keepdims=True)


def grid_of_mixes(n_layers: int, limit: int) -> np.ndarray:
    """Return all mixes as integer numbers of tenths (K, L), or of longer steps if there are more than `limit`."""
    steps = STEPS
    while steps > 1 and comb(steps + n_layers - 1, steps) > limit:
        steps -= 1
    return np.array([np.bincount(parts, minlength=n_layers) for parts in combinations_with_replacement(range(n_layers), steps)])


def candidates_of(rows: Rows, result: Products, chosen: np.ndarray) -> Candidates:
    """Return exactly these rows (n,) as candidates."""
    cross = np.ascontiguousarray(result.cross[chosen], np.float32)
    grams = np.ascontiguousarray(grams_beside(rows, result)[chosen], np.float32)
    return Candidates(chosen, cross, grams, np.asarray(result.query_gram, np.float32))


def join_candidates(parts: Sequence[Candidates], rows: np.ndarray) -> Candidates:
    """Join one query's candidates of several tables, numbered by `rows`."""
    cross = np.concatenate([part.cross for part in parts])
    grams = np.concatenate([part.grams for part in parts])
    return Candidates(rows, cross, grams, parts[0].own)


def products_between(first: Products, second: Products) -> np.ndarray:
    """Return the products (L, L) float32 of both queries' layers, normalized if the products are."""
    a, b = (layer_normalized(item.query.layers) if item.normalized else item.query.layers for item in (first, second))
    return (a.astype(np.float64) @ b.T.astype(np.float64)).astype(np.float32)


def products_of_pairs(layers: np.ndarray) -> np.ndarray:
    """Return the layer products (n(n+1)/2, L, L) float32 of all pairs of rows (n, L, D), each row with itself and later ones."""
    n, n_layers, dim = layers.shape
    flat = layers.reshape(n * n_layers, dim).astype(np.float64)
    blocks = (flat @ flat.T).reshape(n, n_layers, n, n_layers).transpose(0, 2, 1, 3)  # (n, n, L, L)
    return blocks[np.triu_indices(n)].astype(np.float32)
