"""Cluster a word's occurrences without labels, suggest how many clusters there are, and name them.

Each occurrence is a direction minus the mean of its spelling: "banks" differs from "bank" by more than one meaning from another, and
clusters of raw vectors are clusters of endings.

The number of clusters: silhouettes for 2 to 8 clusters are compared with those of clouds of one Gaussian (core.senses.gaussian_null). More
than one is suggested only if the clearest number is more above the clouds' than that of 19 clouds in 20 (the rank is p). The number is that
of the highest silhouette whose clusters all have PER_GROUP rows or more. A group is a use, not a meaning (README.md).
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.libraries import import_library
from ..common.significance import LEVEL, rank_p
from ..corpus.measures import log_odds
from ..elmo.language_model import Prediction
from ..index.table import OccurrenceTable
from .gaussian_null import NUMBERS, one_cloud, silhouettes

FEWEST = 10  # occurrences, below which nothing is clustered
FEW, MANY = 30, 100  # below FEW sentences one group is suggested whatever they mean; above MANY even one meaning is split
PER_GROUP = 5  # fewer sentences than this do not make a sense
SAMPLE = 200  # occurrences on which the number is suggested, at most: more would make the page wait
DRAWS = 199  # clouds drawn for the null
# The weight of the word's overall mean in a spelling's mean, in occurrences: without it a spelling that occurs once would become zero.
SHRINK = 2.0
LOOKED_AT, SPREAD_OF = 200, 60  # words searched for the most ambiguous one, and occurrences of each
SHARPNESS = 8.0  # of shares: the best of 4 to 30 on our labeled senses by leave-one-out: 92% stated on average, 93% right
NAMED_BY = 20  # likeliest substitutes of a place that can name a cluster
MOST_TELLING = 6  # words of a cluster that are listed
WINDOW = 12  # tokens on either side that can name a cluster
_WORD = re.compile(r"[^\W\d_][\w'-]{2,}")
_SYLLABLES = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """The suggested number of clusters and its reasons; sequences run over NUMBERS."""

    # The number of the highest silhouette whose clusters are all large enough; 1 if none is, or if no silhouette is above its limit
    number: int
    best: int  # the same even if no silhouette is above its limit, at least 2
    silhouettes: tuple[float, ...]  # -1 to 1
    limit: tuple[float, ...]  # if any silhouette is above its limit, there is more than one cluster
    small: tuple[int, ...]  # numbers with a higher silhouette, rejected for a cluster of fewer than PER_GROUP rows
    p: float  # share of the clouds and the rows whose clearest silhouette is at least as far above the clouds' mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The agreement of clusters with gold labels, and with the same labels shuffled (mean, 95% quantile)."""

    rand: float  # adjusted Rand index (Hubert and Arabie 1985): 0 is chance, 1 the same partition
    rand_null: tuple[float, float]
    v: float  # V-measure (Rosenberg and Hirschberg 2007): 0 to 1
    v_null: tuple[float, float]
    mutual: float  # adjusted mutual information (Vinh, Epps and Bailey 2010): 0 is chance
    purity: float  # share of occurrences whose sense is the commonest of their cluster
    purity_null: tuple[float, float]
    n: int  # labeled occurrences


def directions(vectors: np.ndarray, spellings: Sequence) -> np.ndarray:
    """Return the directions (n, D) float32 minus the shrunken mean of their spelling, of length 1 (or 0)."""
    rows = unit(np.asarray(vectors, np.float32))
    spellings = np.asarray(spellings)
    overall = rows.mean(axis=0)
    for spelling in np.unique(spellings):
        is_spelling = spellings == spelling
        rows[is_spelling] -= (rows[is_spelling].sum(axis=0) + SHRINK * overall) / (is_spelling.sum() + SHRINK)
    rows[np.linalg.norm(rows, axis=1) < 1e-6] = 0  # only rounding is left of equal vectors
    return unit(rows)


def clusters(rows: np.ndarray, number: int, *, starts: int = 10) -> np.ndarray:
    """Cluster directions (n, D) by scikit-learn's k-means, the best of `starts`: (n,) numbers from 0, the largest first.

    Fewer than `number` clusters are returned if fewer rows differ.
    """
    if not 1 <= number <= len(rows):
        raise BadInput(t("Number of groups: {number}. Choose 1 to {n}, the number of sentences.", number=number, n=len(rows)))
    k_means = import_library("sklearn.cluster").KMeans(min(number, len(np.unique(rows, axis=0))), n_init=starts, random_state=0)
    result = k_means.fit_predict(rows)
    order = np.argsort(-np.bincount(result), kind="stable")
    return np.argsort(order)[result]


def suggest(rows: np.ndarray, grouped: np.ndarray | None = None, *, seed: int = 0) -> Suggestion:
    """Suggest how many clusters directions (n, D) make, from a sample if they are more than SAMPLE.

    `grouped` are the directions that are clustered in the end, by default `rows`: the sizes of clusters are theirs.
    """
    grouped = rows if grouped is None else grouped
    if len(rows) < FEWEST:
        raise BadInput(t("Too few sentences to look for meanings in: {n}. At least {least} are needed.", n=len(rows), least=FEWEST))
    rng = np.random.default_rng(seed)
    if len(rows) > SAMPLE:
        rows = rows[np.sort(rng.choice(len(rows), SAMPLE, replace=False))]
    result = silhouettes(rows)
    cloud = one_cloud(rows, rng)
    null = np.array([silhouettes(cloud.draw(len(rows), rng)) for _ in range(DRAWS)])  # (DRAWS, numbers)
    everything = np.vstack([null, result])  # under the null hypothesis the rows are one more cloud
    spread = np.maximum(everything.std(axis=0, ddof=1), 1e-6)
    excess = ((everything - everything.mean(axis=0)) / spread).max(axis=1)
    p = rank_p(excess[-1], excess[:-1])
    limit = everything.mean(axis=0) + spread * np.sort(excess[:-1])[-round(LEVEL * (DRAWS + 1))]  # above it p is at most LEVEL
    order = [NUMBERS[k] for k in np.argsort(-result, kind="stable")]  # the highest silhouette first
    rank = next((k for k, number in enumerate(order) if _are_senses(grouped, number)), None)
    best = 1 if rank is None else order[rank]
    is_significant = p <= LEVEL
    return Suggestion(
        number=best if is_significant else 1,
        best=max(best, NUMBERS[0]),
        silhouettes=tuple(result.tolist()),
        limit=tuple(limit.tolist()),
        small=tuple(sorted(order[:rank])) if is_significant else (),
        p=p,
    )


def _are_senses(rows: np.ndarray, number: int) -> bool:
    """Return whether (n, D) directions make that many clusters of PER_GROUP rows or more."""
    if number * PER_GROUP > len(rows):
        return False
    sizes = np.bincount(clusters(rows, number))
    return len(sizes) == number and int(sizes.min()) >= PER_GROUP


def closeness(rows: np.ndarray, result: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cosine of each row with its cluster's mean direction (n,), and its lead over the next cluster (n,).

    With one cluster the lead is the cosine. Typical rows have a high lead, odd ones a low or negative one. Both rows of a cluster of two are
    equally near to its mean, so cosines are rounded: no processor may order them by its last bit.
    """
    members = np.eye(result.max() + 1, dtype=np.float32)[result]
    cosines = (rows @ unit(members.T @ rows).T).round(5)  # (n, clusters)
    nearness = cosines[np.arange(len(result)), result]
    others = np.where(members > 0, -np.inf, cosines).max(axis=1)
    return nearness, nearness - np.where(np.isfinite(others), others, 0.0)


def shares(rows: np.ndarray, result: np.ndarray) -> np.ndarray:
    """Return how far each row belongs to each cluster (n, clusters), summing to 1, by its cosines with the means of the other rows."""
    members = np.eye(result.max() + 1, dtype=np.float32)[result]
    # A row does not count in the mean of its own cluster: (n, clusters, D)
    sums = (members.T @ rows)[None] - members[:, :, None] * rows[:, None]
    powers = np.exp(SHARPNESS * np.einsum("nd,nkd->nk", rows, unit(sums)))
    return powers / powers.sum(axis=1, keepdims=True)


def telling_substitutes(substitutes: Sequence[Sequence[Prediction]], result: np.ndarray) -> list[list[tuple[str, float]]]:
    """Return for each cluster the words that are expected in its places more than in the others', with z, best first."""
    return telling_words([[answer.word for answer in predictions[:NAMED_BY]] for predictions in substitutes], result, Counter())


def name_of(substitutes: Sequence[tuple[str, float]], words: Sequence[tuple[str, float]]) -> str:
    """Return a cluster's name: its two most distinctive substitutes, else its three most distinctive words."""
    return ", ".join(word for word, _ in substitutes[:2]) or " · ".join(word for word, _ in words[:3])


def telling_words(contexts: Sequence[Sequence[str]], result: np.ndarray, background: Counter[str]) -> list[list[tuple[str, float]]]:
    """Return the MOST_TELLING most distinctive words of each cluster with z, best first, from content words of each occurrence and clusters (n,).

    z is that of the word's log-odds in one cluster against the rest (core.corpus.measures.log_odds); a single cluster has none. The prior
    holds as many words as the contexts do, in the proportions of `background`.
    """
    counts = [Counter() for _ in range(int(result.max()) + 1)]
    for words, item in zip(contexts, result, strict=True):
        counts[item].update(set(words))  # once per sentence, so that one repetitive sentence cannot name a cluster
    if len(counts) == 1:
        return [[]]
    words = sorted(set().union(*counts))
    table = np.array([[counter[word] for word in words] for counter in counts])
    everywhere = table.sum(axis=0)
    of_prior = everywhere + [background[word] for word in words]
    telling = []
    for row in table:
        z = np.nan_to_num(log_odds(row, everywhere - row, of_prior, prior=everywhere.sum()))  # NaN: the only word of all sentences
        best = [k for k in np.argsort(-z, kind="stable").tolist() if row[k]]  # of equal ones the first in the alphabet
        telling.append([(words[k], float(z[k])) for k in best[:MOST_TELLING]])
    return telling


def content_words(tokens: Sequence[str], position: int, *, without: Iterable[str] = ()) -> list[str]:
    """Return the words around a token that can name a cluster, except those in `without`; see `is_telling`."""
    left_out = {word.casefold() for word in without}
    context = [*tokens[max(0, position - WINDOW) : position], *tokens[position + 1 : position + 1 + WINDOW]]
    return [word for word in map(str.casefold, context) if word not in left_out and is_telling(word)]


def is_telling(word: str) -> bool:
    """Return whether a lowercase word can name a meaning: at least three letters, and none of scikit-learn's stop words.

    For Hangul, kana and Chinese characters two are enough. A particle or ending that is joined to the word before it cannot.
    """
    stop_words = import_library("sklearn.feature_extraction.text").ENGLISH_STOP_WORDS
    return (_WORD.fullmatch(word) or _SYLLABLES.fullmatch(word)) is not None and word not in stop_words


def agreement(gold: Sequence[str], result: np.ndarray, *, rounds: int = 200) -> Agreement:
    """Measure how far gold labels (n,) and clusters (n,) agree, and how far shuffled labels do."""
    codes = np.unique(np.asarray(gold, str), return_inverse=True)[1]
    rng = np.random.default_rng(0)
    orders = [codes, *(rng.permutation(codes) for _ in range(rounds))]
    tables = np.zeros((len(orders), codes.max() + 1, result.max() + 1))
    for table, order in zip(tables, orders, strict=True):
        np.add.at(table, (order, result), 1)
    (rand, v, purity), *nulls = _measure_agreement(tables).tolist()
    rand_null, v_null, purity_null = ((float(np.mean(values)), float(np.quantile(values, 0.95))) for values in zip(*nulls, strict=True))
    mutual = float(import_library("sklearn.metrics").adjusted_mutual_info_score(codes, result))
    return Agreement(
        rand=rand, rand_null=rand_null, v=v, v_null=v_null, mutual=mutual, purity=purity, purity_null=purity_null, n=len(codes)
    )


def most_ambiguous(table: OccurrenceTable, words: Sequence[str]) -> str:
    """Return the word whose vectors differ most between sentences, among the LOOKED_AT most frequent; "" without words.

    The measure is the mean of 1 - cosine over all pairs of at most SPREAD_OF of its occurrences, in layer 1, which separates senses best.
    It is a quick first guess: among 300 frequent words of the bundled sentences, 53 of them labeled as ambiguous, a labeled one is ahead of
    another in 57 cases of 100; by the silhouette of its clusters it would be in 42.
    """
    spread = {}
    for word in words[:LOOKED_AT]:
        rows = np.flatnonzero(table.spelled(word))
        if (n := min(len(rows), SPREAD_OF)) > 1:
            rows = rows[np.linspace(0, len(rows) - 1, n).astype(int)]
            total = unit(table.rows.take(rows)[:, min(1, table.meta["layers"] - 1)].astype(np.float32)).sum(axis=0)
            spread[word] = 1 - (float(total @ total) - n) / (n * (n - 1))
    return max(spread, key=spread.__getitem__, default="")


def _measure_agreement(tables: np.ndarray) -> np.ndarray:
    """Compute adjusted Rand (Hubert and Arabie 1985), V (Rosenberg and Hirschberg 2007) and purity of counts (R, senses, clusters): (R, 3).

    scikit-learn checks its input for a millisecond each; this takes all at once.
    """
    from scipy.special import entr

    counts = [values.reshape(len(tables), -1) for values in (tables, tables.sum(axis=2), tables.sum(axis=1))]
    n = counts[0][0].sum()
    same, *pairs = ((values * (values - 1)).sum(axis=1) for values in counts)
    chance = pairs[0] * pairs[1] / (n * (n - 1))
    ceiling = (pairs[0] + pairs[1]) / 2
    rand = np.where(ceiling > chance, (same - chance) / np.where(ceiling > chance, ceiling - chance, 1), 1)
    joint, of_senses, of_clusters = (entr(values / n).sum(axis=1) for values in counts)  # entropies
    v = 2 * (of_senses + of_clusters - joint) / (of_senses + of_clusters)
    return np.stack([rand, v, tables.max(axis=1).sum(axis=1) / n], axis=1)
