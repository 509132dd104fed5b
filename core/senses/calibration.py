"""From what speaks for one meaning to how likely it is: a logistic regression over pairs of labeled sentences, words weighed alike."""

from collections.abc import Sequence

import numpy as np

SOFT, SOFT_MIDDLES = 0.1, 0.02  # added to both sides of an agreement's odds: eight votes to none are no certainty
RIDGE = 1e-5  # on the regression's coefficients: enough to keep them finite; more makes cosines, which differ by 0.1, say too little


def inputs_of(
    agreement: np.ndarray,
    given: np.ndarray,
    cosines: np.ndarray,
    given_around: np.ndarray | None,
    trust: float,
    in_senses: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
) -> np.ndarray:
    """(n,) each: votes' and middles' agreement, cosine; middles' agreement by what stands around; votes', middles' and cosine in the sense
    space; None where that is unknown -> (n, 11). The vectors' count by themselves, and as far as these can be trusted of this word."""
    half = np.full_like(agreement, 0.5)
    senses = (half, half, np.zeros_like(agreement)) if in_senses is None else in_senses
    shares = ((agreement, SOFT), (given, SOFT_MIDDLES), (half if given_around is None else given_around, SOFT_MIDDLES))
    shares = (*shares, (senses[0], SOFT), (senses[1], SOFT_MIDDLES))
    votes, of_middles, of_around, in_space, of_space = (np.log((share + soft) / (1 - share + soft)) for share, soft in shares)
    inputs = [votes, votes * trust, of_middles, of_middles * trust, cosines, cosines * trust, np.full_like(votes, trust)]
    return np.stack([*inputs, of_around, in_space, of_space, senses[2]], axis=1)


def fit(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[tuple[float, ...], float]:
    """Over the words' (inputs (n, d), same (n,)): coefficients (d + 3), mean loss in nats.

    A logistic regression's d + 1, then how its log-odds z are bent, a z + b z |z|: evidence that is half sure is right less often than
    a logistic curve has it, and what is all but sure more often.
    """
    inputs, same = (np.concatenate(part) for part in zip(*pairs, strict=True))
    weights = np.concatenate([weights_of(item) for _, item in pairs]) / len(pairs)
    straight = _regression(np.column_stack([inputs, np.ones(len(inputs))]), same, weights)
    odds = inputs @ straight[:-1] + straight[-1]
    coefficients = (*straight, *_regression(np.column_stack([odds, odds * np.abs(odds)]), same, weights))
    probability = probability_of(inputs, coefficients)
    return tuple(map(float, coefficients)), float(-(weights * np.log(np.where(same, probability, 1 - probability))).sum())


def _regression(sides: np.ndarray, same: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton's method: (n, d), (n,), (n,) -> (d,)."""
    coefficients = np.zeros(sides.shape[1])
    for _ in range(25):
        probability = 1 / (1 + np.exp(-sides @ coefficients))
        slope = sides.T @ (weights * (probability - same)) + RIDGE * coefficients
        bend = (sides * (weights * probability * (1 - probability))[:, None]).T @ sides + RIDGE * np.eye(len(coefficients))
        coefficients = coefficients - np.linalg.solve(bend, slope)
    return coefficients


def weights_of(same: np.ndarray) -> np.ndarray:
    """(n,) of one word: pairs of one sense weigh a half together, pairs of two the other half."""
    return np.where(same, 0.5 / max(same.sum(), 1), 0.5 / max((~same).sum(), 1))


def probability_of(inputs: np.ndarray, coefficients: Sequence[float]) -> np.ndarray:
    """(n, d), (d + 3,) -> (n,)."""
    *straight, constant, slope, bend = coefficients
    odds = inputs @ np.asarray(straight) + constant
    return 1 / (1 + np.exp(-(slope * odds + bend * odds * np.abs(odds))))
