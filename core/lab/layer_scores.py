"""Measure pairs, tags and neighbors by layer, by the equal layer mix and by the mix that training data choose.

Every function takes an opened model and rows, and returns plain numbers for JSON: "0", "1", ... for the layers, "mix" for equal weights,
and "best_mix" with its "weights". Those are chosen on training or dev rows by the measure they are scored by, never on test rows.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from ..common.directions import unit
from ..common.significance import compare_pairs, facts_of
from ..elmo.encoder import Encoder, encoded, vectors_of_rows
from ..elmo.mix import layer_weights
from ..elmo.models import Model
from ..index.neighbors import SAME, make_query
from ..index.sense_space import SENSES, SenseSpace
from ..index.tables import open_table
from ..senses.evaluate import Report, best_weights, mix_of, spaces
from ..text.corpora import with_word
from ..text.sentences import LabeledRow
from ..text.tokens import find_word, join_tokens
from . import metrics, probes
from .datasets import PairRow, TaggedSentence


def pairs(model: Model, dev: list[PairRow], test: list[PairRow], *, space: SenseSpace | None = None, report: Report | None = None) -> dict:
    """Decide "same sense" by a threshold on the cosine. Threshold and weights maximize the accuracy on `dev`. With a `space`, "senses" is
    the sense space minus the mean of all words."""
    layers = [_pair_vectors(model.encoder, rows, report) for rows in (dev, test)]
    same_dev, same = (np.array([row.same for row in rows]) for rows in (dev, test))
    best, _ = best_weights(lambda weights: metrics.best_threshold(_pair_cosines(layers[0], weights), same_dev)[1], model.encoder.n_layers)
    result: dict = {"model": model.name, "n_dev": len(dev), "n": len(test)}
    for name, weights in [*spaces(model), ("best_mix", best)]:
        dev_cosines, cosines = (_pair_cosines(part, weights) for part in layers)
        result[name] = asdict(metrics.pair_accuracy(dev_cosines, same_dev, cosines, same))
    result["best_mix"]["weights"] = best.tolist()
    if space:
        dev_cosines, cosines = (_cosines_in_space(space, rows, part) for rows, part in zip((dev, test), layers, strict=True))
        result[SENSES] = asdict(metrics.pair_accuracy(dev_cosines, same_dev, cosines, same))
    return result | {"majority": float((same == (2 * same_dev.sum() >= len(dev))).mean())}


def tags(model: Model, train: list[TaggedSentence], test: list[TaggedSentence], *, seed: int = 0, report: Report | None = None) -> dict:
    """Return the accuracy of a linear probe for the tags. "best_mix" learns its weights with the probe; "order" is paired by sentence."""
    layers = [_token_vectors(model.encoder, sentences, report) for sentences in (train, test)]
    words, words_b = ([token for sentence in part for token in sentence.tokens] for part in (train, test))
    tags_a, tags_b = ([tag for sentence in part for tag in sentence.tags] for part in (train, test))
    result: dict = {"model": model.name, "n_train": len(words), "n": len(words_b), "tags": len(set(tags_a))}
    right = {}
    for name, weights in spaces(model):
        a, b = (mix_of(part.transpose(1, 0, 2), weights) for part in layers)
        alone = probes.learned_mix_probe(a[None], tags_a, b[None], tags_b, seed=seed)  # of one layer: nothing to weigh
        right[name], result[name] = alone.right, {"accuracy": alone.accuracy}
    sentence = [k for k, item in enumerate(test) for _ in item.tokens]
    result["order"] = facts_of(compare_pairs(right["1"], right["2"], sentence)) if "2" in right else {}
    learned = probes.learned_mix_probe(layers[0], tags_a, layers[1], tags_b, seed=seed)
    result["best_mix"] = {"weights": list(learned.weights), "accuracy": learned.accuracy}
    return result | {"most_frequent": {"accuracy": probes.commonest_tags(words, tags_a, words_b, tags_b)}}


def neighbors_in_contexts(model: Model, pairs: dict[str, Sequence[str]], *, k: int = 3) -> dict:
    """Find the k nearest labeled sentences, in the top layer, of each word in each of its sentences.

    Returns {"rows", "apart", "n"}; `apart` counts the words, of `n`, whose sentences have no sense in common among their neighbors.
    """
    table = open_table(model.language.sentences, model, targets_only=True)
    weights = layer_weights(str(model.encoder.n_layers - 1), model.encoder.n_layers)
    rows, apart = [], []
    for word, sentences in pairs.items():
        senses = []
        for text in sentences:
            tokens = with_word(model.language.tokenize(text), word)
            query = make_query(model.encoder, tokens, find_word(tokens, word)[0])
            near = [(n.occurrence, round(n.cosine, 4)) for n in table.nearest(query, weights, k=k, which=SAME)]
            results = [{"sentence": join_tokens(o.tokens), "sense": o.sense, "cosine": cosine} for o, cosine in near]
            rows.append({"word": word, "sentence": text, "nearest": results})
            senses.append({o.sense for o, _ in near})
        apart.append(not set.intersection(*senses))
    return {"model": model.name, "k": k, "n": len(apart), "apart": sum(apart), "rows": rows}


def speed(model: Model, sentences: list[list[str]]) -> dict:
    """Measure tokens per second, for new spellings and for known ones."""
    encoder = Encoder(model.encoder.model) if model.is_elmo else model.encoder
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        encoder.encode(sentences)
        seconds.append(time.perf_counter() - started)
    n = sum(map(len, sentences))
    return {"model": model.name, "tokens": n, "per_second_cold": round(n / seconds[0]), "per_second": round(n / min(seconds[1:]))}


def _cosines_in_space(space: SenseSpace, rows: list[PairRow], layers: np.ndarray) -> np.ndarray:
    """Return the cosine of each pair in the sense space, (n,), from layers (2, n, L, D)."""
    sides = [[(row.tokens_a, row.position_a) for row in rows], [(row.tokens_b, row.position_b) for row in rows]]
    a, b = (space.place(space.views(side, of)) for side, of in zip(sides, layers, strict=True))
    return np.einsum("nd,nd->n", a, b)


def _pair_cosines(layers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the cosine of each pair's two mixes, (n,), from layers (2, n, L, D)."""
    a, b = (unit(mix_of(side, weights)) for side in layers)
    return np.einsum("nd,nd->n", a, b)


def _pair_vectors(encoder: Encoder, rows: list[PairRow], report: Report | None) -> np.ndarray:
    """Return the layers of the word in its first and second sentence, (2, n, L, D)."""
    sides = [LabeledRow(row.word, row.tokens_a, row.position_a, "") for row in rows]
    sides += [LabeledRow(row.word, row.tokens_b, row.position_b, "") for row in rows]
    vectors = vectors_of_rows(encoder, sides, report)
    return vectors.reshape(2, len(rows), *vectors.shape[1:])


def _token_vectors(encoder: Encoder, sentences: list[TaggedSentence], report: Report | None) -> np.ndarray:
    """Return the layers of all tokens in order, (L, N, D) float32."""
    texts = [sentence.tokens for sentence in sentences]
    vectors = np.empty((encoder.n_layers, sum(map(len, texts)), encoder.dim), np.float32)
    done = 0
    for layers in encoded(encoder, texts, report):
        vectors[:, done : done + layers.shape[1]] = layers
        done += layers.shape[1]
    return vectors
