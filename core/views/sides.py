"""Two sides of a comparison of texts: the sentences of each with their documents and dates, and the sentences that are left out."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from ..common.config import ASSETS
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from ..common.limits import limits
from ..common.markup import shorten
from ..common.reports import Report, with_pace
from ..corpus.change import intersect_keys, list_keys, sentence_keys
from ..corpus.encoded import EncodedCorpus
from ..elmo.language_model import Prediction
from ..files.user_names import corpus_titles
from ..index.rows import Occurrence
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..index.tables import index_at
from ..text import own_corpus
from ..text.corpora import sentences_of
from ..text.dates import DISTANT, DateSpan, day_before, format_year, format_years, parse_date, parse_dates
from ..text.normalization import fold_case
from ..text.readings import dictionary_forms
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model
from .induction import rows_of, spread_evenly

MOST = 1_000  # occurrences of a word on a side
MOST_READ = 75  # occurrences whose sentences are read for the sense space: half a second
READ_AT_ONCE = 128  # occurrences between two reports
MOST_BANDS, PER_BAND = 12, 5  # ranges of dates; average sentences per range
NEWS = ASSETS / "headlines.csv"
_YEAR = r"(1\d{3}|20\d{2})"
_DATES_IN_NAMES = [  # a number after a letter, as in pg1342, is no year, nor are the numbers of cameras and the 1661-0 of Project Gutenberg
    (re.compile(rf"(?<![^\W_]){pattern}(?!\d|-[0h](?!\w))", re.IGNORECASE), form)
    for pattern, form in (
        (rf"{_YEAR}[-–_~]{_YEAR}", r"\1–\2"),
        (rf"{_YEAR}([-_.]?)(\d\d)\2(\d\d)", r"\1-\3-\4"),
        (rf"(?<!img_)(?<!dsc_){_YEAR}(s\b)?", r"\1\2"),
    )
]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutSentences:
    """Sentences that are on neither side because of their dates, on one side only because both have them, or on both."""

    sentences: int = 0  # in the texts that are divided by date
    undated: int = 0  # without a date that can be read
    unread_date: str = ""  # an example of such a date, as written
    named: int = 0  # dated by their document's name
    astride: int = 0  # sentences whose date is only partly within a side
    astride_date: str = ""
    outside: int = 0  # sentences whose date is on neither side
    shared: int = 0  # on both sides; they count for the side with fewer sentences
    reduced: int = 0  # the side without them: 0 or 1
    repeated: int = 0  # distinct sentences of different texts that count on both sides
    copies: int = 0  # a word's sentences that repeat one on the same side

    def describe(self) -> list[str]:
        """Return a sentence for each reason that applies."""
        astride = {"n": self.astride, "all": self.sentences, "example": shorten(self.astride_date)}
        astride_text = t("{n:,} of {all:,} sentences left out: date only partly within a side (such as “{example}”).", **astride)
        notes = (
            (self.undated, describe_undated(self.undated, self.sentences, self.unread_date)),
            (self.named, t("Sentences dated by their documents’ names: {n:,}.", n=self.named)),
            (self.astride, astride_text),
            (self.outside, t("{n:,} of {all:,} sentences left out: date on neither side.", n=self.outside, all=self.sentences)),
            (self.repeated, t("Sentences on both sides, counted on both: {n:,}.", n=self.repeated)),
            (self.copies, t("Repeated sentences, counted once: {n:,}.", n=self.copies)),
            (self.shared, describe_shared(self.shared, self.reduced)),
        )
        return [text for n, text in notes if n]


def describe_undated(n: int, everything: int, example: str) -> str:
    """Say how many sentences have no date that can be read, with one that cannot."""
    values = {"n": n, "all": everything, "example": shorten(example)}
    if example:
        return t("Without a readable date (such as “{example}”), so in no time span: {n:,} of {all:,} sentences.", **values)
    return t("Without a date, so in no time span: {n:,} of {all:,} sentences.", **values)


def describe_shared(n: int, reduced: int) -> str:
    """Say how many sentences both sides of a comparison have, and on which they count."""
    if reduced:
        return t("Sentences on both sides, counted only on the first: {n:,}.", n=n)
    return t("Sentences on both sides, counted only on the second: {n:,}.", n=n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A corpus ("" is the selected one), or its texts from one date to another, both included."""

    corpus: str = ""
    start: str = ""  # as `parse_date` reads it: from its first day on
    end: str = ""  # up to its last day

    @property
    def is_dated(self) -> bool:
        """Return whether the side has a first or last date."""
        return bool(self.start or self.end)

    @property
    def span(self) -> DateSpan:
        """Return the days of the side. Raises BadInput for a date that cannot be read, and for an end that is open: "1900.."."""
        written = (re.sub(r"^(\d{4})[-/](\d)$", r"\1-0\2", text.strip()) for text in (self.start, self.end))  # a month, not two years
        first, last = map(parse_date, written)
        is_open_start = first is None or first.first[0] == -DISTANT
        is_open_end = last is None or last.last[0] == DISTANT
        for text, is_open in ((self.start, is_open_start), (self.end, is_open_end)):
            if text and is_open:
                raise BadInput(t("“{date}” is not a date. Write it as 1850, 1850-06, 0850 or 44 BC.", date=shorten(text)))
        return DateSpan(first.first if first else (-DISTANT, 1, 1), last.last if last else (DISTANT, 12, 31))


@dataclass(frozen=True, slots=True)
class Band:
    """A side or a range of years, with its number of sentences in each group."""

    name: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A name for each sentence, such as its document. Empty if nothing is known."""

    names: Sequence[str] = ()
    codes: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))  # (S,), in `names`

    def of(self, sentences: np.ndarray) -> list[str]:
        """Return the names of some sentences; "" where nothing is known."""
        return [self.names[k] for k in self.codes[sentences].tolist()] if len(self.codes) else [""] * len(sentences)


@dataclass(frozen=True, slots=True, eq=False)
class DatedTexts:
    """A corpus with the document and date of each sentence. Empty for an index without its texts."""

    corpus: EncodedCorpus | None = None
    documents: Column = Column()
    dates: Column = Column()
    spans: Sequence[DateSpan | None] = ()  # for each name of a date

    def between(self, side: Side) -> np.ndarray:
        """Return (S,) bool: whether the complete date of each sentence is on the side."""
        days = side.span
        return self._which(lambda span: span is not None and span.is_within(days))

    def partly(self, side: Side) -> np.ndarray:
        """Return (S,) bool: whether only a part of a sentence's date is on the side."""
        days = side.span
        return self._which(lambda span: span is not None and span.overlaps(days) and not span.is_within(days))

    def spans_of(self, sentences: np.ndarray) -> list[DateSpan | None]:
        """Return the dates of some sentences; None where no date can be read."""
        return [self.spans[k] for k in self.dates.codes[sentences].tolist()] if len(self.spans) else [None] * len(sentences)

    def example_date(self, mask: np.ndarray) -> str:
        """Return a date of the sentences of a mask (S,), as written; "" if none has any."""
        names = (self.dates.names[k] for k in np.unique(self.dates.codes[mask]))
        return next(filter(None, names), "")

    @property
    def undated(self) -> np.ndarray:
        """Return (S,) bool: the sentences without a date that can be read."""
        return self._which(lambda span: span is None)

    def _which(self, holds: Callable[[DateSpan | None], bool]) -> np.ndarray:
        return np.array([holds(span) for span in self.spans], bool)[self.dates.codes]


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Two sides with their dated texts, and the sentences of each."""

    sides: tuple[Side, Side]
    dated: tuple[DatedTexts, DatedTexts]
    masks: tuple[np.ndarray, np.ndarray]  # (S,) bool of the sentences of each corpus
    shared: np.ndarray  # keys of the sentences that are left out of the side `left_out.reduced`, where these are found by their tokens
    left_out: LeftOutSentences

    def texts(self, k: int, table: OccurrenceTable) -> "SideTexts":
        """Return a side's table with its documents and dates, if both have the same sentences."""
        n = len(table.sentences)
        if len(self.dated[k].dates.codes) == n:
            return SideTexts(table, self.dated[k], self.masks[k])
        mask = np.ones(n, bool)  # a table of the labeled sentences alone, or an index
        if k == self.left_out.reduced and len(self.shared):
            mask = ~np.isin(list_keys(table.sentences), self.shared)
        return SideTexts(table, DatedTexts(), mask)

    def counts(self, k: int) -> dict[str, int] | None:
        """Return how often each word occurs on a side, without a model; None for an index without its texts."""
        if (corpus := self.dated[k].corpus) is None:
            return None
        counts = np.bincount(corpus.word[self.masks[k][corpus.sentence]], minlength=len(corpus.words)) * corpus.lettered
        return {corpus.word_list[code]: int(counts[code]) for code in np.flatnonzero(counts).tolist()}


@dataclass(frozen=True, slots=True, eq=False)
class SideTexts:
    """A side's table, which of its sentences count, and each sentence's document and date."""

    table: OccurrenceTable
    dated: DatedTexts
    mask: np.ndarray  # (S,) bool

    def within(self, rows: np.ndarray) -> np.ndarray:
        """Return the rows whose sentences are on the side, without copies, which would count as independent evidence."""
        return self.table.without_copies(rows[self.mask[self.table.sentence[rows]]])

    def documents(self, rows: np.ndarray) -> list[str]:
        """Return the document of each row's sentence; "" where it is not known."""
        return self.dated.documents.of(self.table.sentence[rows])

    def counts(self) -> Counter[str]:
        """Return how often each word occurs on the side. Joined pieces count as the word that they are."""
        counts = Counter()
        codes, numbers = np.unique(self.table.word[self.within(np.arange(len(self.table)))], return_counts=True)
        for code, n in zip(codes.tolist(), numbers.tolist(), strict=True):
            counts[bare(self.table.words[code])] += n
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class WordTexts:
    """A word's sentences on a side, all of them or some evenly spaced."""

    items: list[Occurrence]
    everything: int  # all occurrences without copies
    copies: int  # occurrences in repeated sentences, which count once
    documents: list[str]  # each item's document; "" if unknown
    dates: list[DateSpan | None]
    layers: Callable[[], np.ndarray]  # (n, L, D)
    views: Callable[[SenseSpace], np.ndarray]  # (n, V), the parts of the sense space
    likeliest: Callable[[SenseSpace, np.ndarray, int], list[tuple[Prediction, ...]]]  # n substitutes for each of the chosen items


def keep_news() -> str:
    """Store the leads of the bundled headlines, the example's second side, as a user's corpus. Return its name."""
    return own_corpus.keep_files([own_corpus.Source(NEWS.name, NEWS)], text_column="lead").name


@reads_as_model
def dated_texts(workspace: Workspace, corpus: str) -> DatedTexts:
    """Return a corpus with the document and date of each sentence. Empty for an index without its texts, and for an unknown corpus.

    The date is the sentence's. If no sentence of a document has a date, it is the year in the document's name.
    """
    try:
        if index_at(corpus):
            return DatedTexts()
        texts = workspace.with_corpus(corpus).encoded
    except ElmoscopeError:
        return DatedTexts()
    documents = ["" if name == texts.unnamed else name for name in texts.documents]
    dated = texts.date >= 0
    has_dates = np.bincount(texts.document[dated], minlength=len(documents)) > 0
    years = ["" if is_dated else _date_in(name) for name, is_dated in zip(documents, has_dates, strict=True)]
    codes = np.where(dated, texts.date, len(texts.dates) + texts.document)
    spans = [*texts.date_spans, *parse_dates(years)]
    return DatedTexts(texts, Column(documents, texts.document), Column([*texts.dates, *years], codes), spans)


def _date_in(name: str) -> str:
    """Return the date in a document's name; "" if it has none."""
    stem = re.sub(r"\.[a-z]\w{1,4}$", "", name, flags=re.IGNORECASE).replace("_", " ")
    dates = [match.expand(form) for pattern, form in _DATES_IN_NAMES if (match := pattern.search(name))]
    if re.search(_YEAR, stem) and (complete := parse_date(stem)):
        return next((date for date in dates if parse_date(date) == complete), stem)
    is_of_another_year = re.search(r"\b(b\.?c|before|after)\b|기원전", stem, re.IGNORECASE)
    return "" if is_of_another_year else next(filter(parse_date, dates), "")


def dates_of(texts: DatedTexts) -> list[str]:
    """Return the years in which dates begin, in order, or the days if there is a single year. [] if no date can be read."""
    spans = {texts.spans[k] for k in np.unique(texts.dates.codes)} - {None}
    days = {span.last if span.first[0] == -DISTANT else span.first for span in spans}  # the last day of an open date ("before 1850")
    years = sorted({day[0] for day in days})
    if len(years) > 1 or len(days) < 2 or years[0] < 0:
        return list(map(format_year, years))
    return [f"{year:04d}-{month:02d}-{day:02d}" for year, month, day in sorted(days)]


@reads_as_model
def choose(workspace: Workspace, first: Side, second: Side) -> Sides:
    """Choose the sentences of both sides.

    A sentence without a readable date, or with a date that is only partly within a side, is on neither. A sentence that both sides have
    counts for the side with fewer sentences. Raises BadInput for equal sides, and for missing dates.
    """
    sides = tuple(replace(side, corpus=side.corpus or workspace.corpus) for side in (first, second))
    same_texts = t("Both sides are the same texts. Choose another corpus, or other dates.")
    if sides[0] == sides[1]:
        raise BadInput(same_texts)
    dated = tuple(dated_texts(workspace, side.corpus) for side in sides)
    corpora = [texts.corpus for texts in dated]
    masks = [_between_dates(side, texts) for side, texts in zip(sides, dated, strict=True)]
    is_same = sides[0].corpus == sides[1].corpus or (None not in corpora and corpora[0].fingerprint == corpora[1].fingerprint)
    left_out = _left_out(sides, dated, is_same)
    shared = np.empty(0, np.uint64)
    if is_same:
        both = [masks[0] & masks[1]] * 2
    else:
        keys = [_keys(workspace, side, texts) for side, texts in zip(sides, dated, strict=True)]
        for k in (0, 1):
            if corpora[k] is None:
                masks[k] = np.ones(len(keys[k]), bool)
        on_sides = np.intersect1d(*(side_keys[mask] for side_keys, mask in zip(keys, masks, strict=True)))
        shared = np.intersect1d(intersect_keys(*keys), on_sides)
        left_out = replace(left_out, repeated=len(on_sides) - len(shared))
        both = [np.isin(side_keys, shared) & mask for side_keys, mask in zip(keys, masks, strict=True)]
    if both[0].any() and both[1].any():
        reduced = int(masks[0].sum() < masks[1].sum())
        masks[reduced] = masks[reduced] & ~both[reduced]
        if not masks[reduced].any():
            raise BadInput(same_texts)
        left_out = replace(left_out, shared=int(both[reduced].sum()), reduced=reduced)
    return Sides(sides, dated, tuple(masks), shared, left_out)


def _keys(workspace: Workspace, side: Side, texts: DatedTexts) -> np.ndarray:
    """Return a key for each sentence of a side's corpus; none if its sentences are not available."""
    if (corpus := texts.corpus) is not None:
        return workspace.opener.memo.value("sentence keys", corpus.fingerprint, lambda: sentence_keys(corpus), most=8)
    table = workspace.opener.every_token(side.corpus, workspace.names.model) if index_at(side.corpus) else None
    return np.empty(0, np.uint64) if table is None else list_keys(table.sentences)


def _between_dates(side: Side, texts: DatedTexts) -> np.ndarray:
    """Return (S,) bool: the sentences between a side's dates; all if it has none. Raises BadInput if no sentence is between them."""
    if not side.is_dated:
        return np.ones(len(texts.dates.codes), bool)
    spans = sorted(span for span in texts.spans if span is not None)
    if not spans:
        values = {"corpus": corpus_titles([side.corpus])[0], "date": shorten(next(filter(None, texts.dates.names), ""))}
        if values["date"]:
            raise BadInput(t("No date in {corpus} can be read, such as “{date}”. Write dates as 1850, 1850-06-30 or c. 1850.", **values))
        raise BadInput(t("{corpus} has no dates: add a date column, or years in its documents’ names.", **values))
    mask = texts.between(side)
    if not mask.any():
        latest = max(spans, key=lambda span: span.last)
        ends = {
            "start": side.start or "…",
            "end": side.end or "…",
            "first": format_years(*spans[0].years),
            "last": format_years(*latest.years),
        }
        message = t("No text from {start} to {end}; dates run from {first} to {last}.", **ends)
        left_out = replace(_left_out((side, side), (texts, texts), True), outside=0)  # the message names the range of all dates
        raise BadInput(" ".join([message, *left_out.describe()]))
    return mask


def _left_out(sides: Sequence[Side], dated: Sequence[DatedTexts], is_same: bool) -> LeftOutSentences:
    """Count the sentences whose dates put them on no side."""
    groups = [(sides, dated[0])] if is_same else [((side,), texts) for side, texts in zip(sides, dated, strict=True)]
    result = LeftOutSentences()
    for group, texts in groups:
        if not all(side.is_dated for side in group):  # a side without dates takes every sentence
            continue
        within = np.any([texts.between(side) for side in group], axis=0)
        partly = np.any([texts.partly(side) for side in group], axis=0) & ~within
        undated = texts.undated
        named = ~undated & (texts.dates.codes >= len(texts.corpus.dates))
        result = replace(
            result,
            sentences=result.sentences + len(within),
            undated=result.undated + int(undated.sum()),
            unread_date=result.unread_date or texts.example_date(undated),
            named=result.named + int(named.sum()),
            astride=result.astride + int(partly.sum()),
            astride_date=result.astride_date or texts.example_date(partly),
            outside=result.outside + int((~within & ~partly & ~undated).sum()),
        )
    return result


def split_at(corpus: str, start: str) -> tuple[Side, Side]:
    """Return two sides: the texts of a corpus before a date of `dates_of`, and those from it on."""
    first = parse_date(start).first
    before = "{:04d}-{:02d}-{:02d}".format(*day_before(first)) if "-" in start else format_year(first[0] - 1 or -1)  # there is no year 0
    return Side(corpus=corpus, end=before), Side(corpus=corpus, start=start)


def find_shared_words(texts: Sequence[SideTexts], at_least: int) -> dict[str, tuple[int, int]]:
    """Return the spellings with `at_least` occurrences on each side, and their counts, the most frequent first."""
    first, second = (side.counts() for side in texts)
    shared = {word: (n, second[word]) for word, n in first.items() if min(n, second.get(word, 0)) >= at_least}
    return dict(sorted(shared.items(), key=lambda item: (-min(item[1]), item[0])))


def rows_spelled(table: OccurrenceTable, word: str) -> np.ndarray:
    """Return the rows of a spelling, ignoring case and joiners."""
    return np.flatnonzero(np.isin(table.word, table.plain_codes.get(fold_case(bare(word)), ())))


def bands_of(sides: Sequence[WordTexts], groups: np.ndarray, n_groups: int) -> tuple[Band, ...]:
    """Return the sentences of each group in each range of years, or on each side if there are no such ranges."""
    codes, names = _ranges_of_years(sides) or (np.repeat([0, 1], [len(side.items) for side in sides]), ["", ""])
    counts = np.zeros((len(names), n_groups), int)
    np.add.at(counts, (codes[groups >= 0], groups[groups >= 0]), 1)
    return tuple(Band(name, tuple(row)) for name, row in zip(names, counts.tolist(), strict=True))


def _ranges_of_years(sides: Sequence[WordTexts]) -> tuple[np.ndarray, list[str]] | None:
    """Divide the sentences by year, each side on its own. Return the range (n,) of each sentence, and the names of the ranges.

    None if a sentence has no date, for fewer than three ranges, and where the sides are of the same years.
    """
    if any(None in side.dates for side in sides):
        return None
    if not _is_earlier(*sides) and not _is_earlier(*reversed(sides)):
        return None
    is_later = np.repeat([0, 1] if _is_earlier(*sides) else [1, 0], [len(side.items) for side in sides])
    spans = [*sides[0].dates, *sides[1].dates]
    keys = [(later, *span.years) for later, span in zip(is_later.tolist(), spans, strict=True)]
    distinct, key_of = np.unique(keys, axis=0, return_inverse=True)  # in order of time
    n_ranges = min(len(distinct), MOST_BANDS, len(spans) // PER_BAND)
    if n_ranges < 3:
        return None
    n_earlier = int((distinct[:, 0] == 0).sum())
    earlier_ranges = min(max(1, round(n_ranges * n_earlier / len(distinct))), n_ranges - 1)
    ranges = np.array_split(distinct[:n_earlier], earlier_ranges) + np.array_split(distinct[n_earlier:], n_ranges - earlier_ranges)
    range_of = np.repeat(np.arange(n_ranges), [len(years) for years in ranges])
    return range_of[key_of.reshape(-1)], [format_years(int(years[:, 1].min()), int(years[:, 2].max())) for years in ranges]


def _is_earlier(first: WordTexts, second: WordTexts) -> bool:
    """Return whether no sentence of the first side is of a later year than the first sentence of the second."""
    return max(span.years[1] for span in first.dates) <= min(second.dates).years[0]


@reads_as_model
def word_texts(
    workspace: Workspace, chosen: Sides, word: str, space: SenseSpace | None, report: Report | None = None
) -> list[WordTexts] | None:
    """Return the word's sentences on both sides, or None while a table that is needed is being read.

    While `layers` encodes, it calls `report` with the sentences done, in all, and per second.
    """
    tables = [_labels(workspace, side, word) for side in chosen.sides]
    for k, side in enumerate(chosen.sides):
        if tables[k] is None and needs_every_token(workspace, side, word):
            if (table := workspace.opener.every_token(side.corpus, workspace.names.model)) is None:
                return None
            tables[k] = table.basic
    by_lemma = all(table is not None and word in table.lemmas for table in tables)
    both = []
    for k, table in enumerate(tables):
        if table is None:
            limit = min(limits().max_sentences_read, MOST if space is None else MOST_READ)
            both.append(_read_alone(workspace, chosen, k, word, limit, report))
        else:
            texts = chosen.texts(k, table)
            rows = rows_of(table, word) if by_lemma else rows_spelled(table, word)
            word_rows = rows if len(rows) or by_lemma else np.flatnonzero(table.same_word(word))
            every = texts.within(word_rows)
            copies = int(texts.mask[table.sentence[word_rows]].sum()) - len(every)
            is_slow = space is not None and len(every) > MOST_READ and not space.is_stored(table)
            both.append(_of_table(texts, spread_evenly(every, MOST_READ if is_slow else MOST), len(every), copies))
    return both


@reads_as_model
def needs_every_token(workspace: Workspace, side: Side, word: str) -> bool:
    """Return whether the word's sentences can only be found in the table of all tokens.

    This is so for an index without its texts, for texts that have labels, and for a form that does not occur in that spelling.
    """
    word = fold_case(bare(word.strip()))
    if _labels(workspace, side, word) is not None:
        return False
    is_own = bool(sentences_of(side.corpus))
    if not is_own and index_at(side.corpus):
        return True
    texts = workspace.with_corpus(side.corpus).encoded
    return (not is_own and len(texts.label_at) > 0) or (word not in texts.number and bool(dictionary_forms(word)))


def _labels(workspace: Workspace, side: Side, word: str) -> OccurrenceTable | None:
    """Return the labeled tokens of a language's own sentences if the word is labeled there."""
    if not sentences_of(side.corpus):
        return None
    targets = workspace.with_corpus(side.corpus).targets
    return targets if word in targets.lemmas else None


def _of_table(texts: SideTexts, rows: np.ndarray, everything: int, copies: int) -> WordTexts:
    """Return some rows of a side's table as a word's sentences."""
    table = texts.table
    return WordTexts(
        items=table.occurrences(rows),
        everything=everything,
        copies=copies,
        documents=texts.documents(rows),
        dates=texts.dated.spans_of(table.sentence[rows]),
        layers=lambda: table.rows.take(rows),
        views=lambda space: space.of_rows(table, rows),
        likeliest=lambda space, chosen, n: space.likeliest(table, rows[chosen], n),
    )


def _read_alone(workspace: Workspace, sides: Sides, k: int, word: str, limit: int, report: Report | None) -> WordTexts:
    """Return at most `limit` of a word's sentences on a side. Only these are encoded, when their vectors are needed."""
    dated = sides.dated[k]
    corpus = dated.corpus
    places = np.flatnonzero(corpus.word == corpus.number.get(word, -1))
    places = places[sides.masks[k][corpus.sentence[places]]]
    distinct: dict[tuple[int, bytes], int] = {}
    for place, sentence in zip(places.tolist(), corpus.sentence[places].tolist(), strict=True):
        start, end = corpus.starts[sentence : sentence + 2]
        distinct.setdefault((place - start, corpus.word[start:end].tobytes()), place)
    chosen = spread_evenly(np.array([*distinct.values()], int), limit)
    sentences = corpus.sentence[chosen]
    positions = (chosen - corpus.starts[sentences]).tolist()
    tokens = [corpus.tokens(k) for k in sentences.tolist()]
    items = [
        Occurrence(row, word, words, position, None, None, text)
        for row, (words, position, text) in enumerate(zip(tokens, positions, corpus.texts_of(sentences), strict=True))
    ]

    def layers() -> np.ndarray:
        report_pace = with_pace(report)
        rows = []
        for first in range(0, len(tokens), READ_AT_ONCE):
            report_pace(first, len(tokens))
            read = workspace.layers_of(tokens[first : first + READ_AT_ONCE])
            rows += [sentence[:, k] for sentence, k in zip(read, positions[first:], strict=False)]
        return np.stack(rows).astype(np.float16)  # as tables store them

    @cache
    def parts_and_places(space: SenseSpace) -> tuple[np.ndarray, np.ndarray]:
        return space.alone(list(zip(tokens, positions, strict=True)))

    def likeliest(space: SenseSpace, chosen_rows: np.ndarray, n: int) -> list[tuple[Prediction, ...]]:
        words = [tokens[row][positions[row]] for row in chosen_rows.tolist()]
        return space.substitutes.likeliest(parts_and_places(space)[1][chosen_rows], words, n)

    return WordTexts(
        items=items,
        everything=len(distinct),
        copies=len(places) - len(distinct),
        documents=dated.documents.of(sentences),
        dates=dated.spans_of(sentences),
        layers=layers,
        views=lambda space: parts_and_places(space)[0],
        likeliest=likeliest,
    )
