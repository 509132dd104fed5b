"""Calibrate the evidence into a probability: logistic regression over pairs of labeled sentences, stored with a table.

The regression is learned, and its rates are measured, on pairs of labeled sentences that no vote has seen: a quarter of each sense's
sentences at a time, judged by the other three. Leaving out only the two sentences of a pair would reveal the answer, because their senses
would lack one. Pairs with one meaning and with two have equal weight, and so have words. Each word is judged by what the others teach.

The file of a calibration also has the density curves of the evidence over these pairs (core.senses.densities).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

import numpy as np

from ..common.config import cache_folder
from ..common.errors import ElmoscopeError
from ..common.model_layers import Layers
from ..elmo.mix import layer_weights, mixed
from ..files.artifacts import read_json, write_json
from ..index.sense_space import LAYER, SenseSpace
from ..index.table import OccurrenceTable
from ..workspace import Word, Workspace, table_key
from . import evidence
from .evidence import Evidence, K, above_chance, fit, inputs_of_pairs, places_in, purity_at_k, shares_of

FILE = "verdict.json"  # in a table's folder: its Calibration, and the histograms
FEWEST_WORDS = 5  # fewest words for a regression
QUARTERS, REPEATS = 4, 3  # parts into which a word's sentences are cut to judge pairs, and how often
MOST_WORDS = 80  # words of a table that are measured
MOST_TRUSTS = 4_096  # words, each in one table, whose layer is cached
MOST_ROWS = 64  # rows of a word on which its layer is chosen
# The votes' coefficients of the bundled English sentences under elmo-mini, for tables with too few words to learn from
_VOTES = (-0.9348, 1.5285, -0.345, 0.6442, -0.87, -0.5186, 0.3891, 0.2241, 0.2853, 0.3435, 2.7751, 0.3333, 0.3472, 0.2835)


@dataclass(frozen=True, slots=True)
class Separability:
    """How well a space separates a word's senses, and the best layer."""

    layer: str  # a layer's number, or "mix"
    above_chance: float  # share of the K nearest with the same sense: 0 by chance, 1 all of them


@dataclass(frozen=True, slots=True)
class Calibration:
    """The data on which the verdicts of a table rest."""

    words: Mapping[str, Separability]  # labeled words of two senses or more
    layer: str  # best over all words: for those without labels
    votes: tuple[float, ...]  # the regression's coefficients for words with labels
    alone: tuple[float, ...]  # those for words without labels
    centers: Mapping[str, Sequence[float]] = field(default_factory=dict)  # centers of evidence's views; {}: only the token's cosine counts
    ring: float | None = None  # median cosine distance of same-meaning pairs in the sense space; None without one
    reference_votes: tuple[float, ...] = ()  # `votes` learned from the words of the reference corpus; () if not learned


USUAL = Calibration({}, "1", (*_VOTES, -0.0614, 0.5464, 0.1657), (2.7502, -1.3598, 1.0, 0.0))


def calibration_of(workspace: Workspace) -> Calibration:
    """Return the calibration stored with the labeled sentences of the workspace's model, or measure it, which takes seconds."""
    return workspace.once("calibration", lambda: _open(workspace), workspace.model) or USUAL


def calibration_for(word: Word) -> Calibration:
    """Return the calibration with a labeled word's layer and votes: those learned from the words of its corpus."""
    general = calibration_of(word.workspace)
    table, labeled_table = word.table, word.workspace.labeled_sentences
    if labeled_table is not None and table.folder == labeled_table.folder and word.lemma in general.words:
        is_other = word.lemma not in labeled_table.lemmas and bool(general.reference_votes)
        return replace(general, votes=general.reference_votes) if is_other else general
    trust = word.workspace.once("trust", lambda: trust_of(table, word.lemma), table_key(table), word.lemma, most=MOST_TRUSTS)
    return replace(general, words={word.lemma: trust})


def is_calibrated(workspace: Workspace) -> bool:
    """Return whether the first verdict needs nothing measured."""
    table = workspace.labeled_sentences
    return table is None or (table.folder / FILE).is_file()


def _open(workspace: Workspace) -> Calibration | None:
    """Return the calibration, or None, which is not cached, while the labeled sentences are missing or refused to a user."""
    table = workspace.labeled_sentences
    if table is None:
        return None
    if stored := read(table.folder):
        return stored
    rows = rows_to_judge(table)
    if not len(rows):
        return USUAL
    seen = evidence.of_rows(workspace.model.encoder, workspace.language_vectors, table, rows, workspace.sense_space)
    measured = measure(table, seen)
    if measured is None:
        return USUAL
    if table.folder.is_relative_to(cache_folder()):  # stored with the table for the next time
        with suppress(ElmoscopeError, OSError):
            write_json(table.folder / FILE, as_json(measured))
    return measured


def read(folder: Path) -> Calibration | None:
    """Return the calibration in a table's folder, or None without one."""
    record = read_json(folder / FILE, expect=dict) if (folder / FILE).is_file() else {}
    if len(record.get("votes", ())) != len(USUAL.votes) or "ring" not in record:  # the file is missing or has another format
        return None
    words = {lemma: Separability(**value) for lemma, value in record["words"].items()}
    return Calibration(
        words=words,
        layer=record["layer"],
        votes=tuple(record["votes"]),
        alone=tuple(record.get("alone", ())),
        centers=record.get("centers", {}),
        ring=record["ring"],
        reference_votes=tuple(record.get("reference_votes", ())),
    )


def as_json(calibration: Calibration) -> dict:
    """Return a calibration as `read` reads it."""
    words = {lemma: {"layer": value.layer, "above_chance": round(value.above_chance, 8)} for lemma, value in calibration.words.items()}
    centers = {name: [round(float(value), 4) for value in center] for name, center in calibration.centers.items()}
    learned = {name: [round(value, 4) for value in getattr(calibration, name)] for name in ("votes", "alone", "reference_votes")}
    ring = None if calibration.ring is None else round(calibration.ring, 4)
    return {"layer": calibration.layer, "words": words, **learned, "centers": centers, "ring": ring}


def measure(table: OccurrenceTable, seen: Evidence) -> Calibration | None:
    """Measure the calibration of a table's labeled words from the evidence of `rows_to_judge`; None if too few have two senses."""
    words = words_to_judge(table)
    if len(words) < FEWEST_WORDS:
        return None
    trusts = {lemma: trust_of(table, lemma) for lemma in words}
    pairs = pairs_labeled(table, trusts, seen)
    layer, unlabeled, centers = measure_unlabeled(table, words, seen)
    return Calibration(trusts, layer, fit(pairs)[0], unlabeled, centers, measure_ring(table, words, seen))


def pairs_labeled(table: OccurrenceTable, trusts: dict[str, Separability], seen: Evidence) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return `pairs_by_votes` of each word. `seen` is the evidence of the words' `some_rows`, word after word."""
    pairs = []
    for (lemma, trust), (part, _) in zip(trusts.items(), _parts_of(table, list(trusts)), strict=True):
        parts = None if seen.parts is None else seen.parts[part]
        pairs.append(pairs_by_votes(table, lemma, trust, seen.topic[part], parts, seen.space))
    return pairs


def _parts_of(table: OccurrenceTable, words: Sequence[str]) -> list[tuple[slice, np.ndarray]]:
    """Return which part of the evidence of the words' `some_rows`, word after word, each word has, and its senses as numbers."""
    labels = [some_rows(table, lemma)[1] for lemma in words]
    ends = np.cumsum([len(senses) for senses in labels]).tolist()
    return [(slice(end - len(senses), end), senses) for end, senses in zip(ends, labels, strict=True)]


def measure_unlabeled(table: OccurrenceTable, words: Sequence[str], seen: Evidence) -> tuple[str, tuple[float, ...], dict]:
    """Learn from words as if they had no labels: the layer that separates them best, the coefficients there, the views' centers."""
    learned = []
    for name in Layers(table.meta["layers"]).reading:
        pairs, centers = pairs_unlabeled(table, words, seen, name)
        coefficients, loss = fit(pairs)
        learned.append((loss, name, coefficients, centers))
    return min(learned, key=lambda item: item[0])[1:]


def measure_ring(table: OccurrenceTable, words: Sequence[str], seen: Evidence) -> float | None:
    """Return the median cosine distance of same-meaning pairs in the sense space, words weighing alike; None without one."""
    if seen.space is None:
        return None
    places = seen.views(str(LAYER))["senses"]
    medians = []
    for part, labels in _parts_of(table, words):
        first, second = np.triu_indices(len(labels), 1)
        same = labels[first] == labels[second]
        medians.append(np.median(1 - np.einsum("nd,nd->n", places[part][first[same]], places[part][second[same]])))
    return float(np.median(medians))


def words_to_judge(table: OccurrenceTable) -> list[str]:
    """Return the words that a calibration is measured on."""
    return [lemma for lemma in table.lemmas if table.has_senses(lemma)][:MOST_WORDS]


def rows_to_judge(table: OccurrenceTable) -> np.ndarray:
    """Return the rows of `words_to_judge`, word after word."""
    return np.concatenate([some_rows(table, lemma)[0] for lemma in words_to_judge(table)] or [np.empty(0, int)])


def pairs_by_votes(
    table: OccurrenceTable, lemma: str, trust: Separability, around: np.ndarray, parts: np.ndarray | None, space: SenseSpace | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the inputs (n, 14) of pairs of a word's sentences, each quarter judged by the other three, and their agreement (n,) bool.

    Every sense gives each quarter the same share of its sentences, so that what is missing does not give a pair away. `around` are the
    topics of its `some_rows`, `parts` their parts in the sense space.
    """
    rows, labels = some_rows(table, lemma)
    n_senses = labels.max() + 1
    pos = table.pos_of(rows)
    token = mixed(table.rows.take(rows), layer_weights(trust.layer, table.meta["layers"]), axis=1, unit=True)
    inputs, same = [], []
    for quarters in partitions(lemma, labels):
        for quarter in range(QUARTERS):
            judged, others = np.flatnonzero(quarters == quarter), np.flatnonzero(quarters != quarter)
            if len(judged) < 2:
                continue
            first, second = np.triu_indices(len(judged), 1)
            by_token = shares_of(token[others], labels[others], token[judged], n_senses, pos[others])
            by_topic = in_senses = None
            if around.any():
                by_topic = shares_of(around[others], labels[others], around[judged], n_senses, pos[others])
            if space is not None:
                in_senses = places_in(space, parts[others], labels[others], parts[judged], n_senses, lemma, pos[others])
            inputs.append(inputs_of_pairs(first, second, trust.above_chance, by_token, by_topic, in_senses))
            same.append(labels[judged][first] == labels[judged][second])
    return np.concatenate(inputs), np.concatenate(same)


def pairs_unlabeled(
    table: OccurrenceTable, words: Sequence[str], seen: Evidence, layer: str
) -> tuple[list[tuple[np.ndarray, np.ndarray]], dict]:
    """Return each word's pairs, inputs (n, 4) and same sense (n,), as if its sentences had no labels, and the views' centers."""
    views = seen.views(layer)
    parts = _parts_of(table, words)
    centers = evidence.centers(views, np.repeat(np.arange(len(parts)), [len(labels) for _, labels in parts]))
    pairs = []
    for part, labels in parts:
        a, b = np.triu_indices(len(labels), 1)
        pairs.append((evidence.cosines(views, centers, part.start + a, part.start + b), labels[a] == labels[b]))
    return pairs, centers


def partitions(lemma: str, labels: np.ndarray) -> Iterator[np.ndarray]:
    """Yield REPEATS times the quarter (n,) of each sentence, at random, the same for the same word."""
    for repeat in range(REPEATS):
        random = np.random.default_rng([repeat, crc32(lemma.encode())])
        parts = np.empty(len(labels), int)
        for sense in range(labels.max() + 1):
            rows = random.permutation(np.flatnonzero(labels == sense))
            parts[rows] = (np.arange(len(rows)) + random.integers(QUARTERS)) % QUARTERS
        yield parts


def trust_of(table: OccurrenceTable, lemma: str) -> Separability:
    """Find the layer or mix that separates a word's labeled sentences best."""
    rows, labels = some_rows(table, lemma)
    return separability_of(table.rows.take(rows), labels)


def separability_of(layers: np.ndarray, labels: np.ndarray) -> Separability:
    """Find the layer or mix in which most of the nearest of (n, L, D) have the same sense (n,), and how far that is above chance."""
    shares = {}
    for name in Layers(layers.shape[1]).reading:
        centered = evidence.center(mixed(layers, layer_weights(name, layers.shape[1]), axis=1, unit=True))
        shares[name] = purity_at_k(centered @ centered.T, labels, min(K, len(labels) - 1))
    best = max(shares, key=shares.get)
    return Separability(best, above_chance(shares[best], labels))


def some_rows(table: OccurrenceTable, lemma: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a word's labeled rows, at most MOST_ROWS chosen at random, and their senses as numbers from 0."""
    rows = choose_rows(table, table.without_copies(table.labeled_rows(lemma)), MOST_ROWS)
    return rows, np.unique(table.sense[rows], return_inverse=True)[1]


def choose_rows(table: OccurrenceTable, rows: np.ndarray, most: int) -> np.ndarray:
    """Return at most `most` of these rows: two of each sense, so that no rare sense is missing, and the others at random."""
    if len(rows) <= most:
        return rows
    rows = np.random.default_rng(0).permutation(rows)
    first = np.concatenate([np.flatnonzero(table.sense[rows] == sense)[:2] for sense in np.unique(table.sense[rows])])
    return np.sort(rows[np.concatenate([first, np.setdiff1d(np.arange(len(rows)), first)])[:most]])
