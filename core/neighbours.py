"""Nearest occurrences and types of a token in context, exactly, for any layer or any mix of layers.

One pass over the table per query gives the (L, L) products of every row with the query; after that any weights cost
nine multiplications a row (DESIGN: any mix from one pass; core.elmo.mix.mixed_cosines).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.elmo.mix import check_weights, gram, mixed_cosines
from core.errors import BadInput
from core.occurrences import Occurrence, OccurrenceTable, Rows

SAME, OTHER, ANY = "same word", "other words", "any word"


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
        raise BadInput("The sentence is empty. Type one that contains the word.")
    if not 0 <= position < len(tokens):
        raise BadInput(f"Position {position} is outside the sentence, whose tokens are numbered 0 to {len(tokens) - 1}.")
    layers = encoder.encode([list(tokens)])[0][:, position]
    return Query(tuple(tokens), position, layers.astype(np.float16).astype(np.float32))


def products(rows: Rows, query: Query) -> Products:
    """One pass over the vectors: all layer products of the query with every row."""
    n_layers = len(query.layers)
    cross = np.empty((len(rows), n_layers, n_layers), np.float32)
    for start, block in zip(rows.starts[:-1], rows.layers, strict=True):
        if block.shape[1:] != query.layers.shape:
            held, given = (f"{n} layers of {size}" for n, size in (block.shape[1:], query.layers.shape))
            raise BadInput(f"The index holds {held}, the model gives {given}.")
        for k in range(0, len(block), 4096):  # widened to float32 a piece at a time, so that memory stays bounded
            wide = block[k : k + 4096].astype(np.float32)
            cross[start + k : start + k + len(wide)] = (wide @ query.layers.T).transpose(0, 2, 1)
    return Products(query, cross, gram(query.layers[None])[0])


def cosines(rows: Rows, found: Products, weights) -> np.ndarray:
    """Cosine of the query's mix with every row's mix, (N,); 0 where a mix has no length."""
    return mixed_cosines(found.cross, found.own, rows.gram, check_weights(weights, len(found.query.layers)))


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
    rows = _best(values, keep & ~_own_row(table, found.query), k)
    return [Neighbour(table.occurrence(int(row)), float(values[row])) for row in rows]


def nearest_types(
    table: OccurrenceTable, found: Products, weights, *, k: int = 10, other_words: bool = True
) -> list[TypeNeighbour]:
    """The k nearest spellings by their mean vectors; `found` must be `products(table.types, query)`."""
    _check_k(k)
    values = cosines(table.types, found, weights)
    keep = np.ones(len(values), bool)
    if other_words and (code := table.word_codes.get(found.query.word.casefold())) is not None:
        keep[code] = False
    counts = np.bincount(table.word, minlength=len(values))
    return [TypeNeighbour(table.words[code], float(values[code]), int(counts[code])) for code in _best(values, keep, k)]


def similarities(table: OccurrenceTable, rows: np.ndarray, weights) -> np.ndarray:
    """Cosines of the mixes of some rows with each other, (n, n) float32."""
    mixes = np.tensordot(check_weights(weights, table.meta["layers"]).astype(np.float32), table.rows.take(rows), axes=(0, 1))
    lengths = np.linalg.norm(mixes, axis=1, keepdims=True)
    unit = np.divide(mixes, lengths, out=np.zeros_like(mixes), where=lengths > 1e-12)
    return unit @ unit.T


def _filter(table: OccurrenceTable, query: Query, which: str) -> np.ndarray:
    if which not in (ANY, SAME, OTHER):
        raise BadInput(f"Unknown choice of neighbours '{which}'; use '{ANY}', '{SAME}' or '{OTHER}'.")
    if which == ANY:
        return np.ones(len(table), bool)
    # Inflected forms of a labelled word count as the same word: "banks" is no other word than "bank".
    code = table.word_codes.get(query.word.casefold(), -2)
    same = table.word == code
    lemmas = np.unique(table.lemma[same])
    same |= np.isin(table.lemma, lemmas[lemmas >= 0])
    return same if which == SAME else ~same


def _own_row(table: OccurrenceTable, query: Query) -> np.ndarray:
    """The very occurrence, where the query's sentence is in the corpus: nobody is their own neighbour."""
    own = np.zeros(len(table), bool)
    code = table.word_codes.get(query.word.casefold())
    if code is not None:
        for row in np.flatnonzero((table.word == code) & (table.position == query.position)):
            own[row] = tuple(table.sentences[int(table.sentence[row])].as_py()) == query.tokens
    return own


def _best(values: np.ndarray, keep: np.ndarray, k: int) -> np.ndarray:
    """Row numbers of the k highest kept values, highest first, ties in row order."""
    rows = np.flatnonzero(keep)
    if len(rows) > k:
        cut = np.partition(values[rows], len(rows) - k)[len(rows) - k]  # the k-th highest value: all its ties stay in
        rows = rows[values[rows] >= cut]
    return rows[np.argsort(-values[rows], kind="stable")][:k]


def _check_k(k: int) -> None:
    if k < 1:
        raise BadInput(f"k must be at least 1, got {k}.")
