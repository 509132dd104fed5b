"""Carry a label file's rows through when its labels are written again: rows that match no sentence, and fields that are not ours."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.corpus.spread import clean
from core.text.sentences import checked_tokens, json_rows

Token = tuple[tuple[str, ...], int]  # a sentence's tokens, and which of them


def carry_rows(text: str, labels: Path, sentences: Sequence[Token], rename: Callable[[str], str] = lambda sense: sense) -> tuple[str, int]:
    """Return `text` (core.corpus.label_files.format_labels) with what only the file of labels has, and how many rows were carried.

    A row of a sentence that is not among `sentences` stays as it is, but for its sense if `rename` changes that. A person's row of one that
    is keeps its sense, by now perhaps another than in `text`, and its other fields, such as a comment.
    """
    here = set(sentences)
    given: dict[Token, list[dict]] = {}
    carried = []
    for place, row in json_rows(labels, whole=True):
        token = checked_tokens(row["tokens"], place), int(row["position"])
        if isinstance(row["sense"], str):
            row |= {"sense": rename(clean(row["sense"]))}
        if token not in here:
            carried.append(row)
        elif row.get("given", True) is not False:
            given.setdefault(token, []).append(row)
    labeled, guessed = [], []
    for row in map(json.loads, text.splitlines()):
        token = tuple(row["tokens"]), row["position"]
        if earlier := given.pop(token, []):
            facts = {key: value for key, value in row.items() if key not in ("sense", "given", "probability")}
            labeled += [_line(each | facts | {"given": True}) for each in earlier]
        elif token in here:
            (labeled if row["given"] else guessed).append(_line(row))
    return "".join([*dict.fromkeys(labeled), *map(_line, carried), *guessed]), len(carried)


def _line(row: Any) -> str:
    line = json.dumps(row, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:  # half a character (unpaired surrogate): only the escaped form can hold it
        line = json.dumps(row)
    return f"{line}\n"
