"""One meaning or two: what a word's vectors in two sentences say, and how sure one may be of it.

Of a word with labelled senses each sentence asks the K labelled sentences nearest to it (itself left out), and they vote for their
senses. Nearness is the cosine of what is left when the word's own mean is taken off: all occurrences of a word share most of their
vector, and two of one meaning hardly have a higher cosine than two of two. How far the two votes agree, how far the senses' middles give both to one
sense (core.senses.centroids), and the cosine of the two themselves, become a probability by a logistic regression over all pairs of the
labelled sentences, both sentences of a pair left out, pairs of one meaning and of two weighed alike. So 80 % means: of pairs like this
four in five are so. The same is asked of the words around, each sentence the sum of their static vectors (core.senses.evidence).
Measured with each word left out of what it is judged by, of the English words' pairs 85 % are called (at 65 % or more), 88 % of these
rightly, by ELMo's vectors alone 72 % and 86 %; of the Korean ones' 52 % and 78 %, for 17 % and 79 % (tests/core/senses/test_verdict.py).
Of the 420 further English words' pairs 79 % are called, 86 % of these rightly, by what was learnt from them (tests/bench/verdicts.py).

Of a word without labels three cosines count (core.senses.evidence): of its two vectors once that of the word standing alone is taken off,
of what the biLM expects in its place before it reads it, and of the other words' static vectors; against those of pairs of the
labelled words, judged as if these had no labels.

The layer is the one in which most of a word's nearest have its own sense; for words without labels the one best over all words.
Layer 0 is never asked: it knows no sentence.
"""

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
from core.senses.calibration import fitted, inputs_of, probability_of, weights_of
from core.senses.evidence import Evidence
from core.senses.separation import above_chance, purity_at_k
from core.static.vectors import StaticVectors

K = 8  # labelled sentences that vote on one: half of the 16 a bundled sense has
SURE = 0.65  # below that probability it is too close to call: called at 0.6, one pair in three would be wrong
ONE, TWO, CLOSE = "one meaning", "two meanings", "too close to call"
FILE = "verdict.json"  # of a table's folder: its Ground, written when it was bundled
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
    centres: Mapping[str, Sequence[float]] = field(default_factory=dict)  # of evidence's views; {}: the token's cosine alone counts


# That of the bundled English sentences under elmo-mini, for tables with too few words to learn one from.
USUAL = Ground({}, "1", (-0.4847, 1.1495, 0.0956, 0.9074, 0.564, 0.3437, 0.5074, 0.6217, 0.2057), (2.7502, -1.3598))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one word in two sentences."""

    probability: float  # that both mean the same, if beforehand either was as likely
    layer: str  # whose vectors were asked
    shares: tuple[dict[str, float], dict[str, float]] | None = None  # of the votes, by sense, for each sentence; they sum to 1
    around: bool = False  # whether what stands around it counted too

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


def of_labelled(table: OccurrenceTable, lemma: str, a: Query, b: Query, ground: Ground, vectors: StaticVectors | None = None) -> Verdict:
    """The verdict on two occurrences of a word that has two labelled senses or more in the table; by `vectors` what stands around counts."""
    trust = ground.words.get(lemma) or trust_of(table, lemma)
    rows = table.labelled_rows(lemma)
    names, labels = np.unique([table.senses[k] for k in table.sense[rows]], return_inverse=True)
    weights = layer_weights(trust.layer, len(a.layers))
    read = np.concatenate([_mixed(table.rows.take(rows), weights), _mixed(np.stack([a.layers, b.layers]), weights)])
    around = np.concatenate([_around(table, rows, vectors), evidence.topics(vectors, [(q.tokens, q.position) for q in (a, b)])])
    others = [~_own(table, rows, query) for query in (a, b)]
    seen = []  # of what was read, and of what stands around: each query's direction and its shares in the senses
    for centred in map(evidence.centred, (read, around)):
        given = [
            centroids.shares(centred[:-2][kept], labels[kept], one, len(names)) for one, kept in zip(centred[-2:], others, strict=True)
        ]
        seen.append((centred, given))
    centred = seen[0][0]
    votes = [_votes(centred[:-2][kept] @ one, labels[kept], len(names)) for one, kept in zip(centred[-2:], others, strict=True)]
    shares = tuple({str(name): float(share) for name, share in zip(names, vote, strict=True)} for vote in votes)
    if _same_place(a, b):
        return Verdict(1.0, trust.layer, shares)
    told = [np.array([x @ y]) for x, y in (votes, seen[0][1], centred[-2:], seen[1][1])]
    inputs = inputs_of(*told[:3], None if vectors is None else told[3], trust.above_chance)
    return Verdict(float(probability_of(inputs, ground.votes)[0]), trust.layer, shares, vectors is not None)


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
    return Trust(best, above_chance(shares[best], labels))


def around_of(table: OccurrenceTable, lemma: str, vectors: StaticVectors | None) -> np.ndarray:
    """What stands around each of a word's judged rows, (n, V)."""
    return _around(table, _some_rows(table, lemma)[0], vectors)


def measure(table: OccurrenceTable, seen: Evidence) -> Ground | None:
    """The ground of a table's labelled words; None where too few have two senses. `seen`: the evidence of `judged_rows`, in order."""
    if len(judged_words(table)) < FEWEST_WORDS:
        return None
    trusts, voted = _judged(table, seen)
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
        pairs = _judged(table, seen)[1]
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


def pairs_by_votes(table: OccurrenceTable, lemma: str, trust: Trust, around: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of a word's sentences, both left out: (n, 8) inputs of the regression, (n,) same sense."""
    rows, labels = _some_rows(table, lemma)
    cosines = _centred_cosines(table, rows, trust.layer)
    n = len(rows)
    ranked = np.array(cosines)
    np.fill_diagonal(ranked, -np.inf)
    order = np.argsort(-ranked, axis=1, kind="stable")
    k = min(K, n - 2)
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
    given, of_words = (centroids.agreements(each, labels)[a, b] for each in (cosines, _cosines(around)))
    inputs = inputs_of(agreement, given, cosines[a, b], of_words if around.any() else None, trust.above_chance)
    return inputs, labels[a] == labels[b]


def _judged(table: OccurrenceTable, seen: Evidence) -> tuple[dict[str, Trust], list[tuple[np.ndarray, np.ndarray]]]:
    """Of each judged word how far it is to be trusted, and its pairs."""
    trusts = {}
    pairs = []
    start = 0
    for lemma in judged_words(table):
        around = seen.topic[start : start + len(_some_rows(table, lemma)[0])]
        start += len(around)
        trusts[lemma] = trust_of(table, lemma)
        pairs.append(pairs_by_votes(table, lemma, trusts[lemma], around))
    return trusts, pairs


def _pairs_alone(table: OccurrenceTable, seen: Evidence, layer: str) -> tuple[list[tuple[np.ndarray, np.ndarray]], dict]:
    """Of each judged word every pair of its sentences as if they had no labels, inputs (n, 3) and (n,) same sense; and the centres."""
    labels = [_some_rows(table, lemma)[1] for lemma in judged_words(table)]
    starts = np.cumsum([0, *map(len, labels)])
    views = seen.views(layer)
    centres = evidence.centres(views, np.repeat(np.arange(len(labels)), list(map(len, labels))))
    pairs = []
    for start, of in zip(starts, labels, strict=False):
        a, b = np.triu_indices(len(of), 1)
        pairs.append((evidence.cosines(views, centres, start + a, start + b), of[a] == of[b]))
    return pairs, centres


def _votes(cosines: np.ndarray, labels: np.ndarray, n_senses: int) -> np.ndarray:
    """(n,), (n,) -> share of each sense among the K nearest, (C,), as if every sense had as many sentences."""
    nearest = np.argsort(-cosines, kind="stable")[:K]
    counts, sizes = (np.bincount(some, minlength=n_senses) for some in (labels[nearest], labels))
    votes = counts / np.maximum(sizes, 1)
    return votes / votes.sum()


def _centred_cosines(table: OccurrenceTable, rows: np.ndarray, layer: str) -> np.ndarray:
    """(n, n): cosines of a word's rows with their mean taken off."""
    return _cosines(_mixed(table.rows.take(rows), layer_weights(layer, table.meta["layers"])))


def _cosines(rows: np.ndarray) -> np.ndarray:
    """(n, D) -> (n, n), the mean direction taken off."""
    centred = evidence.centred(rows)
    return centred @ centred.T


def _around(table: OccurrenceTable, rows: np.ndarray, vectors: StaticVectors | None) -> np.ndarray:
    """What stands around each of these rows, (n, V)."""
    found = [table.occurrence(int(row)) for row in rows]
    return evidence.topics(vectors, [(o.tokens, o.position) for o in found])


def _some_rows(table: OccurrenceTable, lemma: str) -> tuple[np.ndarray, np.ndarray]:
    """A word's labelled rows, at most MOST_ROWS drawn by lot, and their senses as numbers from 0."""
    rows = table.labelled_rows(lemma)
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
    return rows, np.unique(table.sense[rows], return_inverse=True)[1]


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
