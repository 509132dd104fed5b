"""Read labeled files into rows (text, label): CSV, TSV, Excel, JSON lines, and the Stanford treebank's bracketed trees.

Columns are found by the names that such files usually have, or are named by the caller; a table without names on top is
known by its first cell, a label that recurs below it. Every fault is one sentence that names the file and the line.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ..common import notes
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..files.artifacts import parse_json
from ..files.formats import refuse_format, suffix_of
from ..text.composed import composed
from ..text.file_lines import BadRow, LeftOut, Place, refuse, show_value
from ..text.table_cells import OTHER_TEXTS
from ..text.tables import Unread, file_rows, is_missing, note_doubled, table_rows, whole
from ..text.tokens import join_tokens
from .column_names import LABEL_COLUMNS, TEXT_COLUMNS, find_columns, usual_columns
from .table_text import TableText, open_text, refuse_empty
from .trees import NODE, tree_leaves

MAX_CHARACTERS = 20_000  # of one text that are looked at: 5,000 tokens of English hold about that many
MAX_COLUMNS = 100_000
SENTIMENT = ("very negative", "negative", "neutral", "positive", "very positive")  # SST's labels 0..4
NEUTRAL = SENTIMENT[2]
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")  # NUL, or half of a surrogate pair: no file of ours can hold it
TREES = "trees"
SUFFIXES = (".csv", ".tsv", ".xlsx", ".jsonl", ".txt")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_UNTREED = re.compile("|".join(_BRACKETS), re.IGNORECASE)
_QUOTES = {"``": '"', "''": '"'}


@dataclass(frozen=True, slots=True)
class ScoreRow:
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Table:
    """What a file holds: rows in its order, its columns, and what a reader of results should know (`notes`)."""

    name: str
    rows: tuple[ScoreRow, ...]
    text_columns: tuple[str, ...]
    label_column: str
    notes: tuple[str, ...] = ()


def read_table(
    path: str | Path,
    *,
    text_columns: Sequence[str | int] = (),
    label_column: str | int | None = None,
    prefer: Sequence[str] = (),
    encoding: str | None = None,
    max_rows: int | None = None,
) -> Table:
    """Return the labeled rows of a .csv, .tsv, .jsonl, .txt (trees, or cells between tabs) or .xlsx file. Text may be packed as .xz or .gz.

    A column is given by its name or by its number from 1, as text. It may be an int if the names are those of `core.classify.columns`.
    Several text columns are joined by a blank. If no column is given, the present ones of `prefer` are read, or else the usual ones.
    A file that is not UTF-8 is read in `encoding`, by default in a guessed one. Rows without a text or a label are left out and counted in
    `notes`. Raises BadInput if more than `max_rows` rows remain.
    """
    path = Path(path)
    numbered = any(isinstance(column, str) and column.isdecimal() for column in (*text_columns, label_column))
    with notes.collecting() as collected:
        kind, text = _open(path, encoding)
        if kind == TREES:
            return _trees(path.name, text, collected)
        wanted = list(text_columns), list(prefer)
        return _table(path.name, _rows(path, kind, text, numbered), wanted, label_column, collected, max_rows)


def _open(path: Path, encoding: str | None) -> tuple[str, TableText | None]:
    """Return the kind of a table, and its text or None for a workbook. The first line of a .txt file decides its kind."""
    kind = suffix_of(path)
    if kind not in SUFFIXES or (kind == ".xlsx" and path.suffix.lower() != kind):
        refuse_format(path, [suffix for suffix in SUFFIXES if suffix != ".txt"])  # which holds trees, or is a .tsv
    if kind == ".xlsx":
        return kind, None
    text = open_text(path, encoding)
    if kind == ".txt":
        first = next((line.lstrip() for _, line in text.lines() if line.strip()), "")
        kind = ".tsv" if "\t" in first and not NODE.match(first) else TREES
    return kind, text


def iterate_rows(path: Path, *, numbered: bool) -> Iterator[tuple[Place, Any]]:
    """Yield the names and then the cells of a table's rows, each with its place."""
    kind, text = _open(path, None)
    if kind == TREES:
        raise BadInput(t("{name} has no columns. Separate texts and labels by tabs.", name=path.name))
    return _rows(path, kind, text, numbered)


def _rows(path: Path, kind: str, text: TableText | None, numbered: bool) -> Iterator[tuple[Place, Any]]:
    return _json_rows(path.name, text) if kind == ".jsonl" else _cell_rows(path, kind, text, numbered)


def _trees(name: str, text: TableText, collected: notes.Notes) -> Table:
    """The whole sentences of Stanford's sentiment treebank (Socher et al. 2013): the root's label and the leaves."""
    rows = []
    left_out = LeftOut(name)
    for place, line in text.lines(""):
        if not line.strip():
            continue
        left_out.n_rows += 1
        if leaves := tree_leaves(line.strip()):
            words = [_UNTREED.sub(lambda sign: _BRACKETS[sign[0].upper()], leaf) for leaf in leaves]
            words = [_QUOTES.get(word, word).replace("\\/", "/").replace("\\*", "*") for word in words]
            rows.append(ScoreRow(join_tokens(words), SENTIMENT[int(line.strip()[1])]))
            continue
        needed = t("A tree looks like this: (3 (2 A) (4 success)).")
        left_out.add(BadRow(place, t("{line} is not a tree", line=show_value(line.rstrip("\r\n"))), needed))
    left_out.check()
    return Table(name, tuple(rows), ("leaves",), "root", tuple(collected.values()))


def _json_rows(name: str, text: TableText) -> Iterator[tuple[Place, Any]]:
    """First the names of the first row's columns, then (place, cells) of each row."""
    names: list[str] = []
    left_out = LeftOut(name)
    for place, line in text.lines():
        if not line.strip():
            continue
        left_out.n_rows += 1
        try:
            row = _json_row(line, place)
            cells = [_plain(row.get(key), place, key) for key in names or row]
        except BadRow as error:
            left_out.add(error)
            continue
        if not names:
            yield place, (names := [str(key) for key in row])
        yield place, cells
    left_out.check()


def _json_row(line: str, place: Place) -> dict:
    try:
        row = parse_json(line)
    except ValueError as error:
        refuse(place, str(error), _needed_row())
    if not isinstance(row, dict):
        refuse(place, t("{row} is not a row", row=show_value(row)), _needed_row())
    return row


def _needed_row() -> str:
    return t('A row looks like this: {{"text": "Rain ahead", "label": "weather"}}.')


def _plain(value: Any, place: Place, key: str) -> str:
    if isinstance(value, list | dict):
        message = t("{value} under {key}", value=show_value(value), key=show_value(key))
        refuse(place, message, t("A text and a label are one value each."))
    return "" if value is None else str(value)


def _cell_rows(path: Path, kind: str, text: TableText | None, numbered: bool) -> Iterator[tuple[Place, list[str]]]:
    """Yield the names, and then (place, cells) of each row. `numbered` tells that the caller gives columns by number."""

    def rows() -> Iterator[tuple[Place, list[str]]]:
        if kind == ".xlsx":
            return file_rows(path, kind, most=limits().max_table_mb * 10**6)
        return table_rows(path.name, text.lines(""), tabs=kind != ".csv")

    placed = rows()
    first = next(placed, None)
    if first is None:  # the file has only separators
        refuse_empty(path.name)
    if len(first[1]) > MAX_COLUMNS:
        values = {"name": path.name, "n": len(first[1]), "most": MAX_COLUMNS}
        raise BadInput(t("{name} has {n:,} columns; at most {most:,} are read. Remove the others.", **values))
    names = _missing_names(first[1], rows, numbered)
    if names:
        yield first[0], names
    yield first
    yield from placed


def _missing_names(first: list[str], rows: Callable[[], Iterator[tuple[Place, list[str]]]], numbered: bool) -> list[str]:
    """Names for the columns of a table whose first row is none of names, else []: a label in its first or last cell comes
    again below, or the caller counts columns and no usual name is there."""
    cells = [cell.strip().casefold() for cell in first]
    if set(cells) & {*LABEL_COLUMNS, *TEXT_COLUMNS}:
        return []
    is_first = is_last = False
    for _, row in _below(rows(), len(cells)):
        is_last |= row[-1].strip().casefold() == cells[-1]
        if is_first := row[0].strip().casefold() == cells[0]:
            break
    known = {2: ["class", "text"], 3: ["class", "title", "description"]}.get(len(cells))  # 3: AG News's own
    if is_first:
        return known or _numbers(cells)
    if is_last:
        return known[::-1] if len(cells) == 2 else _numbers(cells)
    return _numbers(cells) if numbered else []


def _below(rows: Iterator[tuple[Place, list[str]]], width: int) -> Iterator[tuple[Place, list[str]]]:
    """Rows below the first that are as wide."""
    return ((place, row) for place, row in islice(rows, 1, None) if len(row) == width)


def _numbers(cells: list[str]) -> list[str]:
    return [str(k) for k in range(1, len(cells) + 1)]


def _table(
    name: str,
    placed: Iterator,
    wanted: tuple[list[str], list[str]],
    label_column: str | None,
    collected: notes.Notes,
    max_rows: int | None = None,
) -> Table:
    """Rows of cells, the first of them names, to texts and labels; `wanted`: text columns that must be there, that may."""
    if (first := next(placed, None)) is None:
        refuse_empty(name)
    place, names = first
    names = [column.strip() for column in names]
    labels = find_columns(names, [label_column], place) if label_column else usual_columns(names, LABEL_COLUMNS, "label", place)[:1]
    preferred = wanted[0] or [column for column in wanted[1] if column in map(str.casefold, names)]
    texts = find_columns(names, preferred, place) if preferred else usual_columns(names, TEXT_COLUMNS, "text", place)
    texts = [column for column in texts if column not in labels]
    for column in [*texts, *labels] if wanted[0] else labels:
        note_doubled(name, names, column)
    unread = None if preferred else Unread(name, names, texts, (*TEXT_COLUMNS, *OTHER_TEXTS), labels)
    rows, blank, spelled = [], 0, Counter()
    left_out = LeftOut(name)
    for place, cells in placed:
        left_out.n_rows += 1
        if len(cells) <= max(labels + texts):
            needed = t("{n} are needed: {columns}.", n=max(labels + texts) + 1, columns=show_value(names, 300))
            left_out.add(BadRow(place, t("{n} columns", n=len(cells)), needed))
            continue
        if unread:
            unread.look(cells)
        text = " ".join(part for k in texts if not is_missing(part := cells[k][:MAX_CHARACTERS].strip()))
        label = whole(cells[labels[0]])
        if text and not is_missing(label):
            rows.append(ScoreRow(_NO_CHARACTER.sub(" ", text), composed(_NO_CHARACTER.sub(" ", label))))
            if max_rows is not None and len(rows) > max_rows:
                values = {"name": name, "most": max_rows}
                raise BadInput(t("{name} has more than {most:,} rows; at most those can be trained on here. Use fewer.", **values))
        else:
            blank += 1
            spelled.update({cell.strip() for cell in (label, *(cells[k] for k in texts)) if cell.strip() and is_missing(cell)})
    left_out.check()
    if not rows:
        raise BadInput(t("{name} holds no row with both a text and a label below its first line. Add some.", name=name))
    if blank:
        listed = ", ".join(f"“{cell}” {n:,}" for cell, n in spelled.most_common(3))
        missing = f" ({listed})" if listed else ""
        collected[name, "blank"] = f"{name}: {blank:,} rows without text or without label were left out{missing}."
    return Table(name, tuple(rows), tuple(names[k] for k in texts), names[labels[0]], tuple(collected.values()))
