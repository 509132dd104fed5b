"""Calibrate the evidence into a probability: a logistic regression over pairs of labeled sentences, stored with a table.

The regression is learned, and its rates are measured, on pairs of labeled sentences that no vote has seen: a quarter of each sense's
sentences at a time, judged by the other three. Leaving out only the two of a pair would give the answer away, by which sense has lost
sentences. Pairs of the same meaning and of two weigh alike, and so do words; each word is judged by what the others teach.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

import numpy as np

from ..common.config import cache_folder
from ..common.errors import ElmoscopeError
from ..elmo.mix import layer_weights, mixed
from ..files.artifacts import read_json, write_json
from ..index.sense_space import LAYER, SenseSpace
from ..index.table import OccurrenceTable
from ..static.vectors import StaticVectors, topics
from ..workspace import Word, Workspace, table_key
from . import evidence
from .evidence import Evidence
from .separation import above_chance, purity_at_k
from .votes import K, fit, inputs_of_pairs, places_in, shares_of

FILE = "verdict.json"  # in a table's folder: its Calibration, and the histograms of core.senses.densities
FEWEST_WORDS = 5  # that a regression is learned from
QUARTERS, REPEATS = 4, 3  # into how many parts a word's sentences are cut to judge pairs, and how often
MOST_WORDS = 80  # of a table
MOST_TRUSTS = 4_096  # words whose layer is cached, each in one table
MOST_ROWS = 64  # of a word: what the choice of its layer looks at


@dataclass(frozen=True, slots=True)
class Separability:
    """How well a space separates a word's senses, and the best layer."""

    layer: str  # a layer's number, or "mix"
    above_chance: float  # share of the K nearest that have one's own sense: 0 by chance, 1 all of them


@dataclass(frozen=True, slots=True)
class Calibration:
    """The data on which the verdicts of a table rest."""

    words: Mapping[str, Separability]  # labeled words of two senses or more
    layer: str  # best over all words: for those without labels
    votes: tuple[float, ...]  # the regression's coefficients where senses are known (core.senses.calibration)
    alone: tuple[float, ...]  # ... and where they are not
    centers: Mapping[str, Sequence[float]] = field(default_factory=dict)  # of evidence's views; {}: the token's cosine alone counts
    ring: float | None = None  # median cosine distance of same-meaning pairs in the sense space; None without one
    reference_votes: tuple[float, ...] = ()  # as `votes`, learned from the words of the reference corpus; () if it was not learned


# Those of the bundled English sentences under elmo-mini, for tables with too few words to learn from.
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


def calibration_of(workspace: Workspace) -> Calibration:
    """Return what verdicts of the workspace's model rest on, as it is stored with its labeled sentences; else measure it, which takes seconds."""
    return workspace.once("calibration", lambda: _open(workspace), workspace.model)


def calibration_for(word: Word) -> Calibration:
    """Return the calibration with a labeled word's layer and votes: those learned from the words of its corpus."""
    general, own, table = calibration_of(word.workspace), word.workspace.labeled_sentences, word.table
    if own is not None and table.folder == own.folder and word.lemma in general.words:
        is_other = word.lemma not in own.lemmas and bool(general.reference_votes)
        return replace(general, votes=general.reference_votes) if is_other else general
    trust = word.workspace.once("trust", lambda: trust_of(table, word.lemma), table_key(table), word.lemma, most=MOST_TRUSTS)
    return replace(general, words={word.lemma: trust})


def is_calibrated(workspace: Workspace) -> bool:
    """Return whether the first verdict needs nothing measured."""
    table = workspace.labeled_sentences
    return table is None or (table.folder / FILE).is_file()


def _open(workspace: Workspace) -> Calibration:
    table = workspace.labeled_sentences
    if table is None:
        return USUAL
    if stored := read(table.folder):
        return stored
    rows, space = rows_to_judge(table), workspace.sense_space
    seen = evidence.of_rows(workspace.model.encoder, workspace.language_vectors, table, rows, space) if len(rows) else None
    measured = measure(table, seen) if seen else None
    if measured is None:
        return USUAL
    if table.folder.is_relative_to(cache_folder()):  # with the table itself, for the next time
        with suppress(ElmoscopeError, OSError):
            write_json(table.folder / FILE, as_json(measured))
    return measured


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


def measure(table: OccurrenceTable, seen: Evidence) -> Calibration | None:
    """The ground of a table's labeled words; None where too few have two senses. `seen`: the evidence of `rows_to_judge`, in order."""
    words = words_to_judge(table)
    if len(words) < FEWEST_WORDS:
        return None
    trusts, voted = _judge_words(table, seen)
    layer, alone, centers = measure_unlabeled(table, words, seen)
    return Calibration(trusts, layer, fit(voted)[0], alone, centers, measure_ring(table, words, seen))


def measure_unlabeled(table: OccurrenceTable, words: Sequence[str], seen: Evidence) -> tuple[str, tuple[float, ...], dict]:
    """What is learned of words as if they had no labels: the layer that tells them apart best, the coefficients there, the views' centers."""
    by_layer = {}
    for name in spaces(table.meta["layers"]):
        pairs, centers = pairs_unlabeled(table, words, seen, name)
        by_layer[name] = (*fit(pairs), centers)
    layer = min(by_layer, key=lambda name: by_layer[name][1])
    return layer, by_layer[layer][0], by_layer[layer][2]


def measure_ring(table: OccurrenceTable, words: Sequence[str], seen: Evidence) -> float | None:
    """Return the median cosine distance of same-meaning pairs in the sense space, words alike; None without a sense space. `seen`: the
    evidence of the words' `rows_of`, word after word."""
    if seen.space is None:
        return None
    places, medians, start = seen.views(str(LAYER))["senses"], [], 0
    for lemma in words:
        labels = some_rows(table, lemma)[1]
        of_word = places[start : start + len(labels)]
        start += len(labels)
        first, second = np.triu_indices(len(labels), 1)
        same = labels[first] == labels[second]
        medians.append(np.median(1 - np.einsum("nd,nd->n", of_word[first[same]], of_word[second[same]])))
    return float(np.median(medians))


def words_to_judge(table: OccurrenceTable) -> list[str]:
    """The words that a ground is measured on."""
    return [lemma for lemma in table.lemmas if table.has_senses(lemma)][:MOST_WORDS]


def rows_to_judge(table: OccurrenceTable) -> np.ndarray:
    """Their rows, word after word."""
    return np.concatenate([rows_of(table, lemma) for lemma in words_to_judge(table)] or [np.empty(0, int)])


def rows_of(table: OccurrenceTable, lemma: str) -> np.ndarray:
    """The rows of a word that are looked at."""
    return some_rows(table, lemma)[0]


def pairs_by_votes(
    table: OccurrenceTable,
    lemma: str,
    trust: Separability,
    around: np.ndarray,
    parts: np.ndarray | None = None,
    space: SenseSpace | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a word's sentences, each quarter judged by the other three: (n, 14) inputs of the regression, (n,) same sense.

    `around`, `parts`: what stands around each of its `rows_of`, and where these are in the sense space.

    Every sense gives each quarter the same share of its sentences, so that what is missing says nothing of a pair.
    """
    rows, labels = some_rows(table, lemma)
    n_senses, pos = labels.max() + 1, table.pos_of(rows)
    token = mixed(table.rows.take(rows), layer_weights(trust.layer, table.meta["layers"]), axis=1, unit=True)
    inputs = []
    same = []
    for quarters in partitions(lemma, labels):
        for quarter in range(QUARTERS):
            here, others = np.flatnonzero(quarters == quarter), np.flatnonzero(quarters != quarter)
            if len(here) < 2:
                continue
            first, second = np.triu_indices(len(here), 1)
            by_token, by_topic = (shares_of(view[others], labels[others], view[here], n_senses, pos[others]) for view in (token, around))
            senses = None if space is None else places_in(space, parts[others], labels[others], parts[here], n_senses, lemma, pos[others])
            inputs.append(inputs_of_pairs(first, second, trust.above_chance, by_token, by_topic if around.any() else None, senses))
            same.append(labels[here][first] == labels[here][second])
    return np.concatenate(inputs), np.concatenate(same)


def pairs_unlabeled(
    table: OccurrenceTable, words: Sequence[str], seen: Evidence, layer: str
) -> tuple[list[tuple[np.ndarray, np.ndarray]], dict]:
    """Of each word every pair of its sentences as if they had no labels, inputs (n, 4) and (n,) same sense; and the views' centers. `seen`:
    the evidence of the words' `rows_of`, word after word."""
    labels = [some_rows(table, lemma)[1] for lemma in words]
    starts = np.cumsum([0, *map(len, labels)])
    views = seen.views(layer)
    centers = evidence.centers(views, np.repeat(np.arange(len(labels)), list(map(len, labels))))
    pairs = []
    for start, of in zip(starts, labels, strict=False):
        a, b = np.triu_indices(len(of), 1)
        pairs.append((evidence.cosines(views, centers, start + a, start + b), of[a] == of[b]))
    return pairs, centers


def _judge_words(table: OccurrenceTable, seen: Evidence) -> tuple[dict[str, Separability], list[tuple[np.ndarray, np.ndarray]]]:
    """Of each judged word how far it is to be trusted, and its pairs."""
    trusts = {}
    pairs = []
    start = 0
    for lemma in words_to_judge(table):
        of_word = slice(start, start + len(some_rows(table, lemma)[0]))
        start = of_word.stop
        trusts[lemma] = trust_of(table, lemma)
        parts = None if seen.parts is None else seen.parts[of_word]
        pairs.append(pairs_by_votes(table, lemma, trusts[lemma], seen.topic[of_word], parts, seen.space))
    return trusts, pairs


def partitions(lemma: str, labels: np.ndarray) -> Iterator[np.ndarray]:
    """REPEATS times the quarter (n,) of each sentence, at random, the same for the same word."""
    for repeat in range(REPEATS):
        random = np.random.default_rng([repeat, crc32(lemma.encode())])
        parts = np.empty(len(labels), int)
        for sense in range(labels.max() + 1):
            rows = random.permutation(np.flatnonzero(labels == sense))
            parts[rows] = (np.arange(len(rows)) + random.integers(QUARTERS)) % QUARTERS
        yield parts


def trust_of(table: OccurrenceTable, lemma: str) -> Separability:
    """In which layer or mix most of a word's nearest have its own sense, and how far that is above chance."""
    rows, labels = some_rows(table, lemma)
    shares = {}
    for name in spaces(table.meta["layers"]):
        shares[name] = purity_at_k(_center_cosines(table, rows, name), labels, min(K, len(rows) - 1))
    best = max(shares, key=shares.get)
    return Separability(best, above_chance(shares[best], labels))


def spaces(n_layers: int) -> tuple[str, ...]:
    """Return the spaces with context: every layer above 0, and the equal mix."""
    return (*map(str, range(1, n_layers)), "mix")


def some_rows(table: OccurrenceTable, lemma: str) -> tuple[np.ndarray, np.ndarray]:
    """A word's labeled rows, at most MOST_ROWS drawn at random, and their senses as numbers from 0."""
    rows = table.labeled_rows(lemma)
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
    return rows, np.unique(table.sense[rows], return_inverse=True)[1]


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
    return topics(vectors, [(o.tokens, o.position) for o in results])
