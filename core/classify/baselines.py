"""Two baselines: TF-IDF, or the mean GloVe vector, with a logistic regression.

scikit-learn fits them. The stored arrays are plain, and answers need only numpy.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..common.libraries import import_library
from ..static.vectors import StaticVectors
from ..text.tokens import join_tokens

MAX_FEATURES = 20_000  # the most frequent; half of AG News's 2-grams add 0.1 points and double the file
STRENGTHS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # C of the logistic regression, tried on the validation set
ANALYZERS = {"word": (1, 2), "char": (2, 5)}  # n-grams of words in lower case, or of characters, unchanged
Tokens = tuple[str, ...]


def grams(tokens: Tokens, analyzer: str) -> list[str]:
    """Return the n-grams of a text: of words (1 and 2), or of characters (2 to 5) with one blank around the text."""
    least, longest = ANALYZERS[analyzer]
    units: Sequence[str] = [token.lower() for token in tokens] if analyzer == "word" else f" {join_tokens(list(tokens))} "
    glue = " " if analyzer == "word" else ""
    return [glue.join(units[k : k + n]) for n in range(least, longest + 1) for k in range(len(units) - n + 1)]


@dataclass
class Baseline:
    """A linear classifier: features times `coef` (C, F) plus `intercept` (C,), and the F columns of TF-IDF."""

    coef: np.ndarray
    intercept: np.ndarray
    analyzer: str = ""  # TF-IDF's analyzer; "" selects the mean GloVe vector
    terms: tuple[str, ...] = ()  # (F,)
    idf: np.ndarray | None = None  # (F,)

    def logits(self, texts: Sequence[Tokens], *, vectors: StaticVectors | None = None, layers: None = None) -> np.ndarray:
        """Return logits (N, C) float32. No layers are read."""
        if not self.analyzer:
            return (mean_vectors(texts, vectors) @ self.coef.T + self.intercept).astype(np.float32)
        rows = np.empty((len(texts), len(self.intercept)), np.float32)
        for row, text in zip(rows, texts, strict=True):
            counts = Counter(column for gram in grams(text, self.analyzer) if (column := self._column.get(gram)) is not None)
            columns = np.fromiter(counts, int, len(counts))
            # (1 + log count) * idf, as scikit-learn with sublinear_tf
            values = np.array([1 + math.log(n) for n in counts.values()], np.float32) * self.idf[columns]
            row[:] = self.coef[:, columns] @ (values / (np.linalg.norm(values) or 1.0)) + self.intercept
        return rows

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays to be stored."""
        arrays = {"coef": self.coef, "intercept": self.intercept, "idf": self.idf}
        return {name: array for name, array in arrays.items() if array is not None}

    @cached_property
    def _column(self) -> dict[str, int]:
        return {term: k for k, term in enumerate(self.terms)}


def fit_baseline(
    texts: Sequence[Tokens],
    truth: np.ndarray,
    *,
    n_classes: int,
    loss: Callable[[Baseline], float],
    analyzer: str = "",
    vectors: StaticVectors | None = None,
) -> tuple[Baseline, float]:
    """Return the baseline (TF-IDF, or mean vectors without an analyzer) of the lowest validation `loss` among STRENGTHS, and its C.

    The search stops when the loss rises.
    """
    if analyzer:
        vectorizer = import_library("sklearn.feature_extraction.text").TfidfVectorizer(
            analyzer=lambda text: grams(text, analyzer), sublinear_tf=True, max_features=MAX_FEATURES, dtype=np.float32
        )
        features = vectorizer.fit_transform(texts)
        tfidf = {"terms": tuple(vectorizer.get_feature_names_out()), "idf": vectorizer.idf_.astype(np.float32)}
    else:
        features, tfidf = mean_vectors(texts, vectors), {}
    least = math.inf
    for strength in STRENGTHS:
        fitted = Baseline(*_fit_logistic(features, truth, n_classes, strength), analyzer, **tfidf)
        if (result := loss(fitted)) > least:
            break
        best, least = (fitted, strength), result
    return best


def mean_vectors(texts: Sequence[Tokens], vectors: StaticVectors) -> np.ndarray:
    """Return the mean (N, S) of each text's token vectors; zeros if no token has one."""
    means = np.zeros((len(texts), vectors.dim), np.float32)
    for row, text in zip(means, texts, strict=True):
        places, rows = vectors.vectors_of(text)
        if len(places):
            row[:] = rows.mean(axis=0)
    return means


def _fit_logistic(features, truth: np.ndarray, n_classes: int, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """Fit a multinomial logistic regression (C, F), (C,). A class without a training row is never predicted."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):  # small products: threads only wait for each other
        model = import_library("sklearn.linear_model").LogisticRegression(C=strength, max_iter=1000).fit(features, truth)
    coef, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:  # scikit-learn has one row, the second class against the first
        coef = np.concatenate([-coef / 2, coef / 2])
        intercept = np.concatenate([-intercept / 2, intercept / 2])
    full = np.zeros((n_classes, features.shape[1]), np.float32)
    offsets = np.full(n_classes, -1e4, np.float32)
    full[model.classes_], offsets[model.classes_] = coef, intercept
    return full, offsets
