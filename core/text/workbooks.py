"""The rows of an Excel workbook (.xlsx) as cells of text."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from core.common import notes
from core.common.errors import BadInput
from core.common.i18n import t
from core.files.artifacts import check_fits
from core.files.formats import check_archive
from core.text.file_lines import MAX_BYTES, Place

MAX_COLUMNS = 1_000


def workbook_rows(path: Path, *, most: int = MAX_BYTES) -> Iterator[tuple[Place, list[str]]]:
    """Yield the rows of the first sheet that has any, with their numbers; a note names the other sheets that have some."""
    check_fits(path, most)
    check_archive(path, ("xl/workbook.xml",), ".csv")
    try:
        import openpyxl
    except ImportError:
        raise BadInput(t("{name} needs openpyxl. Save it as .csv.", name=path.name)) from None
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            sheets = [sheet for sheet in book.worksheets if next(_filled(sheet), None)]
            if sheets[1:]:
                values = {"name": path.name, "sheet": sheets[0].title, "others": ", ".join(sheet.title for sheet in sheets[1:6])}
                message = t("{name}: sheet “{sheet}” is read, not: {others}. Save each as a file of its own.", **values)
                notes.add((path.name, "sheets"), message)
            for sheet in sheets[:1]:
                for number, cells in _filled(sheet):
                    yield Place(path.name, number), cells
        finally:
            book.close()
    except (BadInput, MemoryError):
        raise
    except Exception as error:  # of a file that anybody may have made, openpyxl can fail in any way
        message = t("{name} cannot be read ({error}). Save it as .csv.", name=path.name, error=type(error).__name__)
        raise BadInput(message) from error


def _filled(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield (number, cells) of each row that has a cell with something in it."""
    sheet.reset_dimensions()  # what the file states of its size may be wrong
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if len(row) > MAX_COLUMNS:
            message = t("Row {number} of sheet “{sheet}” has {n:,} columns", number=number, sheet=sheet.title, n=len(row))
            raise BadInput(t("{what}; at most {most:,} are read. Remove the others.", what=message, most=MAX_COLUMNS))
        cells = [_text(value) for value in row]
        if any(map(str.strip, cells)):
            yield number, cells


def _text(value: Any) -> str:
    """Return a cell as it would be written in a CSV file: whole numbers without a point, dates as 1850-03-01."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        if value.year < 1901 and value.date() in (date(1899, 12, 30), date(1899, 12, 31), date(1900, 1, 1)):  # hours above 23, as 29:33
            return _hours(value - datetime(1899, 12, 31))
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, timedelta):
        return _hours(value)
    if isinstance(value, time):
        return value.isoformat("seconds").removesuffix(":00") if value.second == 0 else value.isoformat()
    return str(value)


def _hours(value: timedelta) -> str:
    minutes, seconds = divmod(int(value.total_seconds()), 60)
    return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
