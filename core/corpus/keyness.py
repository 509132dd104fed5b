"""Keyness: the words that one corpus has more often than another, by log-likelihood, with how many times as often."""

from dataclasses import dataclass

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from .association import FDR, log_likelihood, log_ratio, p_values
from .dispersion import per_million
from .encoded import EncodedCorpus


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word's counts in two corpora, and how far they differ."""

    word: str
    first: int
    second: int
    first_per_million: float
    second_per_million: float
    log_likelihood: float
    log_ratio: float  # above 0: more frequent in the first
    p: float  # corrected


def keywords(
    first: EncodedCorpus, second: EncodedCorpus, *, minimum: int = 5, correction: str = FDR, words_only: bool = True
) -> list[Keyword]:
    """Words that occur in both together at least `minimum` times, the highest log-likelihood first, in either direction.

    p is corrected for all words that are compared. BadInput for a corpus without tokens.
    """
    if not len(first) or not len(second):
        raise BadInput(t("A corpus without words cannot be compared. Choose another."))
    names = sorted({*first.word_list, *second.word_list})
    number = {name: k for k, name in enumerate(names)}
    places = [np.array([number[word] for word in corpus.word_list], int) for corpus in (first, second)]
    a, b, lettered = (np.zeros(len(names), kind) for kind in (np.int64, np.int64, bool))
    for corpus, place, counts in zip((first, second), places, (a, b), strict=True):
        counts[place] = corpus.frequency
        lettered[place] = corpus.lettered
    chosen = np.flatnonzero((a + b >= max(1, minimum)) & (lettered | (not words_only)))
    n, m = len(first), len(second)
    a, b = a[chosen], b[chosen]
    g2, ratio = log_likelihood(a, b, n, m), log_ratio(a, b, n, m)
    p = p_values(g2, correction)
    return [
        Keyword(
            names[chosen[k]],
            int(a[k]),
            int(b[k]),
            per_million(int(a[k]), n),
            per_million(int(b[k]), m),
            float(g2[k]),
            float(ratio[k]),
            float(p[k]),
        )
        for k in np.argsort(-g2, kind="stable").tolist()
    ]
