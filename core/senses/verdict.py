"""One meaning or two: what a word's vectors in two sentences say, and how sure one may be of it.

Of a word with labeled senses, the K labeled sentences nearest to each sentence vote for their senses, by the cosine of what is left when
the word's mean is taken off. How far the two votes agree, how far the senses' middles give both to the same sense (core.senses.centroids),
by the word's vectors, by the words around it (core.senses.evidence) and in the sense space (core.index.sense_space), and the cosines of
the two, become a probability by a logistic regression. That probability alone decides what is said: at SURE or more one of the answers, else
that it is too close to call. The sense that is named of each sentence is that of the nearest middle, in the sense space where the model has one.

The regression is learned, and its rates are measured, on pairs of labeled sentences that no vote has seen: a quarter of each sense's
sentences at a time, judged by the other three. Leaving out only the two of a pair would give the answer away, by which sense has lost
sentences. Pairs of the same meaning and of two weigh alike, and so do words; each word is judged by what the others teach. The rates,
with the command: core/senses/README.md, "The verdict".

Of a word without labels four cosines count (core.senses.evidence): of its two vectors once that of the word standing alone is taken off,
of what the biLM expects in its place before it reads it, of the other words' static vectors, and in the sense space.

The layer is that in which most of a word's nearest have its own sense; for words without labels the best over all words. Layer 0 is
never used: it knows no sentence. Sentences are read as they are written, and either may come first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..common.directions import unit
from ..common.i18n import t
from ..common.model_layers import SENSES
from ..elmo.mix import layer_weights, mixed
from ..files.artifacts import read_json
from ..index.neighbors import Query
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..static.vectors import StaticVectors
from . import centroids, discriminants, evidence
from .calibration import (
    AROUND,
    EXPECTED,
    FILE,
    LABELED_COLUMNS,
    NEAREST,
    TOKEN,
    UNLABELED_COLUMNS,
    VoteAgreement,
    inputs_of,
    probability_of,
)
from .evidence import Evidence
from .separation import above_chance, purity_at_k

K = 8  # labeled sentences that vote on one: half of the 16 a bundled sense has
SURE = 0.64  # below that probability it is too close to call: of the pairs called then, nine in ten of labeled words are right, four in five of others
CLEAR = 0.4  # by how much a sense's share leads where it is named: below that it is right in 57% of 4,600 labeled sentences, above in 94
ONE, TWO, CLOSE = "one meaning", "two meanings", "too close to call"
MOST_ROWS = 64  # of a word: what the choice of its layer looks at


@dataclass(frozen=True, slots=True)
class Separability:
    """How well a word's senses are told apart, and where best."""

    layer: str  # a layer's number, or "mix"
    above_chance: float  # share of the K nearest that have one's own sense: 0 by chance, 1 all of them


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the verdicts of a table rest on."""

    words: Mapping[str, Separability]  # labeled words of two senses or more
    layer: str  # best over all words: for those without labels
    votes: tuple[float, ...]  # the regression's coefficients where senses are known (core.senses.calibration)
    alone: tuple[float, ...]  # ... and where they are not
    centers: Mapping[str, Sequence[float]] = field(default_factory=dict)  # of evidence's views; {}: the token's cosine alone counts
    ring: float | None = None  # median cosine distance of same-meaning pairs in the sense space; None without one
    reference_votes: tuple[float, ...] = ()  # as `votes`, learned from the words of the reference corpus; () if it was not learned


# That of the bundled English sentences under elmo-mini, for tables with too few words to learn one from.
_VOTES = (
    -0.9348,
    1.5285,
    -0.345,
    0.6442,
    -0.87,
    -0.5186,
    0.3891,
    0.2241,
    0.2853,
    0.3435,
    2.7751,
    0.3333,
    0.3472,
    0.2835,
    -0.0614,
    0.5464,
    0.1657,
)
USUAL = Calibration({}, "1", _VOTES, (2.7502, -1.3598, 1.0, 0.0))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of one word in two sentences."""

    probability: float  # that both mean the same, if beforehand either was as likely
    layer: str  # whose vectors were asked
    shares: tuple[dict[str, float], dict[str, float]] | None = (
        None  # of each sense by the senses' middles, for each sentence; they sum to 1
    )
    named_in: str = ""  # the layer, "mix" or "senses" whose middles these are
    evidence: Mapping[str, float] = field(
        default_factory=dict
    )  # what counted, by kind, with its value for this pair (core.senses.densities)
    name: bool = False  # whether one of both is written as a name: the rates were measured on common words

    @property
    def around(self) -> bool:
        """Whether its context counted, and not its vectors alone."""
        return AROUND in self.evidence or EXPECTED in self.evidence

    @property
    def expected(self) -> bool:
        """Whether the words expected in its place counted."""
        return EXPECTED in self.evidence

    @property
    def certainty(self) -> float:
        """The probability of the likelier of both answers, 0.5 to 1."""
        return max(self.probability, 1 - self.probability)

    @property
    def says(self) -> str:
        """ONE, TWO or CLOSE."""
        if self.certainty < SURE:
            return CLOSE
        return ONE if self.probability > 0.5 else TWO

    @property
    def right_of_100(self) -> int:
        """How many of 100 pairs like this the likelier answer is right of, at most 99."""
        return min(99, round(100 * self.certainty))

    def say_certainty(self) -> str:
        """How sure one may be of it, as a sentence."""
        if self.probability >= 1:
            return t("Same sentence, same word.")
        if self.says != CLOSE:
            certainty = t("Right for {n} of 100 such pairs.", n=self.right_of_100)
        else:
            two = min(99, max(1, round(100 * (1 - self.probability))))
            certainty = t("Of 100 such pairs, {two} have two meanings, {one} have one.", two=two, one=100 - two)
        return f"{certainty} {t('Measured on common words, not names.')}" if self.name else certainty

    @property
    def outvoted(self) -> bool:
        """Whether the senses that are named speak for the other answer than the one that is said."""
        return (
            self.says != CLOSE
            and bool(self.senses)
            and None not in self.senses
            and (self.senses[0] == self.senses[1]) != (self.says == ONE)
        )

    @property
    def senses(self) -> tuple[str | None, str | None] | None:
        """The nearest sense of each sentence, None where it leads by less than CLEAR."""
        return None if self.shares is None else (_leader(self.shares[0]), _leader(self.shares[1]))


def of_labeled(
    table: OccurrenceTable,
    lemma: str,
    a: Query,
    b: Query,
    ground: Calibration,
    vectors: StaticVectors | None = None,
    space: SenseSpace | None = None,
    read: Sequence[np.ndarray] = (),
) -> Verdict:
    """The verdict on two occurrences of a word that has two labeled senses or more in the table. By `vectors` what stands around counts,
    by `space` the sense space; `read`: both sentences' layers (L, T, D), where they are known."""
    trust = ground.words.get(lemma) or trust_of(table, lemma)
    rows = table.labeled_rows(lemma)
    names, labels = np.unique([table.senses[k] for k in table.sense[rows]], return_inverse=True)
    own = _own(table, rows, a) | _own(table, rows, b)
    rows, labels = rows[~own], labels[~own]
    weights = layer_weights(trust.layer, len(a.layers))
    mixes = mixed(table.rows.take(rows), weights, axis=1, unit=True)
    pos = table.pos_of(rows)
    token = shares_of(mixes, labels, mixed(np.stack([a.layers, b.layers]), weights, axis=1, unit=True), len(names), pos)
    occurrences = [(q.tokens, q.position) for q in (a, b)]
    topics = evidence.topics(vectors, occurrences)
    topic = None if vectors is None else shares_of(words_around(table, rows, vectors), labels, topics, len(names), pos)
    in_senses = None
    if space:
        parts = space.views(occurrences, np.stack([a.layers, b.layers]), read)
        in_senses = places_in(space, space.of_rows(table, rows), labels, parts, len(names), lemma, pos)
    middles = (in_senses.shares if in_senses else token).middles
    shares = tuple({str(name): float(share) for name, share in zip(names, each, strict=True)} for each in middles)
    named = (shares, SENSES if space else trust.layer)
    if _same_place(a, b):
        return Verdict(1.0, trust.layer, *named)
    inputs = inputs_of_pairs(np.array([0]), np.array([1]), trust.above_chance, token, topic, in_senses)
    known = {TOKEN} | ({AROUND} if _are_there(topics) else set()) | ({SENSES, EXPECTED, NEAREST} if space else set())
    values = {kind: float(inputs[0, column]) for kind, column in LABELED_COLUMNS.items() if kind in known}
    return Verdict(float(probability_of(inputs, ground.votes)[0]), trust.layer, *named, evidence=values)


def of_unlabeled(a: Query, b: Query, seen: Evidence, ground: Calibration) -> Verdict:
    """The verdict on two occurrences of any word; `seen` is the evidence of both."""
    if _same_place(a, b):
        return Verdict(1.0, ground.layer)
    views = seen.views(ground.layer)
    x, y = unit(views["token"])
    inputs = evidence.cosines(views, ground.centers, np.array([0]), np.array([1])) if ground.centers else np.array([[x @ y]])
    known = {TOKEN, *(kind for kind, column in UNLABELED_COLUMNS.items() if ground.centers and _are_there(views[evidence.VIEWS[column]]))}
    values = {kind: float(inputs[0, column]) for kind, column in UNLABELED_COLUMNS.items() if kind in known}
    return Verdict(float(probability_of(inputs, ground.alone)[0]), ground.layer, evidence=values)


def trust_of(table: OccurrenceTable, lemma: str) -> Separability:
    """In which layer or mix most of a word's nearest have its own sense, and how far that is above chance."""
    rows, labels = some_rows(table, lemma)
    shares = {}
    for name in spaces(table.meta["layers"]):
        shares[name] = purity_at_k(_center_cosines(table, rows, name), labels, min(K, len(rows) - 1))
    best = max(shares, key=shares.get)
    return Separability(best, above_chance(shares[best], labels))


def read(folder: Path) -> Calibration | None:
    """Return the calibration in a table's folder, or None without one."""
    record = read_json(folder / FILE, expect=dict) if (folder / FILE).is_file() else {}
    if len(record.get("votes", ())) != len(USUAL.votes) or "ring" not in record:  # the file is missing or has another format
        return None
    words = {lemma: Separability(**value) for lemma, value in record["words"].items()}
    votes, alone, others = (tuple(record.get(name, ())) for name in ("votes", "alone", "reference_votes"))
    return Calibration(words, record["layer"], votes, alone, record.get("centers", {}), record["ring"], others)


def as_json(ground: Calibration) -> dict:
    """What `read` reads."""
    words = {lemma: {"layer": value.layer, "above_chance": round(value.above_chance, 8)} for lemma, value in ground.words.items()}
    centers = {name: [round(float(value), 4) for value in center] for name, center in ground.centers.items()}
    learned = {name: [round(value, 4) for value in getattr(ground, name)] for name in ("votes", "alone", "reference_votes")}
    ring = None if ground.ring is None else round(ground.ring, 4)
    return {"layer": ground.layer, "words": words, **learned, "centers": centers, "ring": ring}


def has_senses(table: OccurrenceTable, lemma: str) -> bool:
    """Whether the word has two senses in the table, one of them in two sentences or more."""
    counts = np.unique(table.sense[table.labeled_rows(lemma)], return_counts=True)[1]
    return len(counts) > 1 and counts.max() > 1


def spaces(n_layers: int) -> tuple[str, ...]:
    """What may be asked: every layer that reads the sentence, and the equal mix."""
    return (*map(str, range(1, n_layers)), "mix")


class Shares(NamedTuple):
    """Of q sentences what the labeled ones of their word say, by one view."""

    directions: np.ndarray  # (q, D) unit vectors with the labeled sentences' mean taken off
    votes: np.ndarray  # (q, C): share of each sense among the K nearest, as if every sense had as many sentences
    middles: np.ndarray  # (q, C): share of each sense by the senses' middles


def shares_of(labeled: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_senses: int, pos: np.ndarray | None = None) -> Shares:
    """Labeled rows (n, D), their senses (n,) and parts of speech (n,), other rows (q, D) -> what the former say of the latter."""
    known, directions = evidence.center(labeled), evidence.center(rows, labeled)
    nearest = np.argsort(-(directions @ known.T), axis=1, kind="stable")[:, :K]  # (q, K)
    members = np.eye(n_senses)[labels]  # (n, C)
    votes = members[nearest].sum(axis=1) / np.maximum(members.sum(axis=0), 1)
    return Shares(directions, votes / votes.sum(axis=1, keepdims=True), centroids.shares(known, labels, directions, n_senses, pos))


class SensePlaces(NamedTuple):
    """Of q sentences what the labeled ones of their word say in the sense space."""

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


def _center_cosines(table: OccurrenceTable, rows: np.ndarray, layer: str) -> np.ndarray:
    """(n, n): cosines of a word's rows with their mean taken off."""
    return _cosines(mixed(table.rows.take(rows), layer_weights(layer, table.meta["layers"]), axis=1, unit=True))


def _cosines(rows: np.ndarray) -> np.ndarray:
    """(n, D) -> (n, n), the mean direction taken off."""
    centered = evidence.center(rows)
    return centered @ centered.T


def words_around(table: OccurrenceTable, rows: np.ndarray, vectors: StaticVectors | None) -> np.ndarray:
    """What stands around each of these rows, (n, V)."""
    results = [table.occurrence(int(row)) for row in rows]
    return evidence.topics(vectors, [(o.tokens, o.position) for o in results])


def some_rows(table: OccurrenceTable, lemma: str) -> tuple[np.ndarray, np.ndarray]:
    """A word's labeled rows, at most MOST_ROWS drawn at random, and their senses as numbers from 0."""
    rows = table.labeled_rows(lemma)
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
    return rows, np.unique(table.sense[rows], return_inverse=True)[1]


def _are_there(views: np.ndarray) -> bool:
    """Whether no row (n, d) is empty, as that of a sentence without other words with a vector is."""
    return bool((np.linalg.norm(views, axis=1) > 1e-9).all())


def _own(table: OccurrenceTable, rows: np.ndarray, query: Query) -> np.ndarray:
    """(n,) bool: which rows are the query's own sentence and place, letter case aside; nobody votes on themselves."""
    own = table.position[rows] == query.position
    for k in np.flatnonzero(own):
        own[k] = _folded(query.tokens) == _folded(table.occurrence(int(rows[k])).tokens)
    return own


def _same_place(a: Query, b: Query) -> bool:
    """Whether both are the same token of the same sentence; in other letter case the token may be another word (Turkey, turkey)."""
    return a.position == b.position and a.word == b.word and _folded(a.tokens) == _folded(b.tokens)


def _folded(tokens: Sequence[str]) -> list[str]:
    return [token.casefold() for token in tokens]


def _leader(shares: Mapping[str, float]) -> str | None:
    first, second, *_ = sorted(shares, key=shares.get, reverse=True)
    return first if shares[first] - shares[second] >= CLEAR else None
