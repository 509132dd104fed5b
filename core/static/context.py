"""What stands around a word, without any network: baselines beside which a contextual vector has to prove itself.

Shuffled labels only show that vectors know something of their sentence. Whether they know more than which words stand in it is
asked of the static context: the sum of the other words' static vectors, the commonest ones left out. And whether sentences of
one sense are merely alike in form, of two numbers: how long the sentence is and where the word stands in it.
"""

from collections.abc import Sequence

import numpy as np

from ..common.directions import unit
from .vectors import StaticVectors

COMMONEST = 200  # of the words, most frequent first, that say nothing of a topic and are left out


def static_contexts(
    vectors: StaticVectors, sentences: Sequence[Sequence[str]], spans: Sequence[tuple[int, int]], *, commonest: int = COMMONEST
) -> np.ndarray:
    """Tokens of N sentences and the word's place in each, (start, end) -> (N, D): sums over the tokens outside the place. A token without a
    vector, or among the `commonest`, counts nothing; where none is left the row is zero."""
    common = set(vectors.words[:commonest])
    rows = np.zeros((len(sentences), vectors.dim), np.float32)
    known: dict[str, np.ndarray | None] = {}
    for row, (tokens, (start, end)) in zip(rows, zip(sentences, spans, strict=True), strict=True):
        for token in (*tokens[:start], *tokens[end:]):
            if token not in known:
                known[token] = None if vectors.spelling(token) in common else vectors.vector(token)
            if known[token] is not None:
                row += known[token]
    return rows


def forms(sentences: Sequence[Sequence[str]], spans: Sequence[tuple[int, int]]) -> np.ndarray:
    """Tokens of N sentences and the word's place in each -> (N, 2): tokens in the sentence, tokens before the word; each in its
    standard deviations over the N."""
    result = np.array([(len(tokens), start) for tokens, (start, _) in zip(sentences, spans, strict=True)], np.float64)
    spread = result.std(axis=0)
    return (result / np.where(spread > 0, spread, 1)).astype(np.float32)


def nearness(points: np.ndarray) -> np.ndarray:
    """(n, d) -> (n, n): 1 minus the distance, so that measures made for cosines rank by distance."""
    return 1 - np.linalg.norm(points[:, None] - points[None], axis=2)


def cosines(vectors: np.ndarray, *, centered: bool = False) -> np.ndarray:
    """(n, D) of one word -> (n, n); `centered` takes the mean of the unit vectors off first. A zero vector is at cosine 0 from all."""
    rows = unit(np.asarray(vectors, np.float32))
    if centered:
        rows = unit(rows - rows.mean(axis=0))
    return rows @ rows.T
