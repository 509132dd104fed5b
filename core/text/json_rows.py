"""The rows of .jsonl and .json files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.common.errors import BadInput
from core.common.i18n import t
from core.files.artifacts import parse_json
from core.files.formats import suffix_of
from core.text.file_lines import BadRow, LeftOut, Place, iterate_lines, show_value

MAX_JSON_BYTES = 50_000_000  # of a .json file, which is read at once


def json_rows(path: Path, left_out: LeftOut | None = None, **reading: Any) -> Iterator[tuple[Place, Any]]:
    """Yield the JSON values of a .jsonl file, line by line, or the items of a .json list. Lines that are no JSON are left out where
    `left_out` counts them, which then counts all rows."""
    if (kind := suffix_of(path)) not in (".json", ".jsonl"):
        raise BadInput(f"{path.name} holds no labelled rows: they are read from .jsonl or .json files.")
    lines = iterate_lines(path, **reading)
    if kind == ".json":
        text = "".join(line for _, line in iterate_lines(path, whole=True, most=MAX_JSON_BYTES, longest=MAX_JSON_BYTES))
        lines = iter([(path.name, text)])
    strict = left_out is None
    left_out = left_out or LeftOut(path.name)
    for place, text in ((place, text) for place, text in lines if text.strip()):
        try:
            value = parse_json(text)
            if kind == ".json" and not isinstance(value, list):
                raise ValueError(t("{value} instead of sentences", value=show_value(value)))
        except ValueError as error:
            message = BadRow(place, str(error), t('Use {{"tokens": ["the", "bank"]}} per line; in .json, [["the", "bank"], ...].'))
            if kind == ".json" or strict:
                raise message from None
            left_out.n_rows += 1
            left_out.add(message)
            continue
        items = [(place, value)] if kind == ".jsonl" else [(Place(path.name, k, True), item) for k, item in enumerate(value)]
        for item in items:
            left_out.n_rows += 1
            yield item
