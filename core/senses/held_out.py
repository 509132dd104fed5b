"""Senses learned from training occurrences and asked of others: the nearest occurrence, the nearest centroid, the most frequent sense.
Everything is judged within each word, and a tie is worth the share of it that is right, as in core.senses.separation."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..common.directions import unit, unit_rows
from ..common.errors import BadInput
from .separation import TIE, rows_of


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScores:
    """Accuracies on one word's test occurrences."""

    n: int
    nearest: float
    centroid: float
    most_frequent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitScores:
    """Accuracies of senses learned from a training file, `macro` over test words and `pooled` over test occurrences."""

    hits: np.ndarray = field(compare=False, repr=False)  # (3, n): what nearest, centroid and most frequent sense get right
    nearest_macro: float
    nearest_pooled: float
    centroid_macro: float
    centroid_pooled: float
    most_frequent_macro: float
    most_frequent_pooled: float
    n: int  # test occurrences
    unseen: int  # of them, of words that training never saw: scored as wrong
    per_word: dict[str, WordScores]


def classify_split(
    train_vectors: np.ndarray,
    train_labels: Sequence[str],
    train_words: Sequence[str],
    test_vectors: np.ndarray,
    test_labels: Sequence[str],
    test_words: Sequence[str],
) -> SplitScores:
    """Vectors (N, D), labels (N,), words (N,), twice -> accuracy of the nearest neighbor, centroid, most frequent sense.

    Each word is judged by its own training occurrences only. A test word that training never saw has no sense known: it
    is scored as wrong by all three, and counted in `unseen`. A tie is worth the share of it that is right. Vectors may
    be of any length; a zero vector is equally far from all.
    """
    train_labels, train_words = np.asarray(train_labels, str), np.asarray(train_words, str)
    test_labels, test_words = np.asarray(test_labels, str), np.asarray(test_words, str)
    given = (("training", train_vectors, train_labels, train_words), ("test", test_vectors, test_labels, test_words))
    for what, vectors, labels, words in given:
        if not len(vectors) == len(labels) == len(words) > 0:
            message = f"{len(vectors)}, {len(labels)} and {len(words)}"
            raise BadInput(f"Each {what} row needs a vector, a label and a word; got {message} of them.")
    train, test = unit_rows(train_vectors), unit_rows(test_vectors)
    if train.shape[1] != test.shape[1]:
        raise BadInput(f"Training and test vectors must be of one size; got {train.shape[1]} and {test.shape[1]}.")
    known = rows_of(train_words)
    of_word = rows_of(test_words)
    scores = np.zeros((3, len(test)))
    for word in known.keys() & of_word.keys():
        seen, rows = known[word], of_word[word]
        scores[:, rows] = _score_word(train[seen], train_labels[seen], test[rows], test_labels[rows])
    names = ("nearest", "centroid", "most_frequent")
    means = {word: dict(zip(names, scores[:, rows].mean(axis=1).tolist(), strict=True)) for word, rows in of_word.items()}
    per_word = {word: WordScores(n=len(of_word[word]), **mean) for word, mean in means.items()}
    macro = {f"{name}_macro": float(np.mean([mean[name] for mean in means.values()])) for name in names}
    pooled = {f"{name}_pooled": float(score.mean()) for name, score in zip(names, scores, strict=True)}
    return SplitScores(
        hits=scores, **macro, **pooled, n=len(test), unseen=int((~np.isin(test_words, train_words)).sum()), per_word=per_word
    )


def left_out_centroids(vectors: np.ndarray, labels: Sequence) -> float:
    """(n, D), (n,) of one word -> leave-one-out accuracy of the nearest sense centroid (of unit vectors); ties by their share. A sense of
    one occurrence has no centroid without it, so that occurrence is wrong."""
    rows = unit_rows(vectors)
    names, senses = np.unique(np.asarray(labels), return_inverse=True)
    members = np.eye(len(names), dtype=np.float32)[senses]  # (n, C)
    sums = members.T @ rows
    sizes = members.sum(axis=0)
    numbers = np.arange(len(rows))
    scores = rows @ unit(sums).T  # (n, C)
    own = sums[senses] - rows  # (n, D): one's own sense without oneself
    scores[numbers, senses] = np.where(sizes[senses] > 1, np.einsum("nd,nd->n", rows, unit(own)), -np.inf)
    close = _best(scores)
    return float((close[numbers, senses] / close.sum(axis=1)).mean())


def _score_word(train: np.ndarray, train_labels: np.ndarray, test: np.ndarray, test_labels: np.ndarray) -> np.ndarray:
    """One word's unit vectors (n, D), (m, D) -> what nearest, centroid and most frequent sense get right: (3, m)."""
    names, senses = np.unique(train_labels, return_inverse=True)
    members = np.eye(len(names), dtype=np.float32)[senses]  # (n, C)
    centroids = unit(members.T @ train)
    right = test_labels[:, None] == names  # (m, C)
    scores = np.empty((3, len(test)))
    for start in range(0, len(test), 1024):
        part = slice(start, start + 1024)
        near = _best(test[part] @ train.T) @ members  # (m, C): the tied nearest, by sense
        scores[0, part] = (near * right[part]).sum(axis=1) / near.sum(axis=1)
        close = _best(test[part] @ centroids.T)
        scores[1, part] = (close * right[part]).sum(axis=1) / close.sum(axis=1)
    often = members.sum(axis=0) == members.sum(axis=0).max()  # (C,)
    scores[2] = right @ often / often.sum()
    return scores


def _best(similarities: np.ndarray) -> np.ndarray:
    """(m, n) -> 1.0 where a column is tied for the nearest of its row."""
    return (similarities >= similarities.max(axis=1, keepdims=True) - TIE).astype(np.float32)
