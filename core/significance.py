"""Whether a difference is more than chance: paired intervals and tests, ranks among shuffles, many tests at once.

What belongs together is drawn together: two accuracies on the same items are compared item by item, and items of one group
(a document, two occurrences that are each other's neighbour) are resampled whole (Efron and Tibshirani 1993, chapter 8).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import BadInput

DRAWS = 2_000  # bootstrap samples, and sign flips
PART = 4_000_000  # numbers drawn at a time
LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The mean of first less second over the same items, with its 95 % bootstrap interval and a two-sided p by sign flips."""

    mean: float
    low: float
    high: float
    p: float
    groups: int  # that were resampled whole

    @property
    def verdict(self) -> int:
        """1 where the first is ahead, -1 where the second is, 0 where the interval holds both: not decided."""
        return int(self.low > 0) - int(self.high < 0)


def paired(
    first: Sequence[float],
    second: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    weights: Sequence[float] | None = None,
    seed: int = 0,
) -> Paired:
    """Scores (N,) of the same items, twice -> their Paired difference.

    `groups` (N,) names what is drawn together, else each item is drawn by itself; `weights` (N,) say how much an item
    counts (1 / items of its word for a mean over words).
    """
    differences = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    if differences.ndim != 1 or not differences.size or not np.isfinite(differences).all():
        raise BadInput(
            f"A paired difference needs two scores of each item; got arrays of shape {np.shape(first)} and {np.shape(second)}."
        )
    n = len(differences)
    counts = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    codes = np.arange(n) if groups is None else _codes(groups)
    if not n == len(counts) == len(codes):
        raise BadInput(f"{n} items need as many weights and groups; got {len(counts)} and {len(codes)}.")
    sums, sizes = np.bincount(codes, differences * counts), np.bincount(codes, counts)  # (G,)
    rng = np.random.default_rng(seed)
    means = ratios(sums, sizes, rng)
    low, high = np.quantile(means, (0.025, 0.975))
    flips = np.concatenate([(rng.integers(0, 2, size=(rows, len(sums))) * 2.0 - 1) @ sums for rows in _parts(len(sums))])
    p = rank_p(abs(sums.sum()), np.abs(flips))
    return Paired(mean=float(sums.sum() / sizes.sum()), low=float(low), high=float(high), p=p, groups=len(sums))


def ratios(sums: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sums (G,) and sizes (G,) of groups -> the mean over items in each of DRAWS samples of whole groups: (DRAWS,)."""
    means = []
    for rows in _parts(len(sums)):
        drawn = rng.integers(len(sums), size=(rows, len(sums)))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    return np.concatenate(means)


def rank_p(observed: float, null: np.ndarray) -> float:
    """The share of a null (R,) and the figure itself that reach the figure: (1 + those) / (1 + R); never 0 (Phipson and Smyth 2010)."""
    return float((1 + (np.asarray(null) >= observed - 1e-9).sum()) / (1 + len(null)))


def holm(p: Sequence[float]) -> np.ndarray:
    """p (m,) -> adjusted p (m,): under 0.05 for any false alarm in the family at most 5 % of times (Holm 1979)."""
    p = np.asarray(p, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return adjusted


def benjamini_hochberg(p: Sequence[float]) -> np.ndarray:
    """p (m,) -> adjusted p (m,): of those under 0.05 at most 5 % are false alarms, in the mean (Benjamini and Hochberg 1995)."""
    p = np.asarray(p, np.float64)
    order = np.argsort(p, kind="stable")
    raised = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.minimum.accumulate(raised[::-1])[::-1], 1)
    return adjusted


def _parts(n_groups: int) -> list[int]:
    """DRAWS as parts whose draws of n groups stay within PART numbers."""
    each = max(1, PART // max(n_groups, 1))
    return [min(each, DRAWS - start) for start in range(0, DRAWS, each)]


def _codes(groups: Sequence[Hashable]) -> np.ndarray:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], int)
