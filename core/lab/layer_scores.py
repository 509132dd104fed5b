"""Measure pairs, tags and titles by layer, by the equal layer mix and by the mix that training data choose; compare models.

"0", "1", ... are the layers, "mix" the equal mix, and "best_mix" has its "weights", chosen on training or dev rows by the measure that they
are scored by, never on test rows. Comparisons give each model a row {space: accuracy}; static vectors and chance have one figure each. If
a word's static vector cannot separate its senses, the sum of the other words' vectors is used (core.static.vectors).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from ..classify.tables import read_table
from ..classify.tasks import clean_ag_news
from ..cli.options import DOWNLOAD, PIECES, Answer, ModelOptions, command, option, whole
from ..cli.shared import in_columns, note, open_model, progress
from ..common.directions import unit
from ..common.errors import BadInput, MissingArtifact
from ..common.model_layers import name_of
from ..common.significance import compare_pairs, facts_of
from ..elmo.encoder import Encoder, encoded, vectors_of_rows
from ..elmo.mix import mixed
from ..elmo.models import Model
from ..files.artifacts import provenance, write_json
from ..senses import evaluate
from ..senses.evaluate import best_weights, spaces, static_vectors
from ..senses.senseval import read_sense_rows, split_rows
from ..static.vectors import StaticVectors, topics
from ..text.corpora import open_corpus
from ..text.languages import Language
from ..text.sentences import LabeledRow, Sentence
from ..views.card import accuracy_of, chance_of
from . import probes
from .datasets import SENSEVAL, Tagged, read_tags
from .sense_scores import own_sentences

PAIRS_OF_A_WORD = 30  # of one sense, and as many of two
DIGITS = 5  # of a cosine that count, as core.senses.evidence.TIE
BEST, STATIC, CHANCE = "best_mix", "static", "chance"
ACROSS = ("sentences", "senses", "pairs", "tags", "titles")  # measures of several models
Rows = dict[str, dict[str, float]]  # model, "static" or "chance" -> space -> accuracy
Report = Callable[[int, int], None]


@command(
    "layers",
    option("--models", "registry names or folders, of one language", metavar="M", required=True, many=True),
    option("--data", "holds senseval, conll2000, ag_news, or some of them", metavar="FOLDER", required=True),
    option("--only", f"only these of: {', '.join(ACROSS)}", metavar="WHAT", choices=ACROSS, many=True),
    option("--limit", "tagged sentences per part (default 1000)", metavar="N", type=whole(1), default=1000),
    option("--titles", "titles to train on, and as many to test on (default 2000)", metavar="N", type=whole(10), default=2000),
    option("--output", "a JSON file for the result, written after each measure", metavar="FILE"),
    *(PIECES, DOWNLOAD),
)
def evaluate_layers(*, models, data, only, limit, titles, output, pieces, download) -> Answer:
    """Compare models on the same data, by layer and best mix."""
    folder = Path(data)
    models = [open_model(ModelOptions(model=name, pieces=pieces, download=download)) for name in models]
    models = [model if model.is_elmo else replace(model, name=name_of(model.folder)) for model in models]
    language = models[0].language
    if any(model.language.code != language.code for model in models):
        raise BadInput("These models read different languages: name some of one language.")
    values = {"models": {model.name: model.fingerprint for model in models}, "static": language.vectors}
    result = provenance(measure="layers", **values, titles=titles, tag_sentences=limit, measures={})
    lines = []
    for measure in only or ACROSS:
        note(f"{measure} ...")
        started = time.perf_counter()
        try:
            rows_of_measure, n = data_of(measure, folder, language, limit, titles)
        except MissingArtifact as error:
            note(f"{measure}: left out. {error}")
            continue
        rows = compare_models(measure, models, rows_of_measure, progress("tokens"))
        result["measures"][measure] = {"rows": rows, "n": n, "seconds": round(time.perf_counter() - started, 1)}
        if output:
            write_json(Path(output), result)
        cells = ((f"  {name}", *(f"{space} {value:.1%}".strip() for space, value in row.items())) for name, row in rows.items())
        table = [f"{measure} ({n:,} test items)", *in_columns(cells)]
        note("\n".join(table))
        lines += table
    if not result["measures"]:
        raise BadInput(f"Nothing was measured: {folder} holds none of the data sets. Choose another folder.")
    return result, lines


@dataclass(frozen=True, slots=True)
class PairRow:
    """A word in two sentences, and whether it has the same sense in both."""

    first: LabeledRow
    second: LabeledRow
    same: bool


def compare_models(measure: str, models: Sequence[Model], data: tuple, report: Report | None = None) -> Rows:
    """Return every model's row of a measure of ACROSS: the accuracy in each space, of static vectors if measured, and by chance."""
    run = {"sentences": own_sentences, "senses": evaluate.senses, "pairs": pairs, "tags": tags, "titles": titles}[measure]
    rows: Rows = {}
    for model in models:
        result = run(model, *data, report=report)
        names = [*(name for name, _ in spaces(model)), BEST]
        rows[model.name] = {name: float(accuracy_of(measure, result[name])) for name in names}
        if STATIC in result:
            rows[STATIC] = {"": accuracy_of(measure, result[STATIC])}
        rows[CHANCE] = {"": chance_of(measure, result, "mix")}
    vectors = static_vectors(models[0])
    if vectors and measure == "pairs":
        same = [[row.same for row in part] for part in data]
        cosines = [_context_cosines(vectors, part) for part in data]
        rows[STATIC] = {"": pair_accuracy(cosines[0], same[0], cosines[1], same[1])}
    if vectors and measure == "tags":
        parts = [np.stack([_static_vector(vectors, token) for tokens, _ in part for token in tokens]) for part in data]
        rows[STATIC] = {"": _probe(parts, [[tag for _, tags in part for tag in tags] for part in data])}
    if vectors and measure == "titles":
        parts = [np.stack([np.mean([_static_vector(vectors, token) for token in tokens], axis=0) for tokens, _ in part]) for part in data]
        rows[STATIC] = {"": _probe(parts, [[label for _, label in part] for part in data])}
    return rows


Titles = Sequence[tuple[tuple[str, ...], str]]  # tokens, label


def titles(model: Model, train: Titles, test: Titles, *, report: Report | None = None) -> dict:
    """Return the accuracy of a linear classifier on the mean of a title's vectors."""
    labels = [[label for _, label in part] for part in (train, test)]
    texts = ([title for title, _ in part] for part in (train, test))
    parts = [np.stack([layers.mean(axis=1) for layers in encoded(model.encoder, part, report)], axis=1) for part in texts]
    commonest = max(set(labels[0]), key=labels[0].count)
    result, _ = _probe_spaces(model, parts, labels)
    return result | {"most_frequent": {"accuracy": float(np.mean([label == commonest for label in labels[1]]))}}


def own_pairs(labeled: Sequence[Sentence]) -> tuple[list[PairRow], list[PairRow]]:
    """Draw pairs of labeled sentences of one spelling, as many with the same sense as with two; half of the words for dev, half for test."""
    uses_by_word: dict[str, list[LabeledRow]] = {}
    for sentence in labeled:
        for target in sentence.targets:
            if target.sense:
                row = LabeledRow(target.word.casefold(), sentence.tokens, target.position, target.sense)
                uses_by_word.setdefault(row.word, []).append(row)
    rng = np.random.default_rng(0)
    pairs_by_word = []
    for _, uses in sorted(uses_by_word.items()):
        different = [pair for pair in combinations(uses, 2) if pair[0].label != pair[1].label]
        same = [pair for pair in combinations(uses, 2) if pair[0].label == pair[1].label]
        n = min(PAIRS_OF_A_WORD, len(different), len(same))
        if n:
            pairs = [PairRow(*different[k], False) for k in rng.permutation(len(different))[:n]]
            pairs += [PairRow(*same[k], True) for k in rng.permutation(len(same))[:n]]
            pairs_by_word.append(pairs)
    if len(pairs_by_word) < 2:
        raise BadInput("Pairs need two words or more with two labeled senses each, of which one has two sentences.")
    order = rng.permutation(len(pairs_by_word))
    halves = order[: len(order) // 2], order[len(order) // 2 :]
    return tuple([row for k in half for row in pairs_by_word[k]] for half in halves)


def data_of(measure: str, folder: Path, language: Language, limit: int, n_titles: int) -> tuple[tuple, int]:
    """Return a measure's data and number of test items; MissingArtifact if the folder lacks the data."""
    if measure == "sentences":
        corpus = open_corpus(language.sentences, language)
        return (language.sentences,), sum(bool(target.sense) for item in corpus for target in item.targets)
    if measure == "pairs":
        dev, test = own_pairs(open_corpus(language.sentences, language))
        return (dev, test), len(test)
    if measure == "senses":
        train, test = split_rows([row for file in SENSEVAL for row in read_sense_rows(folder / file)], 0.8, 0)
        return (train, test), len(test)
    if measure == "tags":
        train, test = (read_tags(folder / f"conll2000/{part}.txt.xz")[:limit] for part in ("train", "test"))
        return (train, test), sum(len(tokens) for tokens, _ in test)
    table = read_table(folder / "ag_news/test.csv", text_columns=("title",)).rows
    chosen = [table[k] for k in np.random.default_rng(0).permutation(len(table))[: 2 * n_titles]]
    tokenized = ((tuple(language.tokenize(clean_ag_news(row.text))), row.label) for row in chosen)
    cut = [item for item in tokenized if item[0]]
    return (cut[:n_titles], cut[n_titles:]), len(cut[n_titles:])


def _probe(parts: Sequence[np.ndarray], labels: Sequence[list[str]]) -> float:
    """Return a linear probe's accuracy for vectors (N, D) and labels of training and test."""
    return probes.learned_mix_probe(parts[0][None], labels[0], parts[1][None], labels[1]).accuracy


def _static_vector(vectors: StaticVectors, token: str) -> np.ndarray:
    result = vectors.vector(token)
    return np.zeros(vectors.dim, np.float32) if result is None else np.asarray(result, np.float32)


def _context_cosines(vectors: StaticVectors, rows: Sequence[PairRow]) -> np.ndarray:
    first = topics(vectors, [(row.first.tokens, row.first.position) for row in rows])
    second = topics(vectors, [(row.second.tokens, row.second.position) for row in rows])
    return np.einsum("nd,nd->n", unit(first), unit(second))


def best_threshold(cosines: Sequence[float], same: Sequence[bool]) -> tuple[float, float]:
    """Return the threshold with the best accuracy on cosines (n,) and answers (n,), and this accuracy.

    Thresholds are midway between neighboring cosines, rounded to DIGITS. Of several best ranges the middle of the widest is returned. If
    "same" (or "other") for all is best, it is the lowest cosine (or just above the highest).
    """
    values, codes = np.unique(np.round(np.asarray(cosines, float), DIGITS), return_inverse=True)
    same = np.asarray(same, bool)
    n_same = np.bincount(codes[same], minlength=len(values))
    n_other = np.bincount(codes[~same], minlength=len(values))
    right = np.append(0, n_other.cumsum()) + np.append(n_same[::-1].cumsum()[::-1], 0)  # (V + 1,): "same" from value k on
    lows, highs = np.append(values[0], values), np.append(values, values[-1])
    best = np.flatnonzero(right == right.max())
    runs = np.split(best, np.flatnonzero(np.diff(best) > 1) + 1)
    run = max(runs, key=lambda run: highs[run[-1]] - lows[run[0]])
    threshold = (lows[run[0]] + highs[run[-1]]) / 2 if run[0] < len(values) else values[-1] + 0.5 * 10**-DIGITS
    return float(threshold), float(right.max() / len(same))


def pair_accuracy(dev_cosines: Sequence[float], dev_same: Sequence[bool], cosines: Sequence[float], same: Sequence[bool]) -> float:
    """Choose the threshold on cosines and answers of dev pairs, and return its accuracy on test pairs."""
    threshold, _ = best_threshold(dev_cosines, dev_same)
    return float(((np.round(np.asarray(cosines, float), DIGITS) >= threshold) == np.asarray(same, bool)).mean())


def pairs(model: Model, dev: list[PairRow], test: list[PairRow], *, report: Report | None = None) -> dict:
    """Decide "same sense" by a threshold on the cosine. Threshold and weights maximize the accuracy on `dev`."""
    layers = [_pair_vectors(model.encoder, rows, report) for rows in (dev, test)]
    same_dev = np.array([row.same for row in dev])
    same = np.array([row.same for row in test])
    best, _ = best_weights(lambda weights: best_threshold(_pair_cosines(layers[0], weights), same_dev)[1], model.encoder.n_layers)
    result: dict = {"model": model.name, "n_dev": len(dev), "n": len(test)}
    for name, weights in [*spaces(model), (BEST, best)]:
        dev_cosines, cosines = (_pair_cosines(part, weights) for part in layers)
        result[name] = {"accuracy": pair_accuracy(dev_cosines, same_dev, cosines, same)}
    result[BEST]["weights"] = best.tolist()
    return result | {"majority": float((same == (2 * same_dev.sum() >= len(dev))).mean())}


def tags(model: Model, train: list[Tagged], test: list[Tagged], *, report: Report | None = None) -> dict:
    """Return the accuracy of a linear probe for the tags. "best_mix" learns its weights with the probe; "order" is paired by sentence."""
    layers = [_token_vectors(model.encoder, sentences, report) for sentences in (train, test)]
    words = [[token for tokens, _ in part for token in tokens] for part in (train, test)]
    labels = [[tag for _, tags in part for tag in tags] for part in (train, test)]
    accuracies, right = _probe_spaces(model, layers, labels)
    sentence = [k for k, (tokens, _) in enumerate(test) for _ in tokens]
    return {
        "model": model.name,
        "n_train": len(words[0]),
        "n": len(words[1]),
        "tags": len(set(labels[0])),
        **accuracies,
        "order": facts_of(compare_pairs(right["1"], right["2"], sentence)) if "2" in right else {},
        "most_frequent": {"accuracy": probes.commonest_tags(words[0], labels[0], words[1], labels[1])},
    }


def _probe_spaces(model: Model, parts: Sequence[np.ndarray], labels: Sequence[list[str]]) -> tuple[dict, dict[str, np.ndarray]]:
    """Return a linear probe's accuracy in each space, and which test items it gets right, for vectors (L, N, D) of training and test."""
    result, right = {}, {}
    for name, weights in spaces(model):
        train, test = (mixed(part, weights) for part in parts)
        probe = probes.learned_mix_probe(train[None], labels[0], test[None], labels[1])  # of one layer: nothing to weigh
        right[name] = probe.right
        result[name] = {"accuracy": probe.accuracy}
    learned = probes.learned_mix_probe(parts[0], labels[0], parts[1], labels[1])
    return result | {BEST: {"weights": list(learned.weights), "accuracy": learned.accuracy}}, right


def _pair_cosines(layers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the cosine of each pair's two mixes, (n,), from layers (2, n, L, D)."""
    a, b = (mixed(side, weights, axis=1, unit=True) for side in layers)
    return np.einsum("nd,nd->n", a, b)


def _pair_vectors(encoder: Encoder, rows: list[PairRow], report: Report | None) -> np.ndarray:
    """Return the layers of the word in its first and second sentence, (2, n, L, D)."""
    vectors = vectors_of_rows(encoder, [*(row.first for row in rows), *(row.second for row in rows)], report)
    return vectors.reshape(2, len(rows), *vectors.shape[1:])


def _token_vectors(encoder: Encoder, sentences: list[Tagged], report: Report | None) -> np.ndarray:
    """Return the layers of all tokens in order, (L, N, D) float32."""
    texts = [tokens for tokens, _ in sentences]
    vectors = np.empty((encoder.n_layers, sum(map(len, texts)), encoder.dim), np.float32)
    done = 0
    for layers in encoded(encoder, texts, report):
        vectors[:, done : done + layers.shape[1]] = layers
        done += layers.shape[1]
    return vectors
