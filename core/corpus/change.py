"""How far a word's use differs between two sets of its sentences: five measures, each held against shuffled sentences.

APD, the average pairwise distance, and PRT, the distance of the prototypes, take vectors (Kutuzov and Giulianelli 2020, "UiO-UvA at SemEval-2020
Task 1"); JSD takes the shares of sense groups (Giulianelli, Del Tredici and Fernández 2020). APD is large, too, where both sides mean many things
alike: the gap is what is left of it minus the pairs within each side (twice that is the squared maximum mean discrepancy, Gretton and others
2012). The neighbors are the same gap, of which sentences are a sentence's nearest (Schilling 1986; Jarvis and Patrick 1973): a small new sense
is seen though the old ones vary more. The sum of these two, each in standard deviations of the shuffled, decides, against the sums of the
shuffled. What chance makes of each is seen where the same sentences are dealt out anew, whole documents where there are enough, as sentences
of one document speak of the same things.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.significance import rank_p

PERMUTATIONS = 999
FEWEST = 5  # sentences on each side
FEWEST_DOCUMENTS = 6  # on each side, for whole documents to be dealt out: 12 can be in 924 ways
NEAREST = 5  # neighbors of a sentence
SHRINK = 2.0  # occurrences of the word at large that a spelling's own mean is mixed with
SENTENCES, DOCUMENTS = "sentences", "documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure, and what shuffled sentences give."""

    value: float
    null: float  # mean of the shuffled
    limit: float  # 95% of the shuffled stay below
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UseChange:
    """A word on two sides."""

    apd: Measure  # 0 to 2
    prt: Measure  # 0 to 2
    jsd: Measure  # 0 to 1
    gap: Measure  # APD minus the mean of both sides' own
    neighbors: Measure  # the share of nearest neighbors that two rows have in common: within sides minus across
    p: float  # whether there is change at all: by the gap and the neighbors together
    first: int  # sentences
    second: int
    shuffled: str  # SENTENCES or DOCUMENTS

    @property
    def measures(self) -> dict[str, Measure]:
        """By name, as `measure_titles` has them."""
        return {name: getattr(self, name) for name in measure_titles()}


def measure_titles() -> dict[str, str]:
    """The title of each measure by its name, the two that decide last."""
    return {
        "apd": t("APD, pairs of sentences"),
        "prt": t("PRT, prototypes"),
        "jsd": t("JSD, shares of senses"),
        "gap": t("APD minus within sides"),
        "neighbors": t("Neighbors within sides"),
    }


def average_pairwise_distance(first: np.ndarray, second: np.ndarray) -> float:
    """(n, D), (m, D) unit rows -> mean of 1 - cosine over all n m pairs: by their sums, for the mean of products is the product of means."""
    return float(1 - first.mean(axis=0, dtype=np.float64) @ second.mean(axis=0, dtype=np.float64))


def distance_of_shares(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Counts (..., K), (..., K) -> the Jensen-Shannon distance of their shares, in [0, 1]: the root of the divergence in bits (Lin 1991)."""
    p, q = (np.asarray(counts, np.float64) / np.sum(counts, axis=-1, keepdims=True) for counts in (first, second))
    middle = np.maximum((p + q) / 2, 1e-300)
    bits = sum(np.where(share > 0, share * np.log2(np.maximum(share, 1e-300) / middle), 0).sum(axis=-1) for share in (p, q)) / 2
    return np.sqrt(np.clip(bits, 0, 1))


def expected_distance(rows: np.ndarray) -> float:
    """(n, D) unit rows -> the APD that shuffled sentences have on average: the mean over all pairs of two different rows."""
    total = rows.sum(axis=0, dtype=np.float64)
    own = float((rows.astype(np.float64) ** 2).sum())
    return float(1 - (total @ total - own) / max(1, len(rows) * (len(rows) - 1)))


def nearest(rows: np.ndarray):
    """(n, D) unit rows -> (n, n) sparse rows of length 1, alike for each row itself and its NEAREST neighbors once the rows' mean is taken off, else 0:
    their products are shares of neighbors in common."""
    from scipy.sparse import csr_array

    n, k = len(rows), min(NEAREST, len(rows) - 1)
    centered = unit(rows - rows.mean(axis=0))
    cosines = centered @ centered.T
    np.fill_diagonal(cosines, np.inf)
    among = np.argpartition(-cosines, k, axis=1)[:, : k + 1]
    return csr_array((np.full(among.size, (k + 1) ** -0.5, np.float32), among.ravel(), np.arange(n + 1) * (k + 1)), shape=(n, n))


def evened(rows: np.ndarray, spellings: Sequence[Hashable]) -> np.ndarray:
    """(n, D), (n,) -> (n, D) unit rows, each spelling's shrunken mean moved to the mean of all: a capital or an ending is no change of meaning."""
    rows = unit(np.asarray(rows, np.float32))
    spellings = np.unique(np.asarray(spellings, str), return_inverse=True)[1]
    overall = rows.mean(axis=0)
    moved = rows.copy()
    for code in range(spellings.max() + 1):
        here = spellings == code
        moved[here] += overall - (rows[here].sum(axis=0) + SHRINK * overall) / (here.sum() + SHRINK)
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
    """(n, D), (m, D) unit rows, the sense group of each (n + m,), the document of each (n + m,) or () -> the measures, each with its null.

    BadInput below FEWEST rows on a side.
    """
    n, m = len(first), len(second)
    if min(n, m) < FEWEST:
        raise BadInput(t("{n} and {m} sentences; change needs at least {least} on each side.", n=n, m=m, least=FEWEST))
    rows = np.concatenate([first, second]).astype(np.float32)
    groups = np.asarray(groups, int)
    if len(groups) != len(rows):
        raise ValueError(f"{len(rows)} rows, {len(groups)} groups")
    members, shuffled = _dealt(n, m, documents, permutations, np.random.default_rng(seed))  # (1 + R, n + m), the real one first
    sizes = members.sum(axis=1, keepdims=True)
    sums = members @ rows  # (1 + R, D)
    others = rows.sum(axis=0) - sums
    counts = members @ np.eye(groups.max() + 1, dtype=np.float32)[groups]
    rest = np.bincount(groups) - counts
    near = nearest(rows)
    shared = (near.T @ members.T).T  # (1 + R, n + m)
    drawn = np.stack(
        [
            1 - np.einsum("rd,rd->r", sums / sizes, others / (n + m - sizes)),
            1 - np.einsum("rd,rd->r", unit(sums), unit(others)),
            distance_of_shares(counts, rest),
            _gap(sums, others, sizes[:, 0], n + m - sizes[:, 0]),
            _gap(shared, near.sum(axis=0) - shared, sizes[:, 0], n + m - sizes[:, 0]),
        ]
    )
    drawn = drawn.astype(np.float64).round(6)  # (5, 1 + R); dealings of equal distances are ties, whatever float32 makes of them
    apd, prt, jsd, gap, neighbors = map(_measure, drawn)
    deciding = drawn[3:]
    summed = (deciding / np.maximum(deciding.std(axis=1, keepdims=True), 1e-12)).sum(axis=0).round(6)
    p = rank_p(summed[0], summed[1:])
    return UseChange(apd=apd, prt=prt, jsd=jsd, gap=gap, neighbors=neighbors, p=p, first=n, second=m, shuffled=shuffled)


def _gap(sums: np.ndarray, others: np.ndarray, n: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Sums (R, D), (R, D) of unit rows and how many they are of, (R,), (R,) -> APD minus the mean distance of two rows of a side, (R,)."""
    own, other = (np.einsum("rd,rd->r", of, of) for of in (sums, others))
    within = (own - n) / np.maximum(n * (n - 1), 1) + (other - m) / np.maximum(m * (m - 1), 1)  # mean cosines, a row with itself left out
    return within / 2 - np.einsum("rd,rd->r", sums, others) / (n * m)


def _measure(drawn: np.ndarray) -> Measure:
    """The real value and, behind it, those of the shuffled."""
    null = drawn[1:]
    return Measure(value=float(drawn[0]), null=float(null.mean()), limit=float(np.quantile(null, 0.95)), p=rank_p(float(drawn[0]), null))


def _dealt(n: int, m: int, documents: Sequence[Hashable], permutations: int, rng: np.random.Generator) -> tuple[np.ndarray, str]:
    """(1 + R, n + m) float32, 1 for what is on the first side: as it is, then dealt out anew; and what was dealt out."""
    side = np.arange(n + m) < n
    codes = np.unique(np.asarray(documents, str), return_inverse=True)[1] if len(documents) else np.arange(n + m)
    of_first, of_second = np.unique(codes[:n]), np.unique(codes[n:])
    whole = len(documents) > 0 and min(len(of_first), len(of_second)) >= FEWEST_DOCUMENTS and not np.isin(of_first, of_second).any()
    if not whole:
        codes = np.arange(n + m)
    first = np.zeros(codes.max() + 1, np.float32)
    first[codes[side]] = 1
    dealt = rng.permuted(np.tile(first, (permutations, 1)), axis=1)  # (R, documents)
    return np.concatenate([first[None], dealt])[:, codes], DOCUMENTS if whole else SENTENCES
