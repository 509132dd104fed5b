"""What the labeled sentences of a word say of other sentences of it: votes of the nearest, shares of the senses' means, a regression's inputs.

The mean of a sense is the sum of its labeled sentences' directions. A sense that is labeled in two parts of speech ("to tap somebody", "a
tap on the shoulder") has one mean in each, and the nearer one counts: noun and verb are so far apart that nothing is between them. A
sentence belongs to the senses in proportion to exp(SHARPNESS * cosine with their means). How far two sentences belong to the same sense is
the product of their shares, summed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..common.directions import unit
from ..common.model_layers import SENSES
from ..index.sense_space import SenseSpace
from . import discriminants, evidence

K = 8  # labeled sentences that vote on one: half of the 16 a bundled sense has
SHARPNESS = 10.0  # of 5, 10 and 20 the one whose verdicts on words held out cost the fewest nats (core.lab.verdicts)
FEWEST = 3  # sentences of a sense in a part of speech that have a mean of their own
SOFT, SOFT_MIDDLES = 0.1, 0.02  # added to both sides of an agreement's odds: eight votes to none are no certainty
RIDGE = 1e-5  # on the regression's coefficients: enough to keep them finite; more makes cosines, which differ by 0.1, count too little
# Kinds of evidence, and the column of the regression that has each: a pair's place in the sense space, the words around, the words expected
# in both places, the sense that each is nearest to, the word's vectors at a layer.
AROUND, EXPECTED, NEAREST, TOKEN = "around", "expected", "nearest", "token"
LABELED_COLUMNS = {SENSES: 10, AROUND: 11, EXPECTED: 12, NEAREST: 13, TOKEN: 4}
UNLABELED_COLUMNS = {SENSES: 3, AROUND: 2, EXPECTED: 1, TOKEN: 0}  # of core.senses.evidence.cosines


class Shares(NamedTuple):
    """The votes of a word's labeled sentences on q other sentences, by one view."""

    directions: np.ndarray  # (q, D) unit vectors with the labeled sentences' mean taken off
    votes: np.ndarray  # (q, C): share of each sense among the K nearest, as if every sense had as many sentences
    middles: np.ndarray  # (q, C): share of each sense by the senses' middles


def shares_of(labeled: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_senses: int, pos: np.ndarray | None = None) -> Shares:
    """Labeled rows (n, D), their senses (n,) and parts of speech (n,), other rows (q, D) -> what the former say of the latter."""
    known, directions = evidence.center(labeled), evidence.center(rows, labeled)
    nearest = np.argsort(-(directions @ known.T), axis=1, kind="stable")[:, :K]  # (q, K)
    members = np.eye(n_senses)[labels]  # (n, C)
    votes = members[nearest].sum(axis=1) / np.maximum(members.sum(axis=0), 1)
    return Shares(directions, votes / votes.sum(axis=1, keepdims=True), centroid_shares(known, labels, directions, n_senses, pos))


def centroid_shares(
    directions: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_senses: int, pos: np.ndarray | None = None
) -> np.ndarray:
    """Unit rows (n, D), their senses (n,) and parts of speech (n,), others (q, D) -> the share of each of these in each sense, (q, C); 0
    where a sense has no row."""
    groups, sense = (labels, np.arange(n_senses)) if pos is None else _groups(labels, pos)
    cosines = np.full((len(rows), n_senses), -np.inf)
    members = np.eye(len(sense))[groups]  # (n, G)
    to_middles = rows @ unit(members.T @ directions).T  # (q, G)
    for group in np.flatnonzero(members.any(axis=0)):
        cosines[:, sense[group]] = np.maximum(cosines[:, sense[group]], to_middles[:, group])
    raised = np.exp(SHARPNESS * (cosines - cosines.max(axis=1, keepdims=True)))
    return raised / raised.sum(axis=1, keepdims=True)


def _groups(labels: np.ndarray, pos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) which rows have a middle together, and each group's sense (G,); fewer than FEWEST go with their sense's commonest part of speech."""
    groups, senses = np.empty(len(labels), int), []
    for sense in np.unique(labels):
        here = np.flatnonzero(labels == sense)
        names, counts = np.unique(pos[here], return_counts=True)
        main = counts.argmax()
        own = [k for k in range(len(names)) if k == main or counts[k] >= FEWEST]
        number = {names[k]: len(senses) + n for n, k in enumerate(own)}
        groups[here] = [number.get(name, number[names[main]]) for name in pos[here]]
        senses += [sense] * len(own)
    return groups, np.array(senses)


class SensePlaces(NamedTuple):
    """The votes of a word's labeled sentences on q other sentences, in the sense space."""

    shares: Shares
    posteriors: np.ndarray  # (q, C) of each sense, by discriminants of the labeled sentences
    expected: np.ndarray  # (q, P) unit vectors of the words expected in their places, with the labeled sentences' mean taken off


def places_in(
    space: SenseSpace, labeled: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_senses: int, lemma: str, pos: np.ndarray | None = None
) -> SensePlaces:
    """The same in the sense space, of its parts (n, V) and (q, V)."""
    mean = labeled.mean(axis=0)
    known, others = space.place(labeled, mean, lemma), space.place(rows, mean, lemma)
    posteriors = np.zeros((len(rows), n_senses))
    posteriors[:, np.unique(labels)] = discriminants.posteriors(known, labels, others)
    expected = evidence.center(space.expected(rows), space.expected(labeled))
    return SensePlaces(shares_of(known, labels, others, n_senses, pos), posteriors, expected)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VoteAgreement:
    """How far one view of n pairs gives both sentences to the same sense."""

    votes: np.ndarray  # (n,) of the nearest labeled sentences: the products of the senses' shares, summed
    middles: np.ndarray  # (n,) the same of the senses' middles
    cosines: np.ndarray  # (n,) of both sentences, the word's mean taken off


def inputs_of_pairs(
    first: np.ndarray, second: np.ndarray, trust: float, token: Shares, topic: Shares | None, in_senses: SensePlaces | None = None
) -> np.ndarray:
    """Pairs of sentences by their numbers (n,), (n,) -> (n, 14) inputs of the regression, the same whichever comes first."""

    def products(values: np.ndarray) -> np.ndarray:
        return np.einsum("nd,nd->n", values[first], values[second])

    def agreement(shares: Shares) -> VoteAgreement:
        return VoteAgreement(votes=products(shares.votes), middles=products(shares.middles), cosines=products(shares.directions))

    around = None if topic is None else agreement(topic)
    if in_senses is None:
        return inputs_of(trust, agreement(token), around=around)
    return inputs_of(
        trust,
        agreement(token),
        around=around,
        senses=agreement(in_senses.shares),
        expected=products(in_senses.expected),
        nearest=products(in_senses.posteriors),
    )


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
