"""Find the columns of a table that hold its texts, dates and documents, and note the columns that are not read."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any, NoReturn

from ..common import reports
from ..common.i18n import t, tn
from .dates import parse_date
from .file_lines import BadRow, LeftOut, Place, refuse, show_value
from .normalization import compose, fold_case
from .tables import PEEKED, file_rows, is_missing

TEXT_COLUMNS = (
    *("text", "sentence", "sentences", "content", "body", "message", "review", "comment", "tweet", "post"),
    *("본문", "내용", "문장", "텍스트", "texte", "texto", "testo"),
)
OTHER_TEXTS = ("title", "headline", "description", "summary", "abstract", "subject", "lead")  # noted where they are not read
MAIN_DATES = ("date", "year", "날짜", "일자", "연도", "년도", "datum", "jahr", "année", "fecha", "año", "anno")
OTHER_DATES = (  # the first is read if a table has none of those
    *("published", "publication_date", "pub_date", "date_published", "created_at", "timestamp", "datetime", "decade", "period"),
    *("발행일", "작성일", "일시", "日付"),
)
DATE_COLUMNS = (*MAIN_DATES, *OTHER_DATES)  # read unless another is named
DOCUMENT_COLUMN = "document"  # names the text that a row belongs to
MAX_DATE = 81  # characters; one more than `parse_date` reads, so that it reads no part of a longer one
PROSE_WORDS = 4  # a cell's mean number of words, from which a column that is not read is worth a note


def iterate_cells(
    path: Path, kind: str, column: str | None, date_column: str | None, *, blank: bool = False, **reading: Any
) -> Iterator[tuple[Place, str, str | None, str | None]]:
    """Yield (place, text, date, document) for each row of a table (.csv, .tsv, .xlsx); date and document are None where it has none.

    Columns are as `find_column` takes them; a table whose text column is numbered has a row of names only if a usual name or that of the
    dates is in its first row. With `blank`, a row without text gives an empty cell; otherwise it is left out and noted. `reading` is as `iterate_lines` takes it.
    """
    named = [name for name in (column, date_column) if name and not name.isdecimal()]
    rows = file_rows(path, kind, [*named, *TEXT_COLUMNS], **reading)
    place, first = next(rows, (None, []))
    if not first:
        return
    n_usual = sum(fold_case(name.strip()) in TEXT_COLUMNS for name in first)
    head = list(islice(rows, PEEKED if n_usual > 1 else 0))
    rows = chain(head, rows)
    text_at, is_header = _find_text(first, column, date_column, place, [row for _, row in head])
    date_at = _find_date(first, date_column, place, is_header)
    document_at = unread = None
    names = tuple(first) if is_header else ()
    if is_header:
        document_at = find_usual(first, (DOCUMENT_COLUMN,))
        if document_at == text_at:
            document_at = None
        if not column or not is_number(first, column):
            note_doubled(path.name, first, text_at)
        if not column:
            unread = Unread(path.name, first, [text_at], (*TEXT_COLUMNS, *OTHER_TEXTS), [] if date_at is None else [date_at])
        rows = without_names(path.name, [name.strip() for name in first], rows)
    else:
        rows = chain([(place, first)], rows)
    left_out, n_blank = LeftOut(path.name, "columns"), 0
    for place, row in rows:
        left_out.n_rows += 1
        if unread:
            unread.look(row)
        if len(row) <= text_at:
            left_out.add(BadRow(place, tn("{n} column", "{n} columns", len(row)), t("Text is in column {number}.", number=text_at + 1)))
        elif blank or not is_missing(row[text_at]):
            document = _read_cell(row, document_at)
            text = "" if is_missing(row[text_at]) else row[text_at]
            yield place, text, _read_date(row, date_at, names), None if is_missing(document) else document
        else:
            n_blank += 1
            note_blank(path.name, n_blank)
    left_out.check()


def find_column(names: Sequence[str], column: str | int) -> int | None:
    """Return the position of a column that is given by its number from 1 or by its name, ignoring case; None if it is missing."""
    if is_number(names, column):
        return int(column) - 1
    return find_usual(names, (column,)) if isinstance(column, str) else None


def is_number(names: Sequence[str], column: str | int) -> bool:
    """Return whether a column is given by its number from 1."""
    return (number := str(column)).isdecimal() and len(number) < 9 and 1 <= int(number) <= len(names)


def refuse_column(column: str | int, names: Sequence[str], place: Place | str, needed: str) -> NoReturn:
    """Raise BadRow for a column that a table does not have."""
    refuse(place, t("no column {column} among {columns}", column=show_value(column), columns=show_value(list(names), 400)), needed)


def find_usual(names: Sequence[str], usual: Sequence[str]) -> int | None:
    """Return the position of the first usual name among the columns, ignoring case, or None."""
    return next(iter(find_all_usual(names, usual)), None)


def find_all_usual(names: Sequence[str], usual: Sequence[str]) -> list[int]:
    """Return the positions of the usual names among the columns, in the order of `usual`, ignoring case."""
    folded = [fold_case(name.strip()) for name in names]
    wanted = (fold_case(name.strip()) for name in usual)
    return [folded.index(name) for name in wanted if name in folded]


def _find_text(row: list[str], column: str | None, date_column: str | None, place: Place, below: Sequence[list[str]]) -> tuple[int, bool]:
    """Return the position of the texts, and whether this first row is a row of names. Numbers are not taken for texts."""
    if column is not None:
        names = [name for name in (column, date_column) if name and not is_number(row, name)]
        names += (*TEXT_COLUMNS, *OTHER_TEXTS, *DATE_COLUMNS, DOCUMENT_COLUMN)
        position, is_header = find_column(row, column), find_usual(row, names) is not None
    elif len(row) == 1:
        position, is_header = 0, find_usual(row, TEXT_COLUMNS) is not None
    else:
        is_header = True
        usual = find_all_usual(row, TEXT_COLUMNS)
        with_letters = (k for k in usual if any(any(map(str.isalpha, cells[k])) for cells in below if k < len(cells)))
        position = next(with_letters, usual[0] if usual else None)
        if position is None and len(row) == 2 and re.fullmatch(r"(unnamed: ?0)?", fold_case(row[0].strip())):  # the row numbers of pandas
            position = 1
    if position is None:
        refuse_column(column or "text", row, place, t("Give the text’s column, name or number."))
    return position, is_header


def _find_date(row: list[str], column: str | None, place: Place, is_header: bool) -> int | None:
    """Return the position of the dates; None if no column is given."""
    if column is None:
        return None
    position = find_column(row, column) if is_header or is_number(row, column) else None
    if position is None:
        refuse_column(column, row, place, t("Give the dates’ column, name or number."))
    return position


def _read_date(row: list[str], column: int | None, names: tuple[str, ...]) -> str | None:
    if column is None:
        return choose_date(names, lambda k: _read_cell(row, k)[:MAX_DATE])
    return _read_cell(row, column)[:MAX_DATE] or None


def choose_date(names: tuple[str, ...], cell: Callable[[int], str]) -> str | None:
    """Return the first readable date in the columns with usual names for dates, or else the first text in them.

    `cell` returns the text in a column. A year takes the month and day of the columns "month" and "day".
    """
    main, parts, other = _date_places(names)
    dates = [date for date in map(cell, main or other[:1]) if date.strip()]
    if not dates:
        return None
    date = next(filter(parse_date, dates), dates[0]) if len(dates) > 1 else dates[0]
    if parts and re.fullmatch(r"\d{4}(\.0)?", date):
        numbers = [part.strip().removesuffix(".0").zfill(2) for part in takewhile(str.strip, map(cell, parts))]
        complete = "-".join([date[:4], *numbers])
        return complete if parse_date(complete) else date
    return date


@lru_cache(maxsize=256)
def _date_places(names: tuple[str, ...]) -> list[list[int]]:
    return [find_all_usual(names, usual) for usual in (MAIN_DATES, ("month", "day"), OTHER_DATES)]


def _read_cell(row: list[str], column: int | None) -> str:
    return "" if column is None or len(row) <= column else compose(row[column].strip())


def note_blank(name: str, n: int) -> None:
    """Note that `n` rows have no text."""
    text = tn("{name}: {n:,} row without text is left out.", "{name}: {n:,} rows without text are left out.", n, name=name)
    reports.add((name, "blank"), text)


def without_names(name: str, names: Sequence[str], rows: Iterable[tuple[Place, list[str]]]) -> Iterator[tuple[Place, list[str]]]:
    """Yield rows but for those that repeat the column names, as in the middle of joined files, which are noted. Numbers are not names."""
    left_out, has_names = LeftOut(name, "names"), not all(map(str.isdecimal, names))
    for place, cells in rows:
        if has_names and [cell.strip().lstrip("\ufeff") for cell in cells] == names:
            left_out.add(BadRow(place, t("the names of the columns again"), ""))
        else:
            yield place, cells


def note_doubled(name: str, names: Sequence[str], number: int) -> None:
    """Note that several columns have the name of the one that is read, whose position is `number`."""
    column = names[number].strip()
    others = [str(k + 1) for k, label in enumerate(names) if k != number and fold_case(label.strip()) == fold_case(column)]
    if others:
        values = {"name": name, "column": column, "number": number + 1, "others": ", ".join(others)}
        text = t("{name}: column {number} is read. To read another “{column}”, give its number: {others}.", **values)
        reports.add((name, "doubled", number), text)


class Unread:
    """The columns of a table that hold prose and are not read, unless the user chose the column. Dates and document names are not prose."""

    def __init__(self, name: str, names: Sequence[str], read: Sequence[int], usual: Sequence[str], others: Sequence[int] = ()) -> None:
        self._name = name
        self._names = [name.strip() for name in names]
        self._read = ", ".join(f"“{self._names[k]}”" for k in read)
        self._is_text = any(fold_case(self._names[k]) == "text" for k in read)
        not_prose = (*DATE_COLUMNS, DOCUMENT_COLUMN, *(fold_case(self._names[k]) for k in read))  # `note_doubled` names their doubles
        self._words = {k: 0 for k, name in enumerate(self._names) if k not in {*read, *others} and fold_case(name) not in not_prose}
        self._usual = {k for k in self._words if fold_case(self._names[k]) in usual}
        self._n = 0

    def look(self, cells: Sequence[str]) -> None:
        """Look at a row; after the first PEEKED rows a note names the columns."""
        if self._n >= PEEKED:
            return
        self._n += 1
        for k in self._words:
            self._words[k] += len(cells[k].split()) if k < len(cells) else 0
        prose = [k for k, n in self._words.items() if n and (k in self._usual or n >= PROSE_WORDS * self._n)]
        if prose:
            values = {"name": self._name, "read": self._read, "unread": ", ".join(f"“{self._names[k]}”" for k in prose)}
            if self._is_text:
                text = t("{name}: the text is read from {read}, not from {unread}. To read another, name it.", **values)
            else:
                text = t("{name}: the text is read from {read}, not from {unread}. Name the column to read, or call it “text”.", **values)
            reports.add((self._name, "unread"), text)
