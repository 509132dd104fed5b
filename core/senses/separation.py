"""Measure how well vectors separate the senses of a word, in the full space, never on a map.

A sense is a sense of one spelling, so everything is measured within each word and then averaged over words (macro).
Where neighbors are equally near, each counts for its share: in layer 0 all occurrences of a word have one vector, and
its nearest neighbor must come out as the random draw that it is, not as the order of the rows. Shuffled sense labels give the level of
chance, and a bootstrap over words and occurrences gives intervals. Two occurrences that are each other's nearest are right or wrong
together, so they are drawn together.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from ..analysis.word_maps import rows_to_measure
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from ..common.model_layers import Layers
from ..common.significance import DRAWS, LEVEL, Paired, benjamini_hochberg, compare_pairs, holm, rank_p, ratios
from ..elmo.mix import layer_weights
from ..files.artifacts import read_json, write_json
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..static.vectors import StaticVectors, cosines, topics
from .evidence import TIE, check_one_word, neighbors_with_ties, purity_at_k, same_sense_shares

ROUNDS = 2_000  # shuffles: the least p is 1 / 2,001, small enough for a hundred words at once
PART = 4_000_000  # shuffled labels held at a time
NEAREST = 5  # occurrences that purity counts
GAINS = "gains.json"  # in a table's folder: how well each space separates the senses of its words
FORMAT, DIGITS = 1, 4  # version and digits of that file


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Measures of labeled occurrences; accuracies and shares from 0 to 1."""

    n: int  # occurrences measured
    one_nn: float  # leave-one-out: the nearest other occurrence has the same sense
    null_mean: float  # one_nn with the senses shuffled within each word: its mean ...
    null_95: float  # ... and the value that 95% of the shuffles stay under
    p: float  # share of the shuffles that do as well
    majority: float  # share of the most frequent sense
    silhouette: float  # -1 to 1; 0 if nothing is separated
    purity: float  # share of the NEAREST with the same sense


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSenses(Measures):
    """The measures of one word."""

    senses: dict[str, int]  # occurrences of each sense, most frequent first
    hits: np.ndarray = field(compare=False, repr=False)  # (n,): how much of each occurrence's nearest has its sense
    pairs: np.ndarray = field(compare=False, repr=False)  # (n,): each other's nearest share a number; see mutual_pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseReport(Measures):
    """Means over words of the measures of each."""

    one_nn_low: float  # 95% bootstrap interval, over words and occurrences
    one_nn_high: float
    k: int  # NEAREST
    per_word: dict[str, WordSenses]
    left_out: tuple[str, ...]  # words without two labeled senses: nothing to separate


@dataclass(frozen=True, slots=True, kw_only=True)
class WordGain:
    """How well one space separates one word's senses; see Measures."""

    n: int
    senses: int
    one_nn: float
    low: float  # 95% bootstrap interval of one_nn, over occurrences
    high: float
    null_mean: float
    null_95: float
    p: float  # share of the shuffles that do as well

    @property
    def gain(self) -> float:
        """Return the 1-NN accuracy above that of shuffled senses, at most 1 - null_mean."""
        return self.one_nn - self.null_mean

    @property
    def shown(self) -> bool:
        """Return whether fewer than one in twenty shuffles do as well; else nothing is shown either way."""
        return self.p < LEVEL


def one_nn(similarities: np.ndarray, labels: Sequence) -> float:
    """Return the leave-one-out accuracy of the nearest neighbor for one word, (n, n), (n,); tied neighbors count by their share."""
    return purity_at_k(similarities, labels, 1)


def judge(similarities: np.ndarray, labels: Sequence, rng, rounds: int = ROUNDS) -> tuple[np.ndarray, np.ndarray]:
    """Return how much of each occurrence's nearest has its sense (n,), and the mean of that in each shuffle (rounds,), for one word."""
    similarities, senses = check_one_word(similarities, labels)
    nearest = neighbors_with_ties(similarities, 1)  # labels do not move it: found once for all the shuffles
    return same_sense_shares(nearest, senses), _shuffled(nearest, senses, rounds, rng)


def mutual_pairs(similarities: np.ndarray) -> np.ndarray:
    """Give occurrences numbers (n,) such that two that are each other's only nearest share a number, and no others do.

    Such two are right or wrong together (their senses are equal or they are not), so a bootstrap must draw both or neither.
    """
    rows, who, weights = neighbors_with_ties(similarities, 1)
    nearest = np.full(len(similarities), -1)
    nearest[rows[weights > 0.5]] = who[weights > 0.5]  # -1 where two or more tie for it
    numbers = np.arange(len(nearest))
    mutual = (nearest >= 0) & (nearest[nearest] == numbers)
    numbers[mutual] = np.minimum(numbers, nearest)[mutual]
    return numbers


def resampled(hits: np.ndarray, pairs: np.ndarray, rng) -> np.ndarray:
    """Return the means (DRAWS,) of bootstrap samples of hits (n,), drawing those with the same number in `pairs` (n,) together."""
    codes = np.unique(pairs, return_inverse=True)[1]
    return ratios(np.bincount(codes, hits), np.bincount(codes).astype(np.float64), rng)


def silhouette(similarities: np.ndarray, labels: Sequence) -> float:
    """Return the mean of (b - a) / max(a, b) over 1 - cosine for one word, (n, n), (n,) (Rousseeuw 1987); never NaN.

    a is the mean distance within the same sense, b to the nearest other. An occurrence counts 0 when it is alone in its
    sense, and when both distances are no more than rounding; a word of one sense has 0.
    """
    similarities, senses = check_one_word(similarities, labels)
    members = np.eye(senses.max() + 1)[senses]  # (n, C)
    sizes = members.sum(axis=0)
    if len(sizes) < 2:
        return 0.0
    distances = np.maximum(1 - similarities.astype(np.float64), 0)
    np.fill_diagonal(distances, 0)
    totals = distances @ members  # (n, C)
    rows = np.arange(len(senses))
    size = sizes[senses]
    a = totals[rows, senses] / np.maximum(size - 1, 1)
    means = totals / sizes
    means[rows, senses] = np.inf
    b = means.min(axis=1)
    larger = np.maximum(a, b)
    counts = (size > 1) & (larger > TIE)
    return float(np.where(counts, (b - a) / np.where(counts, larger, 1), 0).mean())


def sense_report(similarities_of: Callable[[np.ndarray], np.ndarray], words: Sequence[str], labels: Sequence[str]) -> SenseReport:
    """Measure the labeled occurrences (N,) of many words; `similarities_of` returns the cosines (n, n) of rows (n,)."""
    words, labels = np.asarray(words, str), np.asarray(labels, str)
    rng = np.random.default_rng(0)
    per_word, left_out, nulls, draws = {}, [], [], []
    for word, rows in rows_of(words).items():
        if len(set(labels[rows])) < 2:
            left_out.append(word)
            continue
        per_word[word], null = _measure(similarities_of(rows), labels[rows], rng)
        nulls.append(null)
        draws.append(resampled(per_word[word].hits, per_word[word].pairs, rng))
    if not per_word:
        raise BadInput(t("No word here has two labeled senses. Choose another corpus."))
    drawn_words = rng.integers(len(draws), size=(DRAWS, len(draws)))
    low, high = np.quantile(np.take_along_axis(np.stack(draws, axis=1), drawn_words, axis=1).mean(axis=1), (0.025, 0.975))
    null = np.mean(nulls, axis=0)  # (rounds,)

    def mean_of(measure: str) -> float:
        return _round(np.mean([getattr(item, measure) for item in per_word.values()]))

    return SenseReport(
        n=sum(item.n for item in per_word.values()),
        one_nn=mean_of("one_nn"),
        null_mean=_round(null.mean()),
        null_95=_round(np.quantile(null, 0.95)),
        p=rank_p(mean_of("one_nn"), null),
        majority=mean_of("majority"),
        silhouette=mean_of("silhouette"),
        purity=mean_of("purity"),
        one_nn_low=float(low),
        one_nn_high=float(high),
        k=NEAREST,
        per_word=per_word,
        left_out=tuple(left_out),
    )


def less(first: SenseReport, second: SenseReport) -> Paired:
    """Return the 1-NN accuracy of a report minus that of another, paired by word.

    Of a single word it is paired by occurrence, with those that are each other's nearest together.
    """
    words = list(zip(first.per_word.values(), second.per_word.values(), strict=True))
    if len(words) > 1:
        return compare_pairs([a.one_nn for a, _ in words], [b.one_nn for _, b in words])
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = words[0]
    rows = np.concatenate([np.arange(a.n), np.arange(a.n)])  # who is tied to whom in either space
    tied = coo_array((np.ones(2 * a.n), (rows, np.concatenate([a.pairs, b.pairs]))), shape=(a.n, a.n))
    return compare_pairs(a.hits, b.hits, connected_components(tied, directed=False)[1].tolist())


def rows_of(words: np.ndarray) -> dict[str, np.ndarray]:
    """Return each word's rows, words in alphabetical order."""
    return {str(word): np.flatnonzero(words == word) for word in np.unique(words)}


def sense_report_of(table: OccurrenceTable, word: str, weights: np.ndarray, *, normalized: bool = False) -> SenseReport:
    """Measure a word's labeled rows (or all words') under a layer mix, optionally of normalized layers."""
    return _report(table, word, lambda rows: table.similarities(rows, weights, normalized=normalized))


def senses_report_of(table: OccurrenceTable, word: str, space: SenseSpace) -> SenseReport:
    """Measure the same rows in the sense space, each word's by a map that has not seen it."""

    def similarities_of(rows: np.ndarray) -> np.ndarray:
        places = space.place(space.of_rows(table, rows), word=table.lemmas[table.lemma[rows[0]]])
        return places @ places.T

    return _report(table, word, similarities_of)


def static_report_of(table: OccurrenceTable, word: str, vectors: StaticVectors) -> SenseReport:
    """Measure the same rows by their static contexts, without a network."""
    return _report(table, word, lambda rows: cosines(topics(vectors, table.places(rows))))


def word_gain(similarities: np.ndarray, labels: Sequence) -> WordGain:
    """Return the gain of one word from cosines (n, n) and senses (n,): the numbers of a sense_report of this word alone."""
    rng = np.random.default_rng(0)
    word, null = _measure(similarities, labels, rng)
    low, high = np.quantile(resampled(word.hits, word.pairs, rng), (0.025, 0.975))
    return WordGain(
        n=word.n,
        senses=len(word.senses),
        one_nn=float(word.hits.mean()),
        low=float(low),
        high=float(high),
        null_mean=float(null.mean()),
        null_95=float(np.quantile(null, 0.95)),
        p=word.p,
    )


def count_significant(gains: Sequence[WordGain]) -> tuple[int, int]:
    """Count the words of one space whose senses are separated better than by chance, after correction for many words.

    Return the number by Holm (1979), hardly ever with a false one among them, and the number with a false discovery rate of one in twenty
    (Benjamini and Hochberg 1995).
    """
    p = [gain.p for gain in gains]
    return int((holm(p) < LEVEL).sum()), int((benjamini_hochberg(p) < LEVEL).sum())


def word_ranking(table: OccurrenceTable) -> dict[str, dict[str, WordGain]]:
    """Return the gain of every labeled word with at least two senses at each layer and in the equal mix, in the table's order."""
    n_layers = table.meta["layers"]
    result = {}
    mixes = {name: layer_weights(name, n_layers) for name in Layers(n_layers).spaces}
    for lemma in table.lemmas:
        rows = table.without_copies(table.labeled_rows(lemma))
        labels = [table.senses[k] for k in table.sense[rows]]
        if len(set(labels)) > 1:
            result[lemma] = {name: word_gain(table.similarities(rows, weights), labels) for name, weights in mixes.items()}
    return result


def write_gains(path: Path, gains: Mapping[str, Mapping[str, WordGain]]) -> None:
    """Write gains by word and space as JSON: a list of numbers each, in the order of the fields."""
    names = [item.name for item in fields(WordGain)]
    words = {
        word: {space: [round(getattr(gain, name), DIGITS) for name in names] for space, gain in spaces.items()}
        for word, spaces in gains.items()
    }
    write_json(path, {"format": FORMAT, "fields": names, "words": words})


def read_gains(path: Path) -> dict[str, dict[str, WordGain]]:
    """Read the file of `write_gains`; {} if it is missing or of another kind."""
    with suppress(ElmoscopeError, KeyError, TypeError, ValueError):
        record = read_json(path, expect=dict) if path.is_file() else {}
        if record.get("format") == FORMAT:
            return {
                word: {name: WordGain(**dict(zip(record["fields"], gain, strict=True))) for name, gain in spaces.items()}
                for word, spaces in record["words"].items()
            }
    return {}


def _measure(similarities: np.ndarray, labels: np.ndarray, rng) -> tuple[WordSenses, np.ndarray]:
    """Return one word's measures, and one_nn of each shuffle (ROUNDS,)."""
    hits, null = judge(similarities, labels, rng)
    counts = Counter(sorted(map(str, labels)))
    measures = WordSenses(
        n=len(labels),
        senses=dict(counts.most_common()),
        one_nn=_round(hits.mean()),
        null_mean=_round(null.mean()),
        null_95=_round(np.quantile(null, 0.95)),
        p=rank_p(hits.mean(), null),
        majority=max(counts.values()) / len(labels),
        silhouette=silhouette(similarities, labels),
        purity=purity_at_k(similarities, labels, NEAREST),
        hits=hits,
        pairs=mutual_pairs(similarities),
    )
    return measures, null


def _shuffled(neighbors: tuple[np.ndarray, np.ndarray, np.ndarray], senses: np.ndarray, rounds: int, rng) -> np.ndarray:
    """Return the mean hits for each of `rounds` shuffles of the senses (rounds,)."""
    rows, who, weights = neighbors
    n = len(senses)
    has_many_ties = len(rows) > 8 * n
    if has_many_ties:  # one matrix product a sense is faster than pair by pair
        table = np.zeros((n, n))
        table[rows, who] = weights
    at_once = max(1, PART // max(n if has_many_ties else len(rows), 1))
    results = []
    for start in range(0, rounds, at_once):
        shuffles = rng.permuted(np.tile(senses.astype(np.int16), (min(at_once, rounds - start), 1)), axis=1)  # (R, n)
        if has_many_ties:
            members = [(shuffles == sense).astype(np.float64) for sense in range(senses.max() + 1)]
            results.append(sum(((m @ table) * m).sum(axis=1) for m in members) / n)
        else:
            results.append((shuffles[:, rows] == shuffles[:, who]) @ weights / n)
    return np.concatenate(results)


def _round(value: float) -> float:
    """Round a mean: in layer 0 every shuffle has the accuracy of the true senses, and rounding must not make it seem less."""
    return round(float(value), 9)


def _report(table: OccurrenceTable, word: str, similarities_of: Callable[[np.ndarray], np.ndarray]) -> SenseReport:
    rows = rows_to_measure(table, word)
    words = [table.lemmas[k] for k in table.lemma[rows]]
    labels = [table.senses[k] for k in table.sense[rows]]
    return sense_report(lambda picked: similarities_of(rows[picked]), words, labels)
