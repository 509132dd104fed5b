"""Compare two spaces of the same words: neighbors that stay, words that changed most, and overall similarity.

A word is similar in both spaces to the extent that they share its k nearest words, the measure by which Gonen et al. (2020) find words
that changed. Complete spaces are compared by debiased linear CKA (Kornblith et al. 2019), which is invariant to rotation and scale,
and by the same CKA with words paired at random. For one model on two corpora, a word's distance is reported with the distance between
two halves of one corpus, because a mean of few occurrences moves by chance.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.significance import rank_p
from ..elmo.mix import check_weights, mixed
from ..index.table import OccurrenceTable

MOST_WORDS = 5_000  # shared words that are compared: the most frequent
PAIRINGS, TESTED = 199, 1_000  # random pairings of words, and how many words are paired
FEWEST_WORDS = 20  # below which no figure is worth showing
BLOCK = 1_024  # words whose cosines with all others are held at a time
Take = Callable[[np.ndarray], np.ndarray]  # (n,) rows of a table -> (n, D), of a space that mixes no layers


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Words, most frequent first, with a vector each, (n, D) float32."""

    name: str
    words: tuple[str, ...]
    vectors: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """A comparison of two spaces over the words they share."""

    words: tuple[str, ...]  # (n,), most frequent first
    first: np.ndarray  # (n, k) int, each word's neighbors in the first space, nearest first
    second: np.ndarray  # (n, k) int
    cosines: tuple[np.ndarray, np.ndarray]  # (n, k) each, of those neighbors
    shared: np.ndarray  # (n,) int: how many of the k both spaces name
    profile: np.ndarray  # (n,) correlation of a word's cosines with all the others in the one space and in the other
    chance: float  # share of k that two lists drawn at random would have in common
    random: tuple[float, float]  # mean cosine of two different words in either space

    @property
    def k(self) -> int:
        """Return the number of neighbors compared."""
        return self.first.shape[1]

    @property
    def share(self) -> np.ndarray:
        """Return shared neighbors / k, (n,), from 0 to 1."""
        return self.shared / self.k

    @property
    def jaccard(self) -> np.ndarray:
        """Return neighbors in both lists / neighbors in either, (n,), from 0 to 1."""
        return self.shared / (2 * self.k - self.shared)

    def most_changed(self) -> np.ndarray:
        """Return word numbers (n,), fewest shared neighbors first; ties are broken by the lower agreement of cosines with all words."""
        return np.lexsort((self.profile, self.shared))

    def telling(self, among: Sequence[str]) -> list[int]:
        """Return the numbers of words with close neighbors in both spaces, the most changed first.

        A word has close neighbors if its three nearest are closer on average than those of half of all words. Isolated words have
        neighbors by chance, and two such lists differ for no reason.
        """
        closeness = [cosines[:, :3].mean(axis=1) for cosines in self.cosines]
        company = np.all([mean >= np.median(mean) for mean in closeness], axis=0)  # (n,)
        number = {word: k for k, word in enumerate(self.words)}
        candidates = {number[word] for word in among if word in number}
        return sorted([int(k) for k in self.most_changed() if k in candidates], key=lambda k: not company[k])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shift:
    """Distances (1 - cosine) between one model's word means in two corpora, over their shared words (n,)."""

    words: tuple[str, ...]
    between: np.ndarray  # cosine distance of the two corpora's means
    within: np.ndarray  # the same of the means of two halves, averaged over both corpora; NaN for a word that occurs once
    counts: np.ndarray  # (n, 2) occurrences

    @property
    def excess(self) -> np.ndarray:
        """Return between minus within, (n,). A half's mean has half as many occurrences, so this errs on the low side."""
        return self.between - self.within


def static_space(name: str, words: Sequence[str], vectors: np.ndarray) -> Space:
    """Return a vector file's words as a space (n, D), ignoring case. The first of equal spellings counts."""
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        rows.setdefault(word.casefold(), row)
    return Space(name, tuple(rows), np.asarray(vectors)[list(rows.values())])


def type_space(name: str, table: OccurrenceTable, weights: Sequence[float] | Take, *, fewest: int = 1) -> Space:
    """Return the spellings with at least `fewest` occurrences, each at the mean of its occurrences.

    `weights` is a layer mix, or a function that returns the vectors of rows in another space, for which every row is read.
    """
    counts = np.bincount(table.word, minlength=len(table.words))
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] >= max(1, fewest)]
    if callable(weights):
        vectors = (_sums(table.word, len(table.words), weights) / np.maximum(counts, 1)[:, None])[order]
    else:
        vectors = mixed(table.types.take(order), check_weights(weights, table.meta["layers"]), axis=1)
    return Space(name, tuple(table.words[code] for code in order), vectors)


def find_common_words(spaces: Sequence[Space], *, max_words: int = MOST_WORDS) -> tuple[str, ...]:
    """Return the words with a letter that all spaces have, at most `max_words`, sorted by their worst rank in any space."""
    ranks = [{word: rank for rank, word in enumerate(space.words)} for space in spaces]
    common = set.intersection(*(set(ranked) for ranked in ranks))
    common = {word for word in common if any(map(str.isalpha, word))}
    if len(common) < FEWEST_WORDS:
        values = {"names": ", ".join(space.name for space in spaces), "n": len(common), "least": FEWEST_WORDS}
        raise BadInput(t("Words that {names} share: {n} of the {least} needed. Choose a larger corpus or other vectors.", **values))
    return tuple(sorted(common, key=lambda word: (max(rank[word] for rank in ranks), word))[:max_words])


def on_words(space: Space, words: Sequence[str]) -> np.ndarray:
    """Return the vectors (n, D) of these words, all of which the space must have."""
    rows = {word: row for row, word in enumerate(space.words)}
    return space.vectors[[rows[word] for word in words]]


def compare(first: np.ndarray, second: np.ndarray, words: Sequence[str], *, k: int = 10) -> Comparison:
    """Compare vectors (n, D1) and (n, D2) of the same n words by their exact neighbors in both spaces."""
    n = len(words)
    k = min(k, n - 1)
    if k < 1:
        raise BadInput(t("At least two words are needed."))
    spaces = [torch.from_numpy(unit(np.asarray(vectors, np.float32))) for vectors in (first, second)]
    lists, values, profile = ([], []), ([], []), []
    for start in range(0, n, BLOCK):
        rows = torch.arange(start, min(start + BLOCK, n))
        cosines = [space[rows] @ space.T for space in spaces]
        profile.append(_correlations(*cosines, rows))
        for number, space_cosines in enumerate(cosines):
            space_cosines[torch.arange(len(rows)), rows] = -2.0  # nobody is their own neighbor
            best = space_cosines.topk(k, dim=1)
            lists[number].append(best.indices.numpy())
            values[number].append(best.values.numpy())
    a, b = map(np.concatenate, lists)
    return Comparison(
        words=tuple(words),
        first=a,
        second=b,
        cosines=tuple(map(np.concatenate, values)),
        shared=np.array([len({*x} & {*y}) for x, y in zip(a.tolist(), b.tolist(), strict=True)]),
        profile=np.concatenate(profile),
        chance=k / (n - 1),
        random=tuple(float(space.sum(dim=0).square().sum() - space.square().sum()) / (n * (n - 1)) for space in spaces),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedAtRandom:
    """A CKA, and that of the same spaces with their words paired at random."""

    cka: float
    random: float  # mean of PAIRINGS pairings
    p: float  # share of pairings, the true one among them, that reach the figure
    n: int  # words compared


def test_cka(first: np.ndarray, second: np.ndarray) -> PairedAtRandom:
    """Test whether two spaces are more similar than by chance, on at most TESTED of their words, drawn at random."""
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(first))[:TESTED]
    x, y = (_kernel(np.asarray(space)[rows]) for space in (first, second))
    norms = [_hsic(part, part) for part in (x, y)] if len(rows) > 3 else [0.0]
    if min(norms) <= 1e-20:
        return PairedAtRandom(cka=0.0, random=0.0, p=1.0, n=len(rows))
    orders = [rng.permutation(len(rows)) for _ in range(PAIRINGS)]
    null = np.array([_hsic(x, [part[order] for part in y]) for order in orders])
    scale = np.sqrt(norms[0] * norms[1])
    result = _hsic(x, y)
    return PairedAtRandom(cka=float(result / scale), random=float(null.mean() / scale), p=rank_p(result, null), n=len(rows))


def _kernel(vectors: np.ndarray) -> list[np.ndarray]:
    """Return centered X of (n, D), the diagonal of X X', and the sums of its rows without that diagonal."""
    centered = np.asarray(vectors, np.float64) - np.mean(vectors, axis=0, dtype=np.float64)
    diagonal = np.einsum("nd,nd->n", centered, centered)
    return [centered, diagonal, centered @ centered.sum(axis=0) - diagonal]


def _hsic(first: Sequence[np.ndarray], second: Sequence[np.ndarray]) -> float:
    """Return the unbiased HSIC of two `_kernel` results, from products of two different words only."""
    (x, on_x, rows_x), (y, on_y, rows_y) = first, second
    n = len(x)
    together = np.linalg.norm(x.T @ y) ** 2 - on_x @ on_y
    return float((together + rows_x.sum() * rows_y.sum() / ((n - 1) * (n - 2)) - 2 / (n - 2) * (rows_x @ rows_y)) / (n * (n - 3)))


def cka_matrix(spaces: Sequence[np.ndarray]) -> np.ndarray:
    """Return the debiased linear CKA (Kornblith et al. 2019) of m spaces (n, D) of the same words: symmetric (m, m), 1 on the diagonal.

    HSIC(X, Y) / sqrt(HSIC(X, X) HSIC(Y, Y)) with the unbiased HSIC of Song et al. (2012, eq. 5; for CKA: Nguyen et al. 2021). At most 1;
    unrelated spaces of any size have 0 on average and may fall below by chance. 0 if a space has no spread. Memory is D1 x D2.
    """
    result = np.eye(len(spaces))
    parts = [_kernel(space) for space in spaces]
    norms = [_hsic(part, part) if len(part[0]) > 3 else 0.0 for part in parts]
    for i, j in combinations(range(len(spaces)), 2):
        if min(norms[i], norms[j]) > 1e-20:
            result[i, j] = result[j, i] = _hsic(parts[i], parts[j]) / np.sqrt(norms[i] * norms[j])
    return result


def shift(
    first: OccurrenceTable,
    second: OccurrenceTable,
    words: Sequence[str],
    weights: tuple[Sequence[float] | Take, Sequence[float] | Take],
    *,
    documents: tuple[np.ndarray | None, np.ndarray | None] = (None, None),
) -> Shift:
    """Return the distance of each word's mean vector between corpora, and that between two halves of one corpus.

    Halves hold complete documents if `documents` numbers those of a corpus's sentences, otherwise complete sentences. Neighboring text is
    similar, so splitting a document would make halves more similar than two texts are.
    """
    halves = [_half_sums(table, words, *rest) for table, *rest in zip((first, second), weights, documents, strict=True)]
    wholes = [unit(sums.sum(axis=0)) for sums, _ in halves]
    between = 1 - (wholes[0] * wholes[1]).sum(axis=1)
    within = [np.where((n > 0).all(axis=0), 1 - (unit(sums[0]) * unit(sums[1])).sum(axis=1), np.nan) for sums, n in halves]
    both = np.array([counts.sum(axis=0) for _, counts in halves]).T
    return Shift(words=tuple(words), between=between, within=np.mean(within, axis=0), counts=both)


def halves_overlap(
    table: OccurrenceTable, words: Sequence[str], weights: Sequence[float] | Take, *, k: int, documents: np.ndarray | None = None
) -> tuple[float, int]:
    """Return the share of its k nearest words that a word keeps between two halves of a corpus, and the number of words.

    This is the change of neighbor lists caused by other sentences alone. (0, 0) if fewer than FEWEST_WORDS appear in both halves.
    """
    sums, counts = _half_sums(table, words, weights, documents)
    both = np.flatnonzero((counts > 0).all(axis=0))
    if len(both) < FEWEST_WORDS:
        return 0.0, 0
    result = compare(sums[0][both], sums[1][both], [words[row] for row in both], k=k)
    return float(result.shared.mean()), len(both)


def _half_sums(
    table: OccurrenceTable, words: Sequence[str], weights: Sequence[float] | Take, documents: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums (2, n, D) of the words' occurrences in every second of a word's texts and in the rest, and their counts (2, n)."""
    number = np.full(len(table.words), -1)
    number[[table.word_codes[word] for word in words]] = np.arange(len(words))
    of_row = number[table.word]
    text = np.asarray(table.sentence if documents is None else documents[table.sentence], np.int64)
    n_texts = text.max(initial=0) + 1
    texts, number = np.unique(of_row * n_texts + text, return_inverse=True)  # the texts of each word, word after word
    rank = number - np.searchsorted(texts, of_row * n_texts)
    slot = np.where(of_row >= 0, of_row + len(words) * (rank % 2), -1)

    def mixes(rows: np.ndarray) -> np.ndarray:
        return mixed(table.rows.take(rows), check_weights(weights, table.meta["layers"]), axis=1)

    sums = _sums(slot, 2 * len(words), weights if callable(weights) else mixes)
    counts = np.bincount(slot[slot >= 0], minlength=len(sums))
    return sums.reshape(2, len(words), -1), counts.reshape(2, -1)


def _sums(slot: np.ndarray, n: int, take: Take) -> np.ndarray:
    """Return the sums (n, D) of a table's rows per slot; `slot` (N,) is -1 for rows that are not summed."""
    from scipy.sparse import csr_array

    sums = np.zeros((n, 1), np.float32)
    for start in range(0, len(slot), BLOCK):
        rows = start + np.flatnonzero(slot[start : start + BLOCK] >= 0)
        sums = sums + csr_array((np.ones(len(rows), np.float32), (slot[rows], np.arange(len(rows)))), (n, len(rows))) @ take(rows)
    return sums


def _correlations(first: torch.Tensor, second: torch.Tensor, rows: torch.Tensor) -> np.ndarray:
    """Return Pearson's r (b,) between each word's cosines (b, n) in two spaces, without the word itself."""
    centered = []
    for cosines in (first, second):
        n, diagonal = cosines.shape[1], cosines[torch.arange(len(rows)), rows]
        less = cosines - ((cosines.sum(dim=1) - diagonal) / (n - 1))[:, None]
        less[torch.arange(len(rows)), rows] = 0.0
        centered.append(less)
    a, b = centered
    return ((a * b).sum(dim=1) / (a.norm(dim=1) * b.norm(dim=1)).clamp_min(1e-12)).numpy()
