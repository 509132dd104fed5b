"""How well vectors tell the senses of a word apart, measured in the full space, never on a map.

A sense is a sense of one spelling, so everything is measured within each word and then averaged over words (macro).
Where neighbours are equally near, each counts for its share: in layer 0 all occurrences of a word have one vector, and
its nearest neighbour must come out as the draw by lot that it is, not as the order of the rows. Whether a figure is more
than luck is answered by the same figure for shuffled sense labels, and by a bootstrap over words and occurrences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import BadInput
from core.texts import t

TIE = 1e-5  # cosines closer than this are equal: float32 products and float16 storage make differences up to 1e-6
DRAWS, ROUNDS = 1_000, 200  # of the bootstrap; shuffles


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSenses:
    """The measures of one word; see SenseReport."""

    n: int  # occurrences
    senses: dict[str, int]  # occurrences of each sense, most frequent first
    one_nn: float
    null_mean: float
    null_95: float
    majority: float
    silhouette: float
    purity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseReport:
    """Means over words of what each word's occurrences show; accuracies and shares from 0 to 1."""

    one_nn: float  # leave-one-out: the nearest other occurrence has the same sense
    one_nn_low: float  # 95 % bootstrap interval, over words and occurrences
    one_nn_high: float
    null_mean: float  # one_nn with the senses shuffled within each word: its mean ...
    null_95: float  # ... and the value that 95 % of the shuffles stay under
    majority: float  # share of the most frequent sense
    silhouette: float  # -1 to 1; 0 says nothing is apart
    purity: float  # of the k nearest, the share with the same sense
    k: int
    n: int  # occurrences measured
    per_word: dict[str, WordSenses]
    left_out: tuple[str, ...]  # words without two labelled senses: nothing to tell apart


@dataclass(frozen=True, slots=True, kw_only=True)
class WordScores:
    """Accuracies on one word's test occurrences."""

    n: int
    nearest: float
    centroid: float
    most_frequent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitScores:
    """Accuracies of senses learnt from a training file, `macro` over test words and `pooled` over test occurrences."""

    nearest_macro: float
    nearest_pooled: float
    centroid_macro: float
    centroid_pooled: float
    most_frequent_macro: float
    most_frequent_pooled: float
    n: int  # test occurrences
    unseen: int  # of them, of words that training never saw: scored as wrong
    per_word: dict[str, WordScores]


def one_nn(similarities: np.ndarray, labels: Sequence) -> float:
    """(n, n), (n,) of one word -> leave-one-out accuracy of the nearest neighbour; tied neighbours count by their share."""
    return purity_at_k(similarities, labels, 1)


def purity_at_k(similarities: np.ndarray, labels: Sequence, k: int) -> float:
    """(n, n), (n,) of one word -> among the k nearest others, the mean share with one's own sense; k is at most n - 1."""
    similarities, senses = _one_word(similarities, labels)
    return float(_hits(_neighbours(similarities, k), senses).mean())


def judged(similarities: np.ndarray, labels: Sequence, rng, rounds: int = ROUNDS) -> tuple[np.ndarray, np.ndarray]:
    """(n, n), (n,) of one word -> how much of each occurrence's nearest has its sense (n,), and the mean of it in each shuffle (rounds,)."""
    similarities, senses = _one_word(similarities, labels)
    nearest = _neighbours(similarities, 1)  # labels do not move it: found once for all the shuffles
    return _hits(nearest, senses), _shuffled(nearest, senses, rounds, rng)


def resampled(hits: np.ndarray, rng) -> np.ndarray:
    """(n,) -> the means of DRAWS bootstrap samples: (DRAWS,)."""
    return hits[rng.integers(len(hits), size=(DRAWS, len(hits)))].mean(axis=1)


def pair_cosines(similarities: np.ndarray, labels: Sequence) -> tuple[float, float]:
    """(n, n), (n,) of one word -> mean cosine of two occurrences of one sense, and of two senses; NaN where there is no pair."""
    codes = np.unique(np.asarray(labels), return_inverse=True)[1]
    same = codes[:, None] == codes
    pairs = ~np.eye(len(codes), dtype=bool)
    means = [float(similarities[chosen].mean()) if chosen.any() else float("nan") for chosen in (same & pairs, ~same)]
    return means[0], means[1]


def silhouette(similarities: np.ndarray, labels: Sequence) -> float:
    """(n, n), (n,) of one word -> mean of (b - a) / max(a, b) over 1 - cosine (Rousseeuw 1987); never NaN.

    a is the mean distance to one's own sense, b to the nearest other. An occurrence counts 0 when it is alone in its
    sense, and when both distances are no more than rounding; a word of one sense has 0.
    """
    similarities, senses = _one_word(similarities, labels)
    members = np.eye(senses.max() + 1)[senses]  # (n, C)
    sizes = members.sum(axis=0)
    if len(sizes) < 2:
        return 0.0
    distances = np.maximum(1 - similarities.astype(np.float64), 0)
    np.fill_diagonal(distances, 0)
    totals = distances @ members  # (n, C)
    rows, own = np.arange(len(senses)), sizes[senses]
    a = totals[rows, senses] / np.maximum(own - 1, 1)
    means = totals / sizes
    means[rows, senses] = np.inf
    b = means.min(axis=1)
    larger = np.maximum(a, b)
    counts = (own > 1) & (larger > TIE)
    return float(np.where(counts, (b - a) / np.where(counts, larger, 1), 0).mean())


def sense_report(
    similarities_of: Callable[[np.ndarray], np.ndarray],
    words: Sequence[str],
    labels: Sequence[str | None],
    *,
    seed: int,
    k: int = 5,
    rounds: int = ROUNDS,
) -> SenseReport:
    """All measures for the occurrences (N,) of many words; `similarities_of` gives the cosines (n, n) of the rows (n,).

    Occurrences without a label (None or "") are left out.
    """
    words, labels = np.asarray(words, str), np.asarray(["" if label is None else str(label) for label in labels])
    if words.shape != labels.shape or words.ndim != 1:
        raise BadInput(f"Senses need a word and a label for each occurrence; got {words.shape} words and {labels.shape} labels.")
    rng = np.random.default_rng(seed)
    per_word, left_out, nulls, draws = {}, [], [], []
    for word, rows in _rows_of(words).items():
        rows = rows[labels[rows] != ""]
        if len(set(labels[rows])) < 2:
            left_out.append(word)
            continue
        per_word[word], null, hits = _measure(similarities_of(rows), labels[rows], k, rounds, rng)
        nulls.append(null)
        draws.append(resampled(hits, rng))
    if not per_word:
        raise BadInput(t("No word here has occurrences labelled with two different senses; there is nothing to tell apart."))
    drawn_words = rng.integers(len(draws), size=(DRAWS, len(draws)))
    low, high = np.quantile(np.take_along_axis(np.stack(draws, axis=1), drawn_words, axis=1).mean(axis=1), (0.025, 0.975))
    null = np.mean(nulls, axis=0)  # (rounds,)
    mean = {
        m: _rounded(np.mean([getattr(w, m) for w in per_word.values()])) for m in ("one_nn", "majority", "silhouette", "purity")
    }
    mean |= {"null_mean": _rounded(null.mean()), "null_95": _rounded(np.quantile(null, 0.95))}
    mean |= {"one_nn_low": float(low), "one_nn_high": float(high), "n": sum(word.n for word in per_word.values())}
    return SenseReport(**mean, k=k, per_word=per_word, left_out=tuple(left_out))


def classify_split(
    train_vectors: np.ndarray,
    train_labels: Sequence[str],
    train_words: Sequence[str],
    test_vectors: np.ndarray,
    test_labels: Sequence[str],
    test_words: Sequence[str],
) -> SplitScores:
    """Vectors (N, D), labels (N,), words (N,), twice -> accuracy of the nearest neighbour, centroid, most frequent sense.

    Each word is judged by its own training occurrences only. A test word that training never saw has no sense known: it
    is scored as wrong by all three, and counted in `unseen`. A tie is worth the share of it that is right. Vectors may
    be of any length; a zero vector is equally far from all.
    """
    train, test = _unit(train_vectors), _unit(test_vectors)
    train_labels, train_words = np.asarray(train_labels, str), np.asarray(train_words, str)
    test_labels, test_words = np.asarray(test_labels, str), np.asarray(test_words, str)
    for what, vectors, labels, words in (("training", train, train_labels, train_words), ("test", test, test_labels, test_words)):
        if not len(vectors) == len(labels) == len(words) > 0:
            found = f"{len(vectors)}, {len(labels)} and {len(words)}"
            raise BadInput(f"Each {what} row needs a vector, a label and a word; got {found} of them.")
    if train.shape[1] != test.shape[1]:
        raise BadInput(f"Training and test vectors must be of one size; got {train.shape[1]} and {test.shape[1]}.")
    known, of_word, scores = _rows_of(train_words), _rows_of(test_words), np.zeros((3, len(test)))
    for word in known.keys() & of_word.keys():
        seen, rows = known[word], of_word[word]
        scores[:, rows] = _score_word(train[seen], train_labels[seen], test[rows], test_labels[rows])
    names = ("nearest", "centroid", "most_frequent")
    means = {word: dict(zip(names, scores[:, rows].mean(axis=1).tolist(), strict=True)) for word, rows in of_word.items()}
    per_word = {word: WordScores(n=len(of_word[word]), **mean) for word, mean in means.items()}
    macro = {f"{name}_macro": float(np.mean([mean[name] for mean in means.values()])) for name in names}
    pooled = {f"{name}_pooled": float(score.mean()) for name, score in zip(names, scores, strict=True)}
    return SplitScores(**macro, **pooled, n=len(test), unseen=int((~np.isin(test_words, train_words)).sum()), per_word=per_word)


def _measure(similarities: np.ndarray, labels: np.ndarray, k: int, rounds: int, rng) -> tuple[WordSenses, np.ndarray, np.ndarray]:
    """One word -> its measures, one_nn of each shuffle (rounds,), and of each occurrence (n,)."""
    hits, null = judged(similarities, labels, rng, rounds)
    similarities, senses = _one_word(similarities, labels)
    names, counts = np.unique(labels, return_counts=True)
    by_count = np.argsort(-counts, kind="stable")
    measures = WordSenses(
        n=len(labels), senses={str(names[i]): int(counts[i]) for i in by_count}, one_nn=_rounded(hits.mean()),
        null_mean=_rounded(null.mean()), null_95=_rounded(np.quantile(null, 0.95)), majority=float(counts.max() / len(labels)),
        silhouette=silhouette(similarities, senses), purity=float(_hits(_neighbours(similarities, k), senses).mean()),
    )  # fmt: skip
    return measures, null, hits


def _one_word(similarities: np.ndarray, labels: Sequence) -> tuple[np.ndarray, np.ndarray]:
    """Checked similarities (n, n) and senses as numbers from 0 on (n,)."""
    similarities, labels = np.asarray(similarities), np.asarray(labels)
    if labels.ndim != 1 or len(labels) < 2 or similarities.shape != labels.shape * 2 or not np.isfinite(similarities).all():
        told = t(
            "A word's senses need two occurrences or more, and the cosine of every pair; got {n} labels and cosines of shape {shape}.",
            n=labels.size, shape=similarities.shape,
        )  # fmt: skip
        raise BadInput(told)
    return similarities, np.unique(labels, return_inverse=True)[1]


def _neighbours(similarities: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n, n) -> who counts as a neighbour of whom, and for how much: (E,), (E,), (E,); each row's weights sum to 1.

    Those clearly among the k nearest weigh 1/k; those tied for the last places share what is left.
    """
    if k < 1:
        raise BadInput(f"Neighbours are counted from 1, got {k}.")
    others = np.array(similarities, np.float32)
    k = min(k, len(others) - 1)
    np.fill_diagonal(others, -np.inf)
    last = -np.partition(-others, k - 1, axis=1)[:, k - 1 : k]  # (n, 1)
    above, tied = others > last + TIE, np.abs(others - last) <= TIE
    left = (k - above.sum(axis=1, keepdims=True)) / tied.sum(axis=1, keepdims=True)
    of, who = np.nonzero(above | tied)
    return of, who, (above + tied * left)[of, who] / k


def _hits(neighbours: tuple[np.ndarray, np.ndarray, np.ndarray], senses: np.ndarray) -> np.ndarray:
    """For each occurrence, how much of its neighbours has its sense: (n,)."""
    of, who, weights = neighbours
    return np.bincount(of, weights * (senses[of] == senses[who]), minlength=len(senses))


def _shuffled(neighbours: tuple[np.ndarray, np.ndarray, np.ndarray], senses: np.ndarray, rounds: int, rng) -> np.ndarray:
    """Mean hits for each of `rounds` shuffles of the senses: (rounds,)."""
    of, who, weights = neighbours
    n, shuffles = len(senses), rng.permuted(np.tile(senses.astype(np.int16), (rounds, 1)), axis=1)  # (R, n)
    if len(of) <= 8 * n:
        return (shuffles[:, of] == shuffles[:, who]) @ weights / n
    table = np.zeros((n, n))  # many ties: one matrix product a sense is faster than pair by pair
    table[of, who] = weights
    members = [(shuffles == sense).astype(np.float64) for sense in range(senses.max() + 1)]
    return sum(((m @ table) * m).sum(axis=1) for m in members) / n


def _rounded(value: float) -> float:
    """In layer 0 every shuffle has the accuracy of the true senses: rounding must not make it seem less."""
    return round(float(value), 9)


def _rows_of(words: np.ndarray) -> dict[str, np.ndarray]:
    """Each word's rows, words in alphabetical order."""
    return {str(word): np.flatnonzero(words == word) for word in np.unique(words)}


def _unit(vectors: np.ndarray) -> np.ndarray:
    vectors = np.asarray(vectors, np.float32)
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise BadInput(f"Vectors must be a table of finite numbers, one row an occurrence; got shape {vectors.shape}.")
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)


def _score_word(train: np.ndarray, train_labels: np.ndarray, test: np.ndarray, test_labels: np.ndarray) -> np.ndarray:
    """One word's unit vectors (n, D), (m, D) -> what nearest, centroid and most frequent sense get right: (3, m)."""
    names, senses = np.unique(train_labels, return_inverse=True)
    members = np.eye(len(names), dtype=np.float32)[senses]  # (n, C)
    centroids = _unit(members.T @ train / members.sum(axis=0)[:, None])
    right = test_labels[:, None] == names  # (m, C)
    scores = np.empty((3, len(test)))
    for start in range(0, len(test), 1024):
        part = slice(start, start + 1024)
        near = _best(test[part] @ train.T) @ members  # (m, C): the tied nearest, by sense
        scores[0, part] = (near * right[part]).sum(axis=1) / near.sum(axis=1)
        close = _best(test[part] @ centroids.T)
        scores[1, part] = (close * right[part]).sum(axis=1) / close.sum(axis=1)
    often = members.sum(axis=0) == members.sum(axis=0).max()  # (C,)
    scores[2] = right @ often / often.sum()
    return scores


def _best(similarities: np.ndarray) -> np.ndarray:
    """(m, n) -> 1.0 where a column is tied for the nearest of its row."""
    return (similarities >= similarities.max(axis=1, keepdims=True) - TIE).astype(np.float32)
