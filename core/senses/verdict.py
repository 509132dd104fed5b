"""One meaning or two: what a word's vectors in two sentences say, and how sure one may be of it.

Of a word with labelled senses each sentence asks the K labelled sentences nearest to it (itself left out), and they vote for their
senses. Nearness is the cosine of what is left when the word's own mean is taken off: all occurrences of a word share most of their
vector, and two of one meaning hardly have a higher cosine than two of two. How far the two votes agree, how far the senses' middles give both to one
sense (core.senses.centroids), and the cosine of the two themselves, become a probability by a logistic regression over all pairs of the
labelled sentences, both sentences of a pair left out, pairs of one meaning and of two weighed alike. So 80 % means: of pairs like this
four in five are so.
Measured with each word left out of what it is judged by, of the English words' pairs 72 % are called (at 65 % or more), 86 % of these
rightly; without the middles 62 % and 85 % (`tests/core/senses/test_verdict.py` holds both languages to what they say). Of the 420 further
English words' pairs 62 % are called, 82 % of these rightly, by coefficients learnt from these words (`tests/bench/verdicts.py`).

Of a word without labels three cosines count (core.senses.evidence): of its two vectors once that of the word standing alone is taken off,
of what the biLM expects in its place before it reads it, and of the other words' static vectors; against those of pairs of the
labelled words, judged as if these had no labels.

The layer is the one in which most of a word's nearest have its own sense; for words without labels the one best over all words.
Layer 0 is never asked: it knows no sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core.common.directions import unit
from core.elmo.mix import layer_weights
from core.files.artifacts import read_json
from core.index.neighbours import Occurrence, Query
from core.index.table import OccurrenceTable
from core.senses import centroids, evidence
from core.senses.evidence import Evidence
from core.senses.separation import purity_at_k

K = 8  # labelled sentences that vote on one: half of the 16 a bundled sense has
SURE = 0.65  # below that probability it is too close to call: called at 0.6, one pair in three would be wrong
ONE, TWO, CLOSE = "one meaning", "two meanings", "too close to call"
FILE = "verdict.json"  # of a table's folder: its Ground, written when it was bundled
SOFT, SOFT_MIDDLES = 0.1, 0.02  # added to both sides of an agreement's odds: eight votes to none are no certainty
RIDGE = 1e-3  # on the regression's coefficients, of inputs of size 1
FEWEST_WORDS = 5  # that a regression is learnt from
MOST_WORDS, MOST_ROWS = 80, 64  # of a table, and of a word: what the regression and the choice of layers look at


@dataclass(frozen=True, slots=True)
class Trust:
    """How well a word's senses are told apart, and where best."""

    layer: str  # a layer's number, or "mix"
    above_chance: float  # share of the K nearest that have one's own sense: 0 by chance, 1 all of them


@dataclass(frozen=True, slots=True)
class Ground:
    """What the verdicts of a table rest on."""

    words: Mapping[str, Trust]  # labelled words of two senses or more
    layer: str  # best over all words: for those without labels
    votes: tuple[float, ...]  # the regression's coefficients where senses are known, its constant last
    alone: tuple[float, ...]  # ... and where they are not
    centres: Mapping[str, Sequence[float]] = field(
        default_factory=dict
    )  # of the views of core.senses.evidence; {}: the token's cosine alone counts


# That of the bundled English sentences under elmo-mini, for tables with too few words to learn one from.
USUAL = Ground({}, "1", (-0.2301, 0.8899, 0.2544, 0.8594, 0.5975, 0.3263, 0.3318, 0.1163), (2.7502, -1.3598))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one word in two sentences."""

    probability: float  # that both mean the same, if beforehand either was as likely
    layer: str  # whose vectors were asked
    shares: tuple[dict[str, float], dict[str, float]] | None = None  # of the votes, by sense, for each sentence; they sum to 1
    around: bool = False  # of a word without labels: whether what stands around it counted too

    @property
    def certainty(self) -> float:
        """The probability of the likelier of both answers, 0.5 to 1."""
        return max(self.probability, 1 - self.probability)

    @property
    def says(self) -> str:
        """ONE, TWO or CLOSE, which it is too where the votes' leaders speak against the probability."""
        if self.certainty < SURE:
            return CLOSE
        one = self.probability > 0.5
        if self.senses and None not in self.senses and one != (self.senses[0] == self.senses[1]):
            return CLOSE
        return ONE if one else TWO

    @property
    def senses(self) -> tuple[str | None, str | None] | None:
        """The sense with most votes in each sentence, None where two have as many."""
        return None if self.shares is None else (_leader(self.shares[0]), _leader(self.shares[1]))


def of_labelled(table: OccurrenceTable, lemma: str, a: Query, b: Query, ground: Ground) -> Verdict:
    """The verdict on two occurrences of a word that has two labelled senses or more in the table."""
    trust = ground.words.get(lemma) or trust_of(table, lemma)
    rows = table.labelled_rows(lemma)
    names, labels = np.unique([table.senses[k] for k in table.sense[rows]], return_inverse=True)
    weights = layer_weights(trust.layer, len(a.layers))
    vectors = np.concatenate([_mixed(table.rows.take(rows), weights), _mixed(np.stack([a.layers, b.layers]), weights)])
    centred = unit(vectors - vectors.mean(axis=0))
    known, asked = centred[:-2], centred[-2:]
    votes, given = [], []
    for query, direction in zip((a, b), asked, strict=True):
        others = ~_own(table, rows, query)
        votes.append(_votes(known[others] @ direction, labels[others], len(names)))
        given.append(centroids.shares(known[others], labels[others], direction, len(names)))
    shares = tuple({str(name): float(share) for name, share in zip(names, vote, strict=True)} for vote in votes)
    if _same_place(a, b):
        return Verdict(1.0, trust.layer, shares)
    told = (np.array([x @ y]) for x, y in (votes, given, asked))
    inputs = _inputs(*told, trust.above_chance)
    return Verdict(float(probability_of(inputs, ground.votes)[0]), trust.layer, shares)


def of_unlabelled(a: Query, b: Query, seen: Evidence, ground: Ground) -> Verdict:
    """The verdict on two occurrences of any word; `seen` is the evidence of both."""
    if _same_place(a, b):
        return Verdict(1.0, ground.layer)
    views = seen.views(ground.layer)
    x, y = unit(views["token"])
    inputs = evidence.cosines(views, ground.centres, np.array([0]), np.array([1])) if ground.centres else np.array([[x @ y]])
    return Verdict(float(probability_of(inputs, ground.alone)[0]), ground.layer, around=bool(ground.centres))


def trust_of(table: OccurrenceTable, lemma: str) -> Trust:
    """In which layer or mix most of a word's nearest have its own sense, and how far that is above chance."""
    rows, labels = _some_rows(table, lemma)
    shares = {}
    for name in spaces(table.meta["layers"]):
        shares[name] = purity_at_k(_centred_cosines(table, rows, name), labels, min(K, len(rows) - 1))
    best = max(shares, key=shares.get)
    return Trust(best, _above_chance(shares[best], labels))


def measure(table: OccurrenceTable, seen: Evidence) -> Ground | None:
    """The ground of a table's labelled words; None where too few have two senses. `seen`: the evidence of `judged_rows`, in order."""
    words = judged_words(table)
    if len(words) < FEWEST_WORDS:
        return None
    trusts = {lemma: trust_of(table, lemma) for lemma in words}
    voted = [pairs_by_votes(table, lemma, trust) for lemma, trust in trusts.items()]
    by_layer = {}
    for name in spaces(table.meta["layers"]):
        pairs, centres = _pairs_alone(table, seen, name)
        by_layer[name] = (*fitted(pairs), centres)
    layer = min(by_layer, key=lambda name: by_layer[name][1])
    return Ground(trusts, layer, fitted(voted)[0], by_layer[layer][0], by_layer[layer][2])


def judged_words(table: OccurrenceTable) -> list[str]:
    """The words that a ground is measured on."""
    return [lemma for lemma in table.lemmas if has_senses(table, lemma)][:MOST_WORDS]


def judged_rows(table: OccurrenceTable) -> np.ndarray:
    """Their rows, word after word."""
    return np.concatenate([_some_rows(table, lemma)[0] for lemma in judged_words(table)] or [np.empty(0, int)])


def judged_apart(table: OccurrenceTable, seen: Evidence, *, labels: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All pairs of the labelled sentences, each word judged by what the other words teach: probabilities, truth, weights (n,).

    Weights make every word, and its pairs of one meaning and of two, count alike. With `labels` False as if there were none.
    """
    if labels:
        pairs = [pairs_by_votes(table, lemma, trust_of(table, lemma)) for lemma in judged_words(table)]
    else:
        pairs = _pairs_alone(table, seen, measure(table, seen).layer)[0]
    found = []
    for k, (inputs, same) in enumerate(pairs):
        others = fitted(pairs[:k] + pairs[k + 1 :])[0]
        found.append((probability_of(inputs, others), same, weights_of(same)))
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))


def read(folder: Path) -> Ground | None:
    """The ground that a table came with, or that was kept beside it."""
    told = read_json(folder / FILE, expect=dict) if (folder / FILE).is_file() else {}
    if len(told.get("votes", ())) != len(USUAL.votes):  # there is none, or an earlier version kept it
        return None
    words = {lemma: Trust(**one) for lemma, one in told["words"].items()}
    return Ground(words, told["layer"], tuple(told["votes"]), tuple(told["alone"]), told.get("centres", {}))


def as_json(ground: Ground) -> dict:
    """What `read` reads."""
    words = {lemma: {"layer": one.layer, "above_chance": round(one.above_chance, 4)} for lemma, one in ground.words.items()}
    centres = {name: [round(float(value), 4) for value in centre] for name, centre in ground.centres.items()}
    learnt = {name: [round(value, 4) for value in getattr(ground, name)] for name in ("votes", "alone")}
    return {"layer": ground.layer, "words": words, **learnt, "centres": centres}


def has_senses(table: OccurrenceTable, lemma: str) -> bool:
    """Whether the word has two senses in the table, one of them in two sentences or more."""
    counts = np.unique(table.sense[table.labelled_rows(lemma)], return_counts=True)[1]
    return len(counts) > 1 and counts.max() > 1


def spaces(n_layers: int) -> tuple[str, ...]:
    """What may be asked: every layer that reads the sentence, and the equal mix."""
    return (*map(str, range(1, n_layers)), "mix")


def pairs_by_votes(table: OccurrenceTable, lemma: str, trust: Trust) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of a word's sentences, both left out: (n, 7) inputs of the regression, (n,) same sense."""
    rows, labels = _some_rows(table, lemma)
    cosines, n = _centred_cosines(table, rows, trust.layer), len(rows)
    ranked = np.array(cosines)
    np.fill_diagonal(ranked, -np.inf)
    order, k = np.argsort(-ranked, axis=1, kind="stable"), min(K, n - 2)
    members = np.eye(labels.max() + 1)[labels]  # (n, C)
    counts = members[order[:, :k]].sum(axis=1)  # (n, C)
    among = np.zeros((n, n), bool)  # [i, j]: j is one of i's k nearest; left out, the next one votes in its stead
    np.put_along_axis(among, order[:, :k], True, axis=1)
    without = counts[:, None] + among[:, :, None] * (members[order[:, k]][:, None] - members[None])  # (n, n, C)
    sizes = members.sum(axis=0) - members[:, None] - members[None]  # (n, n, C): how many of a sense could have been met
    votes = without / np.maximum(sizes, 1)
    votes /= votes.sum(axis=2, keepdims=True)
    a, b = np.triu_indices(n, 1)
    agreement = np.einsum("nc,nc->n", votes[a, b], votes[b, a])
    given = centroids.agreements(cosines, labels)[a, b]
    return _inputs(agreement, given, cosines[a, b], trust.above_chance), labels[a] == labels[b]


def _pairs_alone(table: OccurrenceTable, seen: Evidence, layer: str) -> tuple[list[tuple[np.ndarray, np.ndarray]], dict]:
    """Of each judged word every pair of its sentences as if they had no labels, inputs (n, 3) and (n,) same sense; and the centres."""
    labels = [_some_rows(table, lemma)[1] for lemma in judged_words(table)]
    starts, views = np.cumsum([0, *map(len, labels)]), seen.views(layer)
    centres = evidence.centres(views, np.repeat(np.arange(len(labels)), list(map(len, labels))))
    pairs = []
    for start, of in zip(starts, labels, strict=False):
        a, b = np.triu_indices(len(of), 1)
        pairs.append((evidence.cosines(views, centres, start + a, start + b), of[a] == of[b]))
    return pairs, centres


def _inputs(agreement: np.ndarray, given: np.ndarray, cosines: np.ndarray, above_chance: float) -> np.ndarray:
    """(n,) each: votes' and middles' agreement, cosine -> (n, 7): each by itself, and as far as the word can be trusted."""
    odds, of_middles = (np.log((one + soft) / (1 - one + soft)) for one, soft in ((agreement, SOFT), (given, SOFT_MIDDLES)))
    trust = np.full_like(odds, above_chance)
    return np.stack([odds, odds * trust, of_middles, of_middles * trust, cosines, cosines * trust, trust], axis=1)


def fitted(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[tuple[float, ...], float]:
    """Logistic regression by Newton's method over the words' (inputs (n, d), same (n,)): coefficients (d + 1), mean loss in nats."""
    inputs, same = (np.concatenate(part) for part in zip(*pairs, strict=True))
    weights = np.concatenate([weights_of(one) for _, one in pairs]) / len(pairs)
    sides = np.column_stack([inputs, np.ones(len(inputs))])
    found = np.zeros(sides.shape[1])
    for _ in range(25):
        probability = 1 / (1 + np.exp(-sides @ found))
        slope = sides.T @ (weights * (probability - same)) + RIDGE * found
        bend = (sides * (weights * probability * (1 - probability))[:, None]).T @ sides + RIDGE * np.eye(len(found))
        found = found - np.linalg.solve(bend, slope)
    probability = probability_of(inputs, found)
    return tuple(found.tolist()), float(-(weights * np.log(np.where(same, probability, 1 - probability))).sum())


def weights_of(same: np.ndarray) -> np.ndarray:
    """(n,) of one word: pairs of one sense weigh a half together, pairs of two the other half."""
    return np.where(same, 0.5 / max(same.sum(), 1), 0.5 / max((~same).sum(), 1))


def probability_of(inputs: np.ndarray, coefficients: Sequence[float]) -> np.ndarray:
    """(n, d), (d + 1,) -> (n,)."""
    return 1 / (1 + np.exp(-(inputs @ np.asarray(coefficients[:-1]) + coefficients[-1])))


def _votes(cosines: np.ndarray, labels: np.ndarray, n_senses: int) -> np.ndarray:
    """(n,), (n,) -> share of each sense among the K nearest, (C,), as if every sense had as many sentences."""
    nearest = np.argsort(-cosines, kind="stable")[:K]
    counts, sizes = (np.bincount(some, minlength=n_senses) for some in (labels[nearest], labels))
    votes = counts / np.maximum(sizes, 1)
    return votes / votes.sum()


def _centred_cosines(table: OccurrenceTable, rows: np.ndarray, layer: str) -> np.ndarray:
    """(n, n): cosines of a word's rows with their mean taken off."""
    vectors = _mixed(table.rows.take(rows), layer_weights(layer, table.meta["layers"]))
    centred = unit(vectors - vectors.mean(axis=0))
    return centred @ centred.T


def _some_rows(table: OccurrenceTable, lemma: str) -> tuple[np.ndarray, np.ndarray]:
    """A word's labelled rows, at most MOST_ROWS drawn by lot, and their senses as numbers from 0."""
    rows = table.labelled_rows(lemma)
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
    return rows, np.unique(table.sense[rows], return_inverse=True)[1]


def _above_chance(share: float, labels: np.ndarray) -> float:
    """0 where neighbours have one's own sense as often as they would by lot, 1 where all have."""
    counts = np.bincount(labels)
    chance = float((counts * (counts - 1)).sum() / (len(labels) * (len(labels) - 1)))
    return (share - chance) / (1 - chance)


def _mixed(layers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(n, L, D), of any precision, and (L,) -> (n, D) unit vectors, float32."""
    return unit(np.tensordot(weights.astype(np.float32), np.asarray(layers, np.float32), axes=(0, 1)))


def _own(table: OccurrenceTable, rows: np.ndarray, query: Query) -> np.ndarray:
    """(n,) bool: which rows are the query's own sentence and place, letter case aside; nobody votes on themselves."""
    own = table.position[rows] == query.position
    for k in np.flatnonzero(own):
        own[k] = _same_place(query, table.occurrence(int(rows[k])))
    return own


def _same_place(a: Query, b: Query | Occurrence) -> bool:
    return a.position == b.position and [*map(str.casefold, a.tokens)] == [*map(str.casefold, b.tokens)]


def _leader(shares: Mapping[str, float]) -> str | None:
    most = max(shares.values())
    leaders = [sense for sense, share in shares.items() if most - share < 1e-9]
    return leaders[0] if len(leaders) == 1 else None
