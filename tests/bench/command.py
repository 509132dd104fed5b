"""Run suites of benchmarks, store their rows after each, and format them as a table."""

from __future__ import annotations

import tempfile
from pathlib import Path

from core.cli.shared import in_columns, note
from core.common.errors import BadInput
from core.files import sums
from core.files.artifacts import read_json, write_json
from tests.bench.measure import Figure, Row, Setting, surroundings
from tests.bench.suites import SUITES, run_suite

HEAD = ("what", "ours", "peer", "ratio", "bound", "within")
WITHIN = {True: "yes", False: "NO", None: "-"}


def run_suites(*, suite: list[str], threads: int, quick: bool, output: str | None) -> tuple[dict, str]:
    """The rows of the suites asked for. BadInput where a quick run's rows were to be kept."""
    if quick and output:
        raise BadInput("A --quick run claims nothing, so its rows are not kept: leave --output or --quick out.")
    if output:
        _rows_in(Path(output))  # what is wrong with it is said now, not after an hour
    made: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="elmoscope-bench-", ignore_cleanup_errors=True) as folder:
        setting = Setting(folder=Path(folder), threads=threads, quick=quick, report=note)
        for name in dict.fromkeys(suite):
            for row in run_suite(name, setting):
                made.append(row)
                note(f"{row.suite}: {'  '.join(cell for cell in cells(row) if cell)}")
            if output:  # after each suite, for a run takes long
                _keep(Path(output), name, [row for row in made if row.suite == name])
    return {**_head(), "rows": [row.as_json() for row in made]}, table(made)


def table(rows: list[Row]) -> str:
    """Rows in aligned columns, a suite after the other; what was not run says why in the bound's place."""
    return "\n".join(in_columns([HEAD, *map(cells, rows)]))


def cells(row: Row) -> tuple[str, ...]:
    """Return a row's text under each heading of HEAD."""
    bound = row.bound.text if row.bound else ""
    if row.not_run:
        return row.name, "", "", "", f"{bound}; {row.not_run}" if bound else row.not_run, WITHIN[None]
    unequal = [f"{c.what}: {c.difference:.2g}, at most {c.limit:.2g} allowed" for c in row.checks if not c.passed]
    peer = f"{row.peer.what}: {_number(row.peer)}" if row.peer else ""
    ratio = f"{row.ratio.value:.3g} {row.ratio.unit} ({row.ratio.low:.3g} to {row.ratio.high:.3g})" if row.ratio else ""
    return row.name, _number(row.ours), peer, ratio, bound, "; ".join([WITHIN[row.within], *unequal])


def _number(figure: Figure) -> str:
    return f"{figure.value:,.0f} {figure.unit}" if abs(figure.value) >= 100 else f"{figure.value:.3g} {figure.unit}"


def _head() -> dict:
    facts = surroundings()
    return {"machine": {key: facts[key] for key in ("machine", "versions")}, "date": facts["date"]}


def _keep(path: Path, suite: str, rows: list[Row]) -> None:
    """Put a suite's rows in the place of its old ones; rows of the others stay, with the conditions of their own run."""
    kept = [row for row in _rows_in(path) if row.get("suite") != suite]
    every = [*kept, *(row.as_json() for row in rows)]
    order = {name: number for number, name in enumerate(SUITES)}
    write_json(path, {**_head(), "rows": sorted(every, key=lambda row: order.get(row.get("suite"), len(order)))})
    sums.renew(path)


def _rows_in(path: Path) -> list[dict]:
    if not path.is_file():
        return []
    rows = read_json(path, expect=dict).get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{path} holds something else than rows of a benchmark. Name another file.")
    return rows
