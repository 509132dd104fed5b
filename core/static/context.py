"""Baselines without a network, with which contextual vectors are compared.

Shuffled labels show only that vectors know something about their sentence. The static context, the sum of the other words' static vectors
without the most frequent ones, shows whether they know more than the words of the sentence. Two numbers, the length of the sentence and the
position of the word, show whether sentences of one sense merely have the same form.
"""

from collections.abc import Sequence

import numpy as np

from ..common.directions import unit
from .vectors import StaticVectors

COMMONEST = 200  # of the words, most frequent first, that say nothing of a topic and are left out


def static_contexts(
    vectors: StaticVectors, sentences: Sequence[Sequence[str]], spans: Sequence[tuple[int, int]], *, commonest: int = COMMONEST
) -> np.ndarray:
    """Return the sums (N, D) of the static vectors outside the word's place (start, end) in each of N sentences.

    Tokens without a vector and the `commonest` are ignored. The row is zero if none is left.
    """
    common = set(vectors.words[:commonest])
    rows = np.zeros((len(sentences), vectors.dim), np.float32)
    vectors_by_token: dict[str, np.ndarray | None] = {}
    for row, (tokens, (start, end)) in zip(rows, zip(sentences, spans, strict=True), strict=True):
        for token in (*tokens[:start], *tokens[end:]):
            if token not in vectors_by_token:
                vectors_by_token[token] = None if vectors.spelling(token) in common else vectors.vector(token)
            if vectors_by_token[token] is not None:
                row += vectors_by_token[token]
    return rows


def forms(sentences: Sequence[Sequence[str]], spans: Sequence[tuple[int, int]]) -> np.ndarray:
    """Return the number of tokens in the sentence and before the word, (N, 2), each in standard deviations over the N sentences."""
    result = np.array([(len(tokens), start) for tokens, (start, _) in zip(sentences, spans, strict=True)], np.float64)
    spread = result.std(axis=0)
    return (result / np.where(spread > 0, spread, 1)).astype(np.float32)


def nearness(points: np.ndarray) -> np.ndarray:
    """Return 1 minus the distances (n, n) of points (n, d), so that measures for cosines rank by distance."""
    return 1 - np.linalg.norm(points[:, None] - points[None], axis=2)


def cosines(vectors: np.ndarray, *, centered: bool = False) -> np.ndarray:
    """Return the cosines (n, n) of vectors (n, D) of one word. `centered` subtracts the mean unit vector. Zero vectors have cosine 0."""
    rows = unit(np.asarray(vectors, np.float32))
    if centered:
        rows = unit(rows - rows.mean(axis=0))
    return rows @ rows.T


def topics(vectors: StaticVectors | None, occurrences: Sequence[tuple[Sequence[str], int]]) -> np.ndarray:
    """(tokens, position) each -> (n, V): the sums of the other words' static vectors; zeros where none has one, or without `vectors`."""
    if vectors is None:
        return np.zeros((len(occurrences), 1), np.float32)
    spans = [(position, position + 1) for _, position in occurrences]
    return static_contexts(vectors, [list(tokens) for tokens, _ in occurrences], spans)
