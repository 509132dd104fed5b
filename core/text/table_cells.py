"""The texts of a table (CSV, TSV) and their dates: which columns they stand in, row by row; every fault is one sentence with its line."""

import csv
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from core.common.i18n import t
from core.text.composed import composed, folded
from core.text.file_lines import Place, fitting, iterate_lines, refuse, show_value

TEXT_COLUMNS = ("text", "sentence", "sentences", "content", "body", "message", "review", "comment")
DATE_COLUMNS = ("date", "year")  # read where nobody names another
MAX_DATE = 80  # characters


def cells(path: Path, kind: str, column: str | None, date_column: str | None, **reading: Any) -> Iterator[tuple[Place, str, str | None]]:
    """The text cells of a table, each with the line its row ends on and its date, None where there is no such column or cell."""
    lines = (line for _, line in iterate_lines(path, **reading))
    first, marks = next(lines, ""), "\t" if kind == ".tsv" else ",;\t"  # many countries' spreadsheets write ; for ,
    mark = next((mark for mark in marks if mark in first), marks[0])
    reader = csv.reader(chain([first], lines), delimiter=mark, quoting=csv.QUOTE_NONE if kind == ".tsv" else csv.QUOTE_MINIMAL, strict=True)
    rows = ((Place(path.name, reader.line_num), row) for row in reader if any(map(str.strip, row)))
    try:
        for place, first_row in islice(rows, 1):
            index, is_header = _column(first_row, column, place)
            dated = _date_column(first_row, date_column, place, is_header)
            yield from [] if is_header else [(place, first_row[index], _date(first_row, dated))]
            for place, row in fitting(rows, len(first_row), mark):
                if len(row) <= index:
                    refuse(place, t("{n} columns", n=len(row)), t("Text is in column {number}.", number=index + 1))
                yield place, row[index], _date(row, dated)
    except csv.Error as error:
        place = Place(path.name, reader.line_num)
        refuse(place, t("no table row ({error})", error=error), t("Check for an unclosed quote."))


def _column(row: list[str], column: str | None, place: Place | str) -> tuple[int, bool]:
    """Where the text stands, and whether this first row is a row of names."""
    number = "1" if column is None and len(row) == 1 and row[0].casefold() not in TEXT_COLUMNS else column or ""
    if number.isdecimal() and len(number) < 9 and 1 <= int(number) <= len(row):
        return int(number) - 1, False
    names, wanted = [folded(name.strip()) for name in row], TEXT_COLUMNS if column is None else [folded(column.strip())]
    if message := [names.index(name) for name in wanted if name in names]:
        return message[0], True
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
