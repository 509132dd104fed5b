"""Find the words near the hits of a search, how strongly they go together with them, and which of them distinguish senses.

A token counts once, however many hits it is near, and only within the hit's sentence (surface co-occurrence, Evert 2008). For logDice each token
is paired with its nearest hit, and a hit with one token of each word. There are never more pairs than the rarer word has tokens, so that logDice
is at most 14. The log-likelihood compares the tokens near hits with the rest of the corpus, without the hits.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from .encoded import EncodedCorpus
from .measures import log_dice, log_likelihood, log_odds
from .search import Hits, find

WINDOW, WIDEST = 5, 10  # words on each side


@dataclass(frozen=True, slots=True)
class Collocate:
    """A word near hits."""

    word: str
    together: int  # its tokens near a hit
    left: int  # those before their nearest hit
    right: int
    frequency: int  # in the corpus
    log_dice: float  # of the pairs; at most 14
    log_likelihood: float  # 0 for one that is rarer near hits than elsewhere
    pairs: int  # of a hit and a token nearest to it, one for each hit


CLEAR_Z = 1.96  # above it a single word is typical of a sense at the 5% level


@dataclass(frozen=True, slots=True)
class SenseWord:
    """A collocate of one sense."""

    word: str
    z: float  # of the log-odds ratio against the other senses
    n: int  # near hits of this sense
    elsewhere: int  # near hits of the others


def near(corpus: EncodedCorpus, hits: Hits, window: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the tokens (n,) near hits, the steps (n,) from the nearest hit, negative before it, and the number of that hit (n,).

    A token is near if it is within `window` words of a hit, in its sentence, and no part of a hit.
    """
    check_window(window)
    steps, nearest = np.zeros(len(corpus), np.int8), np.zeros(len(corpus), np.int32)
    sentence = corpus.sentence[hits.first]
    last = hits.first + hits.length - 1
    for distance in range(window, 0, -1):  # nearer ones overwrite farther ones
        for edge, step in ((hits.first, -distance), (last, distance)):
            places = edge + step
            inside = np.flatnonzero((places >= 0) & (places < len(corpus)))
            inside = inside[corpus.sentence[places[inside]] == sentence[inside]]
            steps[places[inside]], nearest[places[inside]] = step, inside
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
    pairs = np.bincount(np.unique(nearest.astype(np.int64) * n + codes) % n, minlength=n) if n else np.empty(0, int)
    together, left = np.bincount(codes, minlength=n), np.bincount(codes[steps < 0], minlength=n)
    chosen = _chosen(corpus, together, minimum, without)
    frequency = corpus.frequency[chosen]
    both = together[chosen]
    dice = log_dice(pairs[chosen], len(hits), frequency)
    hit_tokens = _hit_tokens(hits)
    in_hits = np.bincount(corpus.word[hit_tokens], minlength=n)[chosen]
    rest = len(corpus) - len(hit_tokens) - len(places)  # tokens that are neither hits nor near one
    elsewhere = np.maximum(frequency - in_hits - both, 0)
    g2 = log_likelihood(both, elsewhere, len(places), rest) if rest > 0 else np.zeros(len(chosen))
    g2 = np.where(both * rest >= elsewhere * len(places), g2, 0.0)
    order = np.lexsort((-g2, -dice))
    names = corpus.word_list
    return [
        Collocate(
            names[chosen[k]],
            int(both[k]),
            int(left[chosen[k]]),
            int(both[k] - left[chosen[k]]),
            int(frequency[k]),
            *map(float, (dice[k], g2[k])),
            int(pairs[chosen[k]]),
        )
        for k in order.tolist()
    ]


def by_sense(
    corpus: EncodedCorpus,
    hits: Hits,
    senses: np.ndarray,
    *,
    window: int = WINDOW,
    minimum: int = 3,
    max_words: int = 20,
    without: Collection[str] = (),
) -> dict[int, list[SenseWord]]:
    """Return for each sense number the words near its hits that distinguish it from the others, the most typical first.

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
    for sense, near_hits in zip(numbers, counts, strict=True):
        z = log_odds(near_hits, total - near_hits, corpus.frequency)[words]
        best = [k for k in np.argsort(-z, kind="stable")[:max_words].tolist() if z[k] > 0]
        results[sense] = [
            SenseWord(corpus.word_list[words[k]], float(z[k]), int(near_hits[words[k]]), int((total - near_hits)[words[k]])) for k in best
        ]
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
    last = hits.first + hits.length - 1
    for distance in range(1, window + 1):
        for places, marks in ((hits.first - distance, ends), (last + distance, begins)):
            inside = (places >= 0) & (places < len(corpus))
            places = np.where(inside, places, hits.first)
            result |= inside & marks[places] & (corpus.sentence[places] == corpus.sentence[hits.first])
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
