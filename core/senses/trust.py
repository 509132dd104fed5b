"""Flag unreliable results: neighbors separated by a map, and words whose senses overlap.

Trustworthiness and continuity (Venna and Kaski 2001) average over all points which of their nearest occurrences by cosine are also
nearest on the map. Here this is counted for one point. Whether the full space separates a word's senses is tested for each word against
shuffled senses. Wiedemann et al. (2019) saw regions by sense in a map of one word's BERT vectors and hardly any in ELMo's; their counts
by nearest neighbors are over complete data sets, without a test of single words.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from ..common.errors import BadInput, ElmoscopeError
from ..common.significance import LEVEL, benjamini_hochberg, holm, rank_p
from ..files.artifacts import read_json, write_json
from ..index.table import OccurrenceTable
from .evidence import TIE
from .separation import judge, mutual_pairs, resampled

GAINS = "gains.json"  # in a table's folder: how well each space separates the senses of its words
FORMAT = 1  # of a file of gains
DIGITS = 4  # in that file
K = 10  # true neighbors of a point that are counted


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """A point's true neighbors, nearest first, and which of them a map has near."""

    rows: np.ndarray  # (n,) int, numbers of points; n is K or less
    cosines: np.ndarray  # (n,)
    near: np.ndarray  # (n,) bool: among the point's n nearest on the map
    tied: int  # points left out because they are all equally near: none of them is nearer than the others
    others: int  # points there are besides it

    @property
    def by_chance(self) -> float:
        """Return the mean number of its neighbors that would be near on a random layout."""
        return len(self.rows) ** 2 / self.others if self.others else 0.0

    @property
    def as_counts(self) -> tuple[int, int, str, int]:
        """Return how many neighbors are near on the map, how many there are, how many would be by chance, and how many are tied."""
        return int(self.near.sum()), len(self.rows), f"{self.by_chance:.1f}", self.tied

    @property
    def as_lists(self) -> list:
        """Return rows, whether the map has them near, cosines, the number of tied and of other points, for JSON."""
        return [self.rows.tolist(), self.near.astype(int).tolist(), self.cosines.round(3).tolist(), self.tied, self.others]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordGain:
    """How well one space separates one word's senses; see SenseReport."""

    n: int
    senses: int
    one_nn: float
    low: float  # 95% bootstrap interval of one_nn, over occurrences
    high: float
    null_mean: float
    null_95: float
    p: float  # share of the shuffles that do as well
    gain: float = field(init=False)  # 1-NN accuracy above that of shuffled senses; at most 1 - null_mean
    shown: bool = field(init=False)  # fewer than one in twenty shuffles do as well; else nothing is shown either way

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", self.one_nn - self.null_mean)
        object.__setattr__(self, "shown", self.p < LEVEL)


def links(cosines: np.ndarray, places: np.ndarray, place: np.ndarray, *, itself: int | None = None, k: int = K) -> Links:
    """Return the links of a point from its cosines (N,) with all others, their places (N, d) on a map, and its place (d,).

    `itself` is the number of the point or of the same sentence, which is no neighbor. If more points are tied for the last places than there
    are places (in layer 0 all occurrences of a spelling are one vector), none of the tied is counted.
    """
    cosines, places, place = np.asarray(cosines, np.float64), np.asarray(places, np.float64), np.asarray(place, np.float64)
    if cosines.shape != places.shape[:1] or places.shape[1:] != place.shape or k < 1:
        message = f"{cosines.shape} cosines, {places.shape} places, one of {place.shape}, k = {k}"
        raise BadInput(f"True neighbors need a cosine and a place for each point, a place of one's own and k from 1; got {message}.")
    others = np.array([n for n in range(len(cosines)) if n != itself], int)
    order = others[np.argsort(-cosines[others], kind="stable")]
    last = cosines[order[min(k, len(order)) - 1]] if len(order) else 0.0
    tied = np.abs(cosines[order] - last) <= TIE
    if len(order) > k and (cosines[order] >= last - TIE).sum() > k:
        chosen = order[cosines[order] > last + TIE]
        left_out = int(tied.sum())
    else:
        chosen = order[:k]
        left_out = 0
    ways = np.linalg.norm(places - place, axis=1)
    reach = np.sort(ways[others])[len(chosen) - 1] if len(chosen) else 0.0
    return Links(chosen, cosines[chosen], ways[chosen] <= reach + 1e-9, left_out, len(others))


def word_gain(similarities: np.ndarray, labels: Sequence) -> WordGain:
    """Return the gain of one word from cosines (n, n) and senses (n,): the numbers of a sense_report of this word alone."""
    rng = np.random.default_rng(0)
    hits, null = judge(similarities, labels, rng)
    low, high = np.quantile(resampled(hits, mutual_pairs(similarities), rng), (0.025, 0.975))
    null_95 = float(np.quantile(null, 0.95))
    return WordGain(
        n=len(hits),
        senses=len(set(labels)),
        one_nn=float(hits.mean()),
        low=float(low),
        high=float(high),
        null_mean=float(null.mean()),
        null_95=null_95,
        p=rank_p(hits.mean(), null),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificantWords:
    """The number of words whose senses are separated better than by chance, singly and after correction for many words."""

    raw: int  # p under 0.05 each: one in twenty words of no sense at all would be among them
    holm: int  # hardly ever a false one among them (Holm 1979)
    discovered: int  # at most one in twenty of them false (Benjamini and Hochberg 1995)
    n: int


def count_significant(gains: Sequence[WordGain]) -> SignificantWords:
    """Count the words of one space."""
    p = [gain.p for gain in gains]
    return SignificantWords(
        raw=sum(gain.shown for gain in gains),
        holm=int((holm(p) < LEVEL).sum()),
        discovered=int((benjamini_hochberg(p) < LEVEL).sum()),
        n=len(p),
    )


def word_ranking(table: OccurrenceTable, mixes: Mapping[str, Sequence[float]]) -> dict[str, dict[str, WordGain]]:
    """Return the gain of every labeled word with at least two senses under each mix (weights (L,)), in the table's order."""
    result = {}
    for lemma in table.lemmas:
        rows = table.labeled_rows(lemma)
        labels = [table.senses[k] for k in table.sense[rows]]
        if len(set(labels)) > 1:
            result[lemma] = {name: word_gain(table.similarities(rows, weights), labels) for name, weights in mixes.items()}
    return result


def write_gains(path: Path, gains: Mapping[str, Mapping[str, WordGain]]) -> None:
    """Write gains by word and space as JSON: a list of numbers each, in the order of the fields."""
    measured = [item.name for item in fields(WordGain) if item.init]
    words = {
        word: {name: [round(getattr(gain, key), DIGITS) for key in measured] for name, gain in spaces.items()}
        for word, spaces in gains.items()
    }
    write_json(path, {"format": FORMAT, "fields": measured, "words": words})


def read_gains(path: Path) -> dict[str, dict[str, WordGain]]:
    """Read the file of `write_gains`; {} if it is missing or of another kind."""
    with suppress(ElmoscopeError, KeyError, TypeError, ValueError):
        record = read_json(path, expect=dict) if path.is_file() else {"format": None}
        if record["format"] == FORMAT:
            names = record["fields"]
            return {
                word: {name: WordGain(**dict(zip(names, gain, strict=True))) for name, gain in spaces.items()}
                for word, spaces in record["words"].items()
            }
    return {}
