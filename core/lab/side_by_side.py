"""Compare models on the same data, by layer and best mix, and with static vectors.

Every measure gives each model a row {space: accuracy}; spaces are named as in core.common.model_layers, "best_mix" last. Static vectors and
chance have one figure each. If a word's static vector cannot separate its senses, the sum of the other words' vectors is used
(core.static.vectors).
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from ..classify.ag_news import clean_ag_news
from ..classify.tables import read_table
from ..common.directions import unit
from ..common.errors import BadInput
from ..elmo.encoder import encoded
from ..elmo.models import Model
from ..evaluation.card import accuracy_of, chance_of
from ..senses import evaluate
from ..senses.evaluate import mix_of, spaces, static_vectors
from ..senses.senseval import read_sense_rows, split_rows
from ..static.vectors import StaticVectors, topics
from ..text.corpora import open_corpus
from ..text.languages import Language
from ..text.sentences import LabeledRow, Sentence
from . import layer_scores, metrics, probes
from .datasets import PairRow, TaggedSentence, read_tags
from .own_sentences import own_sentences

PAIRS_OF_A_WORD = 30  # of one sense, and as many of two
BEST, STATIC, CHANCE = "best_mix", "static", "chance"
Rows = dict[str, dict[str, float]]  # model, "static" or "chance" -> space -> accuracy
Report = Callable[[int, int], None]


def sentences(models: Sequence[Model], report: Report | None = None) -> Rows:
    """Measure leave-one-out 1-NN of the bundled labeled sentences. Chance: shuffled senses."""
    results = [own_sentences(model, model.language.sentences, report=report) for model in models]
    return _rows("sentences", models, results)


def senses(models: Sequence[Model], train: list[LabeledRow], test: list[LabeledRow], report: Report | None = None) -> Rows:
    """Measure the nearest training occurrence of the same word, mean over words. Chance: the word's most frequent sense."""
    results = [evaluate.senses(model, train, test, report=report) for model in models]
    return _rows("senses", models, results)


def pairs(models: Sequence[Model], dev: list[PairRow], test: list[PairRow], report: Report | None = None) -> Rows:
    """Decide "same sense" for pairs of sentences by a threshold on the cosine. Chance: the more frequent answer."""
    results = [layer_scores.pairs(model, dev, test, report=report) for model in models]
    rows = _rows("pairs", models, results)
    if vectors := static_vectors(models[0]):
        same = [[row.same for row in part] for part in (dev, test)]
        cosines = [_context_cosines(vectors, part) for part in (dev, test)]
        rows[STATIC] = {"": metrics.pair_accuracy(cosines[0], same[0], cosines[1], same[1]).accuracy}
    return rows


def tags(models: Sequence[Model], train: list[TaggedSentence], test: list[TaggedSentence], report: Report | None = None) -> Rows:
    """Measure a linear probe for tags. Static: the word's own vector. Chance: the word's most frequent tag."""
    results = [layer_scores.tags(model, train, test, report=report) for model in models]
    rows = _rows("tags", models, results)
    if vectors := static_vectors(models[0]):
        parts = [np.stack([_of(vectors, token) for item in part for token in item.tokens]) for part in (train, test)]
        labels = [[tag for item in part for tag in item.tags] for part in (train, test)]
        rows[STATIC] = {"": _probe(parts, labels)}
    return rows


Titles = Sequence[tuple[tuple[str, ...], str]]  # tokens, label


def titles(models: Sequence[Model], train: Titles, test: Titles, report: Report | None = None) -> Rows:
    """Measure a linear classifier on the mean of a title's vectors. Chance: the most frequent label."""
    labels = [[label for _, label in part] for part in (train, test)]
    rows: Rows = {CHANCE: {"": float(np.mean([label == max(set(labels[0]), key=labels[0].count) for label in labels[1]]))}}
    for model in models:
        parts = [_title_means(model, part, report) for part in (train, test)]
        rows[model.name] = {name: _probe([mix_of(part, of) for part in parts], labels) for name, of in spaces(model)}
        best = probes.learned_mix_probe(parts[0].transpose(1, 0, 2), labels[0], parts[1].transpose(1, 0, 2), labels[1])
        rows[model.name][BEST] = best.accuracy
    if vectors := static_vectors(models[0]):
        means = [np.stack([np.mean([_of(vectors, token) for token in tokens], axis=0) for tokens, _ in part]) for part in (train, test)]
        rows[STATIC] = {"": _probe(means, labels)}
    return rows


def own_pairs(labeled: Sequence[Sentence], *, seed: int = 0) -> tuple[list[PairRow], list[PairRow]]:
    """Draw pairs of labeled sentences of one spelling, as many with the same sense as with two; half of the words for dev, half for test."""
    of_word: dict[str, list[tuple[tuple[str, ...], int, str]]] = {}
    for sentence in labeled:
        for target in sentence.targets:
            if target.sense:
                of_word.setdefault(target.word.casefold(), []).append((sentence.tokens, target.position, target.sense))
    rng = np.random.default_rng(seed)
    drawn = []
    for word, result in sorted(of_word.items()):
        kinds: tuple[list, list] = ([], [])
        for a, b in combinations(result, 2):
            kinds[a[2] == b[2]].append((a, b))
        n = min(PAIRS_OF_A_WORD, *map(len, kinds))
        if n:
            chosen = [(kind[k], bool(same)) for same, kind in enumerate(kinds) for k in rng.permutation(len(kind))[:n]]
            drawn.append([PairRow(word, a[0], a[1], b[0], b[1], same) for (a, b), same in chosen])
    if len(drawn) < 2:
        raise BadInput("Pairs need two words or more with two labeled senses each, of which one has two sentences.")
    order = rng.permutation(len(drawn))
    halves = order[: len(order) // 2], order[len(order) // 2 :]
    return tuple([row for k in half for row in drawn[k]] for half in halves)


def data_of(what: str, folder: Path, language: Language, limit: int, titles: int) -> tuple[tuple, int]:
    """Return a measure's data and number of test items; FileNotFoundError if the folder lacks the data."""
    if what == "sentences":
        own = open_corpus(language.sentences, language)
        return (), sum(bool(target.sense) for item in own for target in item.targets)
    if what == "pairs":
        dev, test = own_pairs(open_corpus(language.sentences, language))
        return (dev, test), len(test)
    if what == "senses":
        files = [_existing(folder / f"senseval/{word}.pos.xz") for word in ("hard", "interest", "line", "serve")]
        train, test = split_rows([row for file in files for row in read_sense_rows(file)], 0.8, 0)
        return (train, test), len(test)
    if what == "tags":
        train, test = (read_tags(_existing(folder / f"conll2000/{part}.txt.xz"))[:limit] for part in ("train", "test"))
        return (train, test), sum(len(item.tokens) for item in test)
    table = read_table(_existing(folder / "ag_news/test.csv"), text_columns=("title",)).rows
    chosen = [table[k] for k in np.random.default_rng(0).permutation(len(table))[: 2 * titles]]
    cut = [(tuple(language.tokenize(clean_ag_news(row.text))), row.label) for row in chosen]
    cut = [item for item in cut if item[0]]
    return (cut[:titles], cut[titles:]), len(cut[titles:])


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise FileNotFoundError(2, "no such file", str(path))
    return path


def _rows(measure: str, models: Sequence[Model], results: Sequence[dict]) -> Rows:
    """Return every model's row of a measure: the accuracy in each space, of static vectors if measured, and by chance."""
    rows: Rows = {}
    for model, result in zip(models, results, strict=True):
        names = [*(name for name, _ in spaces(model)), BEST]
        rows[model.name] = {name: float(accuracy_of(measure, result[name])) for name in names}
        rows |= {STATIC: {"": accuracy_of(measure, result[STATIC])}} if STATIC in result else {}
        rows[CHANCE] = {"": chance_of(measure, result, "mix")}
    return rows


def _probe(parts: Sequence[np.ndarray], labels: Sequence[list[str]]) -> float:
    """Return a linear probe's accuracy for vectors (N, D) and labels of training and test."""
    return probes.learned_mix_probe(parts[0][None], labels[0], parts[1][None], labels[1]).accuracy


def _of(vectors: StaticVectors, token: str) -> np.ndarray:
    result = vectors.vector(token)
    return np.zeros(vectors.dim, np.float32) if result is None else np.asarray(result, np.float32)


def _title_means(model: Model, part: Titles, report: Report | None) -> np.ndarray:
    """Return the mean of each title's tokens (N, L, D)."""
    return np.stack([layers.mean(axis=1) for layers in encoded(model.encoder, [tokens for tokens, _ in part], report)])


def _context_cosines(vectors: StaticVectors, rows: Sequence[PairRow]) -> np.ndarray:
    sides = [(r.tokens_a, r.position_a) for r in rows], [(r.tokens_b, r.position_b) for r in rows]
    first, second = (unit(topics(vectors, side)) for side in sides)
    return np.einsum("nd,nd->n", first, second)
