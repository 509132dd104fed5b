"""Homonymy and polysemy: whether unrelated senses separate better than related ones.

Each pair of senses of a labeled word is marked homonym, metaphor, metonymy or other in `assets/sense-relations.json`, by our judgment, with
the reason. Each pair is measured alone: how often a pair of sentences with the same sense is nearer than one with two (the area under the
ROC curve). Intervals are over samples of words, since pairs of one word share sentences.

A word's self-similarity (the mean cosine of two of its sentences, minus that of any two labeled occurrences) is compared with its frequency
and its number of labeled senses, since both could explain it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..common.config import ASSETS
from ..common.directions import unit_rows
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.significance import DRAWS, FEWEST
from ..elmo.mix import layer_weights, mixed
from ..files.artifacts import read_json
from ..index.table import OccurrenceTable
from ..static.vectors import StaticVectors
from .cosines import nearer, split_pairs, words_of

FILE = ASSETS / "sense-relations.json"
HOMONYM, METAPHOR, METONYMY, OTHER = KINDS = ("homonym", "metaphor", "metonymy", "other")
RELATED = "related"  # metaphor, metonymy and other together
RANDOM_ROWS = 300  # occurrences for the mean cosine of any two


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation of two senses of a word, and the reason for marking it so."""

    word: str
    senses: tuple[str, str]
    kind: str
    reason: str

    @property
    def name(self) -> str:
        """Return the word with both senses."""
        return f"{self.word}: {self.senses[0]} / {self.senses[1]}"


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean or rank correlation over words, with a 95% interval over samples of words."""

    value: float
    low: float | None  # None, as `high`, with fewer than FEWEST words
    high: float | None

    @property
    def in_percent(self) -> str:
        """Return the value and its interval as text."""
        return f"{self.value:.0%} ({t('{low} to {high}', low=f'{self.low:.0%}', high=f'{self.high:.0%}')})"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """The AUC of each marked pair of senses, in one space."""

    relations: tuple[Relation, ...]
    auc: np.ndarray  # (P,)
    kinds: dict[str, Interval]  # by kind, and RELATED; those that have pairs
    ahead: dict[str, Interval]  # homonyms minus each other kind
    alike: dict[str, float]  # word -> mean cosine of two of its sentences minus that of any two labeled occurrences


def read(language: str) -> dict[str, tuple[Relation, ...]]:
    """Return the marked pairs of a language's words; empty if none are marked."""
    return {
        word: tuple(Relation(word, tuple(row["senses"]), row["relation"], row["reason"]) for row in rows)
        for word, rows in read_json(FILE, expect=dict).get(language, {}).items()
    }


def pairs(table: OccurrenceTable, marked: Mapping[str, Sequence[Relation]], layer: str) -> Pairs:
    """Measure the marked pairs of senses, one of which occurs twice, in a layer or the equal mix. Raises BadInput without such a pair."""
    weights = layer_weights(layer, table.meta["layers"])
    random_cosine = at_large(table, weights)
    relations, aucs, alike = [], [], {}
    for word, rows in words_of(table).items():
        cosines = table.similarities(rows, weights)
        senses = np.array([table.senses[code] for code in table.sense[rows]])
        alike[word] = float(cosines[np.triu_indices(len(rows), 1)].mean()) - random_cosine
        for relation in marked.get(word, ()):
            pair = np.flatnonzero(np.isin(senses, relation.senses))
            if set(relation.senses) <= set(senses) and len(pair) > 2:
                relations.append(relation)
                aucs.append(nearer(*split_pairs(cosines[np.ix_(pair, pair)], senses[pair])))
    if not relations:
        raise BadInput(t("Sense relations are not labeled in this language. Choose another model under “Model and data”."))
    auc = np.array(aucs)
    of_kind = {kind: np.array([relation.kind == kind for relation in relations], bool) for kind in KINDS}
    of_kind[RELATED] = ~of_kind[HOMONYM]
    names, codes = np.unique([relation.word for relation in relations], return_inverse=True)
    samples = np.random.default_rng(0).multinomial(len(names), np.full(len(names), 1 / len(names)), size=DRAWS)[:, codes]  # (DRAWS, P)
    means = {kind: _means(auc, chosen, samples) for kind, chosen in of_kind.items() if chosen.any()}
    words = {kind: len({relation.word for relation, chosen in zip(relations, of_kind[kind], strict=True) if chosen}) for kind in means}
    kinds, ahead = {}, {}
    for kind, (mean, sampled) in means.items():
        kinds[kind] = _interval(mean, sampled, words[kind])
        if kind != HOMONYM and HOMONYM in means:
            ahead[kind] = _interval(means[HOMONYM][0] - mean, means[HOMONYM][1] - sampled, min(words[kind], words[HOMONYM]))
    return Pairs(relations=tuple(relations), auc=auc, kinds=kinds, ahead=ahead, alike=alike)


def pairs_of(table: OccurrenceTable, language: str, layer: str) -> Pairs:
    """Measure the pairs that are marked in a language."""
    return pairs(table, read(language), layer)


def at_large(table: OccurrenceTable, weights: np.ndarray) -> float:
    """Return the mean cosine of two random occurrences of a table, which may be of one word."""
    rows = np.random.default_rng(0).permutation(len(table))[:RANDOM_ROWS]
    vectors = unit_rows(mixed(table.rows.take(np.sort(rows)), weights, axis=1), np.float64)
    total = vectors.sum(axis=0)
    return float((total @ total - np.einsum("nd,nd->", vectors, vectors)) / (len(rows) * (len(rows) - 1)))


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """A property of W words, their self-similarity, and the correlation of both."""

    values: list[float]  # (W,)
    alike: list[float]  # (W,)
    words: list[str]
    rank: Interval | None  # None with fewer than FEWEST words


def likeness(table: OccurrenceTable, vectors: StaticVectors | None, result: Pairs) -> dict[str, Likeness]:
    """Compare words' self-similarity in `result` with their "frequency" rank in static vectors and their number of "senses"."""
    places = {word: vectors.keyed.key_to_index.get(vectors.spelling(word)) for word in result.alike} if vectors else {}
    frequency = {word: place + 1.0 for word, place in places.items() if place is not None}
    senses = {word: float(len(set(table.sense[rows]))) for word, rows in words_of(table).items()}
    results = {}
    for name, values in (("frequency", frequency), ("senses", senses)):
        numbers = list(values.values())
        alike = [result.alike[word] for word in values]
        results[name] = Likeness(numbers, alike, list(values), ranks(alike, numbers) if len(numbers) >= FEWEST else None)
    return results


def ranks(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Return Spearman's rho of two measures of the same words, with a 95% interval over samples of words."""
    from scipy.stats import rankdata

    a, b = np.asarray(values, float), np.asarray(others, float)
    rows = np.random.default_rng(0).integers(len(a), size=(DRAWS, len(a)))

    def centered_ranks(x: np.ndarray) -> np.ndarray:
        numbers = rankdata(x, axis=-1)
        return numbers - numbers.mean(axis=-1, keepdims=True)

    def rho(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        x, y = centered_ranks(x), centered_ranks(y)
        return (x * y).sum(axis=-1) / np.maximum(np.sqrt((x**2).sum(axis=-1) * (y**2).sum(axis=-1)), 1e-12)

    low, high = np.quantile(rho(a[rows], b[rows]), (0.025, 0.975))
    return Interval(float(rho(a, b)), float(low), float(high))


def _means(auc: np.ndarray, chosen: np.ndarray, samples: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean over chosen pairs, and that of each sample of words; a sample without any has the overall mean."""
    weights = samples[:, chosen]
    mean = float(auc[chosen].mean())
    sizes = weights.sum(axis=1)
    return mean, np.where(sizes > 0, weights @ auc[chosen] / np.maximum(sizes, 1), mean)


def _interval(mean: float, sampled: np.ndarray, words: int) -> Interval:
    if words < FEWEST:
        return Interval(mean, None, None)
    low, high = np.quantile(sampled, (0.025, 0.975))
    return Interval(mean, float(low), float(high))
