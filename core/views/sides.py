"""Two sides of a comparison: a corpus or the texts between two dates, the rows of a table that are theirs, their documents and dates; a word's
sentences on a side, of a table or read for themselves."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache

import numpy as np

from ..common.config import ASSETS
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from ..common.limits import limits
from ..common.markup import shorten
from ..corpus.change import intersect_keys, list_keys, sentence_keys
from ..corpus.encoded import EncodedCorpus
from ..elmo.language_model import Prediction
from ..files.user_names import corpus_titles
from ..index.neighbors import Occurrence
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..index.tables import index_at
from ..text import own_corpus
from ..text.corpora import sentences_of
from ..text.dates import DISTANT, DateSpan, format_year, format_years, parse_date
from ..text.normalization import fold_case
from ..text.readings import dictionary_forms
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model
from .induction import rows_of
from .left_out import LeftOutSentences

MOST = 1_000  # occurrences of a word on a side
MOST_READ = 75  # of them whose sentences are read for the sense space: half a second
READ_AT_ONCE = 128  # of them between two reports
MOST_BANDS, PER_BAND = 12, 5  # stretches of dates; sentences of one, on average
NEWS = ASSETS / "headlines.csv"
_YEAR = re.compile(r"(?<!\d)(1\d{3}|20\d{2})(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A corpus, "" the one in use: all of it, or its texts from one date to another, both of them counted."""

    corpus: str = ""
    start: str = ""  # as `parse_date` reads it: from its first day on
    end: str = ""  # up to its last day

    @property
    def is_dated(self) -> bool:
        return bool(self.start or self.end)

    @property
    def span(self) -> DateSpan:
        """Its days. BadInput for a date that cannot be read."""
        for text in filter(None, (self.start, self.end)):
            if parse_date(text) is None:
                raise BadInput(t("“{date}” is no date. Write it as 1850, 1850-06, 0850 or 44 BC.", date=shorten(text)))
        first = parse_date(self.start).first if self.start else (-DISTANT, 1, 1)
        return DateSpan(first, parse_date(self.end).last if self.end else (DISTANT, 12, 31))


@dataclass(frozen=True, slots=True)
class Band:
    """One side, or one stretch of dates: its sentences of each group."""

    name: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A name of each sentence, "" where there is none, by its number; of no sentence where nothing is known."""

    names: Sequence[str] = ()
    codes: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))  # (S,), in `names`

    def of(self, sentences: np.ndarray) -> list[str]:
        return [self.names[k] for k in self.codes[sentences].tolist()] if len(self.codes) else [""] * len(sentences)


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """The document and the date of each sentence of a corpus; of none of an index without its texts."""

    documents: Column = Column()
    dates: Column = Column()
    spans: Sequence[DateSpan | None] = ()  # of each of the dates' names

    def between(self, side: Side, sentences: np.ndarray) -> np.ndarray:
        """(n,) bool: whether each sentence's date lies on the side, in full."""
        return self._which(lambda span: span is not None and span.lies_in(side.span))[sentences]

    def partly(self, side: Side) -> np.ndarray:
        """(S,) bool: whether a sentence's date lies on the side in part."""
        return self._which(lambda span: span is not None and span.meets(side.span) and not span.lies_in(side.span))

    @property
    def undated(self) -> np.ndarray:
        """(S,) bool: the sentences without a date that can be read."""
        return self._which(lambda span: span is None)

    def _which(self, holds: Callable[[DateSpan | None], bool]) -> np.ndarray:
        return np.array([holds(span) for span in self.spans], bool)[self.dates.codes] if len(self.dates.codes) else np.empty(0, bool)


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Two sides with what is known of their texts, and the sentences of each."""

    sides: tuple[Side, Side]
    facts: tuple[Facts, Facts]
    masks: tuple[np.ndarray | None, np.ndarray | None]  # (S,) bool of each corpus; None: all of its sentences
    shared: np.ndarray  # keys of the sentences that are left out of the side `left_out.reduced`, where these are found by their tokens
    left_out: LeftOutSentences

    def texts(self, k: int, table: OccurrenceTable) -> "SideTexts":
        """A side's table with its facts, where both are of the same sentences."""
        facts, mask = self.facts[k], self.masks[k]
        is_other = len(facts.dates.codes) != len(table.sentences)  # a table of the labeled sentences alone
        if is_other or (mask is not None and len(mask) != len(table.sentences)):
            mask = ~np.isin(list_keys(table.sentences), self.shared) if k == self.left_out.reduced and len(self.shared) else None
        return SideTexts(table, Facts() if is_other else facts, mask)


@dataclass(frozen=True, slots=True, eq=False)
class SideTexts:
    """A side's table, which of its sentences count, and each sentence's document and date."""

    table: OccurrenceTable
    facts: Facts
    mask: np.ndarray | None  # (S,) bool; None: all

    def within(self, rows: np.ndarray) -> np.ndarray:
        """Those of some rows whose sentences are on the side."""
        return rows if self.mask is None else rows[self.mask[self.table.sentence[rows]]]

    def documents(self, rows: np.ndarray) -> list[str]:
        """The document of each row's sentence; "" where it is not known."""
        return self.facts.documents.of(self.table.sentence[rows])

    def counts(self) -> dict[str, int]:
        """Return how often each word occurs on the side, joined pieces as the word that they are."""
        of = np.bincount(self.table.word[self.within(np.arange(len(self.table)))], minlength=len(self.table.words))
        counts: dict[str, int] = {}
        for k in np.flatnonzero(of).tolist():
            word = bare(self.table.words[k])
            counts[word] = counts.get(word, 0) + int(of[k])
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class WordTexts:
    """A word's sentences on a side, all of them or some spread evenly."""

    items: list[Occurrence]
    everything: int  # occurrences there are
    documents: list[str]  # of each item; "" where it is not known
    dates: list[str]
    layers: Callable[[], np.ndarray]  # (n, L, D)
    views: Callable[[SenseSpace], np.ndarray]  # (n, V), the parts of the sense space
    likeliest: Callable[[SenseSpace, np.ndarray, int], list[tuple[Prediction, ...]]]  # of some items, so many substitutes each


def keep_news() -> str:
    """The example's second side, the leads of our headlines, as a corpus of one's own: its name."""
    return own_corpus.keep_files([own_corpus.Source(NEWS.name, NEWS)], text_column="lead").name


@reads_as_model
def facts_of(workspace: Workspace, corpus: str) -> Facts:
    """Of the encoded corpus: no sentence is read again. A date is the sentence's, else the year in its document's name."""
    texts = _open_encoded(workspace, corpus)
    if texts is None:
        return Facts()
    documents = ["" if name == texts.unnamed else name for name in texts.documents]
    years = [year[0] if (year := _YEAR.search(name)) else "" for name in documents]
    dated = texts.date >= 0
    codes = np.where(dated, texts.date, len(texts.dates) + texts.document)
    spans = [*texts.date_spans, *map(parse_date, years)]
    return Facts(Column(documents, texts.document), Column([*texts.dates, *years], codes), spans)


def _open_encoded(workspace: Workspace, corpus: str) -> EncodedCorpus | None:
    """None for an index without its texts, and for what is no corpus."""
    try:
        return None if index_at(corpus) else workspace.over(corpus).encoded
    except ElmoscopeError:
        return None


def dates_of(facts: Facts) -> list[str]:
    """The years in which dates begin, each once and in order; within a single year, the days. [] where no date can be read."""
    spans = {facts.spans[k] for k in np.unique(facts.dates.codes)} - {None} if len(facts.dates.codes) else set()
    days = {_day_of(span) for span in spans}
    years = sorted({day[0] for day in days})
    if len(years) > 1:
        return list(map(format_year, years))
    if len(days) < 2 or years[0] < 0:
        return list(map(format_year, years))
    return [f"{year:04d}-{month:02d}-{day:02d}" for year, month, day in sorted(days)]


def _day_of(span: DateSpan) -> tuple[int, int, int]:
    """The first day of a date; of an open one ("before 1850") its last."""
    return span.last if span.first[0] == -DISTANT else span.first


@reads_as_model
def choose(workspace: Workspace, first: Side, second: Side) -> Sides:
    """Choose the sentences of both sides. One with no readable date, or a date that is only partly within a side, is on neither; one that both
    sides have counts for the side with fewer sentences. BadInput for sides that are the same, and for dates that are not there."""
    sides = tuple(replace(side, corpus=side.corpus or workspace.corpus) for side in (first, second))
    if sides[0] == sides[1]:
        raise BadInput(t("Both sides are the same texts. Choose another corpus, or other dates."))
    corpora = [_open_encoded(workspace, side.corpus) for side in sides]
    facts = tuple(facts_of(workspace, side.corpus) for side in sides)
    masks = [_dated(side, known) for side, known in zip(sides, facts, strict=True)]
    is_same = sides[0].corpus == sides[1].corpus or (None not in corpora and corpora[0].fingerprint == corpora[1].fingerprint)
    left_out = _left_out(sides, facts, is_same)
    keys, shared = [np.empty(0, np.uint64)] * 2, np.empty(0, np.uint64)
    if is_same and None not in corpora:
        whole = np.ones(corpora[0].n_sentences, bool)
        common = (whole if masks[0] is None else masks[0]) & (whole if masks[1] is None else masks[1])
        both = [common, common]
    else:
        keys = [_keys(workspace, side, corpus) for side, corpus in zip(sides, corpora, strict=True)]
        on_side = [np.ones(len(of), bool) if mask is None else mask for of, mask in zip(keys, masks, strict=True)]
        shared = intersect_keys(*keys)
        for of, mask in zip(keys, on_side, strict=True):
            shared = np.intersect1d(shared, of[mask])
        both = [np.isin(of, shared) & mask for of, mask in zip(keys, on_side, strict=True)]
    if both[0].any() and both[1].any():
        masks = [np.ones(len(of), bool) if mask is None else mask for mask, of in zip(masks, both, strict=True)]
        reduced = int(masks[0].sum() < masks[1].sum())
        masks[reduced] = masks[reduced] & ~both[reduced]
        if not masks[reduced].any():
            raise BadInput(t("Both sides are the same texts. Choose another corpus, or other dates."))
        left_out = replace(left_out, shared=int(both[reduced].sum()), reduced=reduced)
    return Sides(sides, facts, tuple(masks), shared, left_out)


def _keys(workspace: Workspace, side: Side, corpus: EncodedCorpus | None) -> np.ndarray:
    """A number for each sentence of a side's corpus; none where its sentences are not at hand."""
    if corpus is not None:
        return workspace.opener.memo.value("sentence keys", corpus.fingerprint, lambda: sentence_keys(corpus), most=8)
    table = workspace.opener.every_token(side.corpus, workspace.names.model) if index_at(side.corpus) else None
    return np.empty(0, np.uint64) if table is None else list_keys(table.sentences)


def _dated(side: Side, facts: Facts) -> np.ndarray | None:
    """(S,) bool: the sentences between a side's dates; None where it has none. BadInput where no sentence is between them."""
    if not side.is_dated:
        return None
    known = sorted(span for span in facts.spans if span is not None)
    if not known and (example := next(filter(None, facts.dates.names), "")):
        values = {"corpus": corpus_titles([side.corpus])[0], "date": shorten(example)}
        raise BadInput(t("{corpus} has no date that can be read, such as “{date}”. Write dates as 1850, 1850-06-30 or c. 1850.", **values))
    if not known:
        raise BadInput(
            t("{corpus} has no dates: add a date column, or years in its documents’ names.", corpus=corpus_titles([side.corpus])[0])
        )
    mask = facts.between(side, np.arange(len(facts.dates.codes)))
    if not mask.any():
        ends = {"first": format_years(*known[0].years), "last": format_years(*max(known, key=lambda span: span.last).years)}
        message = t(
            "No text from {start} to {end}; dates run from {first} to {last}.", start=side.start or "…", end=side.end or "…", **ends
        )
        raise BadInput(" ".join([message, *_left_out((side, side), (facts, facts), True).describe()]))
    return mask


def _left_out(sides: Sequence[Side], facts: Sequence[Facts], is_same: bool) -> LeftOutSentences:
    """Count the sentences whose dates put them on no side."""
    groups = [((0, 1), facts[0])] if is_same else [((k,), facts[k]) for k in (0, 1)]
    total, undated, astride, examples = 0, 0, 0, ["", ""]
    for numbers, known in groups:
        dated = [sides[k] for k in numbers if sides[k].is_dated]
        n = len(known.dates.codes)
        if not n or len(dated) < len(numbers) or not dated:  # a side without dates takes every sentence
            continue
        within = np.any([known.between(side, np.arange(n)) for side in dated], axis=0)
        partly = np.any([known.partly(side) for side in dated], axis=0) & ~within
        total, undated, astride = total + n, undated + int(known.undated.sum()), astride + int(partly.sum())
        for place, mask in enumerate((known.undated, partly)):
            names = (known.dates.names[k] for k in np.unique(known.dates.codes[mask]))
            examples[place] = examples[place] or next(filter(None, names), "")
    return LeftOutSentences(sentences=total, undated=undated, unread_date=examples[0], astride=astride, astride_date=examples[1])


def split_at(corpus: str, start: str) -> tuple[Side, Side]:
    """The texts of a corpus before a date of `dates_of`, and those from it on."""
    first = parse_date(start).first
    if "-" in start:
        before = str(date(*first) - timedelta(1))
    else:
        before = format_year(first[0] - 1 or -1)
    return Side(corpus=corpus, end=before), Side(corpus=corpus, start=start)


@reads_as_model
def counts_of(workspace: Workspace, sides: Sides, k: int) -> dict[str, int] | None:
    """How often each word occurs on a side, without a model; None for an index without its texts."""
    corpus, mask = _open_encoded(workspace, sides.sides[k].corpus), sides.masks[k]
    if corpus is None:
        return None
    words = corpus.word if mask is None else corpus.word[mask[corpus.sentence]]
    counts = np.bincount(words, minlength=len(corpus.words)) * corpus.lettered
    return {corpus.word_list[code]: int(counts[code]) for code in np.flatnonzero(counts).tolist()}


def find_shared_words(texts: Sequence[SideTexts], at_least: int) -> dict[str, tuple[int, int]]:
    """Spellings with so many occurrences on both sides, and how many; the most frequent first."""
    first, second = (each.counts() for each in texts)
    shared = {word: (n, second[word]) for word, n in first.items() if min(n, second.get(word, 0)) >= at_least}
    return dict(sorted(shared.items(), key=lambda item: (-min(item[1]), item[0])))


def rows_spelled(table: OccurrenceTable, word: str) -> np.ndarray:
    """The rows of a spelling, letter case and joiners aside."""
    return np.flatnonzero(np.isin(table.word, table.plain_codes.get(fold_case(bare(word)), ())))


def bands_of(sides: Sequence[WordTexts], groups: np.ndarray, n_groups: int) -> tuple[Band, ...]:
    """How many sentences of each group there are in each stretch of years, where all sentences have a date and there are enough for three
    stretches; else on each side."""
    spans = [parse_date(date) for side in sides for date in side.dates]
    names, codes = ["", ""], np.repeat([0, 1], [len(side.items) for side in sides])
    if None not in spans:
        years = [span.years for span in spans]
        known, of = np.unique(years, axis=0, return_inverse=True)
        n_bands = min(len(known), MOST_BANDS, len(spans) // PER_BAND)
        if n_bands > 2:
            of_known = np.arange(len(known)) * n_bands // len(known)
            codes = of_known[of.reshape(-1)]
            names = [format_years(int(part[:, 0].min()), int(part[:, 1].max())) for part in (known[of_known == k] for k in range(n_bands))]
    counts = np.zeros((len(names), n_groups), int)
    np.add.at(counts, (codes, groups), 1)
    return tuple(Band(str(name), tuple(row)) for name, row in zip(names, counts.tolist(), strict=True))


@reads_as_model
def word_texts(
    workspace: Workspace, chosen: Sides, word: str, space: SenseSpace | None, report: Callable[[int, int, float], None] | None = None
) -> list[WordTexts] | None:
    """The word's sentences on both sides; None while every token of one that needs it is being read. `report` is called while `layers` reads:
    sentences of a side done, in all, per second."""
    sides = chosen.sides
    tables = [_labels(workspace, side, word) for side in sides]
    whole = [table is None and needs_every_token(workspace, side, word) for table, side in zip(tables, sides, strict=True)]
    for k, side in enumerate(sides):
        if whole[k] and (table := workspace.opener.every_token(side.corpus, workspace.names.model)) is None:
            return None
        tables[k] = table.basic if whole[k] else tables[k]
    by_lemma = all(table is not None and word in table.lemmas for table in tables)
    both = []
    for k, table in enumerate(tables):
        if table is None:
            most = min(limits().max_sentences_read, MOST if space is None else MOST_READ)
            both.append(_read_alone(workspace, chosen, k, word, most, report))
        else:
            texts = chosen.texts(k, table)
            every = texts.within(_rows(table, word, by_lemma))
            both.append(_of_table(texts, _sample(texts, every, space), len(every)))
    return both


@reads_as_model
def needs_every_token(workspace: Workspace, side: Side, word: str) -> bool:
    """Whether a word's sentences are found in the table of a whole corpus only: an index without its texts, texts with labels of their own, and
    a form of another word that is spelled so nowhere."""
    word = fold_case(bare(word.strip()))
    if _labels(workspace, side, word) is not None:
        return False
    own = bool(sentences_of(side.corpus))
    if not own and index_at(side.corpus):
        return True
    texts = workspace.over(side.corpus or workspace.corpus).encoded
    return (not own and len(texts.label_at) > 0) or (word not in texts.number and bool(dictionary_forms(word)))


def _labels(workspace: Workspace, side: Side, word: str) -> OccurrenceTable | None:
    """The labeled tokens of a language's own sentences where these label the word."""
    if not sentences_of(side.corpus or workspace.corpus):
        return None
    targets = workspace.over(side.corpus or workspace.corpus).targets
    return targets if word in targets.lemmas else None


def _rows(table: OccurrenceTable, word: str, by_lemma: bool) -> np.ndarray:
    """A labeled word's rows with its other forms where both sides label it; else those of the spelling."""
    if by_lemma:
        return rows_of(table, word)
    spelled = rows_spelled(table, word)
    return spelled if len(spelled) else np.flatnonzero(table.same_word(word))


def _sample(texts: SideTexts, rows: np.ndarray, space: SenseSpace | None) -> np.ndarray:
    """At most so many rows, spread evenly."""
    most = MOST_READ if space is not None and np.count_nonzero(space.unread(texts.table, rows)) > MOST_READ else MOST
    return spread_evenly(rows, most)


def _of_table(texts: SideTexts, rows: np.ndarray, everything: int) -> WordTexts:
    """Some rows of a side's table."""
    table = texts.table
    return WordTexts(
        items=[table.occurrence(int(row)) for row in rows],
        everything=everything,
        documents=texts.documents(rows),
        dates=texts.facts.dates.of(table.sentence[rows]),
        layers=lambda: table.rows.take(rows),
        views=lambda space: space.of_rows(table, rows),
        likeliest=lambda space, chosen, k: space.likeliest(table, rows[chosen], k),
    )


def _read_alone(
    workspace: Workspace, sides: Sides, k: int, word: str, most: int, report: Callable[[int, int, float], None] | None
) -> WordTexts:
    """A word's sentences on a side read for themselves, `most` of its occurrences: no other sentence of the corpus is."""
    corpus, facts, mask = workspace.over(sides.sides[k].corpus).encoded, sides.facts[k], sides.masks[k]
    places = np.flatnonzero(corpus.word == corpus.number.get(word, -1))
    places = places if mask is None else places[mask[corpus.sentence[places]]]
    chosen = spread_evenly(places, most)
    sentences = corpus.sentence[chosen].tolist()
    positions = (chosen - corpus.starts[sentences]).tolist()
    tokens = [corpus.tokens(k) for k in sentences]
    items = [
        Occurrence(row, word, of, position, None, None, corpus.text(k))
        for row, (of, position, k) in enumerate(zip(tokens, positions, sentences, strict=True))
    ]

    def layers() -> np.ndarray:
        started, rows = time.monotonic(), []
        for first in range(0, len(tokens), READ_AT_ONCE):
            if report:
                report(first, len(tokens), first / max(time.monotonic() - started, 1e-9))
            read = workspace.layers_of(tokens[first : first + READ_AT_ONCE])
            rows += [of[:, k] for of, k in zip(read, positions[first:], strict=False)]
        return np.stack(rows).astype(np.float16)  # as tables store them

    alone = cache(lambda space: space.alone(list(zip(tokens, positions, strict=True))))

    def likeliest(space: SenseSpace, some: np.ndarray, k: int) -> list[tuple[Prediction, ...]]:
        return space.substitutes.likeliest(alone(space)[1][some], [tokens[j][positions[j]] for j in some.tolist()], k)

    return WordTexts(
        items=items,
        everything=len(places),
        documents=facts.documents.of(corpus.sentence[chosen]),
        dates=facts.dates.of(corpus.sentence[chosen]),
        layers=layers,
        views=lambda space: alone(space)[0],
        likeliest=likeliest,
    )


def spread_evenly(rows: np.ndarray, most: int) -> np.ndarray:
    """At most so many of them."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(int)]
