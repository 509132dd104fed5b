"""The texts of a table (CSV, TSV, Excel), their dates and documents, from the columns that hold them; every error is one sentence with its line."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ..common.i18n import t
from .composed import composed, folded
from .file_lines import BadRow, LeftOut, Place, refuse, show_value
from .tables import Unread, file_rows, is_missing, note_blank, note_doubled

TEXT_COLUMNS = ("text", "sentence", "sentences", "content", "body", "message", "review", "comment")
OTHER_TEXTS = ("title", "headline", "description", "summary", "abstract", "subject", "lead")  # noted where they are not read
DATE_COLUMNS = ("date", "year")  # read where nobody names another
DOCUMENT_COLUMNS = ("document",)  # names the text that a row belongs to
MAX_DATE = 80  # characters


def cells(
    path: Path, kind: str, column: str | None, date_column: str | None, *, blank: bool = False, **reading: Any
) -> Iterator[tuple[Place, str, str | None, str | None]]:
    """Yield the text cells of a table, each with the line its row begins on, its date and its document; None where it has none.

    With `blank`, a row without text gives an empty cell; otherwise it is left out and noted.
    """
    rows = file_rows(path, kind, **reading)
    left_out, n_blank = LeftOut(path.name), 0
    for place, first_row in islice(rows, 1):
        index, is_header = _column(first_row, column, place)
        dated = _date_column(first_row, date_column, place, is_header)
        named = _document_column(first_row) if is_header else None
        unread = None
        if is_header:
            note_doubled(path.name, first_row, index)
            aside = tuple(k for k in (dated, named) if k is not None)
            unread = None if column else Unread(path.name, first_row, (index,), (*TEXT_COLUMNS, *OTHER_TEXTS), aside)
        else:
            yield place, first_row[index], _date(first_row, dated), None
        for place, row in rows:
            left_out.n_rows += 1
            if unread:
                unread.look(row)
            if len(row) <= index:
                left_out.add(BadRow(place, t("{n} columns", n=len(row)), t("Text is in column {number}.", number=index + 1)))
            elif blank and is_missing(row[index]):
                yield place, "", _date(row, dated), _document(row, named)
            elif is_missing(row[index]):
                n_blank += 1
                note_blank(path.name, n_blank)
            else:
                yield place, row[index], _date(row, dated), _document(row, named)
    left_out.check()


def _column(row: list[str], column: str | None, place: Place | str) -> tuple[int, bool]:
    """Where the text stands, and whether this first row is a row of names."""
    number = "1" if column is None and len(row) == 1 and row[0].casefold() not in TEXT_COLUMNS else column or ""
    if number.isdecimal() and len(number) < 9 and 1 <= int(number) <= len(row):
        return int(number) - 1, False
    names, wanted = [folded(name.strip()) for name in row], TEXT_COLUMNS if column is None else [folded(column.strip())]
    if places := [names.index(name) for name in wanted if name in names]:
        return places[0], True
    if column is None and len(row) == 2 and re.fullmatch(r"(unnamed: ?0)?", names[0]):  # the row numbers of pandas
        return 1, True
    message = t("no column {column} among {columns}", column=show_value(column or "text"), columns=show_value(row, 400))
    refuse(place, message, t("Give the text’s column, name or number."))


def _date_column(row: list[str], column: str | None, place: Place | str, is_header: bool) -> int | None:
    """Where dates stand; None where nobody named a column and none is called so."""
    number = column or ""
    if number.isdecimal() and len(number) < 9 and 1 <= int(number) <= len(row):
        return int(number) - 1
    names, wanted = [folded(name.strip()) for name in row], DATE_COLUMNS if column is None else [folded(column.strip())]
    if is_header and (known := [names.index(name) for name in wanted if name in names]):
        return known[0]
    if column is None:
        return None
    message = t("no column {column} among {columns}", column=show_value(column), columns=show_value(row, 400))
    refuse(place, message, t("Give the dates’ column, name or number."))


def _date(row: list[str], column: int | None) -> str | None:
    if column is None or len(row) <= column:
        return None
    return composed(row[column].strip())[:MAX_DATE] or None


def _document_column(names: list[str]) -> int | None:
    """Return where documents are named; None where no column is called so."""
    return next((k for k, name in enumerate(names) if folded(name.strip()) in DOCUMENT_COLUMNS), None)


def _document(row: list[str], column: int | None) -> str | None:
    """Return the document that a row names; None where it names none."""
    if column is None or len(row) <= column or is_missing(row[column]):
        return None
    return composed(row[column].strip()) or None
