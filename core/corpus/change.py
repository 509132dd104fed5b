"""Measure how far a word's use differs between two sets of its sentences: five measures, each compared with shuffled sentences.

APD, the average pairwise distance, and PRT, the distance of the prototypes, take vectors (Kutuzov and Giulianelli 2020, "UiO-UvA at SemEval-2020
Task 1"). JSD takes the shares of sense groups (Giulianelli, Del Tredici and Fernández 2020). APD is also large if both sides have the same many
meanings. The gap is therefore APD minus the mean distance within the sides (twice the gap is the squared maximum mean discrepancy, Gretton and
others 2012). The neighbors measure is the same gap in shares of common nearest neighbors (Schilling 1986; Jarvis and Patrick 1973). It detects a
small new sense even if the old ones vary more. The sum of the gap and the neighbors measure, each in standard deviations of the shuffled
values, decides.

The null values come from shuffling the sentences over the sides, as complete documents if there are enough, since sentences of one document
have a common topic.
"""

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.significance import rank_p
from .encoded import EncodedCorpus

PERMUTATIONS = 999
FEWEST = 5  # sentences on each side
FEWEST_DOCUMENTS = 6  # on each side, for complete documents to be shuffled: 12 have 924 divisions
NEAREST = 5  # neighbors of a sentence
TIE = 1e-5  # difference of cosines that is rounding
SHRINK = 2.0  # occurrences of the word in general that a spelling's mean is mixed with
SENTENCES, DOCUMENTS = "sentences", "documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure and its null distribution over shuffled sentences."""

    value: float
    null: float  # mean of the shuffled
    limit: float  # 95% of the shuffled are below
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UseChange:
    """The change of a word's use between two sides."""

    measures: dict[str, Measure]  # by their names in `measure_titles`
    p: float  # p of any change, from the gap and the neighbors together
    first: int  # sentences
    second: int
    shuffled: str  # SENTENCES or DOCUMENTS


def measure_titles() -> dict[str, str]:
    """Return the titles of the measures by name. The two that decide are last."""
    return {
        "apd": t("APD, pairs of sentences"),  # 0 to 2
        "prt": t("PRT, prototypes"),  # 0 to 2
        "jsd": t("JSD, shares of senses"),  # 0 to 1
        "gap": t("APD minus within sides"),  # minus the mean distance within the sides
        "neighbors": t("Neighbors within sides"),  # share of common nearest neighbors of two rows: within sides minus across
    }


def average_pairwise_distance(first: np.ndarray, second: np.ndarray) -> float:
    """Return the mean of 1 - cosine over all pairs of unit rows (n, D) and (m, D), from the rows' means."""
    return float(1 - first.mean(axis=0, dtype=np.float64) @ second.mean(axis=0, dtype=np.float64))


def distance_of_shares(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the Jensen-Shannon distance of the shares of counts (..., K): the root of the divergence in bits (Lin 1991), in [0, 1]."""
    from scipy.special import rel_entr

    p, q = (np.asarray(counts, np.float64) / np.maximum(np.sum(counts, axis=-1, keepdims=True), 1) for counts in (first, second))
    divergence = (rel_entr(p, (p + q) / 2) + rel_entr(q, (p + q) / 2)).sum(axis=-1) / 2
    return np.sqrt(np.clip(divergence / np.log(2), 0, 1))


def expected_distance(rows: np.ndarray) -> float:
    """Return the mean APD of shuffled sentences: the mean distance of all pairs of different unit rows (n, D)."""
    total = rows.sum(axis=0, dtype=np.float64)
    squares = float((rows.astype(np.float64) ** 2).sum())
    return float(1 - (total @ total - squares) / max(1, len(rows) * (len(rows) - 1)))


def nearest(rows: np.ndarray):
    """Return sparse rows (n, n) whose products are shares of common nearest neighbors, for unit rows (n, D).

    Each has length 1, with equal values at the row itself and at its NEAREST neighbors among the centered rows. Neighbors that tie for the
    last places share them. Otherwise the order of repeated sentences, and so their side, would decide.
    """
    from scipy.sparse import csr_array

    k = min(NEAREST, len(rows) - 1)
    centered = unit(rows - rows.mean(axis=0))
    cosines = centered @ centered.T
    np.fill_diagonal(cosines, np.inf)
    last = -np.partition(-cosines, k, axis=1)[:, k : k + 1]
    above = cosines > last + TIE
    tied = np.abs(cosines - last) <= TIE
    weights = above + tied * (k + 1 - above.sum(axis=1, keepdims=True)) / tied.sum(axis=1, keepdims=True)
    return csr_array(unit(weights.astype(np.float32)))


def evened(rows: np.ndarray, spellings: Sequence[Hashable]) -> np.ndarray:
    """Move the shrunken mean of each spelling (n,) of unit rows (n, D) to the mean of all: a capital or an ending changes no meaning."""
    rows = unit(np.asarray(rows, np.float32))
    spellings = np.unique(np.asarray(spellings, str), return_inverse=True)[1]
    overall = rows.mean(axis=0)
    moved = rows.copy()
    for code in range(spellings.max() + 1):
        is_spelling = spellings == code
        moved[is_spelling] += overall - (rows[is_spelling].sum(axis=0) + SHRINK * overall) / (is_spelling.sum() + SHRINK)
    return unit(moved)


def change(
    first: np.ndarray,
    second: np.ndarray,
    groups: np.ndarray,
    documents: Sequence[Hashable] = (),
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> UseChange:
    """Return the measures for unit rows (n, D) and (m, D), each with its null distribution.

    `groups` and `documents`, (n + m,) each, are the rows' sense groups, -1 for none, and documents; no documents are (). Raises BadInput for fewer than
    FEWEST rows on a side.
    """
    n, m = len(first), len(second)
    if min(n, m) < FEWEST:
        raise BadInput(t("{n} and {m} sentences; change needs at least {least} on each side.", n=n, m=m, least=FEWEST))
    rows = np.concatenate([first, second]).astype(np.float32)
    groups = np.asarray(groups, int)
    members, shuffled = _dealt(n, m, documents, permutations, np.random.default_rng(seed))  # (1 + R, n + m), the real one first
    sizes = members.sum(axis=1, keepdims=True)
    sums = members @ rows  # (1 + R, D)
    others = rows.sum(axis=0) - sums
    of_group = np.equal.outer(groups, np.arange(groups.max() + 1)).astype(np.float32)
    counts = members @ of_group
    rest = of_group.sum(axis=0) - counts
    neighbor_rows = nearest(rows)
    shared = (neighbor_rows.T @ members.T).T  # (1 + R, n + m)
    values = np.stack(
        [
            1 - np.einsum("rd,rd->r", sums / sizes, others / (n + m - sizes)),
            1 - np.einsum("rd,rd->r", unit(sums), unit(others)),
            distance_of_shares(counts, rest),
            _gap(sums, others, sizes[:, 0], n + m - sizes[:, 0]),
            _gap(shared, neighbor_rows.sum(axis=0) - shared, sizes[:, 0], n + m - sizes[:, 0]),
        ]
    )
    values = values.astype(np.float64).round(6)  # (5, 1 + R); rounded, so that equal distances are ties in float32
    measures = dict(zip(measure_titles(), map(_measure, values), strict=True))
    deciding = values[3:]
    summed = (deciding / np.maximum(deciding.std(axis=1, keepdims=True), 1e-12)).sum(axis=0).round(6)
    p = rank_p(summed[0], summed[1:])
    return UseChange(measures=measures, p=p, first=n, second=m, shuffled=shuffled)


def _gap(sums: np.ndarray, others: np.ndarray, n: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Return APD minus the mean distance within a side, (R,), from sums (R, D) of unit rows on both sides and their numbers (R,)."""
    first_lengths, second_lengths = (np.einsum("rd,rd->r", side, side) for side in (sums, others))
    # Mean cosines of two different rows of a side
    within = (first_lengths - n) / np.maximum(n * (n - 1), 1) + (second_lengths - m) / np.maximum(m * (m - 1), 1)
    return within / 2 - np.einsum("rd,rd->r", sums, others) / (n * m)


def _measure(values: np.ndarray) -> Measure:
    """Return the measure for its real value, the first, and those of the shuffled."""
    null = values[1:]
    return Measure(value=float(values[0]), null=float(null.mean()), limit=float(np.quantile(null, 0.95)), p=rank_p(float(values[0]), null))


def _dealt(n: int, m: int, documents: Sequence[Hashable], permutations: int, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    """Return (1 + R, n + m) float32, 1 for rows on the first side, the real division first and then shuffled ones; and the unit of shuffling."""
    side = np.arange(n + m) < n
    codes = np.unique(np.asarray(documents, str), return_inverse=True)[1] if len(documents) else np.arange(n + m)
    of_first, of_second = np.unique(codes[:n]), np.unique(codes[n:])
    by_document = len(documents) > 0 and min(len(of_first), len(of_second)) >= FEWEST_DOCUMENTS and not np.isin(of_first, of_second).any()
    if not by_document:
        codes = np.arange(n + m)
    first = np.zeros(codes.max() + 1, np.float32)
    first[codes[side]] = 1
    dealt = rng.permuted(np.tile(first, (permutations, 1)), axis=1)  # (R, documents)
    return np.concatenate([first[None], dealt])[:, codes], DOCUMENTS if by_document else SENTENCES


SAME_TEXT = 0.8  # of the smaller text's sentences; common phrases and boilerplate are fewer


def sentence_keys(corpus: EncodedCorpus) -> np.ndarray:
    """Return a key (S,) uint64 for each sentence, the same for the same tokens."""
    return _keys(corpus.spelling, corpus.spelling_list, corpus.starts)


def list_keys(sentences: pa.ListArray | pa.ChunkedArray) -> np.ndarray:
    """Return the keys (S,) of a table's sentences, as `sentence_keys`."""
    flat = sentences.combine_chunks() if isinstance(sentences, pa.ChunkedArray) else sentences
    coded = pc.dictionary_encode(flat.flatten())
    starts = np.concatenate([[0], np.cumsum(pc.list_value_length(flat).fill_null(0).to_numpy(zero_copy_only=False))])
    return _keys(coded.indices.to_numpy(zero_copy_only=False), coded.dictionary.to_pylist(), starts)


def intersect_keys(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the keys that two texts share if one is the other or a part of it: at least SAME_TEXT of the smaller text; else none."""
    shared = np.intersect1d(first, second)
    smaller = min(first, second, key=len)
    return shared if len(smaller) and np.isin(smaller, shared).mean() >= SAME_TEXT else shared[:0]


def _keys(codes: np.ndarray, spellings: Sequence[str], starts: np.ndarray) -> np.ndarray:
    tokens = _hashes(name.encode("utf-8", "surrogatepass") for name in spellings)[codes].tobytes()
    return _hashes(tokens[8 * start : 8 * end] for start, end in pairwise(starts.tolist()))


def _hashes(values: Iterable[bytes]) -> np.ndarray:
    return np.frombuffer(b"".join(hashlib.blake2b(value, digest_size=8).digest() for value in values), np.uint64)
