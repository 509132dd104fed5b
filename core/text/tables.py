"""Read the rows of a table: CSV and TSV as spreadsheets, pandas, R and websites write them, and Excel workbooks.

The separator, the quotes and a first line `sep=;` are found in the file. A few rows that cannot be read are left out and noted
(core.text.file_lines.LeftOut).

openpyxl holds a row, the shared strings and all other parts of a workbook in memory. It fills gaps between the numbers of rows and columns
with empty cells. Therefore the elements of all parts are counted in a stream before openpyxl opens the workbook.
"""

import csv
import re
import zipfile
import zlib
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date, datetime, time, timedelta
from itertools import chain, islice, starmap
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

from ..common import reports
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..files.artifacts import check_fits
from ..files.formats import check_archive, local_name, read_part, refuse_unreadable
from .file_lines import ANY_SIZE, MAX_BYTES, BadRow, LeftOut, LineCount, Place, iterate_lines
from .normalization import fold_case

SEPARATORS = ",;\t|"  # many countries' spreadsheets write ; for ,
MOST_SNIFFED = 2_000, 1_000_000  # lines and characters from which the form of a table is recognized
MAX_RECORD = 10_000_000  # characters of one row; a longer quote was never closed
PEEKED = 50  # rows from which a column of row names is recognized
MAX_TITLES = 10  # rows above the column names
MAX_COLUMNS = 1_000  # of a workbook
MAX_ELEMENTS = 200_000  # of the parts of a workbook that are neither sheets nor shared strings, mostly styles
MAX_ROW_ELEMENTS = 20 * MAX_COLUMNS
# As pandas, R, Excel and databases write that a cell has no value. Case counts: NONE is a class of stances, "none" an answer.
MISSING = frozenset(["nan", "NaN", "-nan", "-NaN", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "#NV", "None", "null", "NULL", "NaT", "\\N"])
MISSING |= {"#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#WERT!", "#BEZUG!", "#ZAHL!", "#VALEUR!", "#NOM?", "#NOMBRE!"}
_GIVEN_MARK = re.compile(r"\"?sep=([^\w\r\n\"])\"?[,;\t|]*[\r\n]*", re.IGNORECASE)
_DOUBLED = '""'
_ESCAPED = re.compile("_x(?!0000|[Dd][89A-Fa-f])([0-9A-Fa-f]{4})_")  # as Excel writes a carriage return: _x000D_

csv.field_size_limit(2**31 - 1)  # of the process: a row's own limit is MAX_RECORD


class Line(NamedTuple):
    """A line of a table."""

    place: Place
    text: str


class _Record(NamedTuple):
    place: Place
    cells: list[str]
    error: str = ""  # why it was read without quotes


def is_missing(cell: str) -> bool:
    """Return whether a cell is empty or has a mark for a missing value."""
    cell = cell.strip()
    return not cell or cell in MISSING


def plain_number(cell: str) -> str:
    """Return a cell with a plain minus, and without the decimals of an integer that pandas wrote as a float.

    >>> plain_number("-1.0"), plain_number("\u22121"), plain_number("1,0"), plain_number("1,000")
    ('-1', '-1', '1', '1,000')
    """
    cell = re.sub(r"^[\u2212\u2013](?=\d+(?:[.,]\d+)?$)", "-", cell.strip())
    return re.split("[.,]", cell)[0] if re.fullmatch(r"[+-]?\d+(?:\.0+|,00?)", cell) else cell


def file_rows(path: Path, kind: str, names: Iterable[str] = (), **reading: Any) -> Iterator[tuple[Place, list[str]]]:
    """Yield the rows of a .csv, .tsv or .xlsx file, no row wider than the first; `reading` is as `iterate_lines` takes it.

    Cells are separated by tabs except in .csv, and where no row has one. Titles above a row with one of the column names `names` are left out and noted.
    """
    if kind == ".xlsx":
        records, mark = starmap(_Record, workbook_rows(path, max_bytes=reading.get("max_bytes", ANY_SIZE))), ""
    else:
        lines = starmap(Line, iterate_lines(path, longest=MAX_RECORD, tolerant=True, **reading))
        head = _head(lines)
        separator_line = _GIVEN_MARK.fullmatch(head[0].text) if head else None
        if separator_line:
            head = head[1:]
            mark = separator_line[1]
        elif kind != ".csv" and any("\t" in line.text for line in head):
            mark = "\t"
        else:
            mark = _separator(head, None if kind == ".csv" else "\t")
        records = _records(chain(head, lines), mark, is_quoted(head, mark), _is_spaced(head, mark))
    yield from _fitting(path.name, records, mark, {*map(fold_case, names)})


def _head(lines: Iterator[Line]) -> list[Line]:
    head, size = [], 0
    for line in lines:
        if not head and not line.text.strip():
            continue
        head.append(line._replace(text=line.text.removeprefix("\ufeff")) if not head else line)
        size += len(line.text)
        if len(head) >= MOST_SNIFFED[0] or size >= MOST_SNIFFED[1]:
            break
    return head


def _separator(head: Sequence[Line], default: str | None = None) -> str:
    """Return the mark that is in the first row and cuts most rows into as many cells as that one; `default`, if given, unless that mark so cuts all rows."""
    agreeing: dict[str, float] = {}
    for mark in SEPARATORS:
        records = _records(iter(head[:200]), mark, is_quoted(head[:200], mark))
        widths = list(filter(None, (_filled_width(record.cells) for record in records)))
        if widths and widths[0] > 1:
            agreeing[mark] = sum(width == widths[0] for width in widths) / len(widths)
    mark = max(agreeing, key=agreeing.get, default=SEPARATORS[0])
    return default if default and agreeing.get(mark, 0) < 1 else mark


def _filled_width(cells: list[str]) -> int:
    """Return the number of cells without the empty ones that a spreadsheet adds behind."""
    return max((k for k, cell in enumerate(cells, 1) if cell.strip()), default=0)


def is_quoted(head: Sequence[Line], mark: str) -> bool:
    """Return whether quotation marks around a cell are the table's own. Between tabs they often belong to the text."""
    if mark != "\t":
        return True
    rows = [line.text.rstrip("\r\n").split(mark) for line in head]
    cells = [cell for row in rows for cell in row]
    begun = [cell for cell in cells if cell.startswith('"')]
    if not begun:
        return False
    if all(map(_is_within_quotes, rows[0])):
        return True
    with_commas = [cell for cell in cells if "," in cell]
    if len(with_commas) > 1 and all(map(_is_within_quotes, with_commas)):  # Excel's way with tabs
        return True
    proper = sum(_is_within_quotes(cell) and _DOUBLED in cell[1:-1] for cell in begun)
    open_ones = sum(not _is_within_quotes(cell) for cell in begun)
    return proper > open_ones or (open_ones > 0 and _is_regular(head, mark))


def _is_within_quotes(cell: str) -> bool:
    """Return whether a cell has quotes around it and none within that is not doubled."""
    return len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in cell[1:-1].replace(_DOUBLED, "")


def _is_regular(head: Sequence[Line], mark: str) -> bool:
    """Return whether all rows, read with quotes, are as wide as the first and none is out of order."""
    records = list(_records(iter(head), mark, True))[: -1 if len(head) >= MOST_SNIFFED[0] else None]
    width = len(records[0].cells) if records else 0
    return all(not record.error and len(record.cells) in (0, width) for record in records)


def _is_spaced(head: Sequence[Line], mark: str) -> bool:
    """Return whether each mark of the first row is followed by a blank, which then belongs to no cell."""
    first = head[0].text if head else ""
    return mark in first and first.count(mark) == first.count(f"{mark} ")


def _records(lines: Iterator[Line], mark: str, quoted: bool, spaced: bool = False) -> Iterator[_Record]:
    """Yield the rows of lines. A row whose quotes are out of order is read without them, and reading continues with the next line."""
    if not quoted:
        for place, text in lines:
            yield _Record(place, [_unquoted(cell) for cell in text.rstrip("\r\n").split(mark)])
        return
    waiting: deque[Line] = deque()
    taken: list[Line] = []
    while True:
        reader = csv.reader(_taken(lines, waiting, taken), delimiter=mark, strict=True, skipinitialspace=spaced)
        try:
            for cells in reader:
                place = taken[0].place
                taken.clear()
                yield _Record(place, cells)
        except csv.Error as error:
            first, *others = taken
            waiting.extendleft(reversed(others))
            taken.clear()
            yield _Record(first.place, _without_quotes(first.text, mark), str(error))
        else:
            return


def _taken(lines: Iterator[Line], waiting: deque[Line], taken: list[Line]) -> Iterator[str]:
    """Yield the text of each line, which is then among `taken`."""
    size = 0
    while line := waiting.popleft() if waiting else next(lines, None):
        size = size + len(line.text) if taken else len(line.text)
        taken.append(line)
        if size > MAX_RECORD:
            raise csv.Error("unclosed quote")
        yield line.text


def _without_quotes(text: str, mark: str) -> list[str]:
    r"""Return the cells of a line whose quotes are out of order: read with \" for a quote, else as they are."""
    try:
        rows = list(csv.reader([text], delimiter=mark, strict=True, escapechar="\\"))
    except csv.Error:
        rows = []
    if rows and '\\"' in text:
        return rows[0]
    cells = text.rstrip("\r\n").split(mark)
    return [cell[1:-1].replace(_DOUBLED, '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell for cell in cells]


def _unquoted(cell: str) -> str:
    """Return a cell between tabs as its text: pandas quotes one that has quotes in it, and doubles those."""
    inner = cell[1:-1]
    return inner.replace(_DOUBLED, '"') if _DOUBLED in inner and _is_within_quotes(cell) else cell


def _fitting(name: str, records: Iterable[_Record], mark: str, names: Collection[str]) -> Iterator[tuple[Place, list[str]]]:
    """Yield rows that have something in them, no wider than the first; those that are wider are left out."""
    records = (record for record in records if any(map(str.strip, record.cells)))
    head = list(islice(records, PEEKED))
    if not head:
        return
    start = next((k for k, item in enumerate(head[:MAX_TITLES]) if any(fold_case(cell.strip()) in names for cell in item.cells)), 0)
    are_titles = all(sum(bool(cell.strip()) for cell in record.cells) == 1 for record in head[:start])
    if start and are_titles and not (mark and len(head[0].cells) == 1):
        head = head[start:]
        text = t("{name}: the rows above the column names, line {line}, are left out.", name=name, line=head[0].place.number)
        reports.add((name, "titles"), text)
    first = head[0]
    width = len(first.cells)
    if _has_row_names(head):
        head[0] = first._replace(cells=["", *first.cells])
        width += 1
    widths = {len(record.cells) for record in head[1:]}
    if width == 1 and mark and len(head) > 3 and len(widths) == 1 and widths != {1}:
        text = t("{name}: its first line has one cell, so each line is read as one text. Remove lines before the column names.", name=name)
        reports.add((name, "first line"), text)
    left_out = LeftOut(name)
    for place, cells, error in chain(head, records):
        left_out.n_rows += 1
        if width == 1 and mark:  # the mark belongs to the text
            yield place, [mark.join(cells)]
        elif not mark and width > 1 and len(cells) > width:
            reports.add((name, "nameless"), t("{name}: cells to the right of the last column name are not read.", name=name))
            yield place, cells[:width]
        elif any(map(str.strip, cells[width:])) or (error and len(cells) != width):
            left_out.add(_not_fitting(place, cells, width, mark, error))
        else:  # a workbook's rows end at their last filled cell
            yield place, cells if mark else [*cells, *[""] * (width - len(cells))]
    left_out.check()


def _has_row_names(head: Sequence[_Record]) -> bool:
    """Return whether each row begins with its number, over which no name is, as R writes tables."""
    numbers = [record.cells[0] for record in head[1:]]
    wider = all(len(record.cells) == len(head[0].cells) + 1 for record in head[1:])
    return len(numbers) > 1 and wider and all(map(str.isdecimal, numbers)) and len(set(numbers)) == len(numbers)


def _not_fitting(place: Place, cells: list[str], width: int, mark: str, error: str) -> BadRow:
    if error:
        return BadRow(place, t("not a table row ({error})", error=error), t("Check for an unclosed quote."))
    if not mark:
        needed = t("Give each column a name in the first row.")
    elif mark == "\t":
        needed = t("Replace tabs in cells with blanks.")
    else:
        needed = t('Quote a cell with "{mark}": "Win money{mark} now!".', mark=mark)
    return BadRow(place, t("{n} cells for {width} columns", n=len(cells), width=width), needed)


def workbook_rows(path: Path, *, max_bytes: int = MAX_BYTES) -> Iterator[tuple[Place, list[str]]]:
    """Yield the rows of the first sheet that has any, a hidden one last; a note names the other sheets that have some."""
    check_fits(path, max_bytes)
    check_archive(path, ("xl/workbook.xml",), ".csv")
    import openpyxl

    merged = _check_parts(path)
    with refuse_unreadable(path, ".csv"), closing(openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)) as book:
        sheets = sorted(book.worksheets, key=lambda sheet: sheet.sheet_state != "visible")
        sheets = [sheet for sheet in sheets if next(_filled(sheet, {}), None)]
        if sheets[1:]:
            values = {"name": path.name, "sheet": sheets[0].title, "others": ", ".join(sheet.title for sheet in sheets[1:6])}
            message = t("{name}: sheet “{sheet}” is read, not: {others}. Save each as a separate file.", **values)
            reports.add((path.name, "sheets"), message)
        for sheet in sheets[:1]:
            if below := merged[sheet._worksheet_path]:
                reports.add((path.name, "merged"), t("{name}: a merged cell is read in each of its rows.", name=path.name))
            for number, cells in _filled(sheet, below):
                yield Place(path.name, number), cells


def _check_parts(path: Path) -> dict[str, dict[int, list[tuple[int, int]]]]:
    """Return, for each sheet's part and first row of merged cells, their columns from 0 and last rows.

    Raises BadInput for a workbook with too many rows, cells or styles. Gaps count as rows and cells.
    """
    counts = _WorkbookCounts(path.name)
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            counts.begin_part(member)
            try:
                read_part(archive, member, path.name, counts.start)
            except (expat.ExpatError, zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, OSError, EOFError):
                continue  # a picture, or a part that openpyxl cannot read either
    return counts.merged


class _WorkbookCounts:
    """Counts of the rows, cells and other elements that openpyxl would hold for a workbook."""

    def __init__(self, name: str) -> None:
        self._name, self._max_cells = name, limits().max_cells
        self._rows = LineCount(name)
        self._n_cells = self._n_others = 0
        self.merged: dict[str, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        self.begin_part("")

    def begin_part(self, member: str) -> None:
        """Begin to count the next part."""
        self._member = member
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
        elif kind == "mergeCell":
            ends = re.fullmatch(r"([A-Z]+)(\d{1,7}):[A-Z]+(\d{1,7})", attributes.get("ref", ""))
            if ends and int(ends[2]) < int(ends[3]):
                self.merged[self._member][int(ends[2])].append((_column_of(ends[1]) - 1, int(ends[3])))
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
            values = {"name": self._name, "most": self._max_cells}
            raise BadInput(t("{name} has over {most:,} cells, empty ones included. Save it as .csv.", **values))


def _column_of(reference: str) -> int:
    """Return the column number of a cell reference from 1, such as 28 for "AB3", or 0 without letters."""
    number = 0
    for letter in re.match("[A-Z]*", reference[:8].upper())[0]:
        number = 26 * number + ord(letter) - 64
    return number


def _filled(sheet: Any, merged: Mapping[int, Sequence[tuple[int, int]]]) -> Iterator[tuple[int, list[str]]]:
    """Yield (number, cells) of each row that has a cell with something in it; `merged` is as `_check_parts` returns it."""
    below: dict[int, tuple[int, str]] = {}  # the last row and the text of a merged cell, by column
    sheet.reset_dimensions()  # what the file states of its size may be wrong
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        reports.step()
        if len(row) > MAX_COLUMNS:
            message = t("Row {number} of sheet “{sheet}” has {n:,} columns", number=number, sheet=sheet.title, n=len(row))
            raise BadInput(t("{what}; at most {most:,} are read. Remove the others.", what=message, most=MAX_COLUMNS))
        cells = [_cell_text(value) for value in row]
        if not any(map(str.strip, cells)):
            continue
        for column, (last, text) in below.items():
            if number <= last:
                cells += [""] * (column + 1 - len(cells))
                cells[column] = cells[column] or text
        below |= {column: (last, cells[column]) for column, last in merged.get(number, ()) if column < len(cells)}
        yield number, cells


def _cell_text(value: Any) -> str:
    """Return a cell as it would be written in a CSV file: integers without a point, dates as 1850-03-01."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        if value.time() != time() and value.date() in (date(1899, 12, 31), date(1900, 1, 1)):  # hours above 23, as 29:33
            return _hours(value - datetime(1899, 12, 31))
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, timedelta):
        return _hours(value)
    if isinstance(value, time):
        return value.isoformat("seconds").removesuffix(":00") if value.second == 0 else value.isoformat()
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), str(value))


def _hours(value: timedelta) -> str:
    minutes, seconds = divmod(int(value.total_seconds()), 60)
    return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
