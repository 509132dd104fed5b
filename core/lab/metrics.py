"""Measures of vectors against labels: pairs, senses of all words, cosine gap.

Thresholds, centroids and weights are fitted on training or dev data only, and figures are of the test data. Ties count by their share, as
in core.senses.separation, so that layer 0, where occurrences of a spelling share a vector, scores as a random choice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput
from ..senses.separation import TIE, pair_cosines

Key = str | tuple[str, ...]
DIGITS = 5  # of a cosine that count, as core.senses.separation.TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class PairScores:
    threshold: float  # a pair is "same" from this cosine on
    accuracy: float  # on the test pairs
    auc: float | None  # area under the ROC curve of the test pairs, which needs no threshold; None where all are of one kind


@dataclass(frozen=True, slots=True, kw_only=True)
class AllWordsScores:
    """Accuracies from 0 to 1 over test words. `ambiguous` are those whose key has at least two senses in training."""

    accuracy: float  # of the nearest sense centroid
    most_frequent: float
    n: int
    unseen: int  # of them, with a key that training lacks: scored as wrong
    ambiguous_accuracy: float
    ambiguous_most_frequent: float
    ambiguous_n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CosineGap:
    """Means over groups of one spelling that have pairs of both kinds."""

    same: float  # mean cosine of two occurrences of one sense
    other: float  # ... of two senses
    gap: float
    groups: int


def best_threshold(cosines: Sequence[float], same: Sequence[bool]) -> tuple[float, float]:
    """Return the threshold with the best accuracy on cosines (n,) and answers (n,), and this accuracy.

    Thresholds are midway between neighboring cosines, rounded to DIGITS. Of several best ranges the middle of the widest is returned. If
    "same" (or "other") for all is best, it is the lowest cosine (or just above the highest).
    """
    values, codes = np.unique(np.round(np.asarray(cosines, float), DIGITS), return_inverse=True)
    same = np.asarray(same, bool)
    others, sames = (np.bincount(codes[chosen], minlength=len(values)) for chosen in (~same, same))
    right = np.append(0, others.cumsum()) + np.append(sames[::-1].cumsum()[::-1], 0)  # (V + 1,): "same" from value k on
    lows, highs = np.append(values[0], values), np.append(values, values[-1])
    best = np.flatnonzero(right == right.max())
    runs = np.split(best, np.flatnonzero(np.diff(best) > 1) + 1)
    run = max(runs, key=lambda run: highs[run[-1]] - lows[run[0]])
    threshold = (lows[run[0]] + highs[run[-1]]) / 2 if run[0] < len(values) else values[-1] + 0.5 * 10**-DIGITS
    return float(threshold), float(right.max() / len(same))


def pair_accuracy(
    dev_cosines: Sequence[float], dev_same: Sequence[bool], test_cosines: Sequence[float], test_same: Sequence[bool]
) -> PairScores:
    """Choose the threshold on cosines and answers of dev pairs, and score it on test pairs."""
    for what, cosines, same in (("dev", dev_cosines, dev_same), ("test", test_cosines, test_same)):
        if not len(cosines) == len(same) > 0:
            raise BadInput(f"Each {what} pair needs a cosine and an answer; got {len(cosines)} and {len(same)} of them.")
    threshold, _ = best_threshold(dev_cosines, dev_same)
    cosines = np.round(np.asarray(test_cosines, float), DIGITS)
    same = np.asarray(test_same, bool)
    auc = None
    if same.any() and not same.all():
        from sklearn.metrics import roc_auc_score

        auc = float(roc_auc_score(same, cosines))
    return PairScores(threshold=threshold, accuracy=float(((cosines >= threshold) == same).mean()), auc=auc)


class AllWords:
    """Test words and the centroids of the senses that training has for their keys.

    The predicted sense is the nearest centroid by cosine among those of the word's key (Peters et al. 2018, section 5.3). A key missing in
    training counts as wrong for every method: no dictionary's first sense is used, unlike in published figures (Raganato et al. 2017), so
    these are lower. Differences between methods are not affected.
    """

    def __init__(
        self,
        train: np.ndarray,
        train_keys: Sequence[Key],
        train_senses: Sequence[str],
        test: np.ndarray,
        test_keys: Sequence[Key],
        test_senses: Sequence[str],
    ) -> None:
        """Take vectors (N, D), keys (lemma, pos) (N,) and senses (N,) of training and test."""
        _check_words("training", train, train_keys, train_senses)
        _check_words("test", test, test_keys, test_senses)
        senses = sorted(set(zip(train_keys, train_senses, strict=True)))  # those of a key stand together
        number = {sense: k for k, sense in enumerate(senses)}
        codes = np.array([number[sense] for sense in zip(train_keys, train_senses, strict=True)])
        gold = np.array([number.get(sense, -1) for sense in zip(test_keys, test_senses, strict=True)])
        counts = np.bincount(codes)
        centroids = _centroids(train, codes)
        known = _group_rows([key for key, _ in senses])
        self.n = len(test)
        self.unseen = 0
        self.ambiguous = np.zeros(len(test), bool)
        self._groups: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []  # rows (m,), cosines, right (m, C), counts (C,)
        for key, rows in _group_rows(test_keys).items():
            if key not in known:
                self.unseen += len(rows)
                continue
            right = gold[rows][:, None] == known[key]
            self._groups.append((rows, unit(np.asarray(test[rows], np.float32)) @ centroids[known[key]].T, right, counts[known[key]]))
            self.ambiguous[rows] = len(known[key]) > 1

    def hits(self, prior: float = 0.0) -> np.ndarray:
        """Return the share of right senses among those tied for the nearest, (N,).

        With `prior`, that many times the log of a sense's share in training is added to its cosine, so that the most frequent sense wins if
        the context says little.
        """
        result = np.zeros(self.n)
        for rows, cosines, right, counts in self._groups:
            result[rows] = _share_right(cosines + prior * np.log(counts / counts.sum()), right)
        return result

    def most_frequent(self) -> np.ndarray:
        """Return the same as `hits` for the most frequent sense in training, (N,)."""
        result = np.zeros(self.n)
        for rows, _, right, counts in self._groups:
            result[rows] = _share_right(np.broadcast_to(counts, right.shape), right)
        return result

    def scores(self, prior: float = 0.0) -> AllWordsScores:
        both = np.stack([self.hits(prior), self.most_frequent()])
        names = ("accuracy", "most_frequent", "ambiguous_accuracy", "ambiguous_most_frequent")
        ambiguous = int(self.ambiguous.sum())
        means = [*both.mean(axis=1), *both[:, self.ambiguous].sum(axis=1) / max(ambiguous, 1)]
        result = dict(zip(names, map(float, means), strict=True))
        return AllWordsScores(**result, n=self.n, unseen=self.unseen, ambiguous_n=ambiguous)


def cosine_gap(similarities_of: Callable[[np.ndarray], np.ndarray], words: Sequence[Key], labels: Sequence[str]) -> CosineGap:
    """Return how much nearer two occurrences (N,) of one sense are than two of different senses.

    `words` are spellings exactly as written: only equal spellings are compared, since layer 0 must have no gap. `similarities_of` returns
    the cosines (n, n) of the rows (n,). Groups without a pair of each kind are left out.
    """
    labels = np.asarray(labels, str)
    results = []
    for rows in _group_rows(words).values():
        codes = np.unique(labels[rows], return_counts=True)[1]
        if len(codes) > 1 and codes.max() > 1:
            results.append(pair_cosines(similarities_of(rows), labels[rows]))
    if not results:
        raise BadInput("No spelling here has two occurrences of one sense and one of another; there are no cosines to compare.")
    same, other = np.mean(results, axis=0)
    return CosineGap(same=float(same), other=float(other), gap=float(same - other), groups=len(results))


def _check_words(what: str, vectors: np.ndarray, keys: Sequence[Key], senses: Sequence[str]) -> None:
    if not len(vectors) == len(keys) == len(senses) > 0:
        message = f"{len(vectors)}, {len(keys)} and {len(senses)}"
        raise BadInput(f"Each {what} word needs a vector, a key and a sense; got {message} of them.")


def _group_rows(keys: Sequence[Key]) -> dict[Key, np.ndarray]:
    """Return the rows of each key, in order."""
    rows_of: dict[Key, list[int]] = {}
    for row, key in enumerate(keys):
        rows_of.setdefault(key, []).append(row)
    return {key: np.array(rows) for key, rows in rows_of.items()}


def _share_right(scores: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the share of right columns among those tied for each row's highest score, (m,)."""
    best = scores >= scores.max(axis=1, keepdims=True) - TIE
    return (best & right).sum(axis=1) / best.sum(axis=1)


def _centroids(vectors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return unit means of unit vectors (C, D), for vectors (N, D) and codes (N,) without gaps."""
    order = np.argsort(codes, kind="stable")
    starts = np.append(0, np.bincount(codes).cumsum()[:-1])
    return unit(np.add.reduceat(unit(np.asarray(vectors, np.float32))[order], starts))
