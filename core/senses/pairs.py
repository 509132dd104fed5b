"""Pairs of labeled sentences: what verdicts are learned from, and measured on (core.senses.verdict, core.lab.verdicts)."""

from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np

from ..elmo.mix import layer_weights, mixed
from ..index.sense_space import LAYER, SenseSpace
from ..index.table import OccurrenceTable
from . import evidence
from .calibration import fit
from .evidence import Evidence
from .verdict import Calibration, Separability, has_senses, inputs_of_pairs, places_in, shares_of, some_rows, spaces, trust_of

FEWEST_WORDS = 5  # that a regression is learned from
QUARTERS, REPEATS = 4, 3  # into how many parts a word's sentences are cut to judge pairs, and how often
MOST_WORDS = 80  # of a table


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
    return [lemma for lemma in table.lemmas if has_senses(table, lemma)][:MOST_WORDS]


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
