"""Predict the sense of every word in held-out documents by the nearest sense centroid (Peters et al. 2018, section 5.3)."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from ..common.significance import compare_pairs, facts_of
from ..elmo.encoder import Encoder, encoded
from ..elmo.mix import layer_weights
from ..elmo.models import Model
from ..index.sense_space import SENSES, SenseSpace
from ..senses.evaluate import Report, best_weights, mix_of, spaces, static_vectors
from ..static.vectors import StaticVectors, static_contexts
from . import metrics
from .datasets import SenseSentence, SpanTarget, split_documents

PRIORS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)  # how much a sense's frequency may count beside a cosine
AT_ONCE = 512  # targets placed in the sense space
DEV_SHARE = 0.1  # of the training documents, for choosing weights


def all_words(
    model: Model,
    sentences: Sequence[SenseSentence],
    *,
    share: float = 0.9,
    seed: int = 0,
    space: SenseSpace | None = None,
    report: Report | None = None,
) -> dict:
    """Return the accuracy of the nearest sense centroid for every word of held-out documents (core.lab.metrics.AllWords).

    "with_frequency" also counts each sense's frequency, weighted by the best prior on the last training documents. With a `space`, "senses"
    is the sense space. "less_frequent" is each accuracy minus that of the most frequent sense, paired by document.
    """
    train, test = split_documents(sentences, share, seed)
    targets = [t for sentence in (*train, *test) for t in sentence.targets]
    keys, senses = [(t.lemma, t.pos) for t in targets], [t.sense for t in targets]
    layers, placed = _target_vectors(model.encoder, [*train, *test], report, space)
    n = sum(len(sentence.targets) for sentence in train)
    documents = [sentence.document for sentence in test for _ in sentence.targets]

    def judge(of_rows: Callable[[np.ndarray], np.ndarray], known: np.ndarray, request: np.ndarray) -> metrics.AllWords:
        parts = ((of_rows(rows), [keys[k] for k in rows], [senses[k] for k in rows]) for rows in (known, request))
        return metrics.AllWords(*next(parts), *next(parts))

    @cache
    def mix(*weights: float) -> Callable[[np.ndarray], np.ndarray]:
        return lambda rows: mix_of(layers[rows], np.array(weights))

    @cache
    def prior_of(of_rows: Callable[[np.ndarray], np.ndarray]) -> Prior:
        judged = judge(of_rows, known, dev)
        by_prior = {prior: judged.scores(prior).accuracy for prior in PRIORS}
        best = max(PRIORS, key=by_prior.get)
        return Prior(by_prior[0.0], by_prior[best], best)

    known, dev = _dev_rows(train)
    rows, tested = np.arange(n), np.arange(n, len(targets))
    equal = layer_weights("mix", model.encoder.n_layers)
    best, best_with = equal, equal
    if len(dev):  # else there is nothing to choose by
        best, _ = best_weights(lambda weights: prior_of(mix(*weights)).plain, model.encoder.n_layers)
        best_with, _ = best_weights(lambda weights: prior_of(mix(*weights)).accuracy, model.encoder.n_layers)
    vectors = static_vectors(model)
    ways = {name: mix(*weights) for name, weights in [*spaces(model), ("best_mix", best)]}
    ways |= {SENSES: lambda rows: placed[rows]} if space else {}
    if vectors:
        contexts = _target_contexts(vectors, [*train, *test])
        ways["static"] = lambda rows: contexts[rows]
    result: dict = {"model": model.name, "n_train": n, "documents": len(set(documents))}
    hits: dict[str, np.ndarray] = {}
    for name, of_rows in ways.items():
        judged = judge(of_rows, rows, tested)
        hits[name] = judged.hits()
        scores = judged.scores()
        result[name] = {"accuracy": scores.accuracy, "ambiguous": scores.ambiguous_accuracy}
        if len(dev) and name == "best_mix":  # other weights where frequency counts
            of_rows = mix(*best_with)
            judged = judge(of_rows, rows, tested)
        if len(dev):
            result[name]["with_frequency"] = _with_frequency(judged, prior_of(of_rows).prior)
    result["best_mix"]["weights"] = best.tolist()
    if len(dev):
        result["best_mix"]["with_frequency"]["weights"] = best_with.tolist()
    if vectors:
        result["static"]["vectors"] = vectors.name
    often = judged.most_frequent()
    for name in [name for name in hits if name not in ("best_mix", "static")]:
        result[name]["less_frequent"] = facts_of(compare_pairs(hits[name], often, documents))
        if vectors:
            result[name]["less_static"] = facts_of(compare_pairs(hits[name], hits["static"], documents))
    result["order"] = facts_of(compare_pairs(hits["1"], hits["2"], documents)) if "2" in hits else {}
    result["most_frequent"] = {"accuracy": scores.most_frequent, "ambiguous": scores.ambiguous_most_frequent}
    return result | {"n": scores.n, "unseen": scores.unseen, "ambiguous_n": scores.ambiguous_n}


def _target_contexts(vectors: StaticVectors, sentences: Sequence[SenseSentence]) -> np.ndarray:
    both = [(sentence.tokens, (target.start, target.end)) for sentence in sentences for target in sentence.targets]
    return static_contexts(vectors, [tokens for tokens, _ in both], [span for _, span in both])


def _target_vectors(
    encoder: Encoder, sentences: list[SenseSentence], report: Report | None, space: SenseSpace | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the layers of all targets (N, L, D) float16, and their places in the space (N, D) or None.

    float16, since 3 x 256 numbers of 230,000 targets are 360 MB. A multiword has the mean of its layers and the place of its last word.
    """
    spans = [[(target.start, target.end) for target in sentence.targets] for sentence in sentences]
    vectors = np.empty((sum(map(len, spans)), encoder.n_layers, encoder.dim), np.float16)
    placed = np.empty((len(vectors), space.dim), np.float32) if space else None
    waiting: list[tuple[SenseSentence, SpanTarget, np.ndarray]] = []
    done = 0
    for sentence, layers in zip(sentences, encoded(encoder, [s.tokens for s in sentences], report), strict=True):
        for target in sentence.targets:
            vectors[done] = layers[:, target.start : target.end].mean(axis=1)
            done += 1
            waiting += [(sentence, target, layers)] if space else []
        if len(waiting) >= AT_ONCE:
            placed[done - len(waiting) : done] = _place_targets(space, waiting)
            waiting = []
    if waiting:
        placed[done - len(waiting) :] = _place_targets(space, waiting)
    return vectors, placed


def _place_targets(space: SenseSpace, targets: Sequence[tuple[SenseSentence, SpanTarget, np.ndarray]]) -> np.ndarray:
    """Return places (n, D) minus the mean of all words, each by the map that has not seen its word."""
    occurrences = [(sentence.tokens, target.end - 1) for sentence, target, _ in targets]
    read = [layers for _, _, layers in targets]
    views = space.views(occurrences, np.stack([of[:, k] for of, (_, k) in zip(read, occurrences, strict=True)]), read)
    return np.concatenate([space.place(row[None], word=target.lemma) for row, (_, target, _) in zip(views, targets, strict=True)])


def _dev_rows(train: list[SenseSentence]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (known, dev) of training targets to choose weights by.

    The last tenth of the documents is dev. Only keys of dev with two senses in `known` remain, since the answer for others does not depend
    on the weights.
    """
    documents = list(dict.fromkeys(sentence.document for sentence in train))
    last = set(documents[-max(1, round(DEV_SHARE * len(documents))) :])
    sides: tuple[list, list] = ([], [])  # (row, key, sense)
    for sentence in train:
        side = sides[sentence.document in last]
        side += [(len(sides[0]) + len(sides[1]) + k, (t.lemma, t.pos), t.sense) for k, t in enumerate(sentence.targets)]
    rows_of: dict[tuple[str, str], dict[str, list[int]]] = {}
    for row, key, sense in sides[0]:
        rows_of.setdefault(key, {}).setdefault(sense, []).append(row)
    keys = {key for _, key, _ in sides[1]}
    ambiguous = {key: senses for key, senses in rows_of.items() if len(senses) > 1 and key in keys}
    dev = [row for row, key, _ in sides[1] if key in ambiguous]
    known = [row for senses in ambiguous.values() for rows in senses.values() for row in rows]
    return np.array(known, int), np.array(dev, int)


class Prior(NamedTuple):
    plain: float  # accuracy by the cosine alone
    accuracy: float  # where frequency counts by the best of PRIORS
    prior: float


def _with_frequency(judged: metrics.AllWords, prior: float) -> dict:
    result = judged.scores(prior)
    return {"prior": prior, "accuracy": result.accuracy, "ambiguous": result.ambiguous_accuracy}
