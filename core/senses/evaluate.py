"""Measure how well each layer of a model separates word senses that training sentences define.

Results are plain numbers for JSON: "0", "1", ... for the layers, "mix" for equal weights, and "best_mix" with its "weights". Those weights
are chosen on training rows by the measure they are scored by, never on test rows. "static" is the sum of the other words' static vectors
(core.static.vectors), which needs no network; "less_static" is each space minus it on the same items, and "order" is layer 1 minus layer 2.
Both are paired, with an interval over words, documents or sentences (core.common.significance). Everything is judged within each word, and
a tie is worth the share of it that is right, as in core.senses.separation.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.directions import unit, unit_rows
from ..common.errors import MissingArtifact
from ..common.significance import compare_pairs, facts_of
from ..elmo.encoder import vectors_of_rows
from ..elmo.mix import layer_weights
from ..elmo.models import Model
from ..index.neighbors import grid_of_mixes
from ..index.sense_space import SENSES, SenseSpace
from ..static.vectors import StaticVectors, cosines, open_vectors
from ..text.sentences import LabeledRow
from .evidence import TIE, topics
from .separation import one_nn, rows_of

MIXES = 300  # layer mixes that a search for the best tries, at most
MOST_TO_CHOOSE = 2_000  # training rows of a word that choose its weights
MEASURES = ("nearest", "centroid")  # measures of a split, in the order of SplitScores.hits
Report = Callable[[int, int], None]  # tokens done, in all
Split = tuple[np.ndarray, Sequence[str], Sequence[str]]  # vectors (N, D), their labels and words


def senses(
    model: Model, train: list[LabeledRow], test: list[LabeledRow], *, space: SenseSpace | None = None, report: Report | None = None
) -> dict:
    """Return the accuracy of the nearest training occurrence and of the nearest sense centroid.

    "best_mix" has weights for each of the two measures, chosen by leave-one-out on `train`; its own "weights" are those of the nearest.
    Differences are means over words, paired by document if rows name one, else by sentence. With a `space`, "senses" is the sense space
    minus the mean of a word's training rows.
    """
    layers = [vectors_of_rows(model.encoder, rows, report) for rows in (train, test)]
    labels = [np.array([row.label for row in rows]) for rows in (train, test)]
    words = [np.array([row.word for row in rows]) for rows in (train, test)]
    documents = [row.document or " ".join(row.tokens) for row in test]
    _, number, counts = np.unique(words[1], return_inverse=True, return_counts=True)
    weights_of_rows = 1 / counts[number]

    def score_vectors(vectors: Sequence[np.ndarray]) -> SplitScores:
        """Return the scores of training and test vectors."""
        return classify_split((vectors[0], labels[0], words[0]), (vectors[1], labels[1], words[1]))

    def score_mix(weights: np.ndarray) -> SplitScores:
        return score_vectors([mix_of(part, weights) for part in layers])

    def difference(first: SplitScores, second: SplitScores) -> dict:
        both = zip(MEASURES, first.hits, second.hits, strict=False)
        return {name: facts_of(compare_pairs(a, b, documents, weights=weights_of_rows)) for name, a, b in both}

    result: dict = {"model": model.name, "n": len(test), "n_train": len(train), "documents": len(set(documents))}
    scores = {name: score_mix(weights) for name, weights in spaces(model)}
    if space:
        scores[SENSES] = score_vectors(_in_space(space, (train, test), layers))
    for name, value in scores.items():
        result[name] = value.by_measure()
    if vectors := static_vectors(model):
        static = score_vectors([topics(vectors, [(row.tokens, row.position) for row in rows]) for rows in (train, test)])
        result["static"] = {"vectors": vectors.name, **static.by_measure()}
        for name, value in scores.items():
            result[name]["less_static"] = difference(value, static)
    result["order"] = difference(scores["1"], scores["2"]) if "2" in scores else {}
    result["most_frequent"] = scores["mix"].means("most_frequent")
    result["unseen"] = scores["mix"].unseen
    best = {name: _weights_by_leaving_one_out(layers[0], words[0], labels[0], name) for name in MEASURES}
    mixes = {name: {"weights": weights.tolist(), **score_mix(weights).means(name)} for name, weights in best.items()}
    result["best_mix"] = {**mixes, "weights": mixes["nearest"]["weights"]}
    return result


def static_vectors(model: Model) -> StaticVectors | None:
    """Return the static vectors of the model's language, for baselines; None if it has none."""
    try:
        return open_vectors(model.language.vectors) if model.language.vectors else None
    except MissingArtifact:
        return None


def _in_space(space: SenseSpace, parts: Sequence[list[LabeledRow]], layers: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return training and test rows in the sense space, (n, D) each."""
    views = [space.views([(row.tokens, row.position) for row in rows], values) for rows, values in zip(parts, layers, strict=True)]
    words = [np.array([row.word for row in rows]) for rows in parts]
    results = [np.zeros((len(rows), space.dim), np.float32) for rows in parts]
    for word in np.unique(np.concatenate(words)):
        training = views[0][words[0] == word]
        mean = training.mean(axis=0) if len(training) else None
        for values, seen, into in zip(words, views, results, strict=True):
            into[values == word] = space.place(seen[values == word], mean, str(word))
    return results


def spaces(model: Model) -> list[tuple[str, np.ndarray]]:
    """Return the name and the weights (L,) of each layer and of the equal mix."""
    return [(name, layer_weights(name, model.encoder.n_layers)) for name in model.layers.spaces]


def mix_of(layers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return sum_j s_j h_j, (N, D) float32, for layers (N, L, D) of any precision and weights s (L,)."""
    mix = np.zeros((len(layers), layers.shape[2]), np.float32)
    for layer in np.flatnonzero(weights):
        mix += np.float32(weights[layer]) * layers[:, layer]
    return mix


def _weights_by_leaving_one_out(layers: np.ndarray, words: np.ndarray, labels: np.ndarray, measure: str) -> np.ndarray:
    """Return the weights with the best leave-one-out 1-NN (or nearest centroid), mean over words; equal ones if no word has two senses."""
    rng = np.random.default_rng(0)
    groups = []
    for word in np.unique(words):
        rows = np.flatnonzero(words == word)
        rows = np.sort(rng.choice(rows, min(len(rows), MOST_TO_CHOOSE), replace=False))
        if len(set(labels[rows])) > 1:
            groups.append(rows)
    if not groups:
        return layer_weights("mix", layers.shape[1])

    def score(weights: np.ndarray) -> float:
        mixes = ((mix_of(layers[rows], weights), labels[rows]) for rows in groups)
        if measure == "centroid":
            return float(np.mean([left_out_centroids(mix, senses) for mix, senses in mixes]))
        return float(np.mean([one_nn(cosines(mix), senses) for mix, senses in mixes]))

    return best_weights(score, layers.shape[1])[0]


def best_weights(score: Callable[[np.ndarray], float], n_layers: int = 3) -> tuple[np.ndarray, float]:
    """Return the layer weights (L,), multiples of one step that sum to 1, with the best score, and the score. Ties go to the most even.

    Three layers have 66 mixes in tenths. If tenths give more than MIXES of them, as for seven layers, steps are longer. `score` must use
    training or dev data only.
    """
    parts = grid_of_mixes(n_layers, MIXES)[::-1]
    grid = parts / parts.sum(axis=1, keepdims=True)
    scores = [score(weights) for weights in grid]
    best = max(range(len(grid)), key=lambda k: (round(scores[k], 9), -round(float((grid[k] ** 2).sum()), 9), -k))
    return grid[best], scores[best]


@dataclass(frozen=True, slots=True, eq=False)
class SplitScores:
    """Accuracies on n test occurrences of the senses learned from a training file."""

    hits: np.ndarray  # (3, n): by nearest, centroid and most frequent sense
    words: np.ndarray  # (n,)
    unseen: int  # test rows whose word is not in the training file; scored as wrong

    def means(self, measure: str) -> dict[str, float]:
        """Return the accuracy, "macro" over test words and "pooled" over test occurrences."""
        hits = self.hits[(*MEASURES, "most_frequent").index(measure)]
        by_word = [hits[rows].mean() for rows in rows_of(self.words).values()]
        return {"macro": float(np.mean(by_word)), "pooled": float(hits.mean())}

    def by_measure(self) -> dict[str, dict[str, float]]:
        """Return the means of each of MEASURES."""
        return {measure: self.means(measure) for measure in MEASURES}


def classify_split(train_split: Split, test_split: Split) -> SplitScores:
    """Classify test vectors by the nearest training neighbor, the nearest centroid and the most frequent sense.

    Each word is judged by its own training occurrences only. A test word that training never saw is scored as wrong by all three, and
    counted in `unseen`. A tie is worth the share of it that is right. Vectors may be of any length; a zero vector is equally far from all.
    """
    train, train_labels, train_words = _as_arrays(train_split)
    test, test_labels, test_words = _as_arrays(test_split)
    train_rows, test_rows = rows_of(train_words), rows_of(test_words)
    scores = np.zeros((3, len(test)))
    for word in train_rows.keys() & test_rows.keys():
        seen, rows = train_rows[word], test_rows[word]
        scores[:, rows] = _score_word(train[seen], train_labels[seen], test[rows], test_labels[rows])
    return SplitScores(scores, test_words, int((~np.isin(test_words, train_words)).sum()))


def _as_arrays(split: Split) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a split's unit vectors (N, D), labels (N,) and words (N,)."""
    vectors, labels, words = split
    return unit_rows(vectors), np.asarray(labels), np.asarray(words)


def left_out_centroids(vectors: np.ndarray, labels: Sequence) -> float:
    """Return the leave-one-out accuracy of the nearest sense centroid (of unit vectors) for one word; ties by their share.

    A sense of one occurrence has no centroid without it, so that occurrence is wrong.
    """
    rows = unit_rows(vectors)
    names, senses = np.unique(np.asarray(labels), return_inverse=True)
    members = np.eye(len(names), dtype=np.float32)[senses]  # (n, C)
    sums = members.T @ rows
    sizes = members.sum(axis=0)
    numbers = np.arange(len(rows))
    scores = rows @ unit(sums).T  # (n, C)
    sums_of_others = sums[senses] - rows  # (n, D): the same sense without the row
    scores[numbers, senses] = np.where(sizes[senses] > 1, np.einsum("nd,nd->n", rows, unit(sums_of_others)), -np.inf)
    close = _best(scores)
    return float((close[numbers, senses] / close.sum(axis=1)).mean())


def _score_word(train: np.ndarray, train_labels: np.ndarray, test: np.ndarray, test_labels: np.ndarray) -> np.ndarray:
    """Score one word's test rows by nearest, centroid and most frequent sense (3, m), from unit vectors (n, D), (m, D)."""
    names, senses = np.unique(train_labels, return_inverse=True)
    members = np.eye(len(names), dtype=np.float32)[senses]  # (n, C)
    centroids = unit(members.T @ train)
    right = test_labels[:, None] == names  # (m, C)
    scores = np.empty((3, len(test)))
    for start in range(0, len(test), 1024):
        part = slice(start, start + 1024)
        nearest = _best(test[part] @ train.T) @ members  # (m, C): the tied nearest, by sense
        scores[0, part] = (nearest * right[part]).sum(axis=1) / nearest.sum(axis=1)
        close = _best(test[part] @ centroids.T)
        scores[1, part] = (close * right[part]).sum(axis=1) / close.sum(axis=1)
    sizes = members.sum(axis=0)
    most_frequent = sizes == sizes.max()  # (C,)
    scores[2] = right @ most_frequent / most_frequent.sum()
    return scores


def _best(similarities: np.ndarray) -> np.ndarray:
    """Return 1.0 where a column is tied for the nearest of its row (m, n)."""
    return (similarities >= similarities.max(axis=1, keepdims=True) - TIE).astype(np.float32)
