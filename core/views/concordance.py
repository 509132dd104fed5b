"""A search in a corpus: its lines in any order, slice by slice, how often and how evenly it occurs, over documents and dates."""

from dataclasses import dataclass

import numpy as np

from core.common.errors import BadInput
from core.common.i18n import t
from core.corpus import collocates, dispersion, search
from core.corpus.dispersion import Part
from core.corpus.encoded import EncodedCorpus
from core.corpus.search import BY_SENSE, BY_SUBSTITUTES, Hits, Line
from core.elmo.in_place import by_substitutes
from core.text.readings import WordInContext
from core.views import induction
from core.views.induction import InductionRequest
from core.workbench import Bench

READS = ("model", "corpus")
MOST_BY_SUBSTITUTES = 2_000  # hits that a model reads to sort them
MOST_LINES = 100_000  # of one slice
LABELS, GROUPS = "labels", "groups"  # of senses: as a file has them, or found by the model


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcordanceRequest:
    """A query, which of its hits, in which order, and the slice of them that is looked at."""

    query: str
    kind: str = search.WORD
    order: str = search.IN_TEXT
    first: int = 0
    number: int = 20
    documents: tuple[str, ...] = ()  # those of these names; all without
    near: str = ""  # hits with that word within the window
    window: int = collocates.WINDOW
    sense: str = ""  # hits of that sense
    senses: str = LABELS
    seed: int = 0  # of the order at random


@dataclass(frozen=True, slots=True)
class Concordance:
    """The answer; a part is (name, hits, tokens)."""

    query: str
    n: int
    tokens: int
    per_million: float
    deviation: float  # Gries' DP, over documents, or stretches of a single one
    forms: tuple[tuple[str, int], ...]
    documents: tuple[Part, ...]
    stretches: tuple[Part, ...]
    dates: tuple[Part, ...]  # () where the corpus has none
    first: int
    lines: tuple[Line, ...]
    similar: tuple[str, ...]  # spellings, where there are no hits


def compute(bench: Bench, request: ConcordanceRequest) -> Concordance:
    """BadInput says what is wrong with a query."""
    if request.first < 0 or not 0 <= request.number <= MOST_LINES:
        raise BadInput(
            t("Lines {first} and {n} more: choose from 0, at most {most:,}.", first=request.first, n=request.number, most=MOST_LINES)
        )
    corpus = bench.encoded
    hits = hits_of(bench, request)
    # of the documents chosen alone: their tokens, and the parts that dispersion is measured over
    documents = [part for part in dispersion.by_document(corpus, hits) if not request.documents or part[0] in request.documents]
    tokens = sum(size for _, _, size in documents)
    stretches = dispersion.by_stretch(corpus, hits)
    parts = documents if len(documents) > 1 else stretches
    return Concordance(
        request.query,
        len(hits),
        tokens,
        dispersion.per_million(len(hits), tokens),
        dispersion.deviation([n for _, n, _ in parts], [size for _, _, size in parts]) if tokens else float("nan"),
        tuple(search.forms(corpus, hits)),
        tuple(documents),
        tuple(stretches),
        tuple(dispersion.by_date(corpus, hits)) if corpus.dates else (),
        request.first,
        tuple(search.lines(corpus, hits, request.first, request.number)),
        () if len(hits) else tuple(search.similar(corpus, request.query)),
    )


def hits_of(bench: Bench, request: ConcordanceRequest) -> Hits:
    """All hits of a request in their order, kept while they are looked at slice by slice."""
    corpus = bench.encoded
    grouped = request.senses == GROUPS and (request.sense or request.order == BY_SENSE)
    reads = bench.model.fingerprint if grouped or request.order == BY_SUBSTITUTES else ""
    what = (request.query, request.kind, request.documents, request.near, request.window, request.sense, request.senses, request.seed)
    key = (corpus.fingerprint, reads, request.order, *what)
    return bench.opener.memo.value("hits of a search", key, lambda: _hits(bench, corpus, request), most=64)


def senses_of(bench: Bench, query: str, hits: Hits, senses: str) -> tuple[np.ndarray, list[str]]:
    """The sense of each hit (n,), -1 of none, and their names: a file's labels, or the groups that the model finds.

    BadInput where a word has none, or is still being read.
    """
    corpus = bench.encoded
    if senses == LABELS:
        numbers = search.label_of(corpus, hits)
        used, places = np.unique(numbers[numbers >= 0], return_inverse=True)
        of = np.full(len(hits), -1)
        of[numbers >= 0] = places
        return of, [corpus.senses[k] for k in used.tolist()]
    if senses != GROUPS:
        raise BadInput(t("Unknown senses {name!r}. Choose: {names}.", name=senses[:40], names=f"{LABELS}, {GROUPS}"))
    result = induction.compute(bench, InductionRequest(word=query))
    if result is None:
        raise BadInput(t("The model has not read this corpus yet. Use it on every page first."))
    places = {(item.tokens, item.position): int(k) for item, k in zip(result.occurrences.items, result.groups.of, strict=True)}
    sentences = corpus.sentence[hits.first].tolist()
    starts = corpus.starts[sentences].tolist() if sentences else []
    of = [places.get((corpus.tokens(s), at - start), -1) for s, at, start in zip(sentences, hits.first.tolist(), starts, strict=True)]
    return np.array(of, int), list(result.groups.names)


def _hits(bench: Bench, corpus: EncodedCorpus, request: ConcordanceRequest) -> Hits:
    hits = search.find(corpus, request.query, kind=request.kind, documents=request.documents)
    if request.near:
        hits = hits.at(collocates.with_word_near(corpus, hits, request.near, request.window))
    of = None
    if request.sense or request.order == BY_SENSE:
        of, names = senses_of(bench, request.query, hits, request.senses)
        if request.sense:
            if request.sense not in names:
                raise BadInput(
                    t("No sense {name!r} of this word here. It has: {names}.", name=request.sense[:60], names=", ".join(names) or "–")
                )
            wanted = of == names.index(request.sense)
            hits, of = hits.at(wanted), of[wanted]
    if request.order == BY_SUBSTITUTES:
        lines = search.lines(corpus, hits, 0, MOST_BY_SUBSTITUTES)
        words = [WordInContext((*line.left, *line.words, *line.right), len(line.left)) for line in lines]
        return hits.at(np.concatenate([by_substitutes(bench.substitutes, words), np.arange(len(lines), len(hits))]).astype(int))
    return search.ordered(corpus, hits, request.order, senses=of, seed=request.seed)
