"""The rows of an Excel workbook (.xlsx) as cells of text.

openpyxl holds a row, the shared strings and all other parts in memory. It fills gaps between the numbers of rows and columns with empty
cells. Therefore the elements of all parts are counted in a stream before openpyxl opens the workbook.
"""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.parsers import expat

from ..common import reports
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..files.artifacts import check_fits
from ..files.formats import check_archive, local_name, read_part, refuse_unreadable
from .file_lines import MAX_BYTES, LineCount, Place

MAX_COLUMNS = 1_000
MAX_ELEMENTS = 200_000  # of the parts that are neither sheets nor shared strings, mostly styles
MAX_ROW_ELEMENTS = 20 * MAX_COLUMNS


def workbook_rows(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[tuple[Place, list[str]]]:
    """Yield the rows of the first sheet that has any, with their numbers; a note names the other sheets that have some."""
    check_fits(path, max_bytes)
    check_archive(path, ("xl/workbook.xml",), ".csv")
    import openpyxl

    _check_parts(path)
    with refuse_unreadable(path, ".csv"), closing(openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)) as book:
        sheets = [sheet for sheet in book.worksheets if next(_filled(sheet), None)]
        if sheets[1:]:
            values = {"name": path.name, "sheet": sheets[0].title, "others": ", ".join(sheet.title for sheet in sheets[1:6])}
            message = t("{name}: sheet “{sheet}” is read, not: {others}. Save each as a file of its own.", **values)
            reports.add((path.name, "sheets"), message)
        for sheet in sheets[:1]:
            for number, cells in _filled(sheet):
                yield Place(path.name, number), cells


def _check_parts(path: Path) -> None:
    """Raise BadInput for a workbook with too many rows, cells or styles. Gaps count as rows and cells."""
    counts = _Counts(path.name)
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            counts.begin_part()
            try:
                read_part(archive, member, path.name, counts.start)
            except (expat.ExpatError, zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, OSError, EOFError):
                continue  # a picture, or a part that openpyxl cannot read either


class _Counts:
    """Counts of the rows, cells and other elements that openpyxl would hold for a workbook."""

    def __init__(self, name: str) -> None:
        self._name, self._max_cells = name, limits().max_cells
        self._rows = LineCount(name)
        self._n_cells = self._n_others = 0
        self.begin_part()

    def begin_part(self) -> None:
        """Begin to count the next part."""
        self._root, self._row, self._column, self._width, self._n_in_row = "", 0, 0, 0, 0

    def start(self, element: str, attributes: dict[str, str]) -> None:
        kind = local_name(element)
        self._root = self._root or kind
        if self._root == "worksheet" and kind == "row":
            number = attributes.get("r", "")
            number = int(number) if number.isdecimal() and len(number) < 16 else self._row + 1
            self._rows.add(max(1, number - self._row))
            self._row, self._column, self._width, self._n_in_row = number, 0, 0, 0
        elif self._root == "worksheet" and kind == "c":
            self._column = _column_of(attributes.get("r", "")) or self._column + 1
            self._add_cells(max(0, self._column - self._width))
            self._width = max(self._width, self._column)
        elif self._root == "sst":
            self._add_cells(1)
        elif self._root != "worksheet" or not self._row:
            self._n_others += 1
        self._n_in_row += 1
        if self._n_others > MAX_ELEMENTS or self._n_in_row > (MAX_ROW_ELEMENTS if self._root == "worksheet" else self._max_cells):
            raise BadInput(t("{name} has too many styles, or parts of cells. Save it as .csv.", name=self._name))

    def _add_cells(self, n: int) -> None:
        self._n_cells += n
        if self._n_cells > self._max_cells:
            message = t("{name} has over {most:,} cells, empty ones included. Save it as .csv.", name=self._name, most=self._max_cells)
            raise BadInput(message)


def _column_of(reference: str) -> int:
    """Return the column number of a cell reference from 1, such as 28 for "AB3", or 0 without letters."""
    number = 0
    for letter in reference[:8].upper():
        if not "A" <= letter <= "Z":
            break
        number = 26 * number + ord(letter) - 64
    return number


def _filled(sheet: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield (number, cells) of each row that has a cell with something in it."""
    sheet.reset_dimensions()  # what the file states of its size may be wrong
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        reports.step()
        if len(row) > MAX_COLUMNS:
            message = t("Row {number} of sheet “{sheet}” has {n:,} columns", number=number, sheet=sheet.title, n=len(row))
            raise BadInput(t("{what}; at most {most:,} are read. Remove the others.", what=message, most=MAX_COLUMNS))
        cells = [_text(value) for value in row]
        if any(map(str.strip, cells)):
            yield number, cells


def _text(value: Any) -> str:
    """Return a cell as it would be written in a CSV file: integers without a point, dates as 1850-03-01."""
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
