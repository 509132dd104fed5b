"""Labeled files of any user -> rows (text, label): CSV, TSV, JSON lines, and the Stanford treebank's bracketed trees.

Columns are found by the names that such files usually have, or are named by the caller; a table without names on top is
known by its first cell, a label that recurs below it. Every fault is one sentence that names the file and the line.
"""

import csv
import gzip
import html
import io
import lzma
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import limits
from core.files.artifacts import check_fits, parse_json
from core.files.encodings import guess
from core.text.composed import composed, folded
from core.text.file_lines import Place, fitting, refuse, show_value
from core.text.tokens import join_tokens

MAX_CHARACTERS = 20_000  # of one text that are looked at: 5,000 tokens of English hold about that many
LABEL_COLUMNS = ("label", "class", "category", "target", "v1", "y", "sentiment", "topic", "class index")
TEXT_COLUMNS = ("text", "title", "description", "headline", "message", "sentence", "v2", "content", "body", "review", "sms")
SENTIMENT = ("very negative", "negative", "neutral", "positive", "very positive")  # SST's labels 0..4
NEUTRAL = SENTIMENT[2]
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")  # NUL, or half of a surrogate pair: no file of ours can hold it
_TREE_LABEL = re.compile(r"^\(([0-4]) ")
_TREE_WORD = re.compile(r"\([0-4] ([^\s()]+)\)")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-lrb-": "(", "-rrb-": ")", "``": '"', "''": '"'}
_APOSTROPHE = re.compile(r"\s?&?#0*(?:39|145|146|8216|8217);")
_ENTITY = re.compile(r"(?:&|(?<!\w))(#\d{2,5}|#x[0-9a-f]{2,5}|quot|amp|lt|gt|nbsp);", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z]{1,10}(?:\s[^<>]{0,400})?/?>", re.IGNORECASE)


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
) -> Table:
    """The labeled rows of a .csv, .tsv, .jsonl or (trees) .txt file, packed as .xz or .gz or not.

    Columns are named, or given by their number from 1, as text, or as an int where the names are those of `core.classify.columns`;
    several text columns are joined by a blank; where none is named, those of `prefer` that are there are taken, or else the usual
    ones. A file that is no UTF-8 is read in `encoding`, by default in what its bytes look like. Rows that lack a text or a label are left out and counted in `notes`.
    """
    path = Path(path)
    if _kind(path) == ".txt":
        return _trees(path.name, *_read_text(path, encoding))
    numbered = any(isinstance(column, str) and column.isdecimal() for column in (*text_columns, label_column))
    placed, notes = iterate_rows(path, numbered=numbered, encoding=encoding)
    return _table(path.name, placed, (list(text_columns), list(prefer)), label_column, notes)


def _kind(path: Path) -> str:
    kind = Path(path.stem if path.suffix.lower() in (".xz", ".gz") else path.name).suffix.lower()
    if kind not in (".csv", ".tsv", ".jsonl", ".txt"):
        raise BadInput(t("{name} is not a .csv, .tsv, .jsonl or .txt file of labeled rows. Save it as one.", name=path.name))
    return kind


def iterate_rows(path: Path, *, numbered: bool, encoding: str | None = None) -> tuple[Iterator[tuple[Place, Any]], tuple[str, ...]]:
    """The names and then the cells of a table's rows, each with its place; and notes on how the file was read."""
    kind = _kind(path)
    text, notes = _read_text(path, encoding)
    return (_json_rows(path.name, text) if kind == ".jsonl" else _csv_rows(path.name, text, kind, numbered)), notes


def _refuse_empty(name: str) -> NoReturn:
    raise BadInput(t("{name} is empty. It needs rows, each a text and its label.", name=name))


def clean_ag_news(text: str) -> str:
    """AG News as a reader would write it: its files lost the & of HTML's codes, and hold \\ for a line break.

    >>> clean_ag_news("Haiti #39;s second\\\\team pays  #36;10  quot;now quot; &lt;b&gt;(AP)&lt;/b&gt; &lt;TXN.N&gt;")
    'Haiti\\'s second team pays $10 "now " (AP) <TXN.N>'
    """
    text = _APOSTROPHE.sub("'", text.replace("\\", " "))  # the blank before #39; was the lost &
    text = _ENTITY.sub(lambda match: html.unescape(f"&{match[1]};"), text)
    return " ".join(_TAG.sub(" ", text).split())


def counts_from_0(labels: Iterable[str], names: Sequence[str]) -> bool:
    """Whether files number the classes `names` from 0, as some copies of AG News do: then a 0 is among them, and not their number.

    Rows of some classes alone, without a 0, are read as its publisher counts, from 1. BadInput where both ends are there: that is
    one class too many, and which is which cannot be told.
    """
    numbers = {label for label in labels if label.isdecimal()}
    n = len(names)
    if {"0", str(n)} <= numbers:
        message = t(
            "Number labels run from 1 to {n} or from 0 to {below}; these rows have both 0 and {n}. Use names instead: {names}.",
            n=n,
            below=n - 1,
            names=", ".join(names),
        )
        raise BadInput(message)
    return "0" in numbers


def _unpacked(path: Path) -> bytes:
    most = limits().max_table_mb * 10**6  # as it lies on disk, and unpacked
    check_fits(path, most)
    opened = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix.lower(), open)
    try:
        with opened(path, "rb") as stream:
            data = stream.read(most + 1)
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        message = t("{name} is incomplete: {error}. Save it again, or unpack it.", name=path.name, error=error)
        raise BadInput(message) from None
    if len(data) > most:
        message = {"name": path.name, "mb": most // 10**6}
        raise BadInput(t("{name} unpacks to more than {mb} MB; at most that is read. Use a smaller file.", **message))
    return data


def _read_text(path: Path, encoding: str | None) -> tuple[str, tuple[str, ...]]:
    """Text, not empty, and a note where it was no UTF-8: then it is read in `encoding`, or in what its bytes look like."""
    text, notes = _decode(_unpacked(path), path.name, encoding)
    if not text.strip():
        _refuse_empty(path.name)
    return text, notes


def _decode(data: bytes, name: str, encoding: str | None) -> tuple[str, tuple[str, ...]]:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise BadInput(t("{name} is UTF-16 text. Save it as plain text in UTF-8.", name=name))
    if b"\x00" in data:
        raise BadInput(t("{name} is not text (it holds NUL bytes). Save it as plain text in UTF-8.", name=name))
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if sum(byte < 9 or 13 < byte < 32 for byte in data[:4096]) > 8:
            place = Place(name, line)
            raise BadInput(t("{place}: these bytes are not text in any known encoding. Save it in UTF-8.", place=place)) from None
        try:
            codec = encoding or guess(data) or "latin-1"
            text = data.decode(codec)
        except UnicodeDecodeError:
            codec = "latin-1"
            text = data.decode("latin-1")
        return text, (f"{name} is no UTF-8 (line {line}) and was read as {'Latin-1' if codec == 'latin-1' else codec.upper()}.",)


def _trees(name: str, text: str, notes: tuple[str, ...]) -> Table:
    """The whole sentences of Stanford's sentiment treebank (Socher et al. 2013): the root's label and the leaves."""
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        label = _TREE_LABEL.match(line)
        words = _TREE_WORD.findall(line)
        if not label or not words:
            needed = t("A tree looks like this: (3 (2 A) (4 success)).")
            refuse(Place(name, number), t("{line} is not a tree", line=show_value(line)), needed)
        words = [_BRACKETS.get(word, word).replace("\\/", "/").replace("\\*", "*") for word in words]
        rows.append(ScoreRow(join_tokens(words), SENTIMENT[int(label[1])]))
    return Table(name, tuple(rows), ("leaves",), "root", notes)


def _json_rows(name: str, text: str) -> Iterator[tuple[Place, Any]]:
    """First the names of the first row's columns, then (place, cells) of each row."""
    names: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = Place(name, number)
        try:
            row = parse_json(line)
        except ValueError as error:
            refuse(place, str(error), _needed_row())
        if not isinstance(row, dict):
            refuse(place, t("{row} is not a row", row=show_value(row)), _needed_row())
        if not names:
            yield place, (names := [str(key) for key in row])
        yield place, [_plain(row.get(key), place, key) for key in names]


def _needed_row() -> str:
    return t('A row looks like this: {{"text": "Rain ahead", "label": "weather"}}.')


def _plain(value: Any, place: Place, key: str) -> str:
    if isinstance(value, list | dict):
        message = t("{value} under {key}", value=show_value(value), key=show_value(key))
        refuse(place, message, t("A text and a label are one value each."))
    return "" if value is None else str(value)


def _csv_rows(name: str, text: str, kind: str, numbered: bool) -> Iterator[tuple[Place, list[str]]]:
    """The names and then (place, cells) of each row; `numbered`: the caller counts columns."""
    first = text.partition("\n")[0]
    marks = "\t" if kind == ".tsv" else ",;\t"  # many countries' spreadsheets write ; for ,
    mark = next((mark for mark in marks if mark in first), marks[0])
    quoting = csv.QUOTE_NONE if kind == ".tsv" else csv.QUOTE_MINIMAL
    before = csv.field_size_limit(len(text) + 1)  # a text of 100,000 tokens is more than csv's own limit, and is cut later
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, quoting=quoting, strict=True)
    try:
        rows = [(Place(name, reader.line_num), row) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        message = t("no table row ({error})", error=error)
        refuse(Place(name, reader.line_num), message, t("Check for an unclosed quote."))
    finally:
        csv.field_size_limit(before)
    if not rows:  # separators alone
        _refuse_empty(name)
    names = _missing_names(rows, numbered)
    if names:
        yield rows[0][0], names
    yield from fitting(rows, len(names or rows[0][1]), mark)


def _missing_names(rows: list[tuple[Place, list[str]]], numbered: bool) -> list[str]:
    """Names for the columns of a table whose first row is none of names, else []: a label in its first or last cell comes
    again below, or the caller counts columns and no usual name is there."""
    cells = [cell.strip().casefold() for cell in rows[0][1]]
    if set(cells) & {*LABEL_COLUMNS, *TEXT_COLUMNS}:
        return []
    below = [[cell.strip().casefold() for cell in row] for _, row in rows[1:] if len(row) == len(cells)]
    known = {2: ["class", "text"], 3: ["class", "title", "description"]}.get(len(cells))  # 3: AG News's own
    if any(row[0] == cells[0] for row in below):
        return known or _numbers(cells)
    if any(row[-1] == cells[-1] for row in below):
        return known[::-1] if len(cells) == 2 else _numbers(cells)
    return _numbers(cells) if numbered else []


def _numbers(cells: list[str]) -> list[str]:
    return [str(k) for k in range(1, len(cells) + 1)]


def _table(name: str, placed: Iterator, wanted: tuple[list[str], list[str]], label_column: str | None, notes) -> Table:
    """Rows of cells, the first of them names, to texts and labels; `wanted`: text columns that must be there, that may."""
    place, names = next(placed)
    names = [column.strip() for column in names]
    labels = _find_columns(names, [label_column], place) if label_column else _usual(names, LABEL_COLUMNS, "label", place)[:1]
    preferred = wanted[0] or [column for column in wanted[1] if column in map(str.casefold, names)]
    texts = _find_columns(names, preferred, place) if preferred else _usual(names, TEXT_COLUMNS, "text", place)
    texts = [column for column in texts if column not in labels]
    rows = []
    left_out = 0
    for place, cells in placed:
        if len(cells) <= max(labels + texts):
            needed = t("{n} are needed: {columns}.", n=max(labels + texts) + 1, columns=show_value(names, 300))
            refuse(place, t("{n} columns", n=len(cells)), needed)
        text = " ".join(part for k in texts if (part := cells[k][:MAX_CHARACTERS].strip()))
        label = re.sub(r"^(-?\d+)\.0+$", r"\1", cells[labels[0]].strip())
        if text and label:
            rows.append(ScoreRow(_NO_CHARACTER.sub(" ", text), composed(_NO_CHARACTER.sub(" ", label))))
        left_out += not (text and label)
    if not rows:
        raise BadInput(t("{name} holds no row with both a text and a label below its first line. Add some.", name=name))
    if left_out:
        notes += (f"{name}: {left_out:,} rows without text or without label were left out.",)
    return Table(name, tuple(rows), tuple(names[k] for k in texts), names[labels[0]], notes)


def _find_columns(names: list[str], wanted: Sequence[str | int], place: Place) -> list[int]:
    """Where the columns stand that the caller named (letter case aside) or numbered from 1."""
    names_folded = [folded(name) for name in names]
    results = []
    for column in wanted:
        if isinstance(column, int) and 1 <= column <= len(names):
            results.append(column - 1)
            continue
        column = str(column)
        if folded(column.strip()) in names_folded:
            results.append(names_folded.index(folded(column.strip())))
        elif column.isdecimal() and 1 <= int(column) <= len(names):
            results.append(int(column) - 1)
        else:
            missing = t("no column {column} among {columns}", column=show_value(column), columns=show_value(names, 300))
            refuse(place, missing, t("Name one of them, or give its number."))
    return results


def _usual(names: list[str], usual: Sequence[str], what: str, place: Place) -> list[int]:
    """Where columns of the usual names stand, in the order of the file; at least one."""
    names_folded = [folded(name) for name in names]
    results = [k for k, name in enumerate(names_folded) if name in usual]
    if not results and what == "text" and len(names) == 2:  # the other of two columns, whatever it is called
        results = [k for k, name in enumerate(names_folded) if name not in LABEL_COLUMNS]
    if not results and what == "label":
        missing = t("no label column among {columns}", columns=show_value(names, 300))
        refuse(place, missing, t("Say which one holds the label (--label-column)."))
    if not results:
        missing = t("no text column among {columns}", columns=show_value(names, 300))
        refuse(place, missing, t("Say which one holds the text (--text-column)."))
    return results if what == "label" else one_text(results, names_folded)


def one_text(result: list[int], names: list[str]) -> list[int]:
    """A title and its description belong together; beside a column called "text" others would say the same twice."""
    return [k for k in result if names[k] == "text"] or result
