"""Whether one classifier's lead over another on the same test texts is more than chance.

Two that answer the same texts are compared by the texts on which they differ (McNemar 1947): were they equally good, each such
text would fall to either side as a coin does. Where it is not kept which texts were right, the number of them alone bounds chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

UNLIKELY = 0.05  # below this p a lead counts as more than chance


@dataclass(frozen=True, slots=True)
class Paired:
    """Of two classifiers on the same texts."""

    first: int  # texts on which the first is right, or right from more starts, and the second is not
    second: int
    p: float  # of so uneven a count, or a more uneven one, if both were equally good

    @property
    def more_than_chance(self) -> bool:
        return self.p < UNLIKELY


def paired(first: np.ndarray, second: np.ndarray) -> Paired:
    """(S, N) and (R, N) bool, right or not from each random start on the same N texts -> the exact two-sided test.

    From several starts a text counts for whoever was right from a larger share of them: so every text counts once, however many
    starts there were, and with one start each this is McNemar's test.
    """
    from scipy.stats import binomtest

    a, b = (np.atleast_2d(np.asarray(rows, bool)) for rows in (first, second))
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"{a.shape[1]} and {b.shape[1]} texts are not the same ones")
    ahead = np.sign(a.sum(axis=0) * len(b) - b.sum(axis=0) * len(a))  # shares compared without rounding
    wins, losses = int((ahead > 0).sum()), int((ahead < 0).sum())
    return Paired(wins, losses, float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0)


def margin(first: float, second: float, n: int) -> float:
    """Below this a difference of two accuracies on n texts may be chance, at 95 %, judged by n alone.

    As if each had answered texts of its own: on the same texts chance is smaller as a rule, so that this errs on the safe side.
    """
    return float(1.96 * np.sqrt((first * (1 - first) + second * (1 - second)) / n)) if n else 1.0


def points(difference: float) -> str:
    """A difference of two shares in points of per cent, to one digit; to as many as it takes not to be 0 where it is not."""
    size = abs(100 * difference)
    return f"{100 * difference:.1f}" if size >= 0.05 or not size else f"{100 * difference:.1g}"
