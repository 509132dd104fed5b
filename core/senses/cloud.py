"""One dot or a cloud: which senses stand around GloVe's one vector of a word, and around each of ELMo's.

A GloVe neighbor carries no sense, so it is given the one whose labeled sentences talk as it does: a sense's profile is the
mean unit vector of its sentences' content words, as in context-group discrimination (Schütze 1998), and the neighbor goes
to the profile it leans to most, measured from the middle of all of them. ELMo's neighbors are labeled occurrences already.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.common.directions import unit
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import shorten
from core.index.table import OccurrenceTable
from core.senses.separation import TIE
from core.static.vectors import StaticVectors

# Below this lead over the next sense a neighbor is undecided. Held out in turn, the bundled sentences' own content words with
# a lead of 0.25 to 0.30 go to the right sense in 73% (two senses) and 64% (three); with less than 0.10 in 57% and 43%.
CLEAR = 0.25
FUNCTION_WORDS = 200  # the vectors' first words, by frequency: "the", "after", "many" stand beside every sense
LEAN = 0.02  # in cosine: what leads by less leans to neither of two sentences
NEAREST = 8  # labeled sentences around one of the user's: half of the 16 a bundled sense has. All of them would be every sense alike


@dataclass(frozen=True, slots=True)
class Profiles:
    """What is spoken of where a word has each of its senses."""

    lemma: str
    senses: tuple[str, ...]  # in alphabetical order
    sums: np.ndarray  # (C, D) float64: unit vectors of content words, summed
    counts: np.ndarray  # (C,) content words
    words: tuple[tuple[int, tuple[str, ...]], ...]  # of each labeled sentence: its sense's number, its content words


@dataclass(frozen=True, slots=True)
class Placed:
    """A static neighbor, its cosine with the word, and the sense it leans to."""

    word: str
    cosine: float
    leaning: str
    lead: float  # over the next sense, as a length along unit directions: 0 is undecided, about 1 the clearest
    sense: str | None  # it counts for; None if its lead is not CLEAR


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Content words of labeled sentences, each placed by profiles that never saw its sentence."""

    clear: int  # with a lead of CLEAR or more
    right: int  # of the clear ones


def content_words(tokens: Iterable[str], own: Iterable[str], vectors: StaticVectors, common: frozenset[str]) -> tuple[str, ...]:
    """Distinct lower-case words of a sentence that say what it is about; without `own` forms and `common` words."""
    left_out = {*own, *common}
    words = dict.fromkeys(token.casefold() for token in tokens)
    return tuple(w for w in words if len(w) > 2 and w.isalpha() and w not in left_out and w in vectors)


def profiles(table: OccurrenceTable, lemma: str, vectors: StaticVectors) -> Profiles:
    """Profiles of a labeled word's senses; BadInput where it has none, or a sense of which nothing is known."""
    rows = table.labelled_rows(lemma)
    if not len(rows):
        raise BadInput(t("“{word}” has no labeled sentences in this corpus. Choose another word.", word=shorten(lemma)))
    senses = tuple(sorted({table.senses[k] for k in table.sense[rows]}))
    common = frozenset(word.casefold() for word in vectors.words[:FUNCTION_WORDS])
    own = {table.words[code] for code in np.unique(table.word[rows])} | {lemma}
    words = []
    for row in rows:
        occurrence = table.occurrence(int(row))
        words.append((senses.index(occurrence.sense), content_words(occurrence.tokens, own, vectors, common)))
    sums, counts = np.zeros((len(senses), vectors.dim)), np.zeros(len(senses))
    for sense, result in words:
        sums[sense] += _units(result, vectors).sum(axis=0)
        counts[sense] += len(result)
    if not counts.all():
        raise BadInput(
            t("{vectors} knows no word of the sentences about “{word}”. Choose other vectors.", vectors=vectors.name, word=shorten(lemma))
        )
    return Profiles(lemma, senses, sums, counts, tuple(words))


def leanings(means: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Profiles (C, D), unit vectors (n, D) -> the sense each leans to (n,) and its lead over the next (n,).

    Both are measured from the middle of the profiles, along the unit direction to each: score_c = (x - m) · (p_c - m) / |p_c - m|.
    One sense alone leads by nothing.
    """
    if len(means) < 2:
        return np.zeros(len(units), int), np.zeros(len(units))
    middle = means.mean(axis=0)
    scores = (units - middle) @ unit(means - middle).T  # (n, C)
    ordered = np.sort(scores, axis=1)
    return scores.argmax(axis=1), ordered[:, -1] - ordered[:, -2]


def static_neighbours(result: Profiles, vectors: StaticVectors, word: str, k: int = 50) -> list[Placed]:
    """The k nearest static neighbors of `word`, nearest first, each with the sense it leans to; BadInput if it is unknown."""
    near = vectors.neighbours(word, k)
    senses, leads = leanings(result.sums / result.counts[:, None], _units([n.word for n in near], vectors))
    placed = zip(near, [result.senses[s] for s in senses], map(float, leads), strict=True)
    return [Placed(n.word, n.cosine, sense, lead, sense if lead >= CLEAR else None) for n, sense, lead in placed]


def held_out(result: Profiles, vectors: StaticVectors) -> HeldOut:
    """How far leanings can be trusted: each labeled sentence's content words, placed without that sentence."""
    n_clear = n_right = 0
    for sense, words in result.words:
        if not words:
            continue
        units = _units(words, vectors)
        sums, n = result.sums.copy(), result.counts.copy()
        sums[sense] -= units.sum(axis=0)
        n[sense] -= len(words)
        if not n[sense]:
            continue  # its only sentence: nothing is left to compare with
        guessed, leads = leanings(sums / n[:, None], units)
        clear = leads >= CLEAR
        n_clear, n_right = n_clear + int(clear.sum()), n_right + int((guessed[clear] == sense).sum())
    return HeldOut(n_clear, n_right)


def sides(first: np.ndarray, second: np.ndarray, least: float = LEAN) -> np.ndarray:
    """(n,) cosines with one sentence's word, (n,) with the other's -> (n,) which each is nearer to: 0, 1, or -1 for neither clearly."""
    lean = np.asarray(second, float) - np.asarray(first, float)
    return np.where(np.abs(lean) < least, -1, (lean > 0).astype(int))


def side_shares(numbers: Sequence[int] | np.ndarray, names: Sequence[str]) -> dict[str | None, float]:
    """(n,) each neighbor's side or sense -> the share of each, and under None of what goes with none (-1); they sum to 1."""
    numbers = np.asarray(numbers)
    if not len(numbers):
        raise BadInput(t("There are no neighbors."))
    return {name: float((numbers == k).mean()) for k, name in [*enumerate(names), (-1, None)]}


def topic_sides(words: Sequence[str], first: Sequence[str], second: Sequence[str], vectors: StaticVectors) -> np.ndarray | None:
    """(n,) which of two sentences' content words each static word goes with: 0, 1, -1 for neither clearly; None where one has none known.
    As `leanings`, with the words of one sentence as a profile."""
    known = [[w for w in side if w in vectors] for side in (first, second)]
    if not all(known):
        return None
    means = np.stack([_units(side, vectors).mean(axis=0) for side in known])
    leaning, leads = leanings(means, _units(words, vectors))
    return np.where(leads < CLEAR, -1, leaning)


def occurrence_shares(cosines: np.ndarray, labels: Sequence[str], senses: Sequence[str], k: int = NEAREST) -> dict[str, float]:
    """(n,) cosines with labeled occurrences, their senses (n,) -> share of each sense among the k nearest; they sum to 1.

    A sense that has twice as many labeled sentences would be met twice as often by chance: each occurrence counts 1 / (those of
    its sense). Occurrences tied for the last places share what is left of them, so that in layer 0, where all are
    tied, every sense has the same share.
    """
    cosines, labels = np.asarray(cosines, np.float64), np.asarray(labels, str)
    if cosines.ndim != 1 or cosines.shape != labels.shape or not len(cosines) or k < 1:
        raise BadInput(t("Shares need a cosine and a sense per labeled sentence, and at least one."))
    k = min(k, len(cosines))
    last = np.partition(cosines, len(cosines) - k)[len(cosines) - k]
    above, tied = cosines > last + TIE, np.abs(cosines - last) <= TIE
    taken = above + tied * (k - above.sum()) / tied.sum()  # (n,), sums to k
    weights = {sense: float(taken[labels == sense].sum()) / max(1, int((labels == sense).sum())) for sense in senses}
    total = sum(weights.values())
    return {sense: weight / total for sense, weight in weights.items()}


def _units(words: Sequence[str], vectors: StaticVectors) -> np.ndarray:
    """(n, D) float64 unit vectors of known words."""
    if not words:
        return np.zeros((0, vectors.dim))
    return unit(vectors.vectors_of(words)[1].astype(np.float64))
