"""Collect the evidence for a word's meaning in a sentence, from its vectors and from its labeled sentences.

Without labels there are four views of a token. Two occurrences are compared by cosines after subtracting the mean over labeled words.

"token": its vector at a layer minus that of the word alone.
"place": what both directions of the biLM know of its place before they read it, the forward state in front of it and the backward
one behind it. Where a word has one meaning, like words are expected in its place (as substitutes; Amrami and Goldberg 2018).
"topic": the sum of the other words' static vectors (core.static.vectors), which needs no network.
"senses": the token in the sense space (core.index.sense_space), by a map that has not seen its word; zeros without one.

With labels the K sentences vote that are nearest by the cosine after subtracting the word's mean, and the means of the senses get shares in
proportion to exp(SHARPNESS * cosine). A sense that is labeled in two parts of speech ("to tap somebody", "a tap on the shoulder") has one
mean in each, and the nearer one counts, because nothing is between noun and verb. How far two sentences belong to the same sense is the
product of their shares, summed.

How far a layer is to be trusted on a labeled word is the share of its nearest neighbors that have the same sense (`purity_at_k`); where
several are equally near, each counts for its share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.model_layers import SENSES
from ..elmo.mix import layer_weights, mixed
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..static.vectors import StaticVectors, topics
from ..workspace import Word

VIEWS = ("token", "place", "topic", "senses")
K = 8  # labeled sentences that vote on one: half of the 16 a bundled sense has
TIE = 1e-5  # cosines closer than this are equal: float32 products and float16 storage make differences up to 1e-6
SHARPNESS = 10.0  # the one of 5, 10 and 20 with the lowest loss on verdicts for held-out words (core.lab.verdicts)
FEWEST = 3  # sentences of a sense in a part of speech that get a separate mean
SOFT, SOFT_MIDDLES = 0.1, 0.02  # added to both sides of an agreement's odds: eight votes to none do not make it certain
RIDGE = 1e-5  # on the regression's coefficients: enough to keep them finite; more makes cosines, which differ by 0.1, count too little
MOST_STEPS, SMALLEST_STEP = 25, 1e-9  # limits of Newton's method
SHRINKAGE = 0.6  # of a covariance toward a sphere, because a word has fewer labeled sentences than a vector has dimensions
POINT = 1e-2  # unit vectors that differ by less are one point: what float16 rounds
THIN = 1e-4  # a direction that is narrower than the widest by this factor holds nothing but rounding
# Kinds of evidence, and the column of the regression that has each: a pair's place in the sense space, the words around, the words expected
# in both places, the sense that each is nearest to, the word's vectors at a layer.
AROUND, EXPECTED, NEAREST, TOKEN = "around", "expected", "nearest", "token"
LABELED_COLUMNS = {SENSES: 10, AROUND: 11, EXPECTED: 12, NEAREST: 13, TOKEN: 4}
UNLABELED_COLUMNS = {SENSES: 3, AROUND: 2, EXPECTED: 1, TOKEN: 0}  # columns of `cosines`


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence of n occurrences, before a layer is chosen and a mean subtracted."""

    layers: np.ndarray  # (n, L, D) of the tokens
    isolated: np.ndarray  # (n, L, D) of each word as a one-word sentence
    place: np.ndarray  # (n, d): the states around each token
    topic: np.ndarray  # (n, V): zeros where no other word has a vector
    parts: np.ndarray | None = None  # (n, W) of the sense space, `space`; None without one
    space: SenseSpace | None = None
    lemmas: tuple[str, ...] = ()  # labeled words to leave out of the map

    def views(self, layer: str) -> dict[str, np.ndarray]:
        """Return each view (n, d) by name; the token under that layer or mix."""
        weights = layer_weights(layer, self.layers.shape[1])
        token, isolated = (mixed(layers, weights, axis=1, unit=True) for layers in (self.layers, self.isolated))
        return {"token": token - isolated, "place": self.place, "topic": unit(self.topic), "senses": self._senses()}

    def _senses(self) -> np.ndarray:
        """Return the places (n, D) in the sense space; zeros without one."""
        if self.space is None or self.parts is None:
            return np.zeros((len(self.layers), 1), np.float32)
        lemmas = np.array(self.lemmas or [""] * len(self.parts))
        places = np.empty((len(self.parts), self.space.dim), np.float32)
        for lemma in np.unique(lemmas):
            places[lemmas == lemma] = self.space.place(self.parts[lemmas == lemma], word=str(lemma))
        return places


def of_words(words: Sequence[Word]) -> Evidence:
    """Return the evidence of typed words."""
    space = words[0].workspace.sense_space
    return Evidence(
        layers=np.stack([word.layers for word in words]),
        isolated=np.stack([word.alone for word in words]),
        place=np.stack([word.place for word in words]),
        topic=np.stack([word.topic for word in words]),
        parts=np.stack([word.sense_parts for word in words]) if space else None,
        space=space,
    )


def of_rows(encoder, vectors: StaticVectors | None, table: OccurrenceTable, rows: np.ndarray, space: SenseSpace | None = None) -> Evidence:
    """Return the evidence of rows of a table. Their sentences are encoded, which takes seconds."""
    occurrences = table.places(rows)
    codes, numbers = np.unique(table.word[rows], return_inverse=True)
    isolated = np.stack([layers[:, 0] for layers in encoder.encode([[table.words[code]] for code in codes])])[numbers]
    sentences = [list(tokens) for tokens, _ in occurrences]
    positions = [position for _, position in occurrences]
    # Each direction of a biLM can stop at the token
    place = encoder.alone(sentences, positions)[1] if hasattr(encoder, "alone") else encoder.around(sentences, positions)
    parts = space.of_rows(table, rows) if space else None
    lemmas = tuple(table.lemmas[code] for code in table.lemma[rows])
    return Evidence(table.rows.take(rows), isolated, place, topics(vectors, occurrences), parts, space, lemmas)


def center(rows: np.ndarray, reference: np.ndarray | None = None) -> np.ndarray:
    """Return the directions of rows (n, d) minus the mean direction of the `reference` rows (by default the rows), as unit vectors.

    A row of zeros stays zeros and counts in no mean.
    """
    others = rows if reference is None else reference
    used = np.linalg.norm(others, axis=1) > 1e-9
    if not used.any():
        return unit(rows)
    return unit(unit(rows) - unit(others)[used].mean(axis=0)) * (np.linalg.norm(rows, axis=1) > 1e-9)[:, None]


def centers(views: Mapping[str, np.ndarray], words: np.ndarray) -> dict[str, np.ndarray]:
    """Return the mean (d,) of each view over words; `words` (n,) numbers the word of each occurrence. Every word counts alike."""
    return {name: np.mean([rows[words == word].mean(axis=0) for word in np.unique(words)], axis=0) for name, rows in views.items()}


def cosines(views: Mapping[str, np.ndarray], means: Mapping[str, np.ndarray], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the cosines (m, 4) of pairs of occurrences, by their numbers (m,), in every view minus its mean; 0 if one of both is empty."""
    results = []
    for name in VIEWS:
        has_view = np.linalg.norm(views[name], axis=1) > 1e-9
        rows = unit(views[name] - np.asarray(means[name], np.float32)) * has_view[:, None]
        results.append(np.einsum("md,md->m", rows[first], rows[second]))
    return np.stack(results, axis=1)


def purity_at_k(similarities: np.ndarray, labels: Sequence, k: int) -> float:
    """Return the mean share of the same sense among the k nearest others, (n, n), (n,) of one word; k is at most n - 1."""
    similarities, senses = check_one_word(similarities, labels)
    return float(same_sense_shares(neighbors_with_ties(similarities, k), senses).mean())


def above_chance(share: float, labels: np.ndarray) -> float:
    """Rescale a share of neighbors with the same sense: 0 as at random, 1 if all have it."""
    by_chance = chance(labels)
    return (share - by_chance) / (1 - by_chance)


def chance(senses: np.ndarray) -> float:
    """Return the probability that two random rows have the same sense, given the senses (n,) of all rows."""
    counts = np.unique(senses, return_counts=True)[1]
    return float((counts * (counts - 1)).sum() / (len(senses) * (len(senses) - 1)))


def check_one_word(similarities: np.ndarray, labels: Sequence) -> tuple[np.ndarray, np.ndarray]:
    """Check similarities (n, n) of a word, and return them with its senses as numbers from 0 (n,)."""
    similarities, labels = np.asarray(similarities), np.asarray(labels)
    if labels.ndim != 1 or len(labels) < 2 or similarities.shape != labels.shape * 2 or not np.isfinite(similarities).all():
        values = {"n": labels.size, "shape": similarities.shape}
        raise BadInput(t("A word’s senses need two occurrences and the cosine of every pair; got {n} labels, cosines {shape}.", **values))
    return similarities, np.unique(labels, return_inverse=True)[1]


def neighbors_with_ties(similarities: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the neighbors of each occurrence as (rows (E,), neighbors (E,), weights (E,)); each row's weights sum to 1.

    Those clearly among the k nearest weigh 1/k; those tied for the last places share the rest.
    """
    others = np.array(similarities, np.float32)
    k = min(k, len(others) - 1)
    np.fill_diagonal(others, -np.inf)
    last = -np.partition(-others, k - 1, axis=1)[:, k - 1 : k]  # (n, 1)
    above, tied = others > last + TIE, np.abs(others - last) <= TIE
    left = (k - above.sum(axis=1, keepdims=True)) / tied.sum(axis=1, keepdims=True)
    rows, who = np.nonzero(above | tied)
    return rows, who, (above + tied * left)[rows, who] / k


def same_sense_shares(neighbors: tuple[np.ndarray, np.ndarray, np.ndarray], senses: np.ndarray) -> np.ndarray:
    """Return for each occurrence how much of its neighbors has its sense (n,)."""
    rows, who, weights = neighbors
    return np.bincount(rows, weights * (senses[rows] == senses[who]), minlength=len(senses))


class Shares(NamedTuple):
    """The votes of a word's labeled sentences on q other sentences, by one view."""

    directions: np.ndarray  # (q, D) unit vectors with the labeled sentences' mean taken off
    votes: np.ndarray  # (q, C): share of each sense among the K nearest, as if every sense had as many sentences
    middles: np.ndarray  # (q, C): share of each sense by the senses' middles


def shares_of(labeled: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_senses: int, pos: np.ndarray) -> Shares:
    """Compute the votes of labeled rows (n, D), their senses (n,) and parts of speech (n,), on other rows (q, D)."""
    centered, directions = center(labeled), center(rows, labeled)
    nearest = np.argsort(-(directions @ centered.T), axis=1, kind="stable")[:, :K]  # (q, K)
    members = np.eye(n_senses)[labels]  # (n, C)
    votes = members[nearest].sum(axis=1) / np.maximum(members.sum(axis=0), 1)
    return Shares(directions, votes / votes.sum(axis=1, keepdims=True), centroid_shares(centered, labels, directions, n_senses, pos))


def centroid_shares(directions: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_senses: int, pos: np.ndarray) -> np.ndarray:
    """Compute the share of each sense in other rows (q, D): (q, C), 0 for a sense without a row.

    `directions` (n, D) are unit rows with their senses (n,) and parts of speech (n,). Fewer than FEWEST rows of a sense in a part of
    speech join the commonest part of speech of the sense.
    """
    cosines = np.full((len(rows), n_senses), -np.inf)
    for sense in np.unique(labels):
        is_sense = labels == sense
        names, counts = np.unique(pos[is_sense], return_counts=True)
        joined = np.where(np.isin(pos, names[counts >= FEWEST]), pos, names[counts.argmax()])
        for name in np.unique(joined[is_sense]):
            middle = unit(directions[is_sense & (joined == name)].sum(axis=0, dtype=np.float64))
            cosines[:, sense] = np.maximum(cosines[:, sense], rows @ middle)
    raised = np.exp(SHARPNESS * (cosines - cosines.max(axis=1, keepdims=True)))
    return raised / raised.sum(axis=1, keepdims=True)


class SensePlaces(NamedTuple):
    """The votes of a word's labeled sentences on q other sentences, in the sense space."""

    shares: Shares
    posteriors: np.ndarray  # (q, C) of each sense, by discriminants of the labeled sentences
    expected: np.ndarray  # (q, P) unit vectors of the words expected in their places, with the labeled sentences' mean taken off


def places_in(
    space: SenseSpace, labeled: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_senses: int, lemma: str, pos: np.ndarray
) -> SensePlaces:
    """Compute the votes of labeled sentences on others in the sense space, from its parts (n, V) and (q, V)."""
    mean = labeled.mean(axis=0)
    places, others = space.place(labeled, mean, lemma), space.place(rows, mean, lemma)
    likely = np.zeros((len(rows), n_senses))
    likely[:, np.unique(labels)] = posteriors(places, labels, others)
    expected = center(space.expected(rows), space.expected(labeled))
    return SensePlaces(shares_of(places, labels, others, n_senses, pos), likely, expected)


def posteriors(x: np.ndarray, senses: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Estimate how likely each of k senses is for rows (m, d), (m, k), if beforehand all are equally likely.

    Every sense is a Gaussian cloud of rows (n, d) with senses (n,), and all have one covariance: scikit-learn's
    `LinearDiscriminantAnalysis` (solver "eigen") with shrinkage, without the second that its import takes.
    """
    mean, names = x.mean(axis=0), np.unique(senses)
    even = np.full((len(points), len(names)), 1 / len(names))
    if is_point(x):
        return even
    _, widths, directions = np.linalg.svd(x - mean, full_matrices=False)
    span = directions[widths > THIN * widths[0]].T
    seen, others = (x - mean) @ span, (points - mean) @ span
    within = covariance_within(seen, senses)
    if np.trace(within) < 1e-12:  # nothing varies within a sense: no covariance to measure distances by
        return even
    means = np.stack([seen[senses == name].mean(axis=0) for name in names])
    slopes = np.linalg.solve(within, means.T)  # (d, k)
    scores = others @ slopes - 0.5 * np.einsum("kd,dk->k", means, slopes)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def is_point(x: np.ndarray) -> bool:
    """Return whether all rows (n, d) are one point, as a spelling's vectors at layer 0 are."""
    return bool(np.linalg.norm(x - x.mean(axis=0), axis=1).max() < POINT)


def covariance_within(x: np.ndarray, senses: np.ndarray) -> np.ndarray:
    """Return the mean shrunken covariance (d, d) of the rows (n, d) of each sense."""
    return np.mean([shrunken_covariance(x[senses == name]) for name in np.unique(senses)], axis=0)


def shrunken_covariance(x: np.ndarray) -> np.ndarray:
    """Return the covariance (d, d) of rows (n, d), shrunken toward a sphere (Ledoit and Wolf 2004) by a fixed share."""
    centered = (x - x.mean(axis=0)).astype(np.float64)
    covariance = centered.T @ centered / len(x)
    return (1 - SHRINKAGE) * covariance + SHRINKAGE * np.trace(covariance) / len(covariance) * np.eye(len(covariance))


def inputs_of_pairs(
    first: np.ndarray, second: np.ndarray, trust: float, token: Shares, topic: Shares | None, in_senses: SensePlaces | None
) -> np.ndarray:
    """Compute the inputs (n, 14) of the regression for pairs of sentences by their numbers (n,), (n,); their order does not matter.

    `trust` weighs the word's vectors at a layer, `token`. They count alone and, in other columns, as far as that. Without the words around,
    `topic`, or the sense space their columns have the values of no evidence.
    """

    def products(values: np.ndarray) -> np.ndarray:
        return np.einsum("nd,nd->n", values[first], values[second])

    zero = np.zeros(len(first), token.directions.dtype)
    half = np.full_like(zero, 0.5)

    def agreement(shares: Shares | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return how far a view gives both sentences the same sense, by votes and by means (n,), and the cosines."""
        if shares is None:
            return _odds(half, SOFT), _odds(half, SOFT_MIDDLES), zero
        return _odds(products(shares.votes), SOFT), _odds(products(shares.middles), SOFT_MIDDLES), products(shares.directions)

    votes, means, cosines = agreement(token)
    inputs = [votes, votes * trust, means, means * trust, cosines, cosines * trust, np.full_like(zero, trust)]
    _, around_means, around_cosines = agreement(topic)
    inputs += [around_means, *agreement(None if in_senses is None else in_senses.shares), around_cosines]
    if in_senses is None:
        inputs += [zero, zero]
    else:
        inputs += [products(in_senses.expected), _odds(products(in_senses.posteriors), SOFT_MIDDLES)]
    return np.stack(inputs, axis=1)


def _odds(shares: np.ndarray, soft: float) -> np.ndarray:
    return np.log((shares + soft) / (1 - shares + soft))


def fit(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[tuple[float, ...], float]:
    """Fit the regression to each word's (inputs (n, d), same (n,)): return coefficients (d + 3,) and the mean loss in nats.

    The d + 1 of a logistic regression are followed by two that bend its log-odds z into a z + b z |z|. Half-sure evidence is right less
    often than a logistic curve predicts, and nearly certain evidence more often.
    """
    inputs, same = (np.concatenate(part) for part in zip(*pairs, strict=True))
    weights = np.concatenate([weights_of(item) for _, item in pairs]) / len(pairs)
    straight = _regression(np.column_stack([inputs, np.ones(len(inputs))]), same, weights)
    odds = inputs @ straight[:-1] + straight[-1]
    coefficients = (*straight, *_regression(np.column_stack([odds, odds * np.abs(odds)]), same, weights))
    probability = probability_of(inputs, coefficients)
    return tuple(map(float, coefficients)), float(-(weights * np.log(np.where(same, probability, 1 - probability))).sum())


def _regression(sides: np.ndarray, same: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Fit a logistic regression by Newton's method: (n, d), (n,), (n,) -> (d,)."""
    coefficients = np.zeros(sides.shape[1])
    for _ in range(MOST_STEPS):
        probability = 1 / (1 + np.exp(-sides @ coefficients))
        gradient = sides.T @ (weights * (probability - same)) + RIDGE * coefficients
        hessian = (sides * (weights * probability * (1 - probability))[:, None]).T @ sides + RIDGE * np.eye(len(coefficients))
        step = np.linalg.solve(hessian, gradient)
        coefficients = coefficients - step
        if np.abs(step).max() < SMALLEST_STEP:  # the error after it is about its square
            break
    return coefficients


def weights_of(same: np.ndarray) -> np.ndarray:
    """Weigh one word's pairs (n,) so that those of one sense and those of two each sum to a half."""
    return np.where(same, 0.5 / max(same.sum(), 1), 0.5 / max((~same).sum(), 1))


def probability_of(inputs: np.ndarray, coefficients: Sequence[float]) -> np.ndarray:
    """Return the probability of the same sense: (n, d), (d + 3,) -> (n,)."""
    *straight, constant, slope, bend = coefficients
    odds = inputs @ np.asarray(straight) + constant
    return 1 / (1 + np.exp(-(slope * odds + bend * odds * np.abs(odds))))
