"""Measure the bundled sense-labeled sentences: 1-NN, silhouette and cosine gap by layer.

Comparisons are paired by word, since few words have some forty sentences each.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ..analysis.anisotropy import DIRECTIONS, Drawn, SharedDirections, draw
from ..analysis.word_maps import ALL_WORDS, rows_to_measure
from ..common.errors import BadInput, ElmoscopeError
from ..common.significance import compare_pairs, facts_of
from ..elmo.mix import mixed
from ..elmo.models import Model
from ..index.table import OccurrenceTable
from ..index.tables import open_table
from ..senses.evaluate import best_weights, spaces, static_vectors
from ..senses.separation import SenseReport, one_nn, pair_cosines, sense_report, sense_report_of, static_report_of
from ..static.vectors import cosines, topics
from ..text.corpora import open_corpus
from .all_words import group_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class CosineGap:
    """Means over groups of one spelling that have pairs of both kinds."""

    same: float  # mean cosine of two occurrences of one sense
    different: float  # ... of two senses
    gap: float
    groups: int


def own_sentences(model: Model, corpus: str, *, report: Callable | None = None) -> dict:
    """Measure leave-one-out 1-NN, silhouette and cosine gap on sense-labeled sentences.

    "centered" is 1-NN after subtracting the mean of each word's unit vectors, "centered_less" minus the uncentered. "without" is the change
    after subtracting what all tokens share: the mean and the k largest directions (core.analysis.anisotropy). "form" is 1-NN by sentence
    length and position. Differences are paired by word. "best_mix" is two-fold: weights are chosen on one half of the words and measured on
    the other (`fold_weights`); `weights` are chosen on all words.
    """
    table = open_table(corpus, model, targets_only=True, report=report)
    rows = rows_to_measure(table, ALL_WORDS)
    lemmas, labels = (np.array(names)[codes[rows]] for names, codes in ((table.lemmas, table.lemma), (table.senses, table.sense)))
    occurrences = [table.occurrence(int(row)) for row in rows]
    spellings = [(str(lemma), o.tokens[o.position]) for lemma, o in zip(lemmas, occurrences, strict=True)]  # as written
    vectors = static_vectors(model)
    reports = {}
    result: dict = {"model": model.name, "corpus": corpus}
    static = static_report_of(table, ALL_WORDS, vectors) if vectors else None
    form = _form_report(table, rows, lemmas, labels)
    centered = {"static": _one_nn_by_word(topics(vectors, table.places(rows)), lemmas, labels, centered=True)} if vectors else {}
    vectors_of = table.rows.take(rows).astype(np.float32)
    shared = _find_shared(model)
    freed = {k: shared.away(Drawn((), vectors_of), k).layers for k in DIRECTIONS} if shared else {}
    for name, weights in spaces(model):
        senses_report = reports[name] = sense_report_of(table, ALL_WORDS, weights)
        gap = cosine_gap(lambda k, weights=weights: table.similarities(rows[k], weights), spellings, labels)
        result[name] = interval(senses_report) | {"silhouette": senses_report.silhouette, "p": senses_report.p}
        result[name] |= {"same": gap.same, "other": gap.different, "gap": gap.gap}
        accuracies = _by_word(senses_report)
        centered[name] = _one_nn_by_word(mixed(vectors_of, weights, axis=1), lemmas, labels, centered=True)
        result[name] |= {"centered": float(centered[name].mean()), "centered_less": facts_of(compare_pairs(centered[name], accuracies))}
        result[name]["without"] = {
            str(k): facts_of(compare_pairs(_one_nn_by_word(mixed(layers, weights, axis=1), lemmas, labels), accuracies))
            for k, layers in freed.items()
        }
        if static:
            result[name]["less_static"] = facts_of(compare_pairs(accuracies, _by_word(static)))
            result[name]["centered_less_static"] = facts_of(compare_pairs(centered[name], centered["static"]))
    if static:
        result["static"] = {"vectors": vectors.name, **interval(static), "centered": float(centered["static"].mean())}
    result["form"] = interval(form)
    result["order"] = facts_of(compare_pairs(_by_word(reports["1"]), _by_word(reports["2"]))) if "2" in reports else {}
    result |= {"n": senses_report.n, "words": len(senses_report.per_word), "majority": senses_report.majority, "spellings": gap.groups}
    groups = [rows[lemmas == word] for word in senses_report.per_word]
    senses_of = {int(row): str(label) for row, label in zip(rows, labels, strict=True)}

    def score(weights: np.ndarray, chosen: Sequence[int]) -> float:
        return float(np.mean([one_nn(table.similarities(g := groups[k], weights), [senses_of[r] for r in g]) for k in chosen]))

    return result | {"best_mix": _two_fold(score, len(groups), model.encoder.n_layers)}


def _two_fold(score: Callable[[np.ndarray, Sequence[int]], float], n_words: int, n_layers: int) -> dict:
    """Return weights chosen on all words, and the score on each half of weights chosen on the other."""
    if n_words < 2:
        raise BadInput("Weights chosen on some words and measured on others need two words or more with two senses each.")
    order = np.random.default_rng(0).permutation(n_words)
    halves = (order[: n_words // 2], order[n_words // 2 :])
    chosen = [best_weights(lambda w, words=words: score(w, words), n_layers)[0] for words in (order, *halves)]
    held_out = [score(weights, words) for weights, words in zip(chosen[1:], halves[::-1], strict=True)]
    folds = [weights.tolist() for weights in chosen[1:]]
    return {"weights": chosen[0].tolist(), "one_nn": float(np.mean(held_out)), "fold_weights": folds}


def _form_report(table: OccurrenceTable, rows: np.ndarray, lemmas: np.ndarray, labels: np.ndarray) -> SenseReport:
    """Measure how well sentence length and the word's position, each in standard deviations, separate the senses."""
    points = np.array([(len(tokens), position) for tokens, position in table.places(rows)], np.float64)
    spread = points.std(axis=0)
    points = (points / np.where(spread > 0, spread, 1)).astype(np.float32)
    return sense_report(lambda k: 1 - np.linalg.norm(points[k][:, None] - points[k], axis=2), lemmas, labels)


def _find_shared(model: Model) -> SharedDirections | None:
    """Return what the tokens of the language's sentences share; None without such sentences."""
    try:
        sentences = open_corpus(model.language.sentences, model.language)
    except ElmoscopeError:
        return None
    return SharedDirections.of(draw(model.encoder, [sentence.tokens for sentence in sentences], seed=1))


def _one_nn_by_word(vectors: np.ndarray, lemmas: np.ndarray, labels: np.ndarray, *, centered: bool = False) -> np.ndarray:
    """Return 1-NN of each word with at least two senses (W,), in alphabetical order.

    If `centered`, the mean of the word's unit vectors is subtracted first.
    """
    groups = [rows for word in np.unique(lemmas) if len(set(labels[rows := np.flatnonzero(lemmas == word)])) > 1]
    return np.array([one_nn(cosines(vectors[rows], centered=centered), labels[rows]) for rows in groups])


def _by_word(report: SenseReport) -> list[float]:
    return [item.one_nn for item in report.per_word.values()]


def interval(report: SenseReport) -> dict[str, float]:
    """Return leave-one-out 1-NN, its 95% interval and its mean with shuffled senses."""
    return {"one_nn": report.one_nn, "low": report.one_nn_low, "high": report.one_nn_high, "null": report.null_mean}


def cosine_gap(similarities_of: Callable[[np.ndarray], np.ndarray], words: Sequence[Hashable], labels: Sequence[str]) -> CosineGap:
    """Return how much nearer two occurrences (N,) of one sense are than two of different senses.

    `words` are spellings exactly as written: only equal spellings are compared, since layer 0 must have no gap. `similarities_of` returns
    the cosines (n, n) of the rows (n,). Groups without a pair of each kind are left out.
    """
    labels = np.asarray(labels, str)
    results = []
    for rows in group_rows(words).values():
        codes = np.unique(labels[rows], return_counts=True)[1]
        if len(codes) > 1 and codes.max() > 1:
            results.append(pair_cosines(similarities_of(rows), labels[rows]))
    if not results:
        raise BadInput("No spelling here has two occurrences of one sense and one of another; there are no cosines to compare.")
    same, different = map(float, np.mean(results, axis=0))
    return CosineGap(same=same, different=different, gap=same - different, groups=len(results))
