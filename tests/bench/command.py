"""Run suites of benchmarks, store their rows after each, and format them as a table."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from core.cli.shared import in_columns, note
from core.common.errors import BadInput
from core.files import sums
from core.files.artifacts import read_json, write_json
from tests.bench.measure import Row, Setting, limited_to, surroundings
from tests.bench.rows import HEADS, TITLES, cells


def run_suite(name: str, setting: Setting) -> Iterator[Row]:
    """Yield the rows of a suite, which is a module here with `rows(setting)`, under the setting's number of threads."""
    if name not in TITLES:
        raise BadInput(f"There is no benchmark suite {name!r}. There are: {', '.join(TITLES)}.")
    with limited_to(setting.threads):
        yield from importlib.import_module(f"tests.bench.{name}").rows(setting)


def run_suites(*, suite: list[str], threads: int, quick: bool, output: str | None) -> tuple[dict, str]:
    """Return the rows of suites. Raises BadInput if the rows of a quick run are to be stored."""
    if quick and output:
        raise BadInput("A --quick run claims nothing, so its rows are not kept: leave --output or --quick out.")
    if output:
        _rows_in(Path(output))  # an unusable file is an error now, not after an hour
    made: list[dict] = []
    with tempfile.TemporaryDirectory(prefix="elmoscope-bench-", ignore_cleanup_errors=True) as folder:
        setting = Setting(folder=Path(folder), threads=threads, quick=quick, report=note)
        for name in dict.fromkeys(suite):
            for row in run_suite(name, setting):
                made.append(row.as_json())
                note(f"{name}: {'  '.join(cell for cell in cells(made[-1]) if cell)}")
            if output:  # after each suite, for a run takes long
                _keep(Path(output), name, [row for row in made if row["suite"] == name])
    return {**_head(), "rows": made}, "\n".join(in_columns([("what", *HEADS), *map(cells, made)]))


def _head() -> dict:
    facts = surroundings()
    return {"machine": {key: facts[key] for key in ("machine", "versions")}, "date": facts["date"]}


def _keep(path: Path, suite: str, rows: list[dict]) -> None:
    """Replace the rows of a suite. Those of the others stay, with the conditions of their own run."""
    order = {name: number for number, name in enumerate(TITLES)}
    every = [*(row for row in _rows_in(path) if row.get("suite") != suite), *rows]
    write_json(path, {**_head(), "rows": sorted(every, key=lambda row: order.get(row.get("suite"), len(order)))})
    sums.renew(path)


def _rows_in(path: Path) -> list[dict]:
    if not path.is_file():
        return []
    rows = read_json(path, expect=dict).get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{path} holds something else than rows of a benchmark. Name another file.")
    return rows
