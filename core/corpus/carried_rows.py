"""Carry a label file's rows through when its labels are written again: rows that match no sentence, and fields that are not ours."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ..files.artifacts import parse_json
from ..text.file_lines import iterate_lines
from ..text.normalization import compose
from .spread import clean

MAX_BYTES = 50_000_000  # of a file of labels
Token = tuple[tuple[str, ...], int]  # a sentence's tokens, and which of them


def carry_rows(text: str, labels: Path, sentences: Sequence[Token], rename: Callable[[str], str] = lambda sense: sense) -> tuple[str, int]:
    """Return `text` (core.corpus.label_files.format_labels) with what only the file of labels has, and how many rows were carried.

    A row of a sentence that is not among `sentences` stays as it is, but for its sense if `rename` changes that. A person's row of one that
    is keeps its sense, by now perhaps another than in `text`, and its other fields, such as a comment.
    """
    here = set(sentences)
    given: dict[Token, list[dict]] = {}
    carried = []
    for row in _rows(labels):
        token = _token(row)
        if token is not None and isinstance(row.get("sense"), str):
            row |= {"sense": rename(clean(row["sense"]))}
        if token not in here:
            carried.append(row)
        elif row.get("given", True) is not False:
            given.setdefault(token, []).append(row)
    labeled, guessed = [], []
    for row in map(json.loads, filter(None, text.split("\n"))):
        token = tuple(row["tokens"]), row["position"]
        if labels := given.pop(token, []):
            fields = {key: value for key, value in row.items() if key not in ("sense", "given", "probability")}
            labeled += [_line(label | fields | {"given": True}) for label in labels]
        elif token in here:
            (labeled if row["given"] else guessed).append(_line(row))
    return "".join([*dict.fromkeys(labeled), *map(_line, carried), *guessed]), len(carried)


def _rows(labels: Path) -> Iterator[dict | str]:
    """Yield the rows of a .json list or of the lines of a .jsonl file, as text if they are no objects."""
    lines = [line for _, line in iterate_lines(labels, whole=True, most=MAX_BYTES, longest=MAX_BYTES)]
    if ".json" in labels.suffixes:
        for row in parse_json("".join(lines)):
            yield row if isinstance(row, dict) else json.dumps(row, ensure_ascii=False)
        return
    for line in filter(str.strip, lines):
        row = None
        with suppress(ValueError):
            row = parse_json(line)
        yield row if isinstance(row, dict) else line


def _token(row: dict | str) -> Token | None:
    """Return a row's sentence and the place of its word; None if it has none."""
    with suppress(TypeError, KeyError, ValueError):
        return tuple(map(compose, row["tokens"])), int(row["position"])
    return None


def _line(row: dict | str) -> str:
    line = row.rstrip("\r\n") if isinstance(row, str) else json.dumps(row, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:  # half a character (unpaired surrogate): only the escaped form can hold it
        line = json.dumps(row)
    return f"{line}\n"
