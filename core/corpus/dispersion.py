"""How evenly hits are spread: over documents, over equal parts of a text, over dates; Gries' deviation of proportions."""

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from ..text.dates import DISTANT, format_year, format_years
from .encoded import EncodedCorpus
from .search import Hits

PARTS = 10  # of a corpus that is one document
MILLION = 1_000_000
MOST_PERIODS = 40  # parts of an axis of time
STEPS = tuple(10**k for k in range(7))  # years in a part of it

Part = tuple[str, int, int]  # its name, hits in it, its tokens


def deviation(hits: np.ndarray, tokens: np.ndarray) -> float:
    """Gries' DP of hits (parts,) in parts of so many tokens (parts,): 0 where they are spread as the text is, near 1 where all are in one.

    Half the sum of the differences between each part's share of the hits and of the tokens (Gries 2008). NaN without hits.
    """
    hits, tokens = np.asarray(hits, float), np.asarray(tokens, float)
    if not hits.sum():
        return float("nan")
    return float(np.abs(hits / hits.sum() - tokens / tokens.sum()).sum() / 2)


def per_million(hits: int, tokens: int) -> float:
    """How many hits a million tokens would have."""
    return hits * MILLION / max(tokens, 1)


def by_document(corpus: EncodedCorpus, hits: Hits) -> list[Part]:
    """Each document, in the order of the corpus."""
    of = np.bincount(corpus.document[corpus.sentence[hits.first]], minlength=len(corpus.documents))
    return list(zip(corpus.documents, of.tolist(), corpus.document_sizes.tolist(), strict=True))


def by_stretch(corpus: EncodedCorpus, hits: Hits, stretches: int = PARTS) -> list[Part]:
    """Equal stretches of the corpus, each named by its number from 1."""
    n = len(corpus)
    of = np.bincount(hits.first * stretches // max(1, n), minlength=stretches)
    edges = -(-np.arange(stretches + 1) * n // stretches)  # the first token of each
    return list(zip(map(str, range(1, stretches + 1)), of.tolist(), np.diff(edges).tolist(), strict=True))


def by_date(corpus: EncodedCorpus, hits: Hits) -> list[Part]:
    """Count hits on an even axis of time: by year, or by decade, century and so on where that takes more than MOST_PERIODS parts.

    A date that spans several parts counts in that of its middle. Within a single year each date is a part. Sentences without a date that can
    be read are left out (`EncodedCorpus.undated`). BadInput where no sentence has a date.
    """
    if not corpus.dates:
        raise BadInput(t("This corpus has no dates. Add a .csv with a date column, or .jsonl rows with “date”."))
    spans = corpus.date_spans
    years = [None if span is None else _middle(*span.years) for span in spans]
    known = sorted({year for year in years if year is not None})
    if len({span.years for span in spans if span}) > 1:
        step = next(step for step in STEPS if known[-1] // step - known[0] // step < MOST_PERIODS)
        order = list(range(known[0] // step, known[-1] // step + 1))
        names = [_name_period(period * step, step) for period in order]
        keys = [None if year is None else year // step for year in years]
    else:
        order = sorted({span for span in spans if span})
        named = {span: name for name, span in reversed(list(zip(corpus.dates, spans, strict=True)))}
        names, keys = [named[span] for span in order], spans
    places = {key: k for k, key in enumerate(order)}
    of_sentence = np.array([places.get(key, len(order)) for key in (*keys, None)])[corpus.date]
    sizes = np.bincount(of_sentence, np.diff(corpus.starts), len(order) + 1)
    n = np.bincount(of_sentence[corpus.sentence[hits.first]], minlength=len(order) + 1)
    return [(name, int(n[k]), int(sizes[k])) for k, name in enumerate(names)]


def _middle(first: int, last: int) -> int:
    """Return the middle of a stretch of years; of an open one, the year where it begins or ends."""
    if DISTANT in (abs(first), abs(last)):
        return last if abs(first) == DISTANT else first
    return (first + last) // 2


def _name_period(first: int, step: int) -> str:
    """Return the name of the years from `first` on, such as "1850" or "1850s"."""
    if step == 1:
        return format_year(first or 1)
    if step == 10 and first > 0:
        return t("{year}s", year=first)
    return format_years(first or 1, first + step - 1)
