"""A corpus searched and counted: concordance lines, collocates, and keywords compared with another corpus."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.limits import limits
from ..common.markup import check_choice, shorten
from ..common.reports import Report
from ..corpus import concordance as kwic
from ..corpus import measures, search
from ..corpus.change import intersect_keys, sentence_keys
from ..corpus.concordance import BY_SENSE, BY_SUBSTITUTES, Collocate, Line, SenseWord
from ..corpus.encoded import EncodedCorpus
from ..corpus.measures import FDR, NONE, Keyword, Part, keywords
from ..corpus.search import Hits
from ..elmo.substitutes import by_substitutes
from ..files.artifacts import text_fingerprint
from ..text.corpora import sentences_of
from ..text.readings import WordInContext
from ..text.target_word import words_of
from ..workspace import Workspace, reads_as_model
from . import induction, substitutes
from .induction import InductionRequest
from .sides import describe_undated
from .substitutes import SubstitutesRequest

READS = ("model", "corpus")
MOST_LINES = 100_000  # lines of one slice
BY_DICE, BY_LIKELIHOOD = "log_dice", "log_likelihood"
SHOWN = 3  # substitutes next to a line, if hits are sorted by them
LABELS, GROUPS = "labels", "groups"  # where senses come from: the file's labels, or groups that the model finds


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcordanceRequest:
    """A query, which of its hits, in which order, and the slice of them that is looked at."""

    query: str
    kind: str = search.WORD
    order: str = kwic.IN_TEXT
    first: int = 0
    number: int = 20
    documents: tuple[str, ...] = ()  # only these are searched and counted; () for all
    near: str = ""  # hits with that word or phrase within the window
    window: int = kwic.WINDOW
    sense: str = ""  # hits of that sense
    senses: str = LABELS
    seed: int = 0  # for random order


@dataclass(frozen=True, slots=True)
class Concordance:
    """The hits of a query: their distribution, and a slice of lines. A part is (name, hits, tokens)."""

    query: str
    n: int
    tokens: int
    per_million: float
    deviation: float  # Gries' DP, over documents, or stretches of a single one; NaN without hits
    forms: tuple[tuple[str, int], ...]
    documents: tuple[Part, ...]
    stretches: tuple[Part, ...]
    dates: tuple[Part, ...]  # () for a corpus without dates
    undated: int  # sentences without a readable date, if the corpus has dates
    sentences: int
    unread_date: str  # an example of such a date, as written
    wide: int  # sentences whose date is within no bar of `dates`
    in_order: int  # number of sorted hits: a model reads a limited number, and the others follow in text order
    first: int
    lines: tuple[Line, ...]
    missing: str  # without hits: the word nearby or the query that does not occur; "" if both occur
    similar: tuple[str, ...]  # spellings similar to `missing`

    def table(self) -> Frame:
        """Return the visible lines."""
        return tabulate_lines(self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollocatesRequest:
    """A query, the window, and the least count. `senses` adds a list for each sense of the query."""

    query: str
    kind: str = search.WORD
    window: int = kwic.WINDOW
    minimum: int = 3
    most: int = 50
    order: str = BY_DICE
    documents: tuple[str, ...] = ()
    senses: str = ""  # LABELS, which has no effect for a word without two senses, or GROUPS
    grammar: bool = True  # whether function words count

    def lines(self, **more) -> ConcordanceRequest:
        """Return the search whose neighborhoods are counted, with more fields, such as a word nearby or a sense."""
        return ConcordanceRequest(query=self.query, kind=self.kind, documents=self.documents, **more)


@dataclass(frozen=True, slots=True)
class SenseColumn:
    """A sense, and the words that distinguish it from the others."""

    sense: str
    n: int  # hits with the sense
    words: tuple[SenseWord, ...]


@dataclass(frozen=True, slots=True)
class Collocates:
    """The collocates of a query, the strongest first."""

    query: str
    n: int  # hits
    tokens: int
    everything: int  # number of all collocates; `items` may be fewer
    items: tuple[Collocate, ...]
    senses: tuple[SenseColumn, ...]

    def table(self) -> Frame:
        """Return a row for each collocate."""
        rows = [(i.word, i.log_dice, i.log_likelihood, i.together, i.left, i.right, i.frequency) for i in self.items]
        columns = (t("word"), t("logDice"), t("log-likelihood"), t("together"), t("before"), t("after"), t("in the corpus"))
        return frame(rows, columns=columns)

    def senses_table(self) -> Frame:
        """Return a row for each characteristic word of each sense."""
        rows = [(column.sense, word.word, word.z, word.n, word.elsewhere) for column in self.senses for word in column.words]
        return frame(rows, columns=(t("sense"), t("word"), "z", t("here"), t("elsewhere")))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeynessRequest:
    """A second corpus to compare with; "" is the reference corpus of the model's language."""

    against: str = ""
    minimum: int = 5
    most: int = 50  # words of each corpus
    correction: str = FDR

    @property
    def reads(self) -> tuple[tuple[str, str], ...]:
        """Return (kind, name) of the second corpus."""
        return (("corpus", self.against),) if self.against else ()


@dataclass(frozen=True, slots=True)
class Keyness:
    """The keywords of two corpora, more frequent in one than in the other, the highest log-likelihood first."""

    names: tuple[str, str]
    tokens: tuple[int, int]  # number compared of each corpus
    compared: int  # words that were tested
    correction: str  # how their p is corrected
    first: tuple[Keyword, ...]
    second: tuple[Keyword, ...]
    shared: int = 0  # sentences of both, which count for the smaller corpus alone
    reduced: int = 0  # the place, in `names`, of the corpus from which they are removed

    @property
    def p_title(self) -> str:
        """Return the title of the column with p."""
        return "p" if self.correction == NONE else t("p, corrected")

    def table(self) -> Frame:
        """Return the keywords of the first corpus, then those of the second. "Here" is the first corpus in every row."""
        columns = {
            t("word"): "word",
            t("count"): "first",
            t("count there"): "second",
            t("log-likelihood"): "log_likelihood",
            t("log ratio"): "log_ratio",
            t("per million here"): "first_per_million",
            t("per million there"): "second_per_million",
            self.p_title: "p",
        }
        words = (*self.first, *self.second)
        return frame({title: [getattr(word, name) for word in words] for title, name in columns.items()})


@reads_as_model
def concordance(workspace: Workspace, request: ConcordanceRequest, report: Report | None = None) -> Concordance:
    """Search a corpus. `report` is called while a model reads hits to sort them. Raises BadInput for an invalid query."""
    if request.first < 0 or not 0 <= request.number <= MOST_LINES:
        values = {"first": request.first, "n": request.number, "most": MOST_LINES}
        raise BadInput(t("No {n:,} lines from line {first:,} on. Start at 0 or later, with at most {most:,}.", **values))
    corpus = searched(workspace, request.documents)
    hits = hits_of(workspace, request, report)
    documents = measures.by_document(corpus, hits)
    stretches = measures.by_stretch(corpus, hits)
    parts = documents if len(documents) > 1 else stretches
    names, bars = measures.date_bars(corpus)
    missing = "" if len(hits) else _missing_word(corpus, request)
    return Concordance(
        query=request.query,
        n=len(hits),
        tokens=len(corpus),
        per_million=measures.per_million(len(hits), len(corpus)),
        deviation=measures.deviation([n for _, n, _ in parts], [size for _, _, size in parts]),
        forms=tuple(kwic.forms(corpus, hits)),
        documents=tuple(documents),
        stretches=tuple(stretches),
        dates=tuple(measures.by_date(corpus, hits)) if corpus.dates else (),
        undated=int(corpus.undated.sum()) if corpus.dates else 0,
        sentences=corpus.n_sentences,
        unread_date=corpus.unread_date,
        wide=int((bars[~corpus.undated] == len(names)).sum()),
        in_order=min(len(hits), limits().max_sentences_read) if request.order == BY_SUBSTITUTES else len(hits),
        first=request.first,
        lines=tuple(kwic.lines(corpus, hits, request.first, request.number)),
        missing=missing,
        similar=tuple(search.similar(corpus, missing)) if missing else (),
    )


def tabulate_lines(lines: Sequence[Line]) -> Frame:
    """Return concordance lines as a table, with their dates if any line has one. Sentences count from 1."""
    table = frame(
        ((line.document, line.sentence + 1, line.before, line.hit, line.after, line.date or "") for line in lines),
        columns=(t("document"), t("sentence"), t("before"), t("found"), t("after"), t("date")),
    )
    return table if any(line.date for line in lines) else table.drop(columns=t("date"))


def describe_limits(result: Concordance) -> list[str]:
    """Describe the sentences without a date, the hits that are not sorted, and the words that do not occur."""
    notes = []
    if result.missing:
        notes.append(t("“{word}” does not occur.", word=shorten(result.missing.strip())))
    elif not result.n:
        notes.append(t("No occurrence of “{word}” meets all conditions.", word=shorten(result.query.strip())))
    if result.undated:
        notes.append(describe_undated(result.undated, result.sentences, result.unread_date))
    if result.wide:
        notes.append(t("Sentences in no bar because their dates fit none: {n:,}.", n=result.wide))
    if result.in_order < result.n:
        notes.append(t("Only the first {k:,} of {n:,} are sorted; the others follow in text order.", k=result.in_order, n=result.n))
    return notes


@reads_as_model
def searched(workspace: Workspace, documents: tuple[str, ...] = ()) -> EncodedCorpus:
    """Return the corpus, cut to some documents if they are named. Raises BadInput for an unknown document."""
    corpus = workspace.encoded
    if not documents:
        return corpus
    key = (corpus.fingerprint, tuple(sorted(documents)))
    return workspace.opener.memo.value("documents of a corpus", key, lambda: corpus.of_documents(documents), most=8)


@reads_as_model
def hits_of(workspace: Workspace, request: ConcordanceRequest, report: Report | None = None) -> Hits:
    """Return all hits of a request in order. They are cached while slices of them are read."""
    corpus = searched(workspace, request.documents)
    grouped = request.senses == GROUPS and (request.sense or request.order == BY_SENSE)
    by_substitutes = request.order == BY_SUBSTITUTES
    model = workspace.model.fingerprint if grouped or by_substitutes else ""
    n_sorted = limits().max_sentences_read if by_substitutes else 0
    complete = workspace.encoded.fingerprint if grouped else ""  # groups are those of all documents
    key = corpus.fingerprint, complete, model, n_sorted, replace(request, first=0, number=0)
    return workspace.opener.memo.value("hits of a search", key, lambda: _hits(workspace, corpus, request, report), most=64)


@reads_as_model
def with_senses(workspace: Workspace, request: ConcordanceRequest) -> ConcordanceRequest:
    """Choose labels for a request sorted by sense if the hits have any, else the model's groups. Return other requests unchanged."""
    if request.order != BY_SENSE:
        return request
    corpus = searched(workspace, request.documents)
    hits = search.find(corpus, request.query, kind=request.kind)
    return replace(request, senses=LABELS if (kwic.label_of(corpus, hits) >= 0).any() else GROUPS)


class HitLines:
    """The lines of a request's hits, slice by slice, with their document, date and sense, or their substitutes if sorted by them."""

    def __init__(self, workspace: Workspace, request: ConcordanceRequest, hits: Hits) -> None:
        self._workspace, self._hits = workspace, hits
        self._corpus = searched(workspace, request.documents)
        self.by_substitutes = request.order == BY_SUBSTITUTES
        grouped = request.order == BY_SENSE and request.senses == GROUPS
        self._sense_of, self._senses = senses_of(workspace, request.query, hits, GROUPS if grouped else LABELS, request.documents)
        self.key = text_fingerprint([self._corpus.fingerprint, repr(request)])[:16]

    def __len__(self) -> int:
        return len(self._hits)

    def lines(self, first: int, number: int) -> list[tuple[Line, str, int]]:
        """Return some lines from the first on, each with its notes and the number of its sense, -1 for none."""
        corpus = self._corpus
        lines = kwic.lines(corpus, self._hits, first, number)
        senses = self._sense_of[first : first + number].tolist()
        names = [self._senses[k] if k >= 0 else "" for k in senses]
        has_documents = len(corpus.documents) > 1
        notes = [(line.document if has_documents else "", line.date, name) for line, name in zip(lines, names, strict=True)]
        if self.by_substitutes and lines:
            words = tuple(WordInContext(line.tokens, line.first) for line in lines)
            answers = substitutes.compute(self._workspace, SubstitutesRequest(words=words))
            expected = [", ".join(substitute.word for substitute in answer.substitutes[:SHOWN]) for answer in answers]
            notes = [(listed,) if listed else parts for listed, parts in zip(expected, notes, strict=True)]
        return [(line, " · ".join(filter(None, parts)), k) for line, parts, k in zip(lines, notes, senses, strict=True)]


@reads_as_model
def senses_of(workspace: Workspace, query: str, hits: Hits, senses: str, documents: tuple[str, ...] = ()) -> tuple[np.ndarray, list[str]]:
    """Return the sense of each hit (n,) in some documents, -1 for none, and the senses' names: labels, or groups that the model finds.

    Raises BadInput for a word without senses, or while it is being read.
    """
    corpus = searched(workspace, documents)
    if senses == LABELS:
        numbers = kwic.label_of(corpus, hits)
        used = np.unique(numbers[numbers >= 0])
        return np.where(numbers < 0, -1, np.searchsorted(used, numbers)), [corpus.senses[k] for k in used.tolist()]
    if (result := induction.compute(workspace, InductionRequest(word=query))) is None:
        raise BadInput(t("The model has not read this corpus yet. Select it as the corpus first."))
    places = {(item.tokens, item.position): int(k) for item, k in zip(result.occurrences.items, result.groups.numbers, strict=True)}
    sentences = corpus.sentence[hits.first]
    positions = hits.first - corpus.starts[sentences]
    hit_places = zip(map(corpus.tokens, sentences.tolist()), positions.tolist(), strict=True)
    return np.array([places.get(place, -1) for place in hit_places], int), list(result.groups.names)


@reads_as_model
def collocates(workspace: Workspace, request: CollocatesRequest) -> Collocates:
    """Return the collocates of a query. Raises BadInput for an invalid query, window or count, and for a word without senses."""
    _check_counts(request)
    check_choice(t("order"), request.order, (BY_DICE, BY_LIKELIHOOD))
    corpus = searched(workspace, request.documents)
    hits = hits_of(workspace, request.lines())
    how = {"window": request.window, "minimum": request.minimum, "without": () if request.grammar else grammar_of(workspace)}
    items = kwic.collocates(corpus, hits, **how)
    if request.order == BY_LIKELIHOOD:
        items.sort(key=lambda item: -item.log_likelihood)
    senses = ()
    if request.senses:
        check_choice(t("source of senses"), request.senses, (LABELS, GROUPS))
        sense_of, names = senses_of(workspace, request.query, hits, request.senses, request.documents)
        lists = {} if request.senses == LABELS and len(names) < 2 else kwic.by_sense(corpus, hits, sense_of, **how)
        senses = tuple(SenseColumn(names[k], int((sense_of == k).sum()), tuple(words)) for k, words in lists.items())
    return Collocates(request.query, len(hits), len(corpus), len(items), tuple(items[: request.most]), senses)


@reads_as_model
def keyness(workspace: Workspace, request: KeynessRequest) -> Keyness:
    """Return the keywords of both corpora. Raises BadInput for equal or missing corpora, and for a count below 1."""
    _check_counts(request)
    against = request.against or reference_of(workspace)
    if against == workspace.corpus:
        raise BadInput(t("A corpus cannot be compared with itself. Choose another."))
    both = [workspace.encoded, workspace.with_corpus(against).encoded]
    shared = intersect_keys(*map(sentence_keys, both))
    reduced = int(both[0].n_sentences < both[1].n_sentences)
    is_kept = ~np.isin(sentence_keys(both[reduced]), shared)
    if not is_kept.any():
        raise BadInput(t("Both corpora have the same sentences. Choose another."))
    if len(shared):
        both[reduced] = both[reduced].cut(is_kept)
    words = keywords(*both, minimum=request.minimum, correction=request.correction)
    first = tuple(word for word in words if word.first and word.log_ratio > 0)[: request.most]
    second = tuple(word for word in words if word.second and word.log_ratio < 0)[: request.most]
    names = (workspace.corpus, against)
    return Keyness(names, (len(both[0]), len(both[1])), len(words), request.correction, first, second, int((~is_kept).sum()), reduced)


@reads_as_model
def grammar_of(workspace: Workspace) -> set[str]:
    """Return the corpus' function words, and forms that are never written alone (endings, particles)."""
    corpus = workspace.encoded
    return {*words_of(workspace.language).function, *(corpus.word_list[k] for k in np.flatnonzero(corpus.attached))}


@reads_as_model
def reference_of(workspace: Workspace) -> str:
    """Return the default corpus to compare with: the other labeled sentences, or the language's own."""
    language = sentences_of(workspace.corpus) or workspace.language
    if name := next((name for name in (language.reference, language.sentences) if name and name != workspace.corpus), ""):
        return name
    raise BadInput(t("No other corpus in this language. Name one to compare with."))


def _check_counts(request: CollocatesRequest | KeynessRequest) -> None:
    if (least := min(request.minimum, request.most)) < 1:
        raise BadInput(t("Counts must be at least 1, got {n}.", n=least))


def _missing_word(corpus: EncodedCorpus, request: ConcordanceRequest) -> str:
    """Return the word nearby or the query of a request, whichever does not occur at all; "" if both do."""
    if request.near.strip() and not len(search.find(corpus, request.near)):
        return request.near
    return "" if len(search.find(corpus, request.query, kind=request.kind)) else request.query


def _hits(workspace: Workspace, corpus: EncodedCorpus, request: ConcordanceRequest, report: Report | None) -> Hits:
    kwic.check_window(request.window)
    check_choice(t("source of senses"), request.senses, (LABELS, GROUPS))
    if request.seed < 0:
        raise BadInput(t("The seed must be at least 0, got {n}.", n=request.seed))
    hits = search.find(corpus, request.query, kind=request.kind)
    if request.near.strip():
        hits = hits.at(kwic.with_word_near(corpus, hits, request.near, request.window))
    sense_of = None
    if request.sense or request.order == BY_SENSE:
        sense_of, names = senses_of(workspace, request.query, hits, request.senses, request.documents)
        if request.sense:
            if request.sense not in names:
                values = {"name": shorten(request.sense), "names": ", ".join(names) or "–"}
                raise BadInput(t("No sense {name!r} of this word here. It has: {names}.", **values))
            wanted = sense_of == names.index(request.sense)
            hits, sense_of = hits.at(wanted), sense_of[wanted]
    if request.order == BY_SUBSTITUTES:
        lines = kwic.lines(corpus, hits, 0, limits().max_sentences_read)
        words = [WordInContext(line.tokens, line.first) for line in lines]
        order = by_substitutes(workspace.substitutes, words, report)
        return hits.at(np.concatenate([order, np.arange(len(lines), len(hits))]).astype(int))
    return kwic.sort_hits(corpus, hits, request.order, senses=sense_of, seed=request.seed)
