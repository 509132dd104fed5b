"""From what speaks for one meaning to how likely it is: a logistic regression over pairs of labeled sentences, words weighed alike."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..common.model_layers import SENSES

SOFT, SOFT_MIDDLES = 0.1, 0.02  # added to both sides of an agreement's odds: eight votes to none are no certainty
RIDGE = 1e-5  # on the regression's coefficients: enough to keep them finite; more makes cosines, which differ by 0.1, say too little


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VoteAgreement:
    """How far one view of n pairs gives both sentences to the same sense."""

    votes: np.ndarray  # (n,) of the nearest labeled sentences: the products of the senses' shares, summed
    middles: np.ndarray  # (n,) the same of the senses' middles
    cosines: np.ndarray  # (n,) of both sentences, the word's mean taken off


FILE = "verdict.json"  # in a table's folder: its core.senses.verdict.Calibration, and the histograms of core.senses.densities
# Kinds of evidence, and the column of the regression that has each: a pair's place in the sense space, the words around, the words expected
# in both places, the sense that each is nearest to, the word's vectors at a layer.
AROUND, EXPECTED, NEAREST, TOKEN = "around", "expected", "nearest", "token"
LABELED_COLUMNS = {SENSES: 10, AROUND: 11, EXPECTED: 12, NEAREST: 13, TOKEN: 4}
UNLABELED_COLUMNS = {SENSES: 3, AROUND: 2, EXPECTED: 1, TOKEN: 0}  # of core.senses.evidence.cosines


def inputs_of(
    trust: float,
    token: VoteAgreement,
    *,
    around: VoteAgreement | None = None,
    senses: VoteAgreement | None = None,
    expected: np.ndarray | None = None,
    nearest: np.ndarray | None = None,
) -> np.ndarray:
    """Put what is known of n pairs into the columns of the regression.

    Parameters
    ----------
    trust : how far the word's vectors at a layer can be trusted. They count alone, and as far as that.
    token : by those vectors.
    around : by the words around; None where that is unknown, as in the rest.
    senses : in the sense space.
    expected : (n,) cosines of the words expected in both places.
    nearest : (n,) how likely both are of one sense by the sense space's discriminants.

    Returns
    -------
    (n, 14)
    """
    zero, half = np.zeros_like(token.cosines), np.full_like(token.cosines, 0.5)
    unknown = VoteAgreement(votes=half, middles=half, cosines=zero)
    around, senses = around or unknown, senses or unknown
    votes, of_middles = _odds(token.votes, SOFT), _odds(token.middles, SOFT_MIDDLES)
    inputs = [votes, votes * trust, of_middles, of_middles * trust, token.cosines, token.cosines * trust, np.full_like(zero, trust)]
    inputs += [_odds(around.middles, SOFT_MIDDLES), _odds(senses.votes, SOFT), _odds(senses.middles, SOFT_MIDDLES), senses.cosines]
    inputs += [around.cosines, zero if expected is None else expected, zero if nearest is None else _odds(nearest, SOFT_MIDDLES)]
    return np.stack(inputs, axis=1)


def _odds(shares: np.ndarray, soft: float) -> np.ndarray:
    return np.log((shares + soft) / (1 - shares + soft))


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
