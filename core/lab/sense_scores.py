"""Measure senses: every word of held-out documents by its nearest sense centroid, and the bundled labeled sentences by layer.

The centroids are those of Peters et al. 2018, section 5.3. On the bundled sentences 1-NN, silhouette and cosine gap are measured. Comparisons
there are paired by word, since few words have some forty sentences each.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import cache

import numpy as np

from ..analysis.random_pairs import DIRECTIONS, Drawn, SharedDirections, draw
from ..analysis.word_maps import ALL_WORDS, rows_to_measure
from ..common.directions import unit
from ..common.errors import BadInput, ElmoscopeError
from ..common.significance import compare_pairs, facts_of
from ..elmo.encoder import Encoder, encoded
from ..elmo.mix import layer_weights, mixed
from ..elmo.models import Model
from ..index.tables import open_table
from ..senses.cosines import split_pairs
from ..senses.evaluate import Report, best_weights, spaces, static_vectors
from ..senses.evidence import TIE
from ..senses.separation import SenseReport, one_nn, sense_report_of, static_report_of
from ..static.vectors import cosines, static_contexts
from ..text.corpora import open_corpus
from .datasets import SenseSentence, split_documents

PRIORS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)  # how much a sense's frequency may count next to a cosine
DEV_SHARE = 0.1  # of the training documents, for choosing weights

Key = tuple[str, str]  # lemma, part of speech
Words = tuple[np.ndarray, Sequence[Key], Sequence[str]]  # vectors (N, D), keys (N,), senses (N,)
Vectors = Callable[[np.ndarray], np.ndarray]  # from rows (n,) to their vectors (n, D)


class AllWords:
    """Test words and the centroids of the senses that training has for their keys.

    The predicted sense is the nearest centroid by cosine among those of the word's key (Peters et al. 2018, section 5.3). A key missing in
    training counts as wrong for every method: no dictionary's first sense is used, unlike in published figures (Raganato et al. 2017), so
    these are lower. Differences between methods are not affected.
    """

    def __init__(self, train: Words, test: Words) -> None:
        (vectors, keys, labels), (test_vectors, test_keys, test_labels) = train, test
        senses = sorted(set(zip(keys, labels, strict=True)))  # sorted by key
        number = {sense: k for k, sense in enumerate(senses)}
        codes = np.array([number[sense] for sense in zip(keys, labels, strict=True)])
        gold = np.array([number.get(sense, -1) for sense in zip(test_keys, test_labels, strict=True)])
        counts = np.bincount(codes)
        centroids = _centroids(vectors, codes)
        senses_of = group_rows([key for key, _ in senses])
        self.n = len(gold)
        self.unseen = 0  # with a key that training lacks: scored as wrong
        self._groups: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []  # rows (m,), cosines, right (m, C), counts (C,)
        for key, rows in group_rows(test_keys).items():
            if key not in senses_of:
                self.unseen += len(rows)
                continue
            right = gold[rows][:, None] == senses_of[key]
            similarities = unit(np.asarray(test_vectors[rows], np.float32)) @ centroids[senses_of[key]].T
            self._groups.append((rows, similarities, right, counts[senses_of[key]]))

    def hits(self, prior: float = 0.0) -> np.ndarray:
        """Return the share of right senses among those tied for the nearest, (N,).

        With `prior`, that many times the log of a sense's share in training is added to its cosine, so that the most frequent sense wins if
        the context decides little.
        """
        return self._right(lambda similarities, counts: similarities + prior * np.log(counts / counts.sum()))

    def most_frequent(self) -> np.ndarray:
        """Return the same as `hits` for the most frequent sense in training, (N,)."""
        return self._right(lambda similarities, counts: np.broadcast_to(counts, similarities.shape))

    def _right(self, score: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """Return the share of right columns among those tied for each row's highest score, (N,)."""
        result = np.zeros(self.n)
        for rows, similarities, right, counts in self._groups:
            scores = score(similarities, counts)
            best = scores >= scores.max(axis=1, keepdims=True) - TIE
            result[rows] = (best & right).sum(axis=1) / best.sum(axis=1)
        return result


def all_words(model: Model, sentences: Sequence[SenseSentence], *, share: float = 0.9, report: Report | None = None) -> dict:
    """Return the accuracy of the nearest sense centroid for every word of held-out documents (AllWords).

    "with_frequency" also counts each sense's frequency, weighted by the best prior on the last training documents.
    "less_frequent" is each accuracy minus that of the most frequent sense, paired by document.
    """
    train, test = split_documents(sentences, share)
    targets = [t for sentence in (*train, *test) for t in sentence.targets]
    keys, senses = [(t.lemma, t.pos) for t in targets], [t.sense for t in targets]
    layers = _target_vectors(model.encoder, [*train, *test], report)
    n = sum(len(sentence.targets) for sentence in train)
    documents = [sentence.document for sentence in test for _ in sentence.targets]

    def words_at(vectors_of: Vectors, rows: np.ndarray) -> Words:
        return vectors_of(rows), [keys[k] for k in rows], [senses[k] for k in rows]

    def judge(vectors_of: Vectors, train_rows: np.ndarray, test_rows: np.ndarray) -> AllWords:
        return AllWords(words_at(vectors_of, train_rows), words_at(vectors_of, test_rows))

    @cache
    def mix(*weights: float) -> Vectors:
        return lambda rows: mixed(layers[rows], np.array(weights), axis=1)

    @cache
    def by_prior(vectors_of: Vectors) -> dict[float, float]:
        """Return the accuracy on dev with each of PRIORS."""
        judged = judge(vectors_of, train_rows, dev)
        return {prior: float(judged.hits(prior).mean()) for prior in PRIORS}

    train_rows, dev = _dev_rows(train)
    rows, tested = np.arange(n), np.arange(n, len(targets))
    equal = layer_weights("mix", model.encoder.n_layers)
    best, best_with = equal, equal
    if len(dev):  # else there is nothing to choose by
        best, _ = best_weights(lambda weights: by_prior(mix(*weights))[0.0], model.encoder.n_layers)
        best_with, _ = best_weights(lambda weights: max(by_prior(mix(*weights)).values()), model.encoder.n_layers)
    vectors = static_vectors(model)
    ways = {name: mix(*weights) for name, weights in [*spaces(model), ("best_mix", best)]}
    if vectors:
        texts = [sentence.tokens for sentence in (*train, *test) for _ in sentence.targets]
        contexts = static_contexts(vectors, texts, [(target.start, target.end) for target in targets])

        def static_rows(rows: np.ndarray) -> np.ndarray:
            return contexts[rows]

        ways["static"] = static_rows
    result: dict = {"model": model.name, "n_train": n, "documents": len(set(documents))}
    hits: dict[str, np.ndarray] = {}
    for name, vectors_of in ways.items():
        judged = judge(vectors_of, rows, tested)
        hits[name] = judged.hits()
        result[name] = {"accuracy": float(hits[name].mean())}
        if len(dev) and name == "best_mix":  # other weights where frequency counts
            vectors_of = mix(*best_with)
            judged = judge(vectors_of, rows, tested)
        if len(dev):
            prior = max(PRIORS, key=by_prior(vectors_of).get)
            result[name]["with_frequency"] = {"prior": prior, "accuracy": float(judged.hits(prior).mean())}
    result["best_mix"]["weights"] = best.tolist()
    if len(dev):
        result["best_mix"]["with_frequency"]["weights"] = best_with.tolist()
    if vectors:
        result["static"]["vectors"] = vectors.name
    by_frequency = judged.most_frequent()
    for name in [name for name in hits if name not in ("best_mix", "static")]:
        result[name]["less_frequent"] = facts_of(compare_pairs(hits[name], by_frequency, documents))
        if vectors:
            result[name]["less_static"] = facts_of(compare_pairs(hits[name], hits["static"], documents))
    result["order"] = facts_of(compare_pairs(hits["1"], hits["2"], documents)) if "2" in hits else {}
    result["most_frequent"] = {"accuracy": float(by_frequency.mean())}
    return result | {"n": judged.n, "unseen": judged.unseen}


def _target_vectors(encoder: Encoder, sentences: list[SenseSentence], report: Report | None) -> np.ndarray:
    """Return the layers of all targets (N, L, D) float16, the mean over a multiword's tokens. Those of 230,000 targets are 360 MB."""
    spans = [[(target.start, target.end) for target in sentence.targets] for sentence in sentences]
    vectors = np.empty((sum(map(len, spans)), encoder.n_layers, encoder.dim), np.float16)
    rows = iter(vectors)
    for layers, of_sentence in zip(encoded(encoder, [s.tokens for s in sentences], report), spans, strict=True):
        for start, end in of_sentence:
            next(rows)[:] = layers[:, start:end].mean(axis=1)
    return vectors


def _dev_rows(train: list[SenseSentence]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (train, dev) of training targets to choose weights by.

    The last tenth of the documents is dev. Only keys of dev with two senses in the other documents remain, since the answer for others does
    not depend on the weights.
    """
    documents = list(dict.fromkeys(sentence.document for sentence in train))
    last = set(documents[-max(1, round(DEV_SHARE * len(documents))) :])
    targets = [(sentence.document in last, (t.lemma, t.pos), t.sense) for sentence in train for t in sentence.targets]
    senses_of: dict[Key, set[str]] = {}
    for is_dev, key, sense in targets:
        if not is_dev:
            senses_of.setdefault(key, set()).add(sense)
    keys = {key for is_dev, key, _ in targets if is_dev and len(senses_of.get(key, ())) > 1}
    train_rows = [row for row, (is_dev, key, _) in enumerate(targets) if key in keys and not is_dev]
    dev_rows = [row for row, (is_dev, key, _) in enumerate(targets) if key in keys and is_dev]
    return np.array(train_rows, int), np.array(dev_rows, int)


def group_rows(keys: Sequence[Hashable]) -> dict[Hashable, np.ndarray]:
    """Return the rows of each key, in order."""
    rows_of: dict[Hashable, list[int]] = {}
    for row, key in enumerate(keys):
        rows_of.setdefault(key, []).append(row)
    return {key: np.array(rows) for key, rows in rows_of.items()}


def _centroids(vectors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return unit means of unit vectors (C, D), for vectors (N, D) and codes (N,) without gaps."""
    order = np.argsort(codes, kind="stable")
    starts = np.append(0, np.bincount(codes).cumsum()[:-1])
    return unit(np.add.reduceat(unit(np.asarray(vectors, np.float32))[order], starts))


def own_sentences(model: Model, corpus: str, *, report: Callable | None = None) -> dict:
    """Measure leave-one-out 1-NN, silhouette and cosine gap on sense-labeled sentences.

    "centered" is 1-NN after subtracting the mean of each word's unit vectors, "centered_less" minus the uncentered. "without" is the change
    after subtracting what all tokens share: the mean and the k largest directions (core.analysis.random_pairs). Differences are paired by
    word. "best_mix" is two-fold: weights are chosen on one half of the words and measured on the other; `weights` are chosen on all words.
    """
    table = open_table(corpus, model, targets_only=True, report=report)
    rows = rows_to_measure(table, ALL_WORDS)
    lemmas = np.array(table.lemmas)[table.lemma[rows]]
    labels = np.array(table.senses)[table.sense[rows]]
    occurrences = [table.occurrence(int(row)) for row in rows]
    spellings = [(str(lemma), o.tokens[o.position]) for lemma, o in zip(lemmas, occurrences, strict=True)]  # as written
    vectors = static_vectors(model)
    reports = {}
    result: dict = {"model": model.name, "corpus": corpus}
    static = static_report_of(table, ALL_WORDS, vectors) if vectors else None
    vectors_of = table.rows.take(rows).astype(np.float32)
    shared = _find_shared(model)
    freed = {k: shared.away(Drawn((), vectors_of), k).layers for k in DIRECTIONS} if shared else {}
    for name, weights in spaces(model):
        senses_report = reports[name] = sense_report_of(table, ALL_WORDS, weights)
        same, different, n_spellings = cosine_gap(lambda k, weights=weights: table.similarities(rows[k], weights), spellings, labels)
        accuracies = _by_word(senses_report)
        centered = _one_nn_by_word(mixed(vectors_of, weights, axis=1), lemmas, labels, centered=True)
        without = {k: _one_nn_by_word(mixed(layers, weights, axis=1), lemmas, labels) for k, layers in freed.items()}
        result[name] = {
            **interval(senses_report),
            "silhouette": senses_report.silhouette,
            "p": senses_report.p,
            "same": same,
            "other": different,
            "gap": same - different,
            "centered": float(centered.mean()),
            "centered_less": facts_of(compare_pairs(centered, accuracies)),
            "without": {str(k): facts_of(compare_pairs(by_word, accuracies)) for k, by_word in without.items()},
        }
        if static:
            result[name]["less_static"] = facts_of(compare_pairs(accuracies, _by_word(static)))
    if static:
        result["static"] = {"vectors": vectors.name, **interval(static)}
    result["order"] = facts_of(compare_pairs(_by_word(reports["1"]), _by_word(reports["2"]))) if "2" in reports else {}
    groups = [rows[lemmas == word] for word in senses_report.per_word]
    senses_of = {int(row): str(label) for row, label in zip(rows, labels, strict=True)}

    def score(weights: np.ndarray, chosen: Sequence[int]) -> float:
        """Return the mean 1-NN of the chosen words under a mix."""
        return float(np.mean([one_nn(table.similarities(groups[k], weights), [senses_of[row] for row in groups[k]]) for k in chosen]))

    return {
        **result,
        "n": senses_report.n,
        "words": len(senses_report.per_word),
        "majority": senses_report.majority,
        "spellings": n_spellings,
        "best_mix": _two_fold(score, len(groups), model.encoder.n_layers),
    }


def _two_fold(score: Callable[[np.ndarray, Sequence[int]], float], n_words: int, n_layers: int) -> dict:
    """Return weights chosen on all words, and the score on each half of weights chosen on the other."""
    if n_words < 2:
        raise BadInput("Weights chosen on some words and measured on others need two words or more with two senses each.")
    order = np.random.default_rng(0).permutation(n_words)
    halves = (order[: n_words // 2], order[n_words // 2 :])
    chosen = [best_weights(lambda w, words=words: score(w, words), n_layers)[0] for words in (order, *halves)]
    held_out = [score(weights, words) for weights, words in zip(chosen[1:], halves[::-1], strict=True)]
    return {"weights": chosen[0].tolist(), "one_nn": float(np.mean(held_out))}


def _find_shared(model: Model) -> SharedDirections | None:
    """Return what the tokens of the language's sentences share; None without such sentences."""
    try:
        sentences = open_corpus(model.language.sentences, model.language)
    except ElmoscopeError:
        return None
    return SharedDirections.of(draw(model.encoder, [sentence.tokens for sentence in sentences], seed=1))


def _one_nn_by_word(vectors: np.ndarray, lemmas: np.ndarray, labels: np.ndarray, *, centered: bool = False) -> np.ndarray:
    """Return 1-NN of each word with two senses or more (W,), alphabetically, minus the mean of its unit vectors if `centered`."""
    groups = [np.flatnonzero(lemmas == word) for word in np.unique(lemmas)]
    return np.array(
        [one_nn(cosines(vectors[rows], centered=centered), labels[rows]) for rows in groups if len(np.unique(labels[rows])) > 1]
    )


def _by_word(report: SenseReport) -> list[float]:
    return [item.one_nn for item in report.per_word.values()]


def interval(report: SenseReport) -> dict[str, float]:
    """Return leave-one-out 1-NN, its 95% interval and its mean with shuffled senses."""
    return {"one_nn": report.one_nn, "low": report.one_nn_low, "high": report.one_nn_high, "null": report.null_mean}


def cosine_gap(
    similarities_of: Callable[[np.ndarray], np.ndarray], words: Sequence[Hashable], labels: Sequence[str]
) -> tuple[float, float, int]:
    """Return the mean cosine of two occurrences (N,) of one sense, that of two senses, and the number of spellings that have both pairs.

    Each spelling of `words` counts equally. Only equal spellings, exactly as written, are compared, so that layer 0 has no gap.
    `similarities_of` returns the cosines (n, n) of rows (n,).
    """
    labels = np.asarray(labels, str)
    results = []
    for rows in group_rows(words).values():
        codes = np.unique(labels[rows], return_counts=True)[1]
        if len(codes) > 1 and codes.max() > 1:
            results.append([pairs.mean() for pairs in split_pairs(similarities_of(rows), labels[rows])])
    if not results:
        raise BadInput("No spelling has two occurrences of one sense and one of another: no cosines to compare. Label more sentences.")
    return *map(float, np.mean(results, axis=0)), len(results)
