"""Test whether a difference is more than chance: paired intervals and tests, permutation ranks, multiple testing.

Dependent items are resampled together: two accuracies on the same items are compared item by item, and the items of one group
(a document, two occurrences that are each other's neighbor) are resampled as one (Efron and Tibshirani 1993, chapter 8). Two
classifiers are compared by an exact test on the texts on which they differ; if only the number of texts is known, it alone
bounds chance (`margin`).

One rule decides a paired difference (`Paired.verdict`): p is below LEVEL and the interval, if there is one, excludes 0. With fewer
than FEWEST groups nothing is decided and there is no interval: with five groups the smallest two-sided p by signs is 2 / 2^5 = 0.0625.
Groups with identical differences have no interval either, because no resample shows how another group would differ.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np

from .errors import BadInput
from .i18n import format_number, t

DRAWS = 2_000  # bootstrap samples, and sign flips
PART = 4_000_000  # numbers drawn at a time
LEVEL = 0.05  # below this p a difference counts as more than chance
FEWEST = 6  # groups with which a sign test can reach LEVEL: 2 / 2^6 is 0.031
EQUAL = 8  # digits that two scores must share to be equal: they are stored with nine, whose last may be rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The mean of first minus second over the same items, with its 95% bootstrap interval and a two-sided p by sign flips."""

    mean: float
    low: float | None  # None, both: too few groups, or all differ alike
    high: float | None
    p: float
    groups: int  # that were resampled

    @property
    def has_interval(self) -> bool:
        """Return whether there is an interval."""
        return self.low is not None and self.high is not None

    @property
    def verdict(self) -> int:
        """Return 1 if the first is ahead, -1 if the second is, 0 if undecided: p and the interval must agree."""
        if self.p >= LEVEL or self.groups < FEWEST:
            return 0
        if not self.has_interval:
            return int(np.sign(self.mean))
        return int(self.low > 0) - int(self.high < 0)

    def span(self, form: str = "+.1f", *, times: float = 100, more: float = 0.0) -> str:
        """Return the interval as text, each end `times` its value and `more`, in points by default; without one, the reason."""
        if not self.has_interval:
            return t("no interval: needs {n} varied cases", n=FEWEST)
        return t("{low} to {high}", low=format_number(times * self.low + more, form), high=format_number(times * self.high + more, form))

    def in_points(self) -> str:
        """Return the difference in points with its interval: "+1.2 (+0.3 to +2.1)", and p if it is the reason not to decide."""
        interval = self.span() if self.has_interval else t("no interval")
        decides_alone = self.has_interval and (self.low > 0 or self.high < 0)
        p = f"; {format_p(self.p)}" if decides_alone and not self.verdict else ""
        return f"{format_number(100 * self.mean, '+.1f')} ({interval}{p})"

    def cell(self, form: str = "+.1f", *, times: float = 100, more: float = 0.0) -> str:
        """Return the difference for a table cell, in brackets, because spreadsheets read a leading sign as a formula."""
        return f"[{self.span(form, times=times, more=more)}]" if self.has_interval else t("no interval")


def facts_of(difference: Paired) -> dict:
    """Return a paired difference for JSON; "low" and "high" are null without an interval."""
    return {name: None if value is None else round(value, 6) for name, value in asdict(difference).items()}


def read_back(record: Mapping) -> Paired:
    """Read a paired difference written by `facts_of`."""
    return Paired(**{field.name: record[field.name] for field in fields(Paired)})


def compare_pairs(
    first: Sequence[float], second: Sequence[float], groups: Sequence[Hashable] | None = None, *, weights: Sequence[float] | None = None
) -> Paired:
    """Return the paired difference of two scores (N,) of the same items.

    Items of one of the `groups` (N,) are resampled together; without groups, each item alone. `weights` (N,) are the weights of items (1 /
    items of its word for a mean over words). With fewer than FEWEST groups, or if all differences are equal, low and high are None.
    """
    differences = np.round(np.asarray(first, np.float64) - np.asarray(second, np.float64), EQUAL)
    if differences.ndim != 1 or not differences.size or not np.isfinite(differences).all():
        raise BadInput(f"A paired difference needs two scores of each item; got arrays of shape {np.shape(first)} and {np.shape(second)}.")
    n = len(differences)
    counts = np.ones(n) if weights is None else np.asarray(weights, np.float64)
    codes = np.arange(n) if groups is None else _codes(groups)
    if not n == len(counts) == len(codes):
        raise BadInput(f"{n} items need as many weights and groups; got {len(counts)} and {len(codes)}.")
    sums, sizes = np.bincount(codes, differences * counts), np.bincount(codes, counts)  # (G,)
    rng = np.random.default_rng(0)
    means = ratios(sums, sizes, rng)
    flips = np.concatenate([(rng.integers(0, 2, size=(rows, len(sums))) * 2.0 - 1) @ sums for rows in _parts(len(sums))])
    p = rank_p(abs(sums.sum()), np.abs(flips))
    return _with_interval(float(sums.sum() / sizes.sum()), means, p, len(sums))


def crossed(differences: np.ndarray) -> list[Paired]:
    """Return the paired difference of each of K pairs of classifiers from first minus second (K, S, N) on S subsets and N texts.

    Subsets and texts are both resampled, so that the interval holds for other training texts and other test texts (Owen
    2007, "The pigeonhole bootstrap"); p is twice the smaller tail of the draws. All pairs share the draws. S - 1 of S subsets are
    drawn, because S would underestimate the spread for small S (Rao and Wu 1988). `groups` counts subsets or texts,
    whichever are fewer; p is 1 if they are fewer than FEWEST.
    """
    differences = np.asarray(differences, np.float32)
    if differences.ndim != 3 or differences.shape[1] < 2:
        raise BadInput(f"Differences on two subsets or more are needed, (pairs, subsets, texts); got shape {differences.shape}.")
    pairs, subsets, texts = differences.shape
    rng = np.random.default_rng(0)
    means = []
    for rows in _parts(texts):
        draws = rng.integers(texts, size=(rows, texts)) + texts * np.arange(rows)[:, None]
        counts = np.bincount(draws.ravel(), minlength=rows * texts).reshape(rows, texts).astype(np.float32)
        of_subsets = counts @ differences.reshape(pairs * subsets, texts).T / texts  # (rows, K * S)
        shares = rng.multinomial(subsets - 1, np.full(subsets, 1 / subsets), size=rows) / (subsets - 1)  # (rows, S)
        means.append(np.einsum("rks,rs->rk", of_subsets.reshape(rows, pairs, subsets), shares))
    draws = np.concatenate(means)
    few = min(subsets, texts)
    tail = np.minimum((draws <= 1e-9).sum(axis=0), (draws >= -1e-9).sum(axis=0))
    p = np.minimum(2 * (1 + tail) / (1 + len(draws)), 1.0) if few >= FEWEST else np.ones(pairs)
    mean = differences.mean(axis=(1, 2))
    return [_with_interval(float(m), column, float(q), few) for m, column, q in zip(mean, draws.T, p, strict=True)]


def ratios(sums: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the mean over items (DRAWS,) in samples of complete groups, from their sums (G,) and sizes (G,)."""
    means = []
    for rows in _parts(len(sums)):
        chosen_rows = rng.integers(len(sums), size=(rows, len(sums)))
        means.append(sums[chosen_rows].sum(axis=1) / sizes[chosen_rows].sum(axis=1))
    return np.concatenate(means)


def rank_p(observed: float, null: np.ndarray) -> float:
    """Return (1 + values of the null (R,) that reach the figure) / (1 + R), never 0 (Phipson and Smyth 2010)."""
    return float((1 + (np.asarray(null) >= observed - 1e-9).sum()) / (1 + len(null)))


def holm(p: Sequence[float]) -> np.ndarray:
    """Return adjusted p (m,): below 0.05, any false alarm in the family has a probability of at most 5% (Holm 1979)."""
    p = np.asarray(p, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1)[np.argsort(order)]


def benjamini_hochberg(p: Sequence[float]) -> np.ndarray:
    """Return adjusted p (m,): of those below 0.05, 5% are false alarms on average (Benjamini and Hochberg 1995)."""
    p = np.asarray(p, np.float64)
    order = np.argsort(-p, kind="stable")
    adjusted = np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1)[np.argsort(order)]


@dataclass(frozen=True, slots=True)
class McNemar:
    """A comparison of two classifiers by the texts on which they differ (McNemar 1947)."""

    first: int  # texts on which the first is right, or right from more starts, and the second is not
    second: int
    p: float  # of so uneven a count, or a more uneven one, if both were equally good


def mcnemar(first: np.ndarray, second: np.ndarray) -> McNemar:
    """Return the exact two-sided test of two classifiers, right or not (S, N) and (R, N) from each random start on N texts.

    With several starts a text counts for the classifier that was right in a larger share of them, so every text counts once. With one start
    each this is McNemar's test.
    """
    from scipy.stats import binomtest

    first, second = (np.atleast_2d(np.asarray(rows, bool)) for rows in (first, second))
    if first.shape[1] != second.shape[1]:
        raise ValueError(f"{first.shape[1]} and {second.shape[1]} texts are not the same ones")
    ahead = np.sign(first.sum(axis=0) * len(second) - second.sum(axis=0) * len(first))  # shares compared without rounding
    wins, losses = int((ahead > 0).sum()), int((ahead < 0).sum())
    return McNemar(wins, losses, float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0)


def margin(first: float, second: float, n: int) -> float:
    """Return the difference of two accuracies on n texts below which chance cannot be excluded, at 95%, from n alone.

    It assumes different texts for each. On the same texts chance is usually smaller, so this is conservative.
    """
    return float(1.96 * np.sqrt((first * (1 - first) + second * (1 - second)) / n)) if n else 1.0


def format_p(p: float) -> str:
    """Format a p-value: "p = 0.21", "p = 0.031", "p < 0.001"."""
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def points(difference: float) -> str:
    """Format a difference of shares in percentage points, with one digit, or more if it would round to 0."""
    size = abs(100 * difference)
    return f"{100 * difference:.1f}" if size >= 0.05 or not size else f"{100 * difference:.1g}"


def _with_interval(mean: float, draws: np.ndarray, p: float, groups: int) -> Paired:
    """Return a mean with the middle 95% of its draws (DRAWS,), if there are enough groups and the draws differ by more than rounding."""
    if groups < FEWEST or np.ptp(draws) < 10.0 ** (2 - EQUAL):
        return Paired(mean=mean, low=None, high=None, p=p, groups=groups)
    low, high = np.quantile(draws, (0.025, 0.975))
    return Paired(mean=mean, low=float(low), high=float(high), p=p, groups=groups)


def _parts(n_groups: int) -> list[int]:
    """Split DRAWS into parts, each with at most PART numbers for n groups."""
    n_rows = max(1, PART // max(n_groups, 1))
    return [min(n_rows, DRAWS - start) for start in range(0, DRAWS, n_rows)]


def _codes(groups: Sequence[Hashable]) -> np.ndarray:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], int)
