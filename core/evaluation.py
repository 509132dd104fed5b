"""What a model is worth: sense, pair and tag measures of each layer, the equal mix and the mix that training data choose.

Every function takes an opened model and rows, and gives plain numbers ready for JSON: "0", "1", ... for the layers, "mix" for
equal weights, and "best_mix" with its "weights". Those weights are chosen on training or dev rows, never on test rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from core import measures, probes
from core.corpus import LabelledRow
from core.datasets import PairRow, SenseSentence, TaggedSentence, split_documents
from core.elmo.encoder import Encoder
from core.errors import BadInput
from core.neighbours import SAME, make_query, nearest, products, similarities
from core.occurrences import OccurrenceTable
from core.recut import with_word
from core.senses import classify_split, one_nn
from core.text import find_word, join_tokens
from core.workbench import (
    ALL_WORDS,
    BUNDLED_CORPUS,
    Model,
    encoded,
    layer_weights,
    map_rows,
    open_corpus,
    open_table,
    sense_report_of,
    vectors_of_rows,
)

MOST_TO_CHOOSE = 2_000  # training rows of a word that choose its weights
PRIORS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)  # how much a sense's frequency may count beside a cosine
DEV_SHARE = 0.1  # of the training documents, for choosing weights
Report = Callable[[int, int], None]  # tokens done, in all


def senses(
    model: Model, train: list[LabelledRow], test: list[LabelledRow], *, seed: int = 0, report: Report | None = None
) -> dict:
    """Accuracy of the nearest training occurrence and sense centroid of one's word; the weights by leave-one-out on `train`."""
    layers = [vectors_of_rows(model.encoder, rows, report) for rows in (train, test)]
    labels, words = ([np.array([getattr(row, name) for row in rows]) for rows in (train, test)] for name in ("label", "word"))

    def scores(weights: np.ndarray):
        a, b = (_mix(part, weights) for part in layers)
        return classify_split(a, labels[0], words[0], b, labels[1], words[1])

    result: dict = {"model": model.name, "n": len(test), "n_train": len(train)}
    for name, weights in _spaces(model):
        result[name] = _both_means(found := scores(weights))
    often = {"macro": found.most_frequent_macro, "pooled": found.most_frequent_pooled}
    best = _weights_by_leaving_one_out(layers[0], words[0], labels[0], seed)
    result |= {"most_frequent": often, "unseen": found.unseen}
    return result | {"best_mix": {"weights": best.tolist(), **_both_means(scores(best))}}


def all_words(
    model: Model, sentences: Sequence[SenseSentence], *, share: float = 0.9, seed: int = 0, report: Report | None = None
) -> dict:
    """Accuracy of the nearest sense centroid for every word of documents that were held out (see measures.all_words).

    "with_frequency": the same where a sense's frequency counts too, by as much as is best on the last training documents.
    """
    train, test = split_documents(sentences, share, seed)
    targets = [t for sentence in (*train, *test) for t in sentence.targets]
    keys, found = [(t.lemma, t.pos) for t in targets], [t.sense for t in targets]
    layers = _target_vectors(model.encoder, [*train, *test], report)
    n = sum(len(sentence.targets) for sentence in train)

    def scores(weights: np.ndarray, known: np.ndarray, asked: np.ndarray, prior: float = 0.0) -> measures.AllWordsScores:
        parts = ((_mix(layers[rows], weights), [keys[k] for k in rows], [found[k] for k in rows]) for rows in (known, asked))
        return measures.all_words(*next(parts), *next(parts), prior=prior)

    known, dev = _dev_rows(train)
    rows, asked = np.arange(n), np.arange(n, len(targets))
    best = layer_weights("mix", model.encoder.n_layers)
    if len(dev):  # else there is nothing to choose by
        best, _ = measures.best_weights(lambda weights: scores(weights, known, dev).accuracy, model.encoder.n_layers)
    result: dict = {"model": model.name, "n_train": n}
    for name, weights in [*_spaces(model), ("best_mix", best)]:
        facts = asdict(scores(weights, rows, asked))
        result[name] = {"accuracy": facts["accuracy"], "ambiguous": facts["ambiguous_accuracy"]}
        if len(dev):
            prior = max(PRIORS, key=lambda prior, weights=weights: scores(weights, known, dev, prior).accuracy)
            by_prior = scores(weights, rows, asked, prior)
            told = {"accuracy": by_prior.accuracy, "ambiguous": by_prior.ambiguous_accuracy}
            result[name]["with_frequency"] = {"prior": prior, **told}
    result["best_mix"]["weights"] = best.tolist()
    often = {"accuracy": facts["most_frequent"], "ambiguous": facts["ambiguous_most_frequent"]}
    return result | {"most_frequent": often} | {name: facts[name] for name in ("n", "unseen", "ambiguous_n")}


def pairs(model: Model, dev: list[PairRow], test: list[PairRow], *, report: Report | None = None) -> dict:
    """Same sense or not, by a threshold on the cosine; threshold and weights are chosen for the best accuracy on `dev`."""
    layers = [_pair_vectors(model.encoder, rows, report) for rows in (dev, test)]
    same_dev, same = (np.array([row.same for row in rows]) for rows in (dev, test))
    best, _ = measures.best_weights(
        lambda weights: measures.best_threshold(_pair_cosines(layers[0], weights), same_dev)[1], model.encoder.n_layers
    )
    result: dict = {"model": model.name, "n_dev": len(dev), "n": len(test)}
    for name, weights in [*_spaces(model), ("best_mix", best)]:
        dev_cosines, cosines = (_pair_cosines(part, weights) for part in layers)
        result[name] = asdict(measures.pair_accuracy(dev_cosines, same_dev, cosines, same))
    result["best_mix"]["weights"] = best.tolist()
    return result | {"majority": float((same == (2 * same_dev.sum() >= len(dev))).mean())}


def tags(
    model: Model, train: list[TaggedSentence], test: list[TaggedSentence], *, seed: int = 0, report: Report | None = None
) -> dict:
    """Accuracy of a linear probe for the tags; "best_mix" learns the weights together with the probe."""
    layers = [_token_vectors(model.encoder, sentences, report) for sentences in (train, test)]
    (words, tags_a), (words_b, tags_b) = (
        [[part for sentence in sentences for part in getattr(sentence, name)] for name in ("tokens", "tags")]
        for sentences in (train, test)
    )
    result: dict = {"model": model.name, "n_train": len(words), "n": len(words_b), "tags": len(set(tags_a))}
    for name, weights in _spaces(model):
        a, b = (_mix(part.transpose(1, 0, 2), weights) for part in layers)
        result[name] = {"accuracy": probes.linear_probe(a, tags_a, b, tags_b, seed=seed)}
    learned = probes.learned_mix_probe(layers[0], tags_a, layers[1], tags_b, seed=seed)
    result["best_mix"] = {"weights": list(learned.weights), "accuracy": learned.accuracy}
    return result | {"most_frequent": {"accuracy": probes.commonest_tags(words, tags_a, words_b, tags_b)}}


def own_sentences(model: Model, corpus: str = BUNDLED_CORPUS, *, seed: int = 0, report: Callable | None = None) -> dict:
    """1-NN leaving one out, silhouette and cosine gap on sense-labelled sentences.

    "best_mix": `one_nn` is two-fold: weights are chosen on one half of the words and measured on the other, both ways
    averaged (`fold_weights` are the two choices). `weights` are chosen on all words, as one would set them.
    """
    table = _labelled_table(model, corpus, report)
    rows = map_rows(table, ALL_WORDS)
    lemmas, labels = (np.array([names[k] for k in codes[rows]]) for names, codes in _names(table))
    spellings = [(str(lemma), _spelling(table, int(row))) for lemma, row in zip(lemmas, rows, strict=True)]
    result: dict = {"model": model.name, "corpus": corpus}
    for name, weights in _spaces(model):
        facts = sense_report_of(table, ALL_WORDS, weights)
        gap = measures.cosine_gap(lambda k, weights=weights: similarities(table, rows[k], weights), spellings, labels)
        result[name] = {"one_nn": facts.one_nn, "low": facts.one_nn_low, "high": facts.one_nn_high, "null": facts.null_mean}
        result[name] |= {"silhouette": facts.silhouette, "same": gap.same, "other": gap.other, "gap": gap.gap}
    result |= {"n": facts.n, "words": len(facts.per_word), "majority": facts.majority, "spellings": gap.groups}
    groups = [rows[lemmas == word] for word in facts.per_word]
    senses_of = {int(row): str(label) for row, label in zip(rows, labels, strict=True)}

    def score(weights: np.ndarray, chosen: Sequence[int]) -> float:
        return float(np.mean([one_nn(similarities(table, g := groups[k], weights), [senses_of[r] for r in g]) for k in chosen]))

    return result | {"best_mix": _two_fold(score, len(groups), model.encoder.n_layers, seed)}


def neighbours_in_contexts(model: Model, pairs: dict[str, Sequence[str]], *, k: int = 3) -> dict:
    """Of each word in each of its sentences the k nearest labelled sentences with it, layer 2: {"rows", "right", "n"}.

    `apart` counts, of `n` words, those whose two sentences find no sense in common.
    """
    table = open_table(model.language.sentences, model, targets_only=True)
    weights, rows, apart = layer_weights(str(model.encoder.n_layers - 1), model.encoder.n_layers), [], []
    for word, sentences in pairs.items():
        senses = []
        for text in sentences:
            tokens = with_word(model.language.tokenize(text), word)
            query = make_query(model.encoder, tokens, find_word(tokens, word)[0])
            near = nearest(table, products(table.rows, query), weights, k=k, which=SAME)
            found = [
                {"sentence": join_tokens(n.occurrence.tokens), "sense": n.occurrence.sense, "cosine": round(n.cosine, 4)}
                for n in near
            ]
            rows.append({"word": word, "sentence": text, "nearest": found})
            senses.append({n["sense"] for n in found})
        apart.append(not set.intersection(*senses))
    return {"model": model.name, "k": k, "n": len(apart), "apart": sum(apart), "rows": rows}


def speed(model: Model, sentences: list[list[str]]) -> dict:
    """Tokens a second, when every spelling is new to the encoder and when it has met them all."""
    encoder, seconds = Encoder(model.encoder.model), []
    for _ in range(3):
        started = time.perf_counter()
        encoder.encode(sentences)
        seconds.append(time.perf_counter() - started)
    n = sum(map(len, sentences))
    return {"model": model.name, "tokens": n, "per_second_cold": round(n / seconds[0]), "per_second": round(n / min(seconds[1:]))}


def _two_fold(score: Callable[[np.ndarray, Sequence[int]], float], n_words: int, n_layers: int, seed: int) -> dict:
    """`score(weights, words)` -> weights chosen on all words, and what weights of one half are worth on the other half."""
    if n_words < 2:
        raise BadInput("Weights chosen on some words and measured on others need two words or more with two senses each.")
    drawn = np.random.default_rng(seed).permutation(n_words)
    halves = (drawn[: n_words // 2], drawn[n_words // 2 :])
    chosen = [measures.best_weights(lambda w, words=words: score(w, words), n_layers)[0] for words in (drawn, *halves)]
    held_out = [score(weights, words) for weights, words in zip(chosen[1:], halves[::-1], strict=True)]
    folds = [weights.tolist() for weights in chosen[1:]]
    return {"weights": chosen[0].tolist(), "one_nn": float(np.mean(held_out)), "fold_weights": folds}


def _spaces(model: Model) -> list[tuple[str, np.ndarray]]:
    """Each layer and the equal mix, with its weights (L,)."""
    n_layers = model.encoder.n_layers
    return [(name, layer_weights(name, n_layers)) for name in [*map(str, range(n_layers)), "mix"]]


def _mix(layers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(N, L, D), of any precision, and s (L,) -> sum_j s_j h_j, (N, D) float32."""
    mix = np.zeros((len(layers), layers.shape[2]), np.float32)
    for layer in np.flatnonzero(weights):
        mix += np.float32(weights[layer]) * layers[:, layer]
    return mix


def _both_means(scores) -> dict:
    return {m: {over: getattr(scores, f"{m}_{over}") for over in ("macro", "pooled")} for m in ("nearest", "centroid")}


def _weights_by_leaving_one_out(layers: np.ndarray, words: np.ndarray, labels: np.ndarray, seed: int) -> np.ndarray:
    """The weights whose leave-one-out 1-NN is best, macro over words; equal ones where no word has two senses."""
    rng, groups = np.random.default_rng(seed), []
    for word in np.unique(words):
        rows = np.flatnonzero(words == word)
        rows = np.sort(rng.choice(rows, min(len(rows), MOST_TO_CHOOSE), replace=False))
        groups += [rows] if len(set(labels[rows])) > 1 else []
    if not groups:
        return layer_weights("mix", layers.shape[1])

    def score(weights: np.ndarray) -> float:
        return float(np.mean([one_nn(_cosines(_mix(layers[rows], weights)), labels[rows]) for rows in groups]))

    return measures.best_weights(score, layers.shape[1])[0]


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)


def _cosines(vectors: np.ndarray) -> np.ndarray:
    unit = _unit(vectors)
    return unit @ unit.T


def _pair_cosines(layers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(2, n, L, D) -> cosine of each pair's two mixes, (n,)."""
    a, b = (_unit(_mix(side, weights)) for side in layers)
    return np.einsum("nd,nd->n", a, b)


def _pair_vectors(encoder: Encoder, rows: list[PairRow], report: Report | None) -> np.ndarray:
    """(2, n, L, D): the word in its first and in its second sentence."""
    sides = [LabelledRow(row.word, row.tokens_a, row.position_a, "") for row in rows]
    sides += [LabelledRow(row.word, row.tokens_b, row.position_b, "") for row in rows]
    vectors = vectors_of_rows(encoder, sides, report)
    return vectors.reshape(2, len(rows), *vectors.shape[1:])


def _token_vectors(encoder: Encoder, sentences: list[TaggedSentence], report: Report | None) -> np.ndarray:
    """(L, N, D) float32 of all tokens in order."""
    texts = [sentence.tokens for sentence in sentences]
    vectors, done = np.empty((encoder.n_layers, sum(map(len, texts)), encoder.dim), np.float32), 0
    for layers in encoded(encoder, texts, report):
        vectors[:, done : done + layers.shape[1]] = layers
        done += layers.shape[1]
    return vectors


def _target_vectors(encoder: Encoder, sentences: list[SenseSentence], report: Report | None) -> np.ndarray:
    """(N, L, D) float16 of all targets in order: 3 x 256 numbers of 230,000 targets are 360 MB. A multiword has its mean."""
    spans = [[(target.start, target.end) for target in sentence.targets] for sentence in sentences]
    vectors, done = np.empty((sum(map(len, spans)), encoder.n_layers, encoder.dim), np.float16), 0
    for inside, layers in zip(spans, encoded(encoder, [s.tokens for s in sentences], report), strict=True):
        for start, end in inside:
            vectors[done] = layers[:, start:end].mean(axis=1)
            done += 1
    return vectors


def _dev_rows(train: list[SenseSentence]) -> tuple[np.ndarray, np.ndarray]:
    """Targets of the training documents -> rows (known, dev) to choose weights by: the last tenth of documents is dev.

    Only keys of dev with two senses in `known` are kept, since the others are right or wrong whatever the weights.
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
    asked = {key for _, key, _ in sides[1]}
    ambiguous = {key: senses for key, senses in rows_of.items() if len(senses) > 1 and key in asked}
    dev = [row for row, key, _ in sides[1] if key in ambiguous]
    known = [row for senses in ambiguous.values() for rows in senses.values() for row in rows]
    return np.array(known, int), np.array(dev, int)


def _labelled_table(model: Model, corpus: str, report: Callable | None) -> OccurrenceTable:
    """The index of a corpus' labelled words; BadInput, before anything is indexed, where it has none."""
    is_index = Path(corpus).is_dir()
    if not is_index and not any(target.sense for sentence in open_corpus(corpus) for target in sentence.targets):
        raise BadInput(f'{corpus} has no labelled words. Its rows need "tokens", "position", "word", "lemma" and "sense".')
    return open_table(corpus, model, targets_only=True, report=report)


def _names(table: OccurrenceTable) -> tuple[tuple[list[str], np.ndarray], tuple[list[str], np.ndarray]]:
    return (table.lemmas, table.lemma), (table.senses, table.sense)


def _spelling(table: OccurrenceTable, row: int) -> str:
    """As it is written in its sentence; the table's own words are in lower case."""
    occurrence = table.occurrence(row)
    return occurrence.tokens[occurrence.position]
