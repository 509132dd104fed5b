"""The concordance of a search: sort hits, show them in their sentences, and count what is next to them."""

from typing import NamedTuple

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..text.sentences import as_in_text
from .encoded import EncodedCorpus
from .search import Hits

IN_TEXT, BY_SOURCE, BY_SENSE, AT_RANDOM = "text", "source", "sense", "random"
BY_LEFT = ("left", "left2", "left3")  # the first, second, third word before
BY_RIGHT = ("right", "right2", "right3")
BY_SUBSTITUTES = "substitutes"  # which need a model: core.elmo.substitutes.by_substitutes
ORDERS = (IN_TEXT, *BY_LEFT, *BY_RIGHT, BY_SOURCE, BY_SENSE, AT_RANDOM, BY_SUBSTITUTES)
EQUALLY = 3  # words that may share the first place next to a hit
MOST_FORMS = 20  # of the hits
SORT_DEPTH = 4  # words on a side that hits are sorted by


class Line(NamedTuple):
    """A hit in its sentence, with its document, date and sense. A tuple, because thousands are made at once."""

    tokens: tuple[str, ...]  # of the sentence
    first: int  # of the hit, in `tokens`
    end: int  # the token after it
    sentence: int  # its number in the corpus, from 0
    document: str
    text: str | None = None  # the sentence as written (core.text.sentences)
    date: str | None = None
    sense: str | None = None

    @property
    def left(self) -> tuple[str, ...]:
        """Return the words before the hit."""
        return self.tokens[: self.first]

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words of the hit."""
        return self.tokens[self.first : self.end]

    @property
    def right(self) -> tuple[str, ...]:
        """Return the words after the hit."""
        return self.tokens[self.end :]

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
    if by not in ORDERS:
        raise BadInput(t("Unknown order {order!r}. Choose: {orders}.", order=shorten(by), orders=", ".join(ORDERS)))
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
    return hits.at(np.lexsort(keys))  # by the last key first; stable, so that ties stay in the order of the text


def lines(corpus: EncodedCorpus, hits: Hits, first: int = 0, number: int = 20) -> list[Line]:
    """Return `number` hits from the one numbered `first`, in their sentences."""
    part = hits.at(slice(first, first + number))
    sentence = corpus.sentence[part.first]
    begins, lengths = corpus.starts[sentence], corpus.starts[sentence + 1] - corpus.starts[sentence]
    ends = np.cumsum(lengths)  # of each line's sentence among the tokens of all lines, which are looked up at once
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
    """Return the most frequent words (no punctuation) `step` words after the hits (before them, if negative), and their count.

    None without such a word, or if more than EQUALLY words share the count.
    """
    codes = context_codes(corpus, hits, step)
    counts = np.bincount(codes[codes >= 0], minlength=len(corpus.words)) * corpus.lettered
    highest = counts.max(initial=0)
    commonest = np.flatnonzero(counts == highest).tolist() if highest else []
    return ([corpus.word_list[code] for code in commonest], int(highest)) if 0 < len(commonest) <= EQUALLY else None


def forms(corpus: EncodedCorpus, hits: Hits) -> list[tuple[str, int]]:
    """Return the MOST_FORMS most frequent forms of the hits, ignoring letter case, with their counts."""
    counts: dict[str, int] = {}
    for length in np.unique(hits.length).tolist():
        first = hits.first[hits.length == length]
        codes, n = np.unique(corpus.word[first[:, None] + np.arange(length)], axis=0, return_counts=True)
        for k in np.argsort(-n, kind="stable")[:MOST_FORMS].tolist():
            words = " ".join(corpus.word_list[code] for code in codes[k].tolist())
            counts[words] = counts.get(words, 0) + int(n[k])
    return sorted(counts.items(), key=lambda item: -item[1])[:MOST_FORMS]


def context_codes(corpus: EncodedCorpus, hits: Hits, step: int) -> np.ndarray:
    """Return the words (n,) `step` tokens after the hits (or before them, if negative); -1 beyond the sentence."""
    places = hits.first + step if step < 0 else hits.first + hits.length - 1 + step
    inside = (places >= 0) & (places < len(corpus))
    places = np.where(inside, places, hits.first)
    return np.where(inside & (corpus.sentence[places] == corpus.sentence[hits.first]), corpus.word[places], -1)
