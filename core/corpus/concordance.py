"""The hits of a search in their sentences: sorted lines, and the words near them, which may distinguish senses.

For logDice each token is paired with its nearest hit, and a hit with one token of each word (surface co-occurrence, Evert 2008). There are never
more pairs than the rarer word has tokens, so that logDice is at most 14.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import check_choice
from ..text.tokens import as_in_text
from .encoded import EncodedCorpus
from .measures import log_dice, log_likelihood, log_odds
from .search import Hits, find

IN_TEXT, BY_SOURCE, BY_SENSE, AT_RANDOM = "text", "source", "sense", "random"
BY_LEFT = ("left", "left2", "left3")  # the first, second, third word before
BY_RIGHT = ("right", "right2", "right3")
BY_SUBSTITUTES = "substitutes"  # needs a model: core.elmo.substitutes.by_substitutes
ORDERS = (IN_TEXT, *BY_LEFT, *BY_RIGHT, BY_SOURCE, BY_SENSE, AT_RANDOM, BY_SUBSTITUTES)
EQUALLY = 3  # words that may share the first place next to a hit
MOST_FORMS = 20  # spellings of the hits that are listed
SORT_DEPTH = 4  # words on a side that hits are sorted by


class Line(NamedTuple):
    """A hit in its sentence, with its document, date and sense. A tuple, because thousands are made at once."""

    tokens: tuple[str, ...]  # the sentence
    first: int  # the hit's place in `tokens`
    end: int  # the token after it
    sentence: int  # its number in the corpus, from 0
    document: str
    text: str | None = None  # the sentence as written (core.text.sentences)
    date: str | None = None
    sense: str | None = None

    @property
    def before(self) -> str:
        """Return the text before the hit, as written."""
        return self._as_written(0, self.first)

    @property
    def hit(self) -> str:
        """Return the hit as written."""
        return self._as_written(self.first, self.end)

    @property
    def after(self) -> str:
        """Return the text after the hit, as written."""
        return self._as_written(self.end, None)

    def _as_written(self, first: int, last: int | None) -> str:
        return "".join(as_in_text(self.tokens, self.text)[first:last]).strip()


def sort_hits(corpus: EncodedCorpus, hits: Hits, by: str, *, senses: np.ndarray | None = None, seed: int = 0) -> Hits:
    """Sort hits by the words before or after them, by document, by sense ((n,) numbers, -1 for none) or at random (by a seed).

    Of hits with equal words, for example the second before, the third and fourth decide, then the order of the text.
    """
    check_choice(t("order"), by, ORDERS)
    if by in BY_LEFT:
        keys = [context_codes(corpus, hits, -k) for k in range(SORT_DEPTH, BY_LEFT.index(by), -1)]
    elif by in BY_RIGHT:
        keys = [context_codes(corpus, hits, k) for k in range(SORT_DEPTH, BY_RIGHT.index(by), -1)]
    elif by == BY_SOURCE:
        names = np.array(corpus.documents, object).argsort(kind="stable").argsort()
        keys = [names[corpus.document[corpus.sentence[hits.first]]]]
    elif by == BY_SENSE:
        senses = label_of(corpus, hits) if senses is None else senses
        keys = [np.where(senses < 0, np.iinfo(np.int32).max, senses)]
    elif by == AT_RANDOM:
        keys = [np.random.default_rng(seed).permutation(len(hits))]
    else:
        return hits
    return hits.at(np.lexsort(keys))  # the last key counts first; stable, so that ties stay in text order


def lines(corpus: EncodedCorpus, hits: Hits, first: int = 0, number: int = 20) -> list[Line]:
    """Return `number` hits from the one numbered `first`, in their sentences."""
    part = hits.at(slice(first, first + number))
    sentence = corpus.sentence[part.first]
    begins = corpus.starts[sentence]
    lengths = corpus.starts[sentence + 1] - begins
    ends = np.cumsum(lengths)  # where each line's sentence ends among the tokens of all lines, which are looked up at once
    places = np.arange(lengths.sum()) + np.repeat(begins - ends + lengths, lengths)
    tokens = tuple(corpus.spelling_array.take(corpus.spelling[places]).tolist())
    first = part.first - begins
    columns = (
        map(tokens.__getitem__, map(slice, (ends - lengths).tolist(), ends.tolist())),
        first.tolist(),
        (first + part.length).tolist(),
        (sentence if corpus.numbers is None else corpus.numbers[sentence]).tolist(),
        _names(corpus.documents, corpus.document[sentence]),
        corpus.texts_of(sentence),
        _names(corpus.dates, corpus.date[sentence]),
        _names(corpus.senses, label_of(corpus, part)),
    )
    return list(map(Line._make, zip(*columns, strict=True)))


def _names(names: list[str], codes: np.ndarray) -> list[str | None]:
    """Return the names of numbers (n,); None for -1."""
    return [names[code] if code >= 0 else None for code in codes.tolist()]


def label_of(corpus: EncodedCorpus, hits: Hits) -> np.ndarray:
    """Return the labeled sense (n,), in `senses`, of each hit's first labeled token; -1 for none."""
    if not len(corpus.label_at):
        return np.full(len(hits), -1, np.int32)
    place = np.searchsorted(corpus.label_at, hits.first)
    inside = np.minimum(place, len(corpus.label_at) - 1)
    within = (place < len(corpus.label_at)) & (corpus.label_at[inside] < hits.first + hits.length)
    return np.where(within, corpus.label_sense[inside], -1)


def commonest_beside(corpus: EncodedCorpus, hits: Hits, step: int) -> tuple[list[str], int] | None:
    """Return the most frequent words `step` words after the hits (before them, if negative), and their count; None if more than EQUALLY."""
    codes = context_codes(corpus, hits, step)
    counts = np.bincount(codes[codes >= 0], minlength=len(corpus.words)) * corpus.lettered
    highest = counts.max(initial=0)
    commonest = np.flatnonzero(counts == highest).tolist() if highest else []
    return ([corpus.word_list[code] for code in commonest], int(highest)) if 0 < len(commonest) <= EQUALLY else None


def forms(corpus: EncodedCorpus, hits: Hits) -> list[tuple[str, int]]:
    """Return the MOST_FORMS most frequent forms of the hits, ignoring letter case, with their counts."""
    counts: Counter[str] = Counter()
    for length in np.unique(hits.length).tolist():
        first = hits.first[hits.length == length]
        codes, n = np.unique(corpus.word[first[:, None] + np.arange(length)], axis=0, return_counts=True)
        for k in np.argsort(-n, kind="stable")[:MOST_FORMS].tolist():
            counts[" ".join(corpus.word_list[code] for code in codes[k].tolist())] += int(n[k])
    return counts.most_common(MOST_FORMS)


def context_codes(corpus: EncodedCorpus, hits: Hits, step: int) -> np.ndarray:
    """Return the words (n,) `step` tokens after the hits (or before them, if negative); -1 beyond the sentence."""
    places, is_inside = _step_from(corpus, hits, step)
    return np.where(is_inside, corpus.word[places], -1)


def _step_from(corpus: EncodedCorpus, hits: Hits, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the tokens (n,) `step` after the hits (or before them, if negative), and (n,) bool: which are in the sentence of their hit."""
    places = hits.first + step if step < 0 else hits.first + hits.length - 1 + step
    is_inside = (places >= 0) & (places < len(corpus))
    places = np.where(is_inside, places, hits.first)
    return places, is_inside & (corpus.sentence[places] == corpus.sentence[hits.first])


WINDOW, WIDEST = 5, 10  # words on each side
CLEAR_Z = 1.96  # above it a single word is typical of a sense at the 5% level
MOST_TYPICAL = 20  # words of a sense


@dataclass(frozen=True, slots=True)
class Collocate:
    """A word near hits."""

    word: str
    together: int  # its tokens near a hit
    left: int  # those before their nearest hit
    right: int
    frequency: int  # in the corpus
    log_dice: float  # logDice of the pairs, at most 14
    log_likelihood: float  # 0 for one that is rarer near hits than elsewhere
    pairs: int  # pairs of a hit and its nearest such token


@dataclass(frozen=True, slots=True)
class SenseWord:
    """A collocate of one sense."""

    word: str
    z: float  # z of the log-odds ratio against the other senses
    n: int  # near hits of this sense
    elsewhere: int  # near hits of the others


def near(corpus: EncodedCorpus, hits: Hits, window: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the tokens (n,) near hits, the steps (n,) from the nearest hit, negative before it, and the number of that hit (n,).

    A token is near if it is within `window` words of a hit, in its sentence, and no part of a hit.
    """
    check_window(window)
    steps = np.zeros(len(corpus), np.int8)
    nearest = np.zeros(len(corpus), np.int32)
    for distance in range(window, 0, -1):  # nearer ones overwrite farther ones
        for step in (-distance, distance):
            places, is_inside = _step_from(corpus, hits, step)
            steps[places[is_inside]] = step
            nearest[places[is_inside]] = np.flatnonzero(is_inside)
    steps[_hit_tokens(hits)] = 0
    places = np.flatnonzero(steps)
    return places, steps[places], nearest[places]


def collocates(
    corpus: EncodedCorpus, hits: Hits, *, window: int = WINDOW, minimum: int = 3, without: Collection[str] = ()
) -> list[Collocate]:
    """Return the words near hits at least `minimum` times, the highest logDice first, without punctuation and the words `without`."""
    places, steps, nearest = near(corpus, hits, window)
    n = len(corpus.words)
    codes = corpus.word[places]
    together, left = np.bincount(codes, minlength=n), np.bincount(codes[steps < 0], minlength=n)
    chosen = _chosen(corpus, together, minimum, without)
    together, left, frequency = together[chosen], left[chosen], corpus.frequency[chosen]
    pairs = np.bincount(np.unique(nearest.astype(np.int64) * n + codes) % n, minlength=n)[chosen] if n else chosen
    hit_tokens = _hit_tokens(hits)
    in_hits = np.bincount(corpus.word[hit_tokens], minlength=n)[chosen]
    rest = len(corpus) - len(hit_tokens) - len(places)  # tokens that are neither hits nor near one
    elsewhere = np.maximum(frequency - in_hits - together, 0)
    g2 = log_likelihood(together, elsewhere, len(places), rest) if rest > 0 else np.zeros(len(chosen))
    g2 = np.where(together * rest >= elsewhere * len(places), g2, 0.0)
    dice = log_dice(pairs, len(hits), frequency)
    order = np.lexsort((-g2, -dice))
    words = [corpus.word_list[code] for code in chosen[order].tolist()]
    columns = (together, left, together - left, frequency, dice, g2, pairs)
    return [Collocate(*row) for row in zip(words, *(column[order].tolist() for column in columns), strict=True)]


def by_sense(
    corpus: EncodedCorpus, hits: Hits, senses: np.ndarray, *, window: int = WINDOW, minimum: int = 3, without: Collection[str] = ()
) -> dict[int, list[SenseWord]]:
    """Return for each sense number the MOST_TYPICAL words near its hits that distinguish it from the others, the most typical first.

    `senses` (n,) is -1 for hits without a sense. The prior is the complete corpus. Raises BadInput if fewer than two senses have hits.
    """
    numbers = np.unique(senses[senses >= 0]).tolist()
    if len(numbers) < 2:
        raise BadInput(t("Two senses are needed: this word has {n} with sentences here.", n=len(numbers)))
    n = len(corpus.words)
    counts = np.array([np.bincount(corpus.word[near(corpus, hits.at(senses == sense), window)[0]], minlength=n) for sense in numbers])
    total = counts.sum(axis=0)
    words = _chosen(corpus, total, minimum, without)
    results = {}
    for sense, here in zip(numbers, counts, strict=True):
        z = log_odds(here, total - here, corpus.frequency)
        best = [k for k in words[np.argsort(-z[words], kind="stable")[:MOST_TYPICAL]].tolist() if z[k] > 0]
        results[sense] = [SenseWord(corpus.word_list[k], float(z[k]), int(here[k]), int(total[k] - here[k])) for k in best]
    return results


def check_window(window: int) -> None:
    """Raise BadInput unless the window is 1 to WIDEST words."""
    if not 1 <= window <= WIDEST:
        raise BadInput(t("A window of {n} words; choose 1 to {most}.", n=window, most=WIDEST))


def with_word_near(corpus: EncodedCorpus, hits: Hits, query: str, window: int) -> np.ndarray:
    """Return (n,) bool: which hits have a match of another query of words within the window and their sentence."""
    matches = find(corpus, query)
    begins, ends = np.zeros(len(corpus), bool), np.zeros(len(corpus), bool)
    begins[matches.first] = ends[matches.first + matches.length - 1] = True
    result = np.zeros(len(hits), bool)
    for distance in range(1, window + 1):
        for step, marks in ((-distance, ends), (distance, begins)):
            places, is_inside = _step_from(corpus, hits, step)
            result |= is_inside & marks[places]
    return result


def _hit_tokens(hits: Hits) -> np.ndarray:
    """Return the positions of the hits' tokens. A token of overlapping hits counts once."""
    longest = int(hits.length.max(initial=0))
    return np.unique(np.concatenate([np.empty(0, int), *(hits.first[hits.length > k] + k for k in range(longest))]))


def _chosen(corpus: EncodedCorpus, counts: np.ndarray, minimum: int, without: Collection[str]) -> np.ndarray:
    """Return the numbers of the words with a letter that are frequent enough and not left out."""
    chosen = (counts >= max(1, minimum)) & corpus.lettered
    chosen[[corpus.number[word] for word in without if word in corpus.number]] = False
    return np.flatnonzero(chosen)
