"""Nearest occurrences and types of a token in context, exactly, for any layer or any mix of layers.

One pass over the table per query gives the (L, L) products of every row with the query; after that any weights cost
nine multiplications a row (DESIGN: any mix from one pass; core.elmo.mix.mixed_cosines).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.threads import limit
from core.elmo import layer_norm
from core.elmo.mix import check_weights, gram, mixed_cosines
from core.index import half_products
from core.index.rows import Rows
from core.index.table import Occurrence, OccurrenceTable

SAME, OTHER, ANY = "same word", "other words", "any word"
ROWS_AT_ONCE = 1024
ROWS_A_THREAD = 2048  # of a block: a small table too is read by several threads
CHUNK = 64  # values of which only the highest is looked at first
# One pass over the vectors, a part of the table a thread; the products of a piece are too small for torch's own threads.
_READERS = ThreadPoolExecutor(os.cpu_count() or 1, "reader", initializer=limit, initargs=(1,))


@dataclass(frozen=True, slots=True)
class Query:
    """A token in its sentence, with its layers as they would be stored: float16 and back, (L, D)."""

    tokens: tuple[str, ...]
    position: int
    layers: np.ndarray

    @property
    def word(self) -> str:
        return self.tokens[self.position]


@dataclass(frozen=True, slots=True)
class Products:
    """What a query needs of the vectors, for good: `cross` (N, L, L) with every row, `own` (L(L+1)/2,) with itself."""

    query: Query
    cross: np.ndarray
    own: np.ndarray
    normalised: bool = False  # of layers after layer normalisation (core.elmo.layer_norm), the rows' too


@dataclass(frozen=True, slots=True)
class Neighbour:
    occurrence: Occurrence
    cosine: float


@dataclass(frozen=True, slots=True)
class TypeNeighbour:
    """A spelling, by the mean of its occurrences in the corpus."""

    word: str
    cosine: float
    occurrences: int


def make_query(encoder, tokens: list[str], position: int) -> Query:
    """Encode a sentence and take the token at `position`."""
    if not tokens:
        raise BadInput(t("The sentence is empty. Type one that contains the word."))
    if not 0 <= position < len(tokens):
        told = t(
            "Position {position} is outside the sentence, whose tokens are numbered 0 to {last}.",
            position=position, last=len(tokens) - 1,
        )  # fmt: skip
        raise BadInput(told)
    layers = encoder.encode([list(tokens)])[0][:, position]
    return Query(tuple(tokens), position, layers.astype(np.float16).astype(np.float32))


def products(rows: Rows, query: Query) -> Products:
    """One pass over the vectors: all layer products of the query with every row."""
    n_layers = len(query.layers)
    cross, pieces = np.empty((n_layers, n_layers, len(rows)), np.float32), []  # as core.elmo.mix.mixed_cosines reads it soonest
    for start, block in zip(rows.starts[:-1], rows.layers, strict=True):
        if block.shape[1:] != query.layers.shape:
            (n, size), (given, given_size) = block.shape[1:], query.layers.shape
            told = t(
                "The index holds {n} layers of {size}, the model gives {given} layers of {given_size}.",
                n=n, size=size, given=given, given_size=given_size,
            )  # fmt: skip
            raise BadInput(told)
        for k in range(0, len(block), ROWS_A_THREAD):
            piece = block[k : k + ROWS_A_THREAD]
            pieces.append((piece, cross[:, :, start + k : start + k + len(piece)]))
    wanted = np.ascontiguousarray(query.layers, np.float32)  # (L, D)
    multiply = half_products.products() or _layer_products
    for done in [_READERS.submit(multiply, *piece, wanted) for piece in pieces]:
        done.result()
    return Products(query, cross.transpose(2, 0, 1), gram(query.layers[None])[0])


def _layer_products(block: np.ndarray, cross: np.ndarray, wanted: np.ndarray) -> None:
    """cross[i, j, n] = query layer i times row n's layer j, a few rows at a time so that they stay in the processor's cache.

    torch widens float16 with the processor's own instruction, numpy a number at a time.
    """
    n_layers, dim = block.shape[1:]
    # The mapping is read-only, which torch warns of (it might write): so it is told the address. Nothing is written.
    memory = (ctypes.c_char * block.nbytes).from_address(block.ctypes.data)
    narrow = torch.frombuffer(memory, dtype=torch.float16).view(-1, dim)
    wide = torch.empty((ROWS_AT_ONCE * n_layers, dim))
    # Four query rows take less time than three, and the product the other way round four times as much.
    padded = torch.zeros((-(-len(wanted) // 4) * 4, dim))
    padded[: len(wanted)] = torch.from_numpy(wanted)
    found = torch.empty((len(padded), len(narrow)))
    for k in range(0, len(narrow), len(wide)):
        n = min(len(wide), len(narrow) - k)
        wide[:n].copy_(narrow[k : k + n])
        found[:, k : k + n] = torch.mm(padded, wide[:n].t())
    torch.from_numpy(cross).copy_(found[: len(wanted)].view(len(wanted), -1, n_layers).transpose(1, 2))


def normalised_products(rows: Rows, found: Products) -> Products:
    """The same products of layers after layer normalisation, exactly, from those of the layers as they are."""
    layers = found.query.layers[None]
    means = layer_norm.means_of(layers)
    d = layer_norm.gram_deviations(found.own[None], means, rows.dim)
    cross = layer_norm.normalised_cross(found.cross, (means[0], d[0]), rows.spread, rows.dim)
    return Products(found.query, cross, layer_norm.normalised_gram(found.own[None], means, d, rows.dim)[0], normalised=True)


def cosines(rows: Rows, found: Products, weights) -> np.ndarray:
    """Cosine of the query's mix with every row's mix, (N,); 0 where a mix has no length."""
    return mixed_cosines(found.cross, found.own, _gram(rows, found), check_weights(weights, len(found.query.layers)))


def cosines_of_mixes(rows: Rows, found: Products, mixes) -> np.ndarray:
    """`cosines` for several mixes at once: K times L weights -> (K, N)."""
    checked = [check_weights(weights, len(found.query.layers)) for weights in mixes]
    return mixed_cosines(found.cross, found.own, _gram(rows, found), np.array(checked))


def _gram(rows: Rows, found: Products) -> np.ndarray:
    return rows.normalised_gram if found.normalised else rows.gram


def nearest(
    table: OccurrenceTable,
    found: Products,
    weights,
    *,
    k: int = 10,
    which: str = ANY,
    sense: str | None = None,
    lemma: str | None = None,
) -> list[Neighbour]:
    """The k nearest occurrences, best first; equal cosines keep the table's order. The query's own row is left out.

    `which` keeps any word, only the same spelling (letter case aside) or only others; `sense`, `lemma` keep labelled rows.
    """
    _check_k(k)
    keep = _filter(table, found.query, which)
    if sense is not None:
        keep &= table.sense == (table.senses.index(sense) if sense in table.senses else -2)
    if lemma is not None:
        keep &= table.lemma == (table.lemmas.index(lemma) if lemma in table.lemmas else -2)
    values = cosines(table.rows, found, weights)
    rows = best(np.where(keep & ~own_row(table, found.query), values, -np.inf), k)
    return [Neighbour(table.occurrence(int(row)), float(values[row])) for row in rows]


def nearest_types(
    table: OccurrenceTable, found: Products, weights, *, k: int = 10, other_words: bool = True
) -> list[TypeNeighbour]:
    """The k nearest spellings by their mean vectors; `found` must be `products(table.types, query)`."""
    _check_k(k)
    values = cosines(table.types, found, weights)
    if other_words and (code := table.word_codes.get(found.query.word.casefold())) is not None:
        values[code] = -np.inf
    counts = np.bincount(table.word, minlength=len(values))
    return [TypeNeighbour(table.words[code], float(values[code]), int(counts[code])) for code in best(values, k)]


def nearest_of_types(table: OccurrenceTable, query: Query, words: Sequence[str], weights, *, most: int = 64) -> list[Occurrence]:
    """For each spelling the occurrence that is nearest to the query; of a frequent one the first `most` are looked at."""
    checked, own, found = check_weights(weights, len(query.layers)), own_row(table, query), []
    wanted = _directions(query.layers[None], checked)[0]
    for word in words:
        rows = np.flatnonzero((table.word == table.word_codes[word]) & ~own)[:most]
        found.append(table.occurrence(int(rows[np.argmax(_directions(table.rows.take(rows), checked) @ wanted)])))
    return found


def _directions(layers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(n, L, D), (L,) -> (n, D) float32: the mixes' unit vectors, zeros as they are."""
    mixes = np.tensordot(np.asarray(weights, np.float32), layers, axes=(0, 1))
    return mixes / np.maximum(np.linalg.norm(mixes, axis=1, keepdims=True), 1e-12)


def similarities(table: OccurrenceTable, rows: np.ndarray, weights, *, normalised: bool = False) -> np.ndarray:
    """Cosines of the mixes of some rows with each other, (n, n) float32; of normalised layers if told so."""
    layers = table.rows.take(rows)
    layers = layer_norm.layer_normalised(layers) if normalised else layers
    unit = _directions(layers, check_weights(weights, table.meta["layers"]))
    return unit @ unit.T


def _filter(table: OccurrenceTable, query: Query, which: str) -> np.ndarray:
    if which not in (ANY, SAME, OTHER):
        raise BadInput(f"Unknown choice of neighbours '{which}'; use '{ANY}', '{SAME}' or '{OTHER}'.")
    if which == ANY:
        return np.ones(len(table), bool)
    same = same_word(table, query.word)
    return same if which == SAME else ~same


def same_word(table: OccurrenceTable, word: str) -> np.ndarray:
    """(N,) bool: rows with this spelling, letter case aside; inflected forms of a labelled word are no other word than it."""
    same = table.word == table.word_codes.get(word.casefold(), -2)
    lemmas = np.unique(table.lemma[same])
    return same | np.isin(table.lemma, lemmas[lemmas >= 0])


def own_row(table: OccurrenceTable, query: Query) -> np.ndarray:
    """(N,) bool: the very occurrence, where the query's sentence is in the corpus: nobody is their own neighbour."""
    own = np.zeros(len(table), bool)
    rows = np.flatnonzero(table.word == table.word_codes.get(query.word.casefold(), -2))
    own[rows] = same_sentence(table, rows, query.tokens, query.position)
    return own


def same_sentence(table: OccurrenceTable, rows: np.ndarray, tokens: Sequence[str], position: int) -> np.ndarray:
    """(n,) bool: which of some rows are this very token of this very sentence."""
    wanted, same = tuple(tokens), table.position[rows] == position
    for k in np.flatnonzero(same):
        same[k] = tuple(table.sentences[int(table.sentence[rows[k]])].as_py()) == wanted
    return same


def best(values: np.ndarray, k: int) -> np.ndarray:
    """Row numbers of the k highest cosines, highest first, ties in row order; one of -inf is never among them."""
    highest = values
    if len(values) > 2 * CHUNK * k:  # the k-th highest of the chunks' highest: k values are no lower
        whole = len(values) // CHUNK * CHUNK
        highest = values[:whole].reshape(-1, CHUNK).max(axis=1)
    cut = np.partition(highest, len(highest) - k)[len(highest) - k] if len(highest) > k else -np.inf
    rows = np.flatnonzero(values >= max(cut, -2.0))  # no cosine is below -1
    return rows[np.argsort(-values[rows], kind="stable")][:k]


def _check_k(k: int) -> None:
    if k < 1:
        raise BadInput(f"k must be at least 1, got {k}.")
