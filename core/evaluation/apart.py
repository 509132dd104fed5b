"""Cosines of pairs of a word's sentences with the same sense and with two, by layer, and how far they overlap.

A difference of two means says nothing about a single pair. Instead: how often is a pair of one sense nearer than a pair of two (the area
under the ROC curve, ties half), and which pairs are misclassified at a threshold? Everything is computed within each word and averaged over
words; intervals are over samples of words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from ..common.significance import Paired, compare_pairs, rank_p
from ..elmo.mix import layer_weights
from ..index.table import OccurrenceTable
from ..senses.separation import TIE
from .anisotropy import density, nearer

ROUNDS = 999  # shuffles of one word's senses


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Error rates as means over words, 0 to 1."""

    missed: float  # pairs of one sense under the threshold
    passed: float  # pairs of two senses at it or above


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The pairs of both kinds of each word, in one space."""

    words: dict[str, tuple[np.ndarray, np.ndarray]]  # word -> cosines of pairs of one sense, of two, each in ascending order

    def auc(self) -> Paired:
        """Return the mean over words of AUC minus a half, with an interval over words. A `mean` of 0 is chance."""
        result = list(self.aucs().values())
        return compare_pairs(result, np.full(len(result), 0.5))

    def aucs(self) -> dict[str, float]:
        return {word: nearer(same, other) for word, (same, other) in self.words.items()}

    def gap(self) -> Paired:
        """Return the mean cosine of pairs of one sense minus that of two, paired by word."""
        return compare_pairs(*([each[kind].mean() for each in self.words.values()] for kind in (0, 1)))

    def means(self) -> tuple[float, float]:
        first, second = (float(np.mean([each[kind].mean() for each in self.words.values()])) for kind in (0, 1))
        return first, second

    def densities(self) -> tuple[np.ndarray, np.ndarray]:
        first, second = (density([each[kind] for each in self.words.values()]) for kind in (0, 1))
        return first, second

    def errors(self, threshold: float) -> Errors:
        missed = [np.searchsorted(same, threshold - TIE) / len(same) for same, _ in self.words.values()]
        passed = [1 - np.searchsorted(other, threshold - TIE) / len(other) for _, other in self.words.values()]
        return Errors(missed=float(np.mean(missed)), passed=float(np.mean(passed)))

    def balanced(self) -> float:
        """Return the threshold, in hundredths, with the smallest sum of both errors; of several the middle one."""
        tried = np.arange(0, 101) / 100
        sums = np.array([(e := self.errors(at)).missed + e.passed for at in tried])
        best = np.flatnonzero(sums <= sums.min() + 1e-9)
        return float(tried[best[len(best) // 2]])

    def of(self, word: str) -> Spread:
        return Spread({word: self.words[word]})


def words_of(table: OccurrenceTable) -> dict[str, np.ndarray]:
    """Return the rows of each basic labeled word with at least two senses, one of which occurs twice; BadInput if there is none."""
    table = table.basic
    rows = table.labeled_rows()
    result = {}
    for code in np.unique(table.lemma[rows]):
        own = rows[table.lemma[rows] == code]
        counts = np.unique(table.sense[own], return_counts=True)[1]
        if code >= 0 and len(counts) > 1 and counts.max() > 1:
            result[table.lemmas[code]] = own
    if not result:
        raise BadInput(t("No word has two labeled senses here. Choose another corpus."))
    return result


def measure_spread(table: OccurrenceTable, layer: str) -> Spread:
    """Measure every labeled word in one layer or in the equal mix ("mix")."""
    weights = layer_weights(layer, table.meta["layers"])
    result = {word: split_pairs(table.similarities(rows, weights), table.sense[rows]) for word, rows in words_of(table).items()}
    return Spread(result)


def shuffled_p(table: OccurrenceTable, word: str, layer: str, *, seed: int = 0, rounds: int = ROUNDS) -> float:
    """Return how often a word's AUC is reached with shuffled senses, as a rank p."""
    from scipy.stats import rankdata

    rows = words_of(table)[word]
    cosines = table.similarities(rows, layer_weights(layer, table.meta["layers"]))
    senses = table.sense[rows]
    first, second = np.triu_indices(len(rows), 1)
    ranks = rankdata(round_to_tie(cosines[first, second]))
    rng = np.random.default_rng(seed)
    shuffles = rng.permuted(np.tile(senses, (rounds, 1)), axis=1)
    sums = np.array([(shuffle[first] == shuffle[second]) @ ranks for shuffle in shuffles])  # all have as many pairs of one sense
    return rank_p(float((senses[first] == senses[second]) @ ranks), sums)


def split_pairs(cosines: np.ndarray, senses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split cosines (n, n) by senses (n,) into those of pairs of one sense and of two, rounded to ties, in ascending order."""
    first, second = np.triu_indices(len(senses), 1)
    values = round_to_tie(cosines[first, second])
    same = senses[first] == senses[second]
    return np.sort(values[same]), np.sort(values[~same])


def round_to_tie(cosines: np.ndarray) -> np.ndarray:
    return np.round(cosines.astype(np.float64) / TIE) * TIE
