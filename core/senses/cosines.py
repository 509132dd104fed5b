"""Cosines of occurrences: anisotropy, a word's self-similarity beyond it, and pairs of one sense next to pairs of two.

Contextual vectors share directions, so that any two have a cosine well above 0 (Ethayarajh 2019). A word's self-similarity, the mean cosine
of two of its occurrences, is therefore compared with that of two different words. The variance that one direction explains of its
occurrences is compared with that of as many random tokens. Subtracting the mean and the first k directions was proposed against this ("all
but the top", Mu and Viswanath 2018). Here k is chosen on half of the words, to separate pairs of one word from random pairs best;
everything is measured on the other half, with k random directions as control.

Both words of a pair are labeled words if there are labels, else any words of the corpus. They are more similar than the "two random words"
of core.analysis.random_pairs.

`Spread` has the pairs of each labeled word: those of one sense and those of two.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.significance import Paired, compare_pairs, rank_p
from ..elmo.mix import layer_weights
from ..index.table import OccurrenceTable
from ..text.tokens import bare
from .evidence import TIE

RANDOM, WORD, SENSE = "random", "word", "sense"  # pairs: of two words of the sample, of one word (in two senses), of one sense
RAW, MEAN, TOP = "raw", "mean", "top"  # vectors as they are, minus the mean of all, minus the first k directions, too
MOST_K = 10
RANDOM_TOKENS = 400  # random tokens
WORDS, EACH, FEWEST, FEWEST_WORDS = 80, 30, 8, 8  # limits without labels: most words, most and fewest occurrences of each, fewest words
DRAWS = 20  # samples of tokens with which a word's explained variance is compared
EDGES = np.linspace(-1, 1, 201)  # edges of a density's bins
GRID = (EDGES[1:] + EDGES[:-1]) / 2
WIDTH = 0.015  # standard deviation of a density's smoothing, in cosine
ROUNDS = 999  # shuffles of one word's senses


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Tokens of a table: all occurrences of some words, and random tokens."""

    layers: np.ndarray  # (N, L, D) float32
    groups: tuple[np.ndarray, ...]  # a word's rows among the N
    senses: np.ndarray  # (N,) numbers; -1 without a label
    at_random: np.ndarray  # (M,) rows among the N
    apart: np.ndarray  # (M, M) bool: pairs of different words among them, each once
    names: tuple[str, ...]  # the words

    @property
    def labeled(self) -> bool:
        """Return whether any token has a labeled sense."""
        return bool((self.senses >= 0).any())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SharedPanel:
    """One layer under one treatment, on the measured half of the words. Every word counts equally."""

    k: int | None  # directions taken off; None: as they are
    density: dict[str, np.ndarray]  # kind of pair -> (200,) over GRID
    mean: dict[str, float]
    span: dict[str, tuple[float, float]]  # from 5 to 95% of the pairs
    alike: Paired  # a word's mean cosine with itself minus that of two words of the sample
    explained: Paired  # variance that one direction explains of a word's occurrences minus that of as many random tokens
    auc: np.ndarray  # (W,) of each word: how often its pairs are nearer than random pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Anisotropy:
    """The measures of all layers under all treatments."""

    panels: tuple[dict[str, SharedPanel], ...]  # a layer each, by treatment
    # A layer each, in AUC: MEAN minus RAW, TOP minus MEAN, "control": TOP minus as many random directions
    gains: tuple[dict[str, Paired], ...]
    controls: tuple[str, ...]  # the words that chose k
    measured: tuple[str, ...]
    labeled: bool

    def table(self, titles: Mapping[str, str]) -> list[dict]:
        """Return a row for each layer and treatment. `titles` may name treatments and kinds of pairs."""
        rows = []
        for layer, by_treatment in enumerate(self.panels):
            for treatment, panel in by_treatment.items():
                row = {t("layer"): str(layer), t("vectors"): titles.get(treatment, treatment), "k": panel.k}
                for kind, mean in panel.mean.items():
                    title = titles.get(kind, kind)
                    row |= {title: round(mean, 3), f"{title}, 5–95%": "[{:.2f} to {:.2f}]".format(*panel.span[kind])}
                for title, value in ((t("self-similarity"), panel.alike), (t("explained variance"), panel.explained)):
                    row |= {title: round(value.mean, 3), f"{title}, 95%": value.cell(".3f", times=1)}
                rows.append(row | {"AUC": round(float(panel.auc.mean()), 4)})
        return rows


def sample(table: OccurrenceTable) -> Sample:
    """Return the basic labeled words of a table; without labels, up to WORDS random words that are frequent enough."""
    table = table.basic
    rng = np.random.default_rng(0)
    labeled = table.labeled_rows()
    if len(labeled):
        rows, words = labeled, table.lemma[labeled]
        chosen = [code for code in np.unique(words) if code >= 0 and (words == code).sum() >= FEWEST]
        at_random = rng.permutation(len(rows))[:RANDOM_TOKENS]
        spelled, vocabulary = words[at_random], table.lemmas
    else:
        counts = np.bincount(table.word, minlength=len(table.words))
        often = [code for code in np.flatnonzero(counts >= FEWEST) if bare(table.words[code]).isalpha()]
        chosen = sorted(rng.permutation(often)[:WORDS].astype(int)) if often else []
        rows_of_words = [rng.permutation(np.flatnonzero(table.word == code))[:EACH] for code in chosen]
        random_rows = rng.permutation(len(table))[:RANDOM_TOKENS]
        rows = np.concatenate([*rows_of_words, random_rows]).astype(int)
        words = np.repeat([*chosen, -1], [*map(len, rows_of_words), len(random_rows)])
        at_random = np.arange(len(rows) - len(random_rows), len(rows))
        spelled, vocabulary = table.word[random_rows], table.words
    if len(chosen) < FEWEST_WORDS:
        values = {"least": FEWEST_WORDS, "n": FEWEST, "found": len(chosen)}
        if len(labeled):
            raise BadInput(t("{least} words must be labeled {n} times; only {found} are. Label more on Senses.", **values))
        raise BadInput(t("{least} words must occur {n} times; only {found} do. Add text.", **values))
    apart = np.triu(spelled[:, None] != spelled[None], 1)
    groups = tuple(np.flatnonzero(words == code) for code in chosen)
    return Sample(table.rows.take(rows), groups, table.sense[rows], at_random, apart, tuple(str(vocabulary[code]) for code in chosen))


def of_table(table: OccurrenceTable) -> Anisotropy:
    """Measure every layer of a table's sample under every treatment. BadInput if too few words are frequent enough."""
    return measure(sample(table))


def measure(tokens: Sample) -> Anisotropy:
    """Measure every layer of a sample under every treatment."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(tokens.groups))
    n = len(tokens.groups) // 2
    control, measured = np.sort(order[:n]), np.sort(order[n:])
    panels, gains = [], []
    for number in range(tokens.layers.shape[1]):
        vectors = tokens.layers[:, number]
        reference = vectors if tokens.labeled else vectors[tokens.at_random]
        centered = vectors - reference.mean(axis=0)
        top = directions(reference)
        scores = [np.mean(_aucs(tokens, unit(without(centered, top[:k])), control)) for k in range(MOST_K + 1)]
        best = int(np.argmax(np.round(scores, 6)))
        treated = {RAW: (None, vectors), MEAN: (0, centered), TOP: (best, without(centered, top[:best]))}
        by_treatment = {name: _panel(tokens, rows, k, measured, rng) for name, (k, rows) in treated.items()}
        random_directions = np.linalg.qr(rng.standard_normal((vectors.shape[1], max(best, 1))))[0].T[:best]
        random = _aucs(tokens, unit(without(centered, random_directions)), measured)
        panels.append(by_treatment)
        raw, mean, last = (by_treatment[name].auc for name in (RAW, MEAN, TOP))
        compared = {MEAN: (mean, raw), TOP: (last, mean), "control": (last, random)}
        gains.append({name: compare_pairs(*both) for name, both in compared.items()})
    return Anisotropy(
        panels=tuple(panels),
        gains=tuple(gains),
        controls=tuple(tokens.names[k] for k in control),
        measured=tuple(tokens.names[k] for k in measured),
        labeled=tokens.labeled,
    )


def directions(vectors: np.ndarray) -> np.ndarray:
    """Return the directions of largest variance about the mean, the largest first, as rows (D, D)."""
    centered = np.asarray(vectors, np.float64) - vectors.mean(axis=0)
    return np.linalg.eigh(centered.T @ centered)[1].T[::-1].astype(np.float32)


def without(vectors: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """Return vectors (N, D) minus their components along orthonormal directions (k, D)."""
    return vectors - (vectors @ taken.T) @ taken if len(taken) else vectors


def explained(vectors: np.ndarray) -> float:
    """Return the share of squared length along the first direction, without subtracting the mean (Ethayarajh 2019, "MEV")."""
    squares = np.linalg.eigvalsh((vectors @ vectors.T).astype(np.float64))
    return float(squares[-1] / max(squares.sum(), 1e-30))


def nearer(cosines: np.ndarray, others: np.ndarray) -> float:
    """Return the area under the ROC curve: the share of pairs from cosines (p,) and sorted others (q,) with the first higher, ties half."""
    return float((np.searchsorted(others, cosines, "left") + np.searchsorted(others, cosines, "right")).mean() / (2 * len(others)))


def density(cosines: list[np.ndarray]) -> np.ndarray:
    """Return a smoothed histogram (200,) over GRID of area 1 from the cosines of each word's pairs. Every word counts equally."""
    counted = np.mean([np.histogram(np.clip(cosine, -1, 1), EDGES)[0] / len(cosine) for cosine in cosines], axis=0)
    reach = np.arange(-8, 9) * (EDGES[1] - EDGES[0])
    kernel = np.exp(-0.5 * (reach / WIDTH) ** 2)
    padded = np.pad(counted, 8, mode="symmetric")  # mass beyond the edge is reflected
    return np.convolve(padded, kernel / kernel.sum(), "valid") / (EDGES[1] - EDGES[0])


def _panel(tokens: Sample, vectors: np.ndarray, k: int | None, measured: np.ndarray, rng: np.random.Generator) -> SharedPanel:
    units = unit(vectors)
    random = _random_cosines(tokens, units)
    cosines: dict[str, list[np.ndarray]] = {RANDOM: [random], WORD: [], SENSE: []}
    alike, shares = [], []
    random_shares = {}  # explained by one direction of as many random tokens, by their number
    for word in measured:
        rows = tokens.groups[word]
        word_cosines = _pairs(units[rows])
        senses = tokens.senses[rows]
        same = ((senses[:, None] == senses) & (senses >= 0))[np.triu_indices(len(rows), 1)]
        for kind, chosen in ((WORD, ~same), (SENSE, same)):
            if chosen.any():
                cosines[kind].append(word_cosines[chosen])
        alike.append(word_cosines.mean())
        if len(rows) not in random_shares:
            size = min(len(rows), len(tokens.at_random))
            samples = [rng.choice(tokens.at_random, size, replace=False) for _ in range(DRAWS)]
            random_shares[len(rows)] = np.mean([explained(vectors[sampled]) for sampled in samples])
        shares.append(explained(vectors[rows]) - random_shares[len(rows)])
    cosines = {kind: values for kind, values in cosines.items() if values}
    return SharedPanel(
        k=k,
        density={kind: density(values) for kind, values in cosines.items()},
        mean={kind: float(np.mean([item.mean() for item in values])) for kind, values in cosines.items()},
        span={kind: tuple(np.quantile(np.concatenate(values), (0.05, 0.95)).tolist()) for kind, values in cosines.items()},
        alike=compare_pairs(alike, np.full(len(alike), random.mean())),
        explained=compare_pairs(shares, np.zeros(len(shares))),
        auc=_aucs(tokens, units, measured),
    )


def _aucs(tokens: Sample, units: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Return the AUC of each word's pairs against random pairs (W,), for unit vectors (N, D)."""
    ordered = np.sort(_random_cosines(tokens, units))
    return np.array([nearer(_pairs(units[tokens.groups[word]]), ordered) for word in words])


def _random_cosines(tokens: Sample, units: np.ndarray) -> np.ndarray:
    vectors = units[tokens.at_random]
    return (vectors @ vectors.T)[tokens.apart]


def _pairs(units: np.ndarray) -> np.ndarray:
    """Return the cosines of all pairs of unit vectors (n, D), (n (n - 1) / 2,)."""
    return (units @ units.T)[np.triu_indices(len(units), 1)]


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The pairs of both kinds of each word, in one space."""

    words: dict[str, tuple[np.ndarray, np.ndarray]]  # word -> cosines of pairs of one sense, of two, each in ascending order

    @property
    def kinds(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return the cosines of each word's pairs of one sense, and of each word's pairs of two."""
        return [same for same, _ in self.words.values()], [different for _, different in self.words.values()]

    def auc(self) -> Paired:
        """Return the mean over words of AUC minus a half, with an interval over words. A `mean` of 0 is chance."""
        result = list(self.aucs().values())
        return compare_pairs(result, np.full(len(result), 0.5))

    def aucs(self) -> dict[str, float]:
        """Return the AUC of each word."""
        return {word: nearer(same, different) for word, (same, different) in self.words.items()}

    def gap(self) -> Paired:
        """Return the mean cosine of pairs of one sense minus that of two, paired by word."""
        same, different = ([cosines.mean() for cosines in kind] for kind in self.kinds)
        return compare_pairs(same, different)

    def means(self) -> tuple[float, float]:
        """Return the mean cosines of pairs of one sense and of two."""
        same, different = (float(np.mean([cosines.mean() for cosines in kind])) for kind in self.kinds)
        return same, different

    def densities(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the densities (200,) over GRID of pairs of one sense and of two."""
        same, different = self.kinds
        return density(same), density(different)

    def errors(self, threshold: float) -> tuple[float, float]:
        """Return the shares of pairs of one sense under a threshold on the cosine, and of two at it or above: means over words, 0 to 1."""
        missed = [np.searchsorted(same, threshold - TIE) / len(same) for same, _ in self.words.values()]
        passed = [1 - np.searchsorted(different, threshold - TIE) / len(different) for _, different in self.words.values()]
        return float(np.mean(missed)), float(np.mean(passed))

    def balanced(self) -> float:
        """Return the threshold, in hundredths, with the smallest sum of both errors; of several the middle one."""
        tried = np.arange(0, 101) / 100
        sums = np.array([sum(self.errors(threshold)) for threshold in tried])
        best = np.flatnonzero(sums <= sums.min() + 1e-9)
        return float(tried[best[len(best) // 2]])

    def of(self, word: str) -> "Spread":
        """Return the pairs of one word."""
        return Spread({word: self.words[word]})


def words_of(table: OccurrenceTable) -> dict[str, np.ndarray]:
    """Return the rows of each basic labeled word with two senses or more, one of them twice. Raises BadInput without such a word."""
    table = table.basic
    rows = table.without_copies(table.labeled_rows())
    result = {}
    for code in np.unique(table.lemma[rows]):
        word_rows = rows[table.lemma[rows] == code]
        counts = np.unique(table.sense[word_rows], return_counts=True)[1]
        if code >= 0 and len(counts) > 1 and counts.max() > 1:
            result[table.lemmas[code]] = word_rows
    if not result:
        raise BadInput(t("No word has two labeled senses here. Choose another corpus."))
    return result


def measure_spread(table: OccurrenceTable, layer: str) -> Spread:
    """Measure every labeled word in one layer or in the equal mix ("mix")."""
    weights = layer_weights(layer, table.meta["layers"])
    return Spread({word: split_pairs(table.similarities(rows, weights), table.sense[rows]) for word, rows in words_of(table).items()})


def shuffled_p(table: OccurrenceTable, word: str, layer: str) -> float:
    """Return how often a word's AUC is reached with shuffled senses, as a rank p."""
    from scipy.stats import rankdata

    rows = words_of(table)[word]
    cosines = table.similarities(rows, layer_weights(layer, table.meta["layers"]))
    senses = table.sense[rows]
    first, second = np.triu_indices(len(rows), 1)
    ranks = rankdata(round_to_tie(cosines[first, second]))
    shuffles = np.random.default_rng(0).permuted(np.tile(senses, (ROUNDS, 1)), axis=1)
    sums = np.array([(shuffle[first] == shuffle[second]) @ ranks for shuffle in shuffles])  # all have as many pairs of one sense
    return rank_p(float((senses[first] == senses[second]) @ ranks), sums)


def split_pairs(cosines: np.ndarray, senses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split cosines (n, n) by senses (n,) into those of pairs of one sense and of two, rounded to ties, in ascending order."""
    first, second = np.triu_indices(len(senses), 1)
    values = round_to_tie(cosines[first, second])
    same = senses[first] == senses[second]
    return np.sort(values[same]), np.sort(values[~same])


def round_to_tie(cosines: np.ndarray) -> np.ndarray:
    """Round cosines so that ties are equal numbers."""
    return np.round(cosines.astype(np.float64) / TIE) * TIE
