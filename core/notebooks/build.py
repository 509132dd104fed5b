"""Turn the files of this package into Jupyter notebooks.

A file has cells that begin with `# %%`. Words behind it name the notebooks that a cell belongs to; without words it belongs to all. The
cell `# %% parameters` assigns literals, which the values of a view replace. Text of the user enters the code only there, by `repr`.
"""

import ast
import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..common.i18n import ENGLISH, language

FOLDER = Path(__file__).parent
FIND_PACKAGE = """\
import importlib.util
import sys

if importlib.util.find_spec("elmoscope") is None:  # not installed: the notebook runs in the folder of the project
    sys.path.insert(0, ".package")

"""


def build_notebook(
    file: str, tags: Collection[str], names: Collection[str], values: Mapping[str, Any], *, opening: str, metadata: Mapping[str, Any]
) -> str:
    """Return a notebook as JSON, by nbformat 4.5. The package nbformat would bring ten other packages.

    Parameters
    ----------
    file, tags
        A file of this package, without its ending, and the tags of the cells to include.
    names, values
        The parameters of the notebook, and their values. A parameter without a value has that of the file.
    opening
        The Markdown of the first cell.
    metadata
        Values to store in the notebook under "elmoscope".

    """
    (_, parameters), *rest = read_cells(file)
    code = [cell for words, cell in rest if not words or words & set(tags)]
    style = [cell for _, cell in read_cells("figures")] if any("core.figures" in cell for cell in code) else []
    sources = [FIND_PACKAGE + write_parameters(parameters, names, values), *style, *code]
    cells = [_cell(0, "markdown", opening), *(_cell(number, "code", source) for number, source in enumerate(sources, 1))]
    notebook_metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "elmoscope": dict(metadata),
    }
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": notebook_metadata, "cells": cells}, ensure_ascii=False, indent=1)


def read_cells(file: str) -> Iterator[tuple[frozenset[str], str]]:
    """Yield the tags and the code of each cell of a file."""
    parts = re.split(r"^# %%(.*)\n", (FOLDER / f"{file}.py").read_text("utf-8"), flags=re.MULTILINE)[1:]
    for tags, code in zip(parts[::2], parts[1::2], strict=True):
        yield frozenset(tags.split()), code.strip("\n")


def write_parameters(cell: str, names: Collection[str], values: Mapping[str, Any]) -> str:
    """Return the lines of a cell of parameters for `names`, with `values` in place of the cell's. Raises KeyError for a missing name."""
    lines = []
    missing = set(names)
    for node, line in zip(ast.parse(cell).body, cell.splitlines(), strict=True):
        name = node.targets[0].id
        if name in missing:
            lines.append(f"{name} = {values[name]!r}{line[node.end_col_offset :]}" if name in values else line)
            missing.remove(name)
    if missing:
        raise KeyError(*missing)
    if language() != ENGLISH:
        lines = ["from elmoscope.core.common import i18n", "", f"i18n.use({language()!r})  # of titles and labels in figures", *lines]
    return "\n".join(lines)


def _cell(number: int, kind: str, source: str) -> dict[str, Any]:
    """Return a cell with its source as lines. Equal cells have equal ids."""
    name = f"{number}-{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    cell: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
