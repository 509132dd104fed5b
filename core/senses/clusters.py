"""Senses without labels: clusters of a word's occurrences in the full space, how many there seem to be, and what to call them.

Each occurrence is a direction, from which what its spelling shares is taken away: "banks" differs from "bank" by more than one
meaning from another, and clusters of raw vectors are clusters of endings. Which space and which way: README.md. The way was chosen on the
bundled words, of some forty looked at (also centering, PCA first, k-means on the sphere, HDBSCAN), so the best figure is optimistic.
Elsewhere, on 250 sentences a word of Senseval at layer 2, taking the spelling away turns k-means' 0.22 for "interest" into 0.17, and 0.03
for "serve" into 0.34.

How many: silhouettes for 2 to 8 clusters, beside those of 199 clouds drawn from one Gaussian (the null of SigClust, Liu et al. 2008) whose
variances are such that so few rows of it scatter as the word's own do. Only if the clearest number of clusters is further above the clouds'
than that of 19 clouds in 20, more than one is suggested (the rank is p): the number of the highest silhouette whose clusters all have
PER_GROUP rows or more, so that it is the one that the chart shows. On the bundled English words (55 of two senses or more, 32 of them
split) that is the number of labeled senses for 14. Of true Gaussian clouds as uneven as real vectors no more than one in twenty is split,
with 32, 150 or 300 rows (the tests draw them); with the rows' own covariance none in few rows and most in many would be, with Ledoit and
Wolf's alone 78% of 32. At layer 2 (`-k number_of_sentences -s`) 14 of 19 words with some 40 sentences are split, 6 of the same words with
as few sentences as one of their senses has (about 16), and of the single senses 1. Real vectors of one sense are no Gaussian: in a hundred
and more sentences they may fall into groups, of grammar and topic. A group is a use, not yet a meaning.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import entr

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import tn
from ..common.significance import LEVEL, rank_p
from ..elmo.language_model import Prediction
from ..index.neighbors import Occurrence
from ..index.table import OccurrenceTable
from .gaussian_null import NUMBERS, one_cloud, silhouettes

FEWEST = 10  # occurrences, below which nothing is clustered
FEW, MANY = 30, 100  # sentences: with fewer the suggestion is one whatever they mean, with more one meaning is split, too
PER_GROUP = 5  # sentences below which a group is no sense
SAMPLE = 200  # occurrences on which the number is suggested, at most: more would make the page wait
DRAWS = 199  # clouds drawn for the null
SHRINK = 2.0  # occurrences of the word at large that a spelling's own mean is mixed with, lest a rare spelling lose all it has
LOOKED_AT, SPREAD_OF = 200, 60  # words, and occurrences of each, among which the most ambiguous is looked for
SHARPNESS = 8.0  # of shares; of 4 to 30 the best for our labeled senses, each sentence left out: said with 92% on average, right 93%
NAMED_BY = 20  # likeliest substitutes of a place that can name a cluster
WINDOW = 12  # tokens on either side that can name a cluster
_WORD = re.compile(r"[^\W\d_][\w'-]{2,}")
_SYLLABLES = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """The suggested number of clusters and its reasons; sequences run over NUMBERS."""

    number: int  # that of the highest silhouette whose clusters are all large enough; 1 if no silhouette is above its limit
    best: int  # the same, whether or not one is
    silhouettes: tuple[float, ...]  # -1 to 1
    limit: tuple[float, ...]  # silhouettes that suggest more than one cluster where any is above its own
    small: tuple[int, ...]  # numbers of higher silhouettes, with a cluster of fewer than PER_GROUP rows
    p: float  # share of clouds, the rows among them, whose clearest silhouette lies as far above the clouds' mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Clusters against gold labels, and against the same labels shuffled (mean, 95% quantile)."""

    rand: float  # adjusted Rand index (Hubert and Arabie 1985): 0 is chance, 1 the same partition
    rand_null: tuple[float, float]
    v: float  # V-measure (Rosenberg and Hirschberg 2007): 0 to 1
    v_null: tuple[float, float]
    mutual: float  # the same information minus what chance shares (adjusted mutual information, Vinh, Epps and Bailey 2010): 0 is chance
    purity: float  # share of occurrences whose sense is the commonest of their cluster
    purity_null: tuple[float, float]
    n: int  # labeled occurrences


def directions(vectors: np.ndarray, spellings: Sequence) -> np.ndarray:
    """(n, D), (n,) -> (n, D) float32 of length 1 (or 0): directions minus the shrunken mean of their own spelling."""
    rows = unit(np.asarray(vectors, np.float32))
    spellings = np.asarray(spellings)
    if len(rows) != len(spellings):
        raise ValueError(f"{len(rows)} vectors, {len(spellings)} spellings")
    overall = rows.mean(axis=0)
    for spelling in np.unique(spellings):
        here = spellings == spelling
        rows[here] -= (rows[here].sum(axis=0) + SHRINK * overall) / (here.sum() + SHRINK)
    rows[np.linalg.norm(rows, axis=1) < 1e-6] = 0  # what rounding left of vectors that are all one
    return unit(rows)


def clusters(rows: np.ndarray, number: int, *, seed: int = 0, starts: int = 10) -> np.ndarray:
    """(n, D) directions -> (n,) cluster of each, from 0, the largest first: scikit-learn's k-means, the best of `starts`. Fewer than
    `number` clusters come back where fewer rows differ."""
    from sklearn.cluster import KMeans

    if not 1 <= number <= len(rows):
        raise BadInput(
            tn(
                "{n} sentence cannot make {number} groups. Choose 1.",
                "{n} sentences cannot make {number} groups. Choose 1 to {n}.",
                len(rows),
                number=number,
            )
        )
    result = KMeans(min(number, len(np.unique(rows, axis=0))), n_init=starts, random_state=seed).fit_predict(rows)
    names, counts = np.unique(result, return_counts=True)
    rank = {int(name): k for k, name in enumerate(names[np.argsort(-counts, kind="stable")])}
    return np.array([rank[int(item)] for item in result])


def suggest(rows: np.ndarray, grouped: np.ndarray | None = None, *, seed: int = 0) -> Suggestion:
    """Suggest how many clusters (n, D) directions make, from a sample where they are more than SAMPLE.

    `grouped` holds the directions that are clustered in the end, if they are not `rows`: the sizes of clusters are theirs.
    """
    grouped = rows if grouped is None else grouped
    if len(rows) < FEWEST:
        raise BadInput(
            tn(
                "{n} sentence is too few to look for meanings in; at least {least} are needed.",
                "{n} sentences are too few to look for meanings in; at least {least} are needed.",
                len(rows),
                least=FEWEST,
            )
        )
    rng = np.random.default_rng(seed)
    if len(rows) > SAMPLE:
        rows = rows[np.sort(rng.choice(len(rows), SAMPLE, replace=False))]
    result = silhouettes(rows)
    cloud = one_cloud(rows, rng)
    null = np.array([silhouettes(cloud.draw(len(rows), rng)) for _ in range(DRAWS)])  # (DRAWS, numbers)
    everything = np.vstack([null, result])  # the rows among their clouds: were they one, any of them could be the clearest
    spread = np.maximum(everything.std(axis=0, ddof=1), 1e-6)
    excess = ((everything - everything.mean(axis=0)) / spread).max(axis=1)
    p = rank_p(excess[-1], excess[:-1])
    limit = everything.mean(axis=0) + spread * np.sort(excess[:-1])[-round(LEVEL * (DRAWS + 1))]  # above it p is at most LEVEL
    order = [NUMBERS[k] for k in np.argsort(-result, kind="stable")]  # the highest silhouette first
    best = next((number for number in order if _are_senses(grouped, number)), 1)
    small = tuple(sorted(order[: order.index(best)] if best > 1 else order)) if p <= LEVEL else ()
    number, best = best if p <= LEVEL else 1, max(best, NUMBERS[0])
    return Suggestion(number=number, best=best, silhouettes=tuple(result.tolist()), limit=tuple(limit.tolist()), small=small, p=p)


def _are_senses(rows: np.ndarray, number: int) -> bool:
    """Return whether (n, D) directions make that many clusters of PER_GROUP rows or more."""
    if number * PER_GROUP > len(rows):
        return False
    sizes = np.bincount(clusters(rows, number))
    return len(sizes) == number and int(sizes.min()) >= PER_GROUP


def closeness(rows: np.ndarray, result: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, D), (n,) -> cosine with the own cluster's mean direction, and how much more that is than with the next: (n,), (n,). With one
    cluster the second is the cosine itself. High: typical; low, perhaps below 0: odd."""
    members = np.eye(result.max() + 1, dtype=np.float32)[result]
    cosines = rows @ unit(members.T @ rows).T  # (n, clusters)
    own = cosines[np.arange(len(result)), result]
    others = np.where(members > 0, -np.inf, cosines).max(axis=1)
    return own, own - np.where(np.isfinite(others), others, 0.0)


def shares(rows: np.ndarray, result: np.ndarray) -> np.ndarray:
    """(n, D), (n,) -> (n, clusters), 1 in sum: how far each row belongs to each cluster, by its cosines with the means of the other rows."""
    members = np.eye(result.max() + 1, dtype=np.float32)[result]
    sums = (members.T @ rows)[None] - members[:, :, None] * rows[:, None]  # (n, clusters, D): a row tells nothing of its own cluster
    powers = np.exp(SHARPNESS * np.einsum("nd,nkd->nk", rows, unit(sums)))
    return powers / powers.sum(axis=1, keepdims=True)


def telling_substitutes(substitutes: Sequence[Sequence[Prediction]], result: np.ndarray) -> list[list[tuple[str, float]]]:
    """Of each cluster the words that are expected in its places more than in the others', with z, best first; see `telling_words`."""
    return telling_words([[answer.word for answer in of[:NAMED_BY]] for of in substitutes], result, Counter())


def name_of(substitutes: Sequence[tuple[str, float]], words: Sequence[tuple[str, float]]) -> str:
    """A cluster's name: two of its telling substitutes, where there are any, else three of its telling words."""
    return ", ".join(word for word, _ in substitutes[:2]) or " · ".join(word for word, _ in words[:3])


def telling_words(
    contexts: Sequence[Sequence[str]], result: np.ndarray, background: Counter[str], *, most: int = 6
) -> list[list[tuple[str, float]]]:
    """Content words of each occurrence, their clusters (n,) -> each cluster's most telling words with z, best first.

    Log-odds with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008, eqs 16, 20 and 22): a word's odds in one cluster against
    the rest, in standard deviations; of a single cluster there are none. The prior holds as many words as the contexts do, shared out as in
    `background`.
    """
    counts = [Counter() for _ in range(int(result.max()) + 1)]
    for words, item in zip(contexts, result, strict=True):
        counts[item].update(set(words))  # a word counts once a sentence: one talkative sentence names no cluster
    if len(counts) == 1:
        return [[]]
    total = sum(counts, Counter())
    everywhere = {word: background.get(word, 0) + total[word] for word in total}
    size = total.total()
    whole = sum(everywhere.values())
    prior = {word: size * n / whole for word, n in everywhere.items()}
    telling = []
    for here in counts:
        n_here = here.total()
        scores = {}
        for word, y in here.items():
            a = prior[word]
            rest = total[word] - y
            odds = np.log((y + a) / (n_here + size - y - a + 1e-9)) - np.log((rest + a) / (2 * size - n_here - rest - a + 1e-9))
            scores[word] = float(odds / np.sqrt(1 / (y + a) + 1 / (rest + a)))
        telling.append(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:most])
    return telling


def content_words(tokens: Sequence[str], position: int, *, without: Iterable[str] = ()) -> list[str]:
    """The words around a token that can tell something, but for those in `without`; see `tells`."""
    left_out = {word.casefold() for word in without}
    near = [*tokens[max(0, position - WINDOW) : position], *tokens[position + 1 : position + 1 + WINDOW]]
    return [word for word in map(str.casefold, near) if word not in left_out and tells(word)]


def tells(word: str) -> bool:
    """Whether a word in lower case can name a meaning: three letters or more, and none of scikit-learn's stop words. Of Hangul, kana and
    Chinese characters two are enough; a piece that is joined to the word before it (a particle, an ending) tells none."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return (_WORD.fullmatch(word) or _SYLLABLES.fullmatch(word)) is not None and word not in ENGLISH_STOP_WORDS


def agreement(gold: Sequence[str], result: np.ndarray, *, seed: int = 0, rounds: int = 200) -> Agreement:
    """Gold labels (n,) and clusters (n,) -> how far they agree, beside what shuffled labels give."""
    from sklearn.metrics import adjusted_mutual_info_score

    codes = np.unique(np.asarray(gold, str), return_inverse=True)[1]
    result = np.asarray(result)
    rng = np.random.default_rng(seed)
    orders = [codes, *(rng.permutation(codes) for _ in range(rounds))]
    tables = np.zeros((len(orders), codes.max() + 1, result.max() + 1))
    for table, order in zip(tables, orders, strict=True):
        np.add.at(table, (order, result), 1)
    (rand, v, purity), *nulls = _measure_agreement(tables).tolist()
    rand_null, v_null, purity_null = ((float(np.mean(values)), float(np.quantile(values, 0.95))) for values in zip(*nulls, strict=True))
    mutual = float(adjusted_mutual_info_score(codes, result))
    of_shuffled = {"rand_null": rand_null, "v_null": v_null, "purity_null": purity_null}
    return Agreement(rand=rand, v=v, mutual=mutual, purity=purity, n=len(codes), **of_shuffled)


def most_ambiguous(table: OccurrenceTable, words: Sequence[str], *, layer: int = 1) -> str:
    """Of the words (the most frequent LOOKED_AT, in small letters) the one whose vectors differ most from sentence to sentence; "" of none.

    The measure is the mean of 1 - cosine over all pairs of at most SPREAD_OF of its occurrences, in layer 1, of the layers the one where
    senses lie furthest apart. It is a first guess, there at once: among 300 frequent words of the bundled sentences, 53 of them labeled
    as ambiguous, a labeled one is ahead of another in 57 cases of 100; by the silhouette of its clusters it would be in 42.
    """
    spread = {}
    for word in words[:LOOKED_AT]:
        rows = np.flatnonzero(table.spelled(word))
        if (n := min(len(rows), SPREAD_OF)) > 1:
            rows = rows[np.linspace(0, len(rows) - 1, n).astype(int)]
            total = unit(table.rows.take(rows)[:, min(layer, table.meta["layers"] - 1)].astype(np.float32)).sum(axis=0)
            spread[word] = 1 - (float(total @ total) - n) / (n * (n - 1))
    return max(spread, key=spread.__getitem__, default="")


def labeled_jsonl(occurrences: Sequence[Occurrence], labels: Sequence[str], lemma: str) -> str:
    """Occurrences and the names of their groups as lines of JSON that `core.text.sentences` reads, in the corpus's order: a model found the
    groups, so they are guesses, not evidence."""
    lines = []
    for o, label in sorted(zip(occurrences, labels, strict=True), key=lambda pair: pair[0].row):
        row = {
            "tokens": list(o.tokens),
            "position": o.position,
            "word": o.tokens[o.position],
            "lemma": lemma,
            "sense": label,
            "given": False,
        }
        lines.append(json.dumps(row, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def _measure_agreement(tables: np.ndarray) -> np.ndarray:
    """(R, senses, clusters) counts -> (R, 3): adjusted Rand (Hubert and Arabie 1985), V (Rosenberg and Hirschberg 2007), purity. All at
    once, as scikit-learn's, which checks its input for a millisecond each."""
    counts = [each.reshape(len(tables), -1) for each in (tables, tables.sum(axis=2), tables.sum(axis=1))]
    n = counts[0][0].sum()
    same, *pairs = ((each * (each - 1)).sum(axis=1) for each in counts)
    chance, most = pairs[0] * pairs[1] / (n * (n - 1)), (pairs[0] + pairs[1]) / 2
    rand = np.where(most > chance, (same - chance) / np.where(most > chance, most - chance, 1), 1)
    joint, senses, clusters = (entr(each / n).sum(axis=1) for each in counts)
    v = 2 * (senses + clusters - joint) / (senses + clusters)
    return np.stack([rand, v, tables.max(axis=1).sum(axis=1) / n], axis=1)
