"""Read labeled files into rows (text, label): tables, JSON lines, and the Stanford treebank's bracketed trees.

Columns have usual names, or the caller names or numbers them. In a table without names, a label recurs in the first or the last column.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn

from ..common import reports
from ..common.errors import BadInput
from ..common.i18n import t, tn
from ..common.limits import limits
from ..files.formats import refuse_format, suffix_of
from ..text.columns import OTHER_TEXTS, Unread, find_all_usual, find_column, find_usual, note_doubled, refuse_column, without_names
from ..text.file_lines import BadRow, LeftOut, Place, iterate_lines, json_rows, refuse, show_value
from ..text.normalization import fold_case, plain_signs
from ..text.sentences import NO_CHARACTER
from ..text.tables import MAX_RECORD, PEEKED, file_rows, is_missing, plain_number
from ..text.tokens import join_tokens

MAX_CHARACTERS = 20_000  # characters read of one text: about 5,000 tokens of English
MAX_COLUMNS = 100_000
GUESSED_ROWS, GUESSED_CELLS = 1_000, 200_000  # rows and cells from which columns are guessed
LABEL_COLUMNS = ("label", "class", "category", "target", "v1", "y", "sentiment", "topic", "class index")
LABEL_COLUMNS += ("라벨", "레이블", "분류", "감성", "klasse", "étiquette", "etiqueta")
TEXT_COLUMNS = ("text", "title", "description", "headline", "message", "sentence", "v2", "content", "body", "review", "sms")
TEXT_COLUMNS += ("tweet", "comment", "본문", "내용", "문장", "텍스트", "texte", "texto", "testo")
SENTIMENT = ("very negative", "negative", "neutral", "positive", "very positive")  # SST's labels 0..4
NEUTRAL = SENTIMENT[2]
NOT_ACCEPTED = ("reject", "ignore")  # Prodigy's answers in rows that the annotator did not accept
TREES = "trees"
NODE = re.compile(r"\([0-4]\s+(?=\S)")  # the beginning of a tree node in Stanford's sentiment treebank
SUFFIXES = (".csv", ".tsv", ".xlsx", ".jsonl", ".txt")
_INDEX_NAMES = re.compile(r"(unnamed: ?\d+|index|level_\d+|id|rowid|row|nr|no|)", re.IGNORECASE)
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_BRACKET = re.compile("|".join(_BRACKETS), re.IGNORECASE)
_QUOTES = {"``": '"', "''": '"'}
Rows = Iterator[tuple[Place, list[str]]]


class _Nested(str):
    """A list or an object of JSON as an empty cell, which is an error only in a column that is read."""

    value: Any = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """A text and its label."""

    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a labeled file in their order, its columns, and notes on how it was read."""

    name: str
    rows: tuple[TableRow, ...]
    text_columns: tuple[str, ...]
    label_column: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file, and the positions of those that look like texts and like the label."""

    names: tuple[str, ...]
    texts: tuple[int, ...]
    label: int | None


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

    A column is given by its name or by its number from 1. The number may be an int if the names are those of `read_columns`.
    Several text columns are joined by a blank. If no column is given, the present ones of `prefer` are read, or else the usual ones.
    A file that is not UTF-8 is read in `encoding`, by default in a guessed one. Rows without a text or a label are left out and counted in
    `notes`. Raises BadInput if more than `max_rows` rows remain.
    """
    path = Path(path)
    reading = {"max_bytes": limits().max_table_mb * 10**6, "encoding": encoding}
    with reports.collecting() as collected:
        kind = _kind_of(path, reading)
        if kind == TREES:
            rows, texts, label = _read_trees(path, reading), ("leaves",), "root"
        else:
            source_rows = _rows(path, kind, reading, (*text_columns, label_column))
            rows, texts, label = _read_rows(path, source_rows, list(text_columns), label_column, prefer, max_rows)
        return Table(path.name, tuple(rows), texts, label, tuple(collected.values()))


def read_columns(path: str | Path) -> Columns:
    """Return the columns of a .csv, .tsv, .xlsx or .jsonl file, or of a .txt file with tabs.

    The label column has a usual name, or else its values recur most. The text columns have usual names, or else the text is the column with
    the most words. The first GUESSED_ROWS rows decide, or fewer rows of a wide table.
    """
    path = Path(path)
    with reports.collecting():  # dropped, because reading the rows adds the same notes
        reading = {"max_bytes": limits().max_table_mb * 10**6}
        kind = _kind_of(path, reading)
        if kind == TREES:
            raise BadInput(t("{name} has no columns. Separate texts and labels by tabs.", name=path.name))
        source_rows = _rows(path, kind, reading, ())
        _, names = next(source_rows, (None, None))
        if names is None:
            _refuse_empty(path.name)
        n_rows = max(2, min(GUESSED_ROWS, GUESSED_CELLS // max(1, len(names))))
        rows = [[cell[:MAX_CHARACTERS] for cell in cells] for _, cells in islice(source_rows, n_rows) if len(cells) == len(names)]
    names = [name.strip() for name in names]
    names_folded = list(map(fold_case, names))
    label = next(iter(_usual_labels(names, rows[:PEEKED])), None)
    if label is None:
        filled = {k: [row[k].strip() for row in rows if not is_missing(row[k])] for k in range(len(names))}
        kinds = {k: len(set(cells)) for k, cells in filled.items() if 2 * len(cells) >= len(rows)}
        recurring = [k for k, n in kinds.items() if 2 <= n <= len(rows) // 2]
        label = min(recurring, key=lambda k: (kinds[k], k), default=None)
    texts = _prefer_text([k for k, name in enumerate(names_folded) if name in TEXT_COLUMNS and k != label], names_folded)
    if not texts:
        others = [k for k in range(len(names)) if k != label]
        texts = [max(others, key=lambda k: _count_words([row[k] for row in rows]))] if others else []
    return Columns(tuple(names), tuple(texts), label)


def _count_words(cells: Sequence[str]) -> tuple[int, int]:
    """Return the numbers of words and of characters."""
    return sum(len(cell.split()) for cell in cells), sum(map(len, cells))


def selector(names: Sequence[str], number: int) -> str | int:
    """Return how `read_table` and the commands name a column: its name if it is unique and not a number, else its number."""
    name = names[number - 1]
    is_unique = sum(candidate.casefold() == name.casefold() for candidate in names) == 1
    return name if name and is_unique and not name.isdecimal() else number


def _kind_of(path: Path, reading: dict[str, Any]) -> str:
    """Return the kind of a file by its suffix. The first line of a .txt file decides between cells and trees."""
    kind = suffix_of(path)
    if kind not in SUFFIXES or (kind == ".xlsx" and path.suffix.lower() != kind):
        refuse_format(path, [suffix for suffix in SUFFIXES if suffix != ".txt"])  # .txt is listed as trees, or is a .tsv
    if kind == ".txt":
        lines = iterate_lines(path, longest=MAX_RECORD, tolerant=True, **reading)
        first = next((line.lstrip() for _, line in lines if line.strip()), "")
        return ".tsv" if "\t" in first and not NODE.match(first) else TREES
    return kind


def _refuse_empty(name: str) -> NoReturn:
    raise BadInput(t("{name} is empty. It needs rows, each a text and its label.", name=name))


def _read_trees(path: Path, reading: dict[str, Any]) -> list[TableRow]:
    """Return the sentences of Stanford's sentiment treebank (Socher et al. 2013): the leaves, and the label of the root."""
    rows = []
    left_out = LeftOut(path.name)
    for place, line in iterate_lines(path, longest=MAX_RECORD, tolerant=True, **reading):
        if not line.strip():
            continue
        left_out.n_rows += 1
        if leaves := tree_leaves(line.strip()):
            words = [_BRACKET.sub(lambda sign: _BRACKETS[sign[0].upper()], leaf) for leaf in leaves]
            words = [_QUOTES.get(word, word).replace("\\/", "/").replace("\\*", "*") for word in words]
            rows.append(TableRow(join_tokens(words), SENTIMENT[int(line.strip()[1])]))
            continue
        needed = t("Separate text and label by a tab, or name the file .csv. A tree looks like this: (3 (2 A) (4 success)).")
        left_out.add(BadRow(place, t("{line} is not a tree", line=show_value(line.rstrip("\r\n"))), needed))
    left_out.check()
    if not left_out.n_rows:
        _refuse_empty(path.name)
    return rows


def tree_leaves(tree: str) -> list[str]:
    """Return the leaves of a tree, brackets in them included; none where it is no tree, or not closed.

    Between the beginnings of two nodes are a leaf and the brackets that close nodes. Which brackets belong to the leaf follows from the
    complete tree: all nodes are closed at the end, not before, and leaves with as many ( as ) are likeliest.

    >>> tree_leaves("(3 (2 like(d)) (1 (2 :() (1 :-))))")
    ['like(d)', ':(', ':-)']
    """
    pieces = NODE.split(tree)
    if len(pieces) < 2 or pieces[0].strip():
        return []
    paths: dict[int, tuple[int, list[str]]] = {0: (0, [])}  # open nodes -> how unlikely the leaves are, the leaves
    for k, piece in enumerate(map(str.strip, pieces[1:]), start=1):
        paths = _continued({depth + 1: path for depth, path in paths.items()}, piece, is_last=k == len(pieces) - 1)
    return paths[0][1] if 0 in paths else []


def _continued(paths: dict[int, tuple[int, list[str]]], piece: str, *, is_last: bool) -> dict[int, tuple[int, list[str]]]:
    """Return the ways to continue through a leaf and the brackets after it. A piece without a leaf is a node with children."""
    if not piece:
        return {} if is_last else paths
    closing = len(piece) - len(piece.rstrip(")"))
    results: dict[int, tuple[int, list[str]]] = {}
    for n in range(1, min(closing, len(piece) - 1) + 1):
        leaf = piece[:-n].strip()
        cost = abs(leaf.count("(") - leaf.count(")"))
        for depth, (so_far, leaves) in paths.items():
            left = depth - n
            if leaf and (left == 0 if is_last else left > 0) and (left not in results or so_far + cost < results[left][0]):
                results[left] = so_far + cost, [*leaves, leaf]
    return results


def _json_rows(path: Path, reading: dict[str, Any]) -> Rows:
    """Yield the names of the columns of the first PEEKED rows, and then the cells of each row."""
    left_out = LeftOut(path.name)
    rows = _objects(path, left_out, reading)
    head = list(islice(rows, PEEKED))
    names = list(dict.fromkeys(key for _, row in head for key in row))
    if head:
        yield head[0][0], names
    for place, row in chain(head, rows):
        yield place, [_cell_of(row.get(key)) for key in names]
    left_out.check()


def _objects(path: Path, left_out: LeftOut, reading: dict[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    needed = t('A row looks like this: {{"text": "Rain ahead", "label": "weather"}}.')
    for place, row in json_rows(path, left_out, needed, longest=MAX_RECORD, tolerant=True, **reading):
        if isinstance(row, dict):
            yield place, row
        else:
            left_out.add(BadRow(place, t("{row} is not a row", row=show_value(row)), needed))


def _cell_of(value: Any) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if value and isinstance(value, list | dict):
        cell = _Nested()
        cell.value = value
        return cell
    return "" if value is None or value == [] or value == {} else str(value)


def _rows(path: Path, kind: str, reading: dict[str, Any], wanted: Sequence[str | int | None]) -> Rows:
    """Yield the names and then the cells of a table's rows, each with its place. `wanted`: the columns that the caller gives."""
    if kind == ".jsonl":
        yield from _json_rows(path, reading)
        return
    named = [column for column in wanted if isinstance(column, str) and not column.isdecimal()]
    usual = {*LABEL_COLUMNS, *TEXT_COLUMNS, *named}
    source_rows = file_rows(path, kind, usual, **reading)
    first = next(source_rows, None)
    if first is None:
        return
    if len(first[1]) > MAX_COLUMNS:
        values = {"name": path.name, "n": len(first[1]), "most": MAX_COLUMNS}
        raise BadInput(t("{name} has {n:,} columns; at most {most:,} are read. Remove the others.", **values))
    is_numbered = any(isinstance(column, str) and column.isdecimal() for column in wanted)
    if find_usual(first[1], tuple(usual)) is None and (
        names := _missing_names(first[1], lambda: file_rows(path, kind, usual, **reading), is_numbered)
    ):
        yield first[0], names
    yield first
    yield from source_rows


def _missing_names(first: list[str], read: Callable[[], Rows], is_numbered: bool) -> list[str]:
    """Return names for the columns of a table whose first row has no usual name; [] where it has other names.

    It has none if the label in its first or last filled cell recurs below, or if the caller numbers columns.
    """
    cells = [cell.strip().casefold() for cell in first]
    last = max(k for k, cell in enumerate(cells) if cell)
    recurring = _recurring(cells, last, read)
    numbers = [str(k) for k in range(1, len(cells) + 1)]
    usual = {2: ["class", "text"], 3: ["class", "title", "description"]}.get(len(cells), numbers)  # 3: AG News's own
    if 0 in recurring:
        return usual
    if recurring:
        return usual[::-1] if len(cells) == 2 else numbers
    return numbers if is_numbered else []


def _recurring(first: list[str], last: int, read: Callable[[], Rows]) -> set[int]:
    """Return the positions, of 0 and `last`, whose cell in the first row recurs below as a label.

    The names of joined files recur in equal rows further down, while labels of the first PEEKED rows recur in different rows.
    """
    recurring, repeated, has_labels = set(), set(), False
    others: dict[tuple[int, str], list[str]] = {}
    for k, (_, row) in enumerate(islice(read(), 1, None)):
        cells = [cell.strip().casefold() for cell in row]
        for column in {0, last} if len(cells) == len(first) else ():
            if cells[column] == first[column] != "":
                (repeated if k and cells == first else recurring).add(column)
            elif k < PEEKED and cells[column]:
                has_labels |= others.setdefault((column, cells[column]), cells) != cells
        if 0 in recurring:
            break
    return recurring if recurring or has_labels else repeated


def _find_columns(names: list[str], wanted: Sequence[str | int], place: Place) -> list[int]:
    """Return the positions of columns by their names (ignoring case) or numbers. Raises BadRow for one that is missing."""
    positions = []
    for column in wanted:
        if (position := find_column(names, column)) is None:
            refuse_column(column, names, place, t("Name one of them, or give its number."))
        positions.append(position)
    return positions


def _find_label(file: str, names: list[str], rows: Sequence[list[str]], place: Place) -> int:
    """Return the position of the column with the first usual name for labels; a note names the others that have one."""
    positions = _usual_labels(names, rows)
    if not positions:
        missing = t("no label column among {columns}", columns=show_value(names, 300))
        refuse(place, missing, t("Say which one holds the label (--label-column)."))
    if others := [names[k] for k in positions[1:] if any(len(row) > k and not is_missing(row[k]) for row in rows)]:
        values = {"name": file, "read": f"“{names[positions[0]]}”", "unread": ", ".join(f"“{name}”" for name in others)}
        reports.add((file, "labels"), t("{name}: the label is read from {read}, not from {unread}. To read another, name it.", **values))
    return positions[0]


def _usual_labels(names: Sequence[str], rows: Sequence[list[str]]) -> list[int]:
    """Return the positions of the columns with usual names for labels, in the order of those names; empty columns come last."""
    positions = find_all_usual(names, LABEL_COLUMNS)
    return sorted(positions, key=lambda k: not any(len(row) > k and not is_missing(row[k]) for row in rows))


def _find_texts(names: list[str], label: int, place: Place) -> list[int]:
    """Return the positions of the columns with usual names for texts, or of the only column besides the label and row numbers."""
    names_folded = [fold_case(name) for name in names]
    positions = [k for k, name in enumerate(names_folded) if name in TEXT_COLUMNS]
    if not positions:
        others = [k for k, name in enumerate(names_folded) if not _INDEX_NAMES.fullmatch(name)]
        positions = [k for k in others if k != label] if len(others) == 2 else []
    if not positions:
        missing = t("no text column among {columns}", columns=show_value(names, 300))
        refuse(place, missing, t("Say which one holds the text (--text-column)."))
    return _prefer_text(positions, names_folded)


def _prefer_text(positions: list[int], names: list[str]) -> list[int]:
    """Return only the columns called "text", if any: others would repeat them. A title and its description belong together."""
    return [k for k in positions if names[k] == "text"] or positions


def _read_rows(
    path: Path,
    source_rows: Rows,
    text_columns: list[str | int],
    label_column: str | int | None,
    prefer: Sequence[str],
    max_rows: int | None,
) -> tuple[list[TableRow], tuple[str, ...], str]:
    """Return the labeled rows of a table, the names of its text columns, and that of its label column."""
    name = path.name
    if (first := next(source_rows, None)) is None:
        _refuse_empty(name)
    place, names = first
    names = [column.strip() for column in names]
    head = list(islice(source_rows, PEEKED))
    source_rows = chain(head, source_rows)
    label = _find_columns(names, [label_column], place)[0] if label_column else _find_label(name, names, [row for _, row in head], place)
    chosen = text_columns or [column for column in prefer if column in map(str.casefold, names)]
    texts = _find_columns(names, chosen, place) if chosen else _find_texts(names, label, place)
    texts = [column for column in texts if column != label]
    for column in [*texts, label] if text_columns else [label]:
        note_doubled(name, names, column)
    unread = None if chosen else Unread(name, names, texts, (*TEXT_COLUMNS, *OTHER_TEXTS), [label])
    width = max([label, *texts]) + 1
    answer = next((k for k, column in enumerate(names) if column == "answer" and k not in (label, *texts)), None)
    rows, n_blank, n_rejected, spellings = [], 0, 0, Counter()
    left_out = LeftOut(name, "columns")
    for place, cells in without_names(name, names, source_rows):
        left_out.n_rows += 1
        if len(cells) < width:
            needed = t("{n} are needed: {columns}.", n=width, columns=show_value(names, 300))
            left_out.add(BadRow(place, tn("{n} column", "{n} columns", len(cells)), needed))
            continue
        if answer is not None and len(cells) > answer and cells[answer].strip().casefold() in NOT_ACCEPTED:
            n_rejected += 1
            values = {"name": name, "n": n_rejected}
            reports.add((name, "answers"), t("{name}: rows left out because their “answer” is “reject” or “ignore”: {n:,}.", **values))
            continue
        if nested := [k for k in (*texts, label) if isinstance(cells[k], _Nested)]:
            message = t("{value} under {key}", value=show_value(cells[nested[0]].value), key=show_value(names[nested[0]]))
            left_out.add(BadRow(place, message, t("A text and a label are one value each.")))
            continue
        if unread:
            unread.look(cells)
        text = " ".join(part for k in texts if not is_missing(part := cells[k][:MAX_CHARACTERS].strip()))
        value = plain_number(plain_signs(NO_CHARACTER.sub(" ", cells[label])))
        if text and not is_missing(value):
            rows.append(TableRow(NO_CHARACTER.sub(" ", text), value))
            if max_rows is not None and len(rows) > max_rows:
                values = {"name": name, "most": max_rows}
                raise BadInput(t("{name} has more than {most:,} rows, the limit for training here. Use fewer.", **values))
        else:
            n_blank += 1
            spellings.update({cell.strip() for cell in (value, *(cells[k] for k in texts)) if cell.strip() and is_missing(cell)})
    left_out.check()
    if not rows:
        raise BadInput(t("{name} holds no row with both a text and a label below its first line. Add some.", name=name))
    if n_blank:
        listed = ", ".join(f"“{cell}” {n:,}" for cell, n in spellings.most_common(3))
        values = {"name": name, "n": n_blank, "missing": f" ({listed})" if listed else ""}
        reports.add((name, "blank"), t("{name}: rows without a text or a label, left out: {n:,}{missing}.", **values))
    return rows, tuple(names[k] for k in texts), names[label]
