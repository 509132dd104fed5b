"""Learn the coefficients of verdicts, and measure how often verdicts are right, by the rule that Home applies.

Pairs of labeled sentences that no vote has seen (core.senses.calibration.pairs_by_votes): each bundled word is judged by coefficients that the
other words teach, each tenth of the additional words by the other nine. Pairs of one sense and of two count equally, and so do words. Then
the same words as if they had no labels. Both sets of coefficients are stored in verdict.json next to the table, with histograms of the
evidence over the pairs of both (core.senses.calibration).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..cli.options import Answer, command, flag, option
from ..common.directions import unit
from ..elmo.mix import layer_weights, mixed
from ..elmo.models import Model, open_model
from ..files.artifacts import write_json
from ..index.sense_space import open_space
from ..index.table import OccurrenceTable
from ..index.tables import open_table
from ..senses import calibration, evidence
from ..senses.densities import Density, count_density, densities_as_json
from ..senses.evaluate import static_vectors
from ..senses.evidence import LABELED_COLUMNS, UNLABELED_COLUMNS, fit, probability_of, weights_of
from ..senses.verdict import SURE
from ..text import languages

LANGUAGE = option("--language", "a code of core.text.languages (default en)", metavar="L", default="en")
WRITE = flag("--write", "store the result in assets; then: python -m core.lab bundle --sums")
FOLDS = 10
BINS = (0.5, 0.6, SURE, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
Pairs = tuple[np.ndarray, np.ndarray]  # inputs (n, d), same sense (n,)
Judged = tuple[np.ndarray, np.ndarray, np.ndarray]  # probability, same sense, weight (n,)


def figures(judged: Judged) -> dict[str, float]:
    """Return shares: called (SURE or more), right of these, claimed of these, and the likelier answer right of all."""
    certainty, right, weights = _certainties(judged)
    called = certainty >= SURE
    return {
        "called": float(weights[called].sum() / weights.sum()),
        "right of these": float(np.average(right[called], weights=weights[called])) if called.any() else 0.0,
        "claimed of these": float(np.average(certainty[called], weights=weights[called])) if called.any() else 0.0,
        "right of all": float(np.average(right, weights=weights)),
    }


def reliability(judged: Judged) -> list[tuple[float, float, float, float, float]]:
    """Return for each bin of stated probability its ends, the mean claimed, how often it is true, and the share of pairs."""
    certainty, right, weights = _certainties(judged)
    rows = []
    for low, high in pairwise(BINS):
        in_bin = (certainty >= low) & ((certainty < high) | (high == 1))
        if weights[in_bin].sum() > 0:
            claimed = float(np.average(certainty[in_bin], weights=weights[in_bin]))
            true = float(np.average(right[in_bin], weights=weights[in_bin]))
            rows.append((low, high, claimed, true, float(weights[in_bin].sum() / weights.sum())))
    return rows


def _certainties(judged: Judged) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the probability of the likelier answer, whether that answer is right, and the weight, (n,) each."""
    probability, same, weights = judged
    return np.maximum(probability, 1 - probability), (probability > 0.5) == same, weights


def held_out(words: Sequence[Pairs], folds: int) -> Judged:
    """Judge each word's pairs by the regression learned from the words of the other folds."""
    fold = np.random.default_rng(0).permutation(len(words)) % folds
    parts = []
    for k in range(folds):
        learned = fit([pair for pair, number in zip(words, fold, strict=True) if number != k])[0]
        held = [pair for pair, number in zip(words, fold, strict=True) if number == k]
        parts += [(probability_of(inputs, learned), same, weights_of(same)) for inputs, same in held]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def score_named(model: Model, table: OccurrenceTable, words: Sequence[str]) -> dict[str, float]:
    """Return how often the nearest sense of a sentence is right, by the sentences of the other quarters.

    Words count equally. Ties are wrong.
    """
    space = open_space(model, static_vectors(model))
    accuracies = []
    for word in words:
        rows, labels = calibration.some_rows(table, word)
        n = labels.max() + 1
        pos = table.pos_of(rows)
        weights = layer_weights(calibration.trust_of(table, word).layer, table.meta["layers"])
        token = mixed(table.rows.take(rows), weights, axis=1, unit=True)
        parts = space.of_rows(table, rows)
        right = []
        for quarters in calibration.partitions(word, labels):
            for quarter in np.unique(quarters):
                tested, others = quarters == quarter, quarters != quarter
                by_layer = evidence.shares_of(token[others], labels[others], token[tested], n, pos[others])
                in_space = evidence.places_in(space, parts[others], labels[others], parts[tested], n, word, pos[others]).shares
                ways = by_layer.votes, by_layer.middles, in_space.middles
                right.append([_leads(shares, labels[tested]) for shares in ways])
        accuracies.append(np.concatenate(right, axis=1).mean(axis=1))
    return dict(zip(("votes at the layer", "middles at the layer", "middles in the sense space"), np.mean(accuracies, axis=0), strict=True))


def _leads(shares: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return whether the sense of each row has more than any other, (n,) bool, for shares (n, C) and labels (n,)."""
    of_label = shares[np.arange(len(labels)), labels]
    return (shares >= of_label[:, None] - 1e-9).sum(axis=1) == 1


def plain_densities(model: Model, tables: Sequence[tuple[OccurrenceTable, Sequence[str]]]) -> dict[str, Density]:
    """Return histograms of the cosine at each layer and of the mix, over all pairs of each word's sentences."""
    words = [(table, *calibration.some_rows(table, word)) for table, names in tables for word in names]
    firsts = [np.triu_indices(len(rows), 1) for _, rows, _ in words]
    same = [labels[first] == labels[second] for (*_, labels), (first, second) in zip(words, firsts, strict=True)]
    results = {}
    for name in model.layers.spaces:
        weights = layer_weights(name, model.layers.n)
        rows = [unit(mixed(table.rows.take(rows), weights, axis=1, unit=True)) for table, rows, _ in words]
        cosines = [np.einsum("nd,nd->n", part[first], part[second]) for part, (first, second) in zip(rows, firsts, strict=True)]
        results[name] = count_density(cosines, same)
    return results


def densities_of(words: Sequence[Pairs], columns: Mapping[str, int]) -> dict[str, Density]:
    """Return histograms of each kind of evidence over the words' pairs."""
    return {
        kind: count_density([inputs[:, column] for inputs, _ in words], [same for _, same in words]) for kind, column in columns.items()
    }


@command("verdicts", LANGUAGE, flag("--named", "measure instead the senses that are named"), WRITE)
def verdicts(*, language, named, write) -> Answer:
    """Learn the coefficients of verdicts, and measure how often verdicts are right."""
    language = languages.get_language(language)
    model = open_model(language.model)
    table = open_table(language.sentences, model, targets_only=True)
    basic = table.basic
    basic_words = calibration.words_to_judge(basic)
    additional = [word for word in table.lemmas if word not in basic.lemmas and table.has_senses(word)]
    tables = {"basic words": (basic, basic_words), "additional words": (table, additional)}
    if named:
        result = {name: {"n": len(words), **_rounded(score_named(model, part, words))} for name, (part, words) in tables.items()}
        return result, [f"{name}: {values}" for name, values in result.items()]
    vectors = static_vectors(model)
    space = open_space(model, vectors)
    seen, labeled, unlabeled = {}, {}, {}
    for name, (part, words) in tables.items():
        rows = np.concatenate([calibration.some_rows(part, word)[0] for word in words])
        seen[name] = evidence.of_rows(model.encoder, vectors, part, rows, space)
        trusts = {word: calibration.trust_of(part, word) for word in words}
        labeled[name] = calibration.pairs_labeled(part, trusts, seen[name])
        layer = calibration.measure_unlabeled(part, words, seen[name])[0]
        unlabeled[name] = calibration.pairs_unlabeled(part, words, seen[name], layer)[0]
    folds = {"basic words": len(basic_words), "additional words": FOLDS}
    judged = {}
    for name, words in labeled.items():
        judged[name] = held_out(words, folds[name])
        judged[f"{name}, no labels"] = held_out(unlabeled[name], folds[name])
    result, lines = {}, []
    for name, answers in judged.items():
        n = len(tables[name.removesuffix(", no labels")][1])
        result[name] = {"n": n, **_rounded(figures(answers)), "bins": reliability(answers)}
        lines.append(f"{name}: {_rounded(figures(answers))}")
        lines += ["  stated {:.2f} to {:.2f}: claimed {:.1%}, true {:.1%} ({:.0%} of pairs)".format(*row) for row in result[name]["bins"]]
    if write:
        measured = calibration.measure(basic, seen["basic words"])
        votes = [round(value, 4) for value in fit(labeled["additional words"])[0]]
        plain = plain_densities(model, list(tables.values()))
        sets = [
            densities_of([pairs for words in kind.values() for pairs in words], columns) | plain
            for kind, columns in ((labeled, LABELED_COLUMNS), (unlabeled, UNLABELED_COLUMNS))
        ]
        words = {**measured.words, **{word: calibration.trust_of(table, word) for word in additional}}
        record = calibration.as_json(replace(measured, words=words, reference_votes=tuple(votes)))
        write_json(table.folder / calibration.FILE, {**record, "densities": densities_as_json(*sets)})
        lines.append(f"stored: {measured.votes} {measured.alone} {votes}")
    return result, lines


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(float(value), 3) for name, value in values.items()}
