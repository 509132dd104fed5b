"""The rows of .jsonl and .json files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..common.errors import BadInput
from ..common.i18n import t
from ..files.artifacts import iterate_json_list, parse_json
from ..files.formats import suffix_of
from .file_lines import BadRow, LeftOut, LineCount, Place, iterate_lines, show_value

MAX_JSON_BYTES = 50_000_000  # of a .json file, which is read at once


def json_rows(path: Path, left_out: LeftOut | None = None, **reading: Any) -> Iterator[tuple[Place, Any]]:
    """Yield the JSON values of a .jsonl file, line by line, or the items of a .json list.

    With `left_out`, lines that are not JSON are left out, and `left_out` counts them and all rows.
    """
    if (kind := suffix_of(path)) not in (".json", ".jsonl"):
        raise BadInput(f"{path.name} holds no labeled rows: they are read from .jsonl or .json files.")
    strict = left_out is None
    left_out = left_out or LeftOut(path.name)
    needed = t('Use {{"tokens": ["the", "bank"]}} per line; in .json, [["the", "bank"], ...].')
    if kind == ".json":
        try:
            for k, item in enumerate(_items(path)):
                left_out.n_rows += 1
                yield Place(path.name, k, True), item
        except ValueError as error:
            raise BadRow(path.name, str(error), needed) from None
        return
    for place, text in ((place, text) for place, text in iterate_lines(path, **reading) if text.strip()):
        left_out.n_rows += 1
        try:
            value = parse_json(text)
        except ValueError as error:
            bad_row = BadRow(place, str(error), needed)
            if strict:
                raise bad_row from None
            left_out.add(bad_row)
            continue
        yield place, value


def _items(path: Path) -> Iterator[Any]:
    """Yield the items of a .json list. Raises ValueError for any other content."""
    text = "".join(line for _, line in iterate_lines(path, whole=True, most=MAX_JSON_BYTES, longest=MAX_JSON_BYTES))
    if not text.strip():
        return
    LineCount(path.name).add(text.count("[") + text.count("{"))  # each list takes much more memory than its characters
    if not text.lstrip().startswith("["):
        raise ValueError(t("{value} instead of sentences", value=show_value(parse_json(text))))
    yield from iterate_json_list(text)
