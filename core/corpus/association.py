"""Measures of how words go together or apart, of counts alone: logDice, log-likelihood, log ratio, log-odds with an informative prior.

All take arrays and answer arrays; none of them looks at a corpus.
"""

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..common.significance import benjamini_hochberg

PRIOR = 500.0  # words that the prior of `log_odds` weighs together
NONE, BONFERRONI, FDR = "none", "bonferroni", "benjamini-hochberg"
CORRECTIONS = (FDR, BONFERRONI, NONE)
ABSENT = 0.5  # for a count of 0, where its logarithm is wanted (Hardie 2014)


def log_dice(together: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """14 + log2 of the Dice coefficient of two words' frequencies and how often they occur together (Rychlý 2008); −∞ for never."""
    with np.errstate(divide="ignore"):
        return 14 + np.log2(2 * np.asarray(together, float) / (np.asarray(first, float) + second))


def log_likelihood(a: np.ndarray, b: np.ndarray, n_a: float, n_b: float) -> np.ndarray:
    """G2 of the 2 x 2 table of a word's counts (a, b) in two sets of n_a and n_b tokens (Dunning 1993); never negative."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    rows = [(a, n_a), (b, n_b), (n_a - a, n_a), (n_b - b, n_b)]
    shares = [(a + b) / (n_a + n_b)] * 2 + [(n_a + n_b - a - b) / (n_a + n_b)] * 2
    terms = [_weighted_log(observed, size * share) for (observed, size), share in zip(rows, shares, strict=True)]
    return np.maximum(2 * sum(terms), 0.0)


def log_ratio(a: np.ndarray, b: np.ndarray, n_a: float, n_b: float) -> np.ndarray:
    """log2 of how many times as frequent a word is in the first of two corpora (Hardie 2014); a count of 0 is taken for half of one."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.log2(np.where(a > 0, a, ABSENT) / n_a) - np.log2(np.where(b > 0, b, ABSENT) / n_b)


def log_odds(first: np.ndarray, second: np.ndarray, background: np.ndarray, *, prior: float = PRIOR) -> np.ndarray:
    """z of the log-odds ratio of words' counts in two sets, with a Dirichlet prior in proportion to their background counts.

    Monroe, Colaresi and Quinn 2008, equations 16, 18 and 22: above 0 a word speaks for the first, below for the second. (words,) each.
    """
    alpha = prior * np.asarray(background, float) / np.sum(background)
    y, other = np.asarray(first, float) + alpha, np.asarray(second, float) + alpha
    n, m = y.sum(), other.sum()
    delta = np.log(y / (n - y)) - np.log(other / (m - other))
    return delta / np.sqrt(1 / y + 1 / other)


def p_values(g2: np.ndarray, correction: str = FDR) -> np.ndarray:
    """p of G2 by the chi-squared distribution with one degree of freedom, corrected for as many tests as there are."""
    from scipy.special import chdtrc

    if correction not in CORRECTIONS:
        raise BadInput(t("Unknown correction {name!r}. Choose: {names}.", name=shorten(correction), names=", ".join(CORRECTIONS)))
    p = chdtrc(1, np.asarray(g2, float))
    if correction == FDR:
        return benjamini_hochberg(p) if len(p) else p
    return np.minimum(p * len(p), 1.0) if correction == BONFERRONI else p


def _weighted_log(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """observed * log(observed / expected), 0 where nothing is observed."""
    safe = np.where(observed > 0, observed, 1.0)
    return np.where(observed > 0, observed * np.log(safe / np.where(expected > 0, expected, 1.0)), 0.0)
