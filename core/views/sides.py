"""Two sides of a comparison: a corpus or the texts between two dates, the rows of a table that are theirs, their documents and dates; a word's
sentences on a side, of a table or read for themselves."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from core.common.config import ASSETS
from core.common.errors import BadInput, ElmoscopeError
from core.common.i18n import t
from core.elmo.language_model import Prediction
from core.files.own_names import title_of
from core.index.neighbours import Occurrence
from core.index.sense_space import SenseSpace
from core.index.table import OccurrenceTable
from core.index.tables import index_at
from core.text import own_corpus
from core.text.composed import folded
from core.text.dictionary_forms import dictionary_forms
from core.text.labelled_words import sentences_of
from core.text.readings import WordInContext
from core.views.induction import rows_of
from core.workbench import Bench, reads_as_model

MOST = 1_000  # occurrences of a word on a side
MOST_READ = 75  # of them whose sentences are read for the sense space: half a second
MOST_BANDS = 12
NEWS = ASSETS / "headlines.csv"
_YEAR = re.compile(r"(?<!\d)(1\d{3}|20\d{2})(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A corpus, "" the one in use: all of it, or its texts from one date to another, both of them counted."""

    corpus: str = ""
    start: str = ""  # compared with as much of a date as it has: "1850" takes "1850-12-31"
    end: str = ""


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

    def between(self, side: Side, sentences: np.ndarray) -> np.ndarray:
        """(n,) bool: whether each sentence's date lies on the side."""
        return np.array([is_between(name, side) for name in self.dates.names], bool)[self.dates.codes[sentences]]


@dataclass(frozen=True, slots=True, eq=False)
class SideTexts:
    """A side's table, which of its rows count, and each sentence's document and date."""

    table: OccurrenceTable
    side: Side
    facts: Facts

    def within(self, rows: np.ndarray) -> np.ndarray:
        """Those of some rows that lie between the side's dates."""
        return rows[self.facts.between(self.side, self.table.sentence[rows])] if self.side.start or self.side.end else rows

    def documents(self, rows: np.ndarray) -> list[str]:
        """The document of each row's sentence; "" where it is not known."""
        return self.facts.documents.of(self.table.sentence[rows])


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
def facts_of(bench: Bench, corpus: str) -> Facts:
    """Of the encoded corpus: no sentence is read again. A date is the sentence's, else the year in its document's name."""
    if index_at(corpus):
        return Facts()
    try:
        texts = bench.over(corpus).encoded
    except ElmoscopeError:
        return Facts()
    documents = ["" if name == texts.unnamed else name for name in texts.documents]
    years = [year[0] if (year := _YEAR.search(name)) else "" for name in documents]
    dated = texts.date >= 0
    codes = np.where(dated, texts.date, len(texts.dates) + texts.document)
    return Facts(Column(documents, texts.document), Column([*texts.dates, *years], codes))


def dates_of(facts: Facts) -> list[str]:
    """The dates, each once and in order; [] where there are none."""
    return sorted({facts.dates.names[k] for k in np.unique(facts.dates.codes)} - {""})


def check_sides(sides: tuple[Side, Side], dates: tuple[list[str], list[str]]) -> None:
    """BadInput for sides that are the same, and for dates that their corpora do not have."""
    if sides[0] == sides[1]:
        raise BadInput(t("Both sides are the same texts. Choose another corpus, or other dates."))
    for side, known in zip(sides, dates, strict=True):
        if (side.start or side.end) and not known:
            raise BadInput(t("{corpus} has no dates: add a date column, or years in its documents’ names.", corpus=title_of(side.corpus)))
        if (side.start or side.end) and not any(is_between(date, side) for date in known):
            values = {"start": side.start or "…", "end": side.end or "…", "first": known[0], "last": known[-1]}
            raise BadInput(t("No text from {start} to {end}; dates run from {first} to {last}.", **values))


def texts_of(table: OccurrenceTable, side: Side, facts: Facts) -> SideTexts:
    """A side's table with its facts, where both are of the same sentences."""
    known = len(facts.dates.codes) == len(table.sentences)  # the labeled sentences of further words stand among them otherwise
    return SideTexts(table, side, facts if known else Facts())


def is_between(date: str, side: Side) -> bool:
    """Whether a date lies on a side."""
    return bool(date) and date[: len(side.start)] >= side.start and (not side.end or date[: len(side.end)] <= side.end)


def find_shared_words(texts: Sequence[SideTexts], at_least: int) -> dict[str, tuple[int, int]]:
    """Spellings with so many occurrences on both sides, and how many; the most frequent first."""
    counts = []
    for each in texts:
        of = np.bincount(each.table.word[each.within(np.arange(len(each.table)))], minlength=len(each.table.words))
        counts.append({each.table.words[k]: int(of[k]) for k in np.flatnonzero(of >= at_least)})
    shared = {word: (n, counts[1][word]) for word, n in counts[0].items() if word in counts[1]}
    return dict(sorted(shared.items(), key=lambda item: (-min(item[1]), item[0])))


def bands_of(sides: Sequence[WordTexts], groups: np.ndarray, n_groups: int) -> tuple[Band, ...]:
    """Each stretch of dates where all sentences have one, else each side: how many of its sentences are of each group."""
    dates = [date for side in sides for date in side.dates]
    names, codes = ["", ""], np.repeat([0, 1], [len(side.items) for side in sides])
    if all(dates) and len(set(dates)) > 1:
        years = [date[:4] for date in dates] if len({date[:4] for date in dates}) > 1 else dates
        known, of = np.unique(years, return_inverse=True)
        codes = of * min(len(known), MOST_BANDS) // len(known)
        stretches = [
            known[np.flatnonzero(np.arange(len(known)) * min(len(known), MOST_BANDS) // len(known) == k)] for k in np.unique(codes)
        ]
        names = [part[0] if len(part) == 1 else f"{part[0]}–{part[-1]}" for part in stretches]
    counts = np.zeros((len(names), n_groups), int)
    np.add.at(counts, (codes, groups), 1)
    return tuple(Band(str(name), tuple(row)) for name, row in zip(names, counts.tolist(), strict=True))


@reads_as_model
def word_texts(
    bench: Bench, sides: tuple[Side, Side], facts: tuple[Facts, Facts], word: str, space: SenseSpace | None
) -> list[WordTexts] | None:
    """The word's sentences on both sides; None while every token of one that needs it is being read."""
    tables = [_labels(bench, side, word) for side in sides]
    whole = [table is None and needs_every_token(bench, side, word) for table, side in zip(tables, sides, strict=True)]
    for k, side in enumerate(sides):
        if whole[k] and (table := bench.opener.every_token(side.corpus, bench.names.model)) is None:
            return None
        tables[k] = table if whole[k] else tables[k]
    by_lemma = all(table is not None and word in table.lemmas for table in tables)
    both = []
    for table, side, known in zip(tables, sides, facts, strict=True):
        if table is None:
            both.append(_read_alone(bench, side, known, word, MOST if space is None else MOST_READ))
        else:
            texts = texts_of(table, side, known)
            every = texts.within(_rows(table, word, by_lemma))
            both.append(_of_table(texts, _sample(texts, every, space), len(every)))
    return both


@reads_as_model
def needs_every_token(bench: Bench, side: Side, word: str) -> bool:
    """Whether a word's sentences are found in the table of a whole corpus only: an index without its texts, texts with labels of their own, and
    a form of another word that is spelled so nowhere."""
    word = folded(word.strip())
    if _labels(bench, side, word) is not None:
        return False
    own = bool(sentences_of(side.corpus))
    if not own and index_at(side.corpus):
        return True
    texts = bench.over(side.corpus or bench.corpus).encoded
    return (not own and len(texts.label_at) > 0) or (word not in texts.number and bool(dictionary_forms(word)))


def _labels(bench: Bench, side: Side, word: str) -> OccurrenceTable | None:
    """The labeled tokens of a language's own sentences where these label the word."""
    if not sentences_of(side.corpus or bench.corpus):
        return None
    targets = bench.over(side.corpus or bench.corpus).about(WordInContext((word,), 0)).targets
    return targets if word in targets.lemmas else None


def _rows(table: OccurrenceTable, word: str, by_lemma: bool) -> np.ndarray:
    """A labeled word's rows with its other forms where both sides label it; else those of the spelling."""
    if by_lemma:
        return rows_of(table, word)
    spelled = np.flatnonzero(table.spelled(word))
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


def _read_alone(bench: Bench, side: Side, facts: Facts, word: str, most: int) -> WordTexts:
    """A spelling's sentences read for themselves, `most` of its occurrences: no other sentence of the corpus is."""
    corpus = bench.over(side.corpus).encoded
    spelled = np.flatnonzero([name.casefold() == word for name in corpus.spelling_list])
    places = np.flatnonzero(np.isin(corpus.spelling, spelled))
    if side.start or side.end:
        places = places[facts.between(side, corpus.sentence[places])]
    chosen = spread_evenly(places, most)
    sentences = corpus.sentence[chosen].tolist()
    positions = (chosen - corpus.starts[sentences]).tolist()
    tokens = [corpus.tokens(k) for k in sentences]
    items = [
        Occurrence(row, word, of, position, None, None, corpus.text(k))
        for row, (of, position, k) in enumerate(zip(tokens, positions, sentences, strict=True))
    ]

    def layers() -> np.ndarray:
        read = bench.layers_of(tokens)
        return np.stack([of[:, k] for of, k in zip(read, positions, strict=True)]).astype(np.float16)  # as tables store them

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
