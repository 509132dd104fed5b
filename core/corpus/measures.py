"""Measure association, keyness, dispersion and agreement from counts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import check_choice
from ..common.significance import benjamini_hochberg
from ..text.dates import DISTANT, format_years
from .encoded import EncodedCorpus
from .search import Hits

PRIOR = 500.0  # words that the prior of `log_odds` weighs together
NONE, BONFERRONI, FDR = "none", "bonferroni", "benjamini-hochberg"
CORRECTIONS = (FDR, BONFERRONI, NONE)
ABSENT = 0.5  # replaces a count of 0 in a logarithm (Hardie 2014)


def log_dice(together: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return 14 + log2 of the Dice coefficient of two words, from their frequencies and joint count (Rychlý 2008); −∞ for a count of 0."""
    with np.errstate(divide="ignore"):
        return 14 + np.log2(2 * np.asarray(together, float) / (np.asarray(first, float) + second))


def log_likelihood(a: np.ndarray, b: np.ndarray, n_a: float, n_b: float) -> np.ndarray:
    """Return G2 (never negative) of the 2 x 2 table of a word's counts (a, b) in two sets of n_a and n_b tokens (Dunning 1993)."""
    from scipy.special import rel_entr  # observed * log(observed / expected)

    a, b, n = np.asarray(a, float), np.asarray(b, float), n_a + n_b
    share, rest = (a + b) / n, (n - a - b) / n
    cells = ((a, n_a * share), (b, n_b * share), (n_a - a, n_a * rest), (n_b - b, n_b * rest))
    return np.maximum(2 * sum(rel_entr(observed, expected) for observed, expected in cells), 0.0)


def log_ratio(a: np.ndarray, b: np.ndarray, n_a: float, n_b: float) -> np.ndarray:
    """Return log2 of the ratio of a word's frequencies in two corpora (Hardie 2014). A count of 0 is taken as a half."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return np.log2(np.where(a > 0, a, ABSENT) / n_a) - np.log2(np.where(b > 0, b, ABSENT) / n_b)


def log_odds(first: np.ndarray, second: np.ndarray, background: np.ndarray, *, prior: float = PRIOR) -> np.ndarray:
    """Return z (words,) of the log-odds ratio of words' counts in two sets, with a Dirichlet prior in proportion to their background counts.

    Monroe, Colaresi and Quinn 2008, equations 16, 18 and 22. Above 0 a word is typical of the first set, below 0 of the second.
    """
    alpha = prior * np.asarray(background, float) / np.sum(background)
    y, y_second = np.asarray(first, float) + alpha, np.asarray(second, float) + alpha
    n, m = y.sum(), y_second.sum()
    with np.errstate(divide="ignore", invalid="ignore"):  # z is NaN for a word of frequency 0
        delta = np.log(y / (n - y)) - np.log(y_second / (m - y_second))
        return delta / np.sqrt(1 / y + 1 / y_second)


def p_values(g2: np.ndarray, correction: str = FDR) -> np.ndarray:
    """Return p of G2 by the chi-squared distribution with one degree of freedom, corrected for the number of tests."""
    from scipy.special import chdtrc

    check_choice(t("correction"), correction, CORRECTIONS)
    p = np.maximum(chdtrc(1, np.asarray(g2, float)), np.finfo(float).tiny)  # above a G2 of 1,490 p would be 0
    if correction == NONE or not len(p):
        return p
    return benjamini_hochberg(p) if correction == FDR else np.minimum(p * len(p), 1.0)


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


def keywords(first: EncodedCorpus, second: EncodedCorpus, *, minimum: int = 5, correction: str = FDR) -> list[Keyword]:
    """Return the words with at least `minimum` occurrences in both together, the highest log-likelihood first, in either direction.

    p is corrected for all compared words. Raises BadInput for a corpus without tokens.
    """
    n, m = len(first), len(second)
    if not n or not m:
        raise BadInput(t("A corpus without words cannot be compared. Choose another."))
    names = np.array(sorted({*first.word_list, *second.word_list}), object)
    number = {name: k for k, name in enumerate(names)}
    a, b, lettered = (np.zeros(len(names), kind) for kind in (np.int64, np.int64, bool))
    for corpus, counts in ((first, a), (second, b)):
        places = [number[word] for word in corpus.word_list]
        counts[places] = corpus.frequency
        lettered[places] = corpus.lettered
    chosen = np.flatnonzero((a + b >= max(1, minimum)) & lettered)
    a, b = a[chosen], b[chosen]
    g2 = log_likelihood(a, b, n, m)
    columns = (names[chosen], a, b, per_million(a, n), per_million(b, m), g2, log_ratio(a, b, n, m), p_values(g2, correction))
    order = np.argsort(-g2, kind="stable")
    return [Keyword(*row) for row in zip(*(column[order].tolist() for column in columns), strict=True)]


PARTS = 10  # stretches of a corpus that is one document
MOST_PERIODS = 40  # parts of an axis of time
STEPS = tuple(10**k for k in range(7))  # years in a part of it

Part = tuple[str, int, int]  # its name, hits in it, its tokens


def deviation(hits: np.ndarray, tokens: np.ndarray) -> float:
    """Return Gries' deviation of proportions of hits (parts,) in parts of a text, from their sizes in tokens (parts,).

    It is half the sum of the differences of their shares (Gries 2008): 0 for an even spread, near 1 for hits in one part, NaN without hits.
    """
    hits, tokens = np.asarray(hits, float), np.asarray(tokens, float)
    if not hits.sum():
        return float("nan")
    return float(np.abs(hits / hits.sum() - tokens / tokens.sum()).sum() / 2)


def per_million(hits: int | np.ndarray, tokens: int) -> float | np.ndarray:
    """Return the number of hits per million tokens."""
    return hits * 1_000_000 / max(tokens, 1)


def by_document(corpus: EncodedCorpus, hits: Hits) -> list[Part]:
    """Count hits in each document, in the order of the corpus."""
    counts = np.bincount(corpus.document[corpus.sentence[hits.first]], minlength=len(corpus.documents))
    return list(zip(corpus.documents, counts.tolist(), corpus.document_sizes.tolist(), strict=True))


def by_stretch(corpus: EncodedCorpus, hits: Hits, stretches: int = PARTS) -> list[Part]:
    """Count hits in equal stretches of the corpus, named by their numbers from 1."""
    n = len(corpus)
    counts = np.bincount(hits.first * stretches // max(1, n), minlength=stretches)
    edges = -(-np.arange(stretches + 1) * n // stretches)  # the first token of each
    return list(zip(map(str, range(1, stretches + 1)), counts.tolist(), np.diff(edges).tolist(), strict=True))


def by_date(corpus: EncodedCorpus, hits: Hits) -> list[Part]:
    """Count hits in each of `date_bars`. Raises BadInput if no sentence has a date."""
    if not corpus.dates:
        raise BadInput(t("This corpus has no dates. Add a .csv with a date column, or .jsonl rows with “date”."))
    names, bars = date_bars(corpus)
    sizes = np.bincount(bars, np.diff(corpus.starts), len(names) + 1)
    n = np.bincount(bars[corpus.sentence[hits.first]], minlength=len(names) + 1)
    return [(name, int(n[k]), int(sizes[k])) for k, name in enumerate(names)]


def date_bars(corpus: EncodedCorpus) -> tuple[list[str], np.ndarray]:
    """Return the names of bars on an even time axis, and the number of each sentence's bar (S,): the number of bars if it is in none.

    A bar is a year, or a decade, century and so on if half of the dates are longer, or if years would be more than MOST_PERIODS. A date that
    is not within one bar is in none. Within a single year each date is a bar.
    """
    spans = corpus.date_spans
    if len({span.years for span in spans if span}) > 1:
        years = [None if span is None or DISTANT in map(abs, span.years) else span.years for span in spans]
        n_years = [pair[1] - pair[0] + 1 if pair else 0 for pair in years]
        lengths = np.array([*n_years, 0])[corpus.date]  # (S,); the last is that of sentences without a date, -1
        usual = np.median(lengths[lengths > 0]) if lengths.any() else 0
        for step in STEPS:
            keys = [pair[0] // step if pair and pair[0] // step == pair[1] // step else None for pair in years]
            periods = sorted({*keys} - {None})
            if step >= usual and periods and periods[-1] - periods[0] < MOST_PERIODS:
                break
        order = [period for period in range(periods[0], periods[-1] + 1) if period or step > 1] if periods else []  # no year 0
        names = [
            t("{year}s", year=10 * period) if step == 10 and period > 0 else format_years(period * step or 1, period * step + step - 1)
            for period in order
        ]
    else:
        order, keys = sorted({span for span in spans if span}), spans
        named = {span: name for name, span in reversed(list(zip(corpus.dates, spans, strict=True)))}
        names = ["{:04d}-{:02d}-{:02d}".format(*span.first) if ":" in named[span] else named[span] for span in order]
    places = {key: k for k, key in enumerate(order)}
    return names, np.array([places.get(key, len(order)) for key in (*keys, None)])[corpus.date]


NOMINAL, ORDINAL = "nominal", "ordinal"


def alpha(annotators: Sequence[Sequence[object]], level: str = NOMINAL) -> float:
    """Return Krippendorff's alpha: 1 for agreement, 0 for chance, below 0 for less (Krippendorff 2011, "Computing Krippendorff's alpha-reliability").

    `annotators` holds the answers of each annotator on the same units, None for a missing answer. ORDINAL takes numbers, whose distance
    grows with the number of answers between them. Raises BadInput if no unit has two answers, or if all answers are the same.
    """
    units = list(zip(*annotators, strict=True))
    values = {answer for answers in units for answer in answers if answer is not None}
    names = sorted(values, key=float if level == ORDINAL else str)
    counts = np.array([[answers.count(name) for name in names] for answers in units], float).reshape(len(units), len(names))
    counts = counts[counts.sum(axis=1) > 1]  # pairs only
    if not len(counts):
        raise BadInput(t("No sentence has labels of two annotators. Label the same sentences."))
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincidences = weighted.T @ counts - np.diag(weighted.sum(axis=0))  # (values, values)
    totals = coincidences.sum(axis=0)
    if (totals > 0).sum() < 2:
        raise BadInput(t("All labels are the same; agreement needs two senses."))
    upto = np.cumsum(totals) - totals / 2
    distances = 1.0 - np.eye(len(totals)) if level == NOMINAL else (upto[:, None] - upto) ** 2
    expected = np.outer(totals, totals) - np.diag(totals)
    return float(1 - (totals.sum() - 1) * (coincidences * distances).sum() / (expected * distances).sum())
