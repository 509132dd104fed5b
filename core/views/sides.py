"""Two sides of a comparison: a corpus or the texts between two dates, the rows of a table that are theirs, their documents and dates."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from core.common.errors import BadInput, ElmoscopeError
from core.common.i18n import t
from core.common.memo import Kept
from core.index.table import OccurrenceTable
from core.text.corpora import open_corpus
from core.text.languages import Language
from core.text.sentences import Sentence

MOST_BANDS = 12
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
class SideTexts:
    """A side's table, which of its rows count, and each sentence's document and date."""

    table: OccurrenceTable
    side: Side
    documents: Sequence[str]  # (S,); () where they are not known
    dates: Sequence[str]

    def within(self, rows: np.ndarray) -> np.ndarray:
        """Those of some rows that lie between the side's dates."""
        if not (self.side.start or self.side.end):
            return rows
        inside = np.array([is_between(date, self.side) for date in self.dates], bool)
        return rows[inside[self.table.sentence[rows]]]

    def of(self, values: Sequence[str], rows: np.ndarray) -> list[str]:
        return [values[k] for k in self.table.sentence[rows]] if len(values) else [""] * len(rows)


@dataclass(frozen=True, slots=True)
class Facts:
    """The document and the date of each sentence of a corpus; () of an index without its texts."""

    documents: Sequence[str]
    dates: Sequence[str]


def facts_of(corpus: str, language: Language, memo: Kept) -> Facts:
    """Read once: a corpus brought by a visitor is named by what it holds."""
    return memo.value("documents and dates", (corpus, language.code), lambda: _read(corpus, language), most=8)


def dates_of(facts: Facts) -> list[str]:
    """The dates, each once and in order; [] where there are none."""
    return sorted({date for date in facts.dates if date})


def check_sides(sides: tuple[Side, Side], dates: tuple[list[str], list[str]]) -> None:
    """BadInput for sides that are the same, and for dates that their corpora do not have."""
    if sides[0] == sides[1]:
        raise BadInput(t("Both sides are the same texts. Choose another corpus, or other dates."))
    for side, known in zip(sides, dates, strict=True):
        if (side.start or side.end) and not known:
            raise BadInput(t("{corpus} has no dates: add a date column, or years in its documents’ names.", corpus=side.corpus))
        if (side.start or side.end) and not any(is_between(date, side) for date in known):
            values = {"start": side.start or "…", "end": side.end or "…", "first": known[0], "last": known[-1]}
            raise BadInput(t("No text from {start} to {end}; dates run from {first} to {last}.", **values))


def texts_of(table: OccurrenceTable, side: Side, facts: Facts) -> SideTexts:
    """A side's table with its facts, where both are of the same sentences."""
    known = len(facts.documents) == len(table.sentences)  # the labelled sentences of further words stand among them otherwise
    return SideTexts(table, side, facts.documents if known else (), facts.dates if known else ())


def is_between(date: str, side: Side) -> bool:
    """Whether a date lies on a side."""
    return bool(date) and date[: len(side.start)] >= side.start and (not side.end or date[: len(side.end)] <= side.end)


def shared_words(texts: Sequence[SideTexts], at_least: int) -> dict[str, tuple[int, int]]:
    """Spellings with so many occurrences on both sides, and how many; the most frequent first."""
    counts = []
    for each in texts:
        of = np.bincount(each.table.word[each.within(np.arange(len(each.table)))], minlength=len(each.table.words))
        counts.append({each.table.words[k]: int(of[k]) for k in np.flatnonzero(of >= at_least)})
    shared = {word: (n, counts[1][word]) for word, n in counts[0].items() if word in counts[1]}
    return dict(sorted(shared.items(), key=lambda item: (-min(item[1]), item[0])))


def bands_of(texts: Sequence[SideTexts], rows: Sequence[np.ndarray], groups: np.ndarray, n_groups: int) -> tuple[Band, ...]:
    """Each stretch of dates where all sentences have one, else each side: how many of its sentences are of each group."""
    dates = [date for each, of in zip(texts, rows, strict=True) for date in each.of(each.dates, of)]
    names, codes = ["", ""], np.repeat([0, 1], [len(rows[0]), len(rows[1])])
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


def _read(corpus: str, language: Language) -> Facts:
    with suppress(ElmoscopeError):
        sentences = open_corpus(corpus, language)
        return Facts([s.document or "" for s in sentences], [_date(s) for s in sentences])
    return Facts((), ())


def _date(sentence: Sentence) -> str:
    """A sentence's date, else the year in its document's name."""
    if sentence.date:
        return sentence.date
    year = _YEAR.search(sentence.document or "")
    return year[0] if year else ""
