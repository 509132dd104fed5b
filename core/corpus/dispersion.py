"""How evenly hits are spread: over documents, over equal parts of a text, over dates; Gries' deviation of proportions."""

import numpy as np

from core.common.errors import BadInput
from core.common.i18n import t
from core.corpus.encoded import EncodedCorpus
from core.corpus.search import Hits
from core.text.dates import format_years

PARTS = 10  # of a corpus that is one document
MILLION = 1_000_000

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
    """Each year, or stretch of years, that dates name; within a single year each date. In order of time, without the sentences whose date
    cannot be read (`EncodedCorpus.undated`). BadInput where no sentence has a date."""
    if not corpus.dates:
        raise BadInput(t("This corpus has no dates. Add a .csv with a date column, or .jsonl rows with “date”."))
    spans, years = corpus.date_spans, {span.years for span in corpus.date_spans if span}
    names = {}  # of each stretch
    for name, span in zip(corpus.dates, spans, strict=True):
        if span and len(years) > 1:
            names[span.years] = format_years(*span.years)
        elif span:
            names.setdefault(span, name)
    order = sorted(names)
    places = {key: k for k, key in enumerate(order)}
    of = [len(order) if span is None else places[span.years if len(years) > 1 else span] for span in (*spans, None)]
    of_sentence = np.array(of)[corpus.date]
    sizes = np.bincount(of_sentence, np.diff(corpus.starts), len(order) + 1)
    n = np.bincount(of_sentence[corpus.sentence[hits.first]], minlength=len(order) + 1)
    return [(names[key], int(n[k]), int(sizes[k])) for k, key in enumerate(order)]
