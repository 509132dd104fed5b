"""Measure our speed next to a peer's in the same run (`python -m tests.bench`), and store the rows after each suite."""

import importlib
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from core.cli.main import run
from core.cli.options import Answer, command, flag, option, whole
from core.cli.shared import in_columns, note
from core.common.errors import BadInput
from core.files import sums
from core.files.artifacts import read_json, write_json
from tests.bench.measure import Row, Setting, limited_to, surroundings
from tests.bench.rows import HEADS, TITLES, cells


@command(
    "bench",
    option("--suite", f"of {', '.join(TITLES)} (default: all)", metavar="NAME", choices=tuple(TITLES), many=True, default=tuple(TITLES)),
    option("--threads", "of both sides (default 2)", metavar="N", type=whole(1, 1024), default=2),
    flag("--quick", "tiny sizes, to see that everything runs: nothing is claimed"),
    option("--output", "keep the rows as JSON, such as assets/results/speed.json; rows of other suites there stay", metavar="F"),
)
def bench(*, suite, threads, quick, output) -> Answer:
    """Measure our speed and a peer's in the same run: medians and their quotient."""
    if quick and output:
        raise BadInput("A --quick run claims nothing, so its rows are not kept: leave --output or --quick out.")
    if output:
        _rows_in(Path(output))  # an unusable file is an error now, not after an hour
    made: list[dict] = []
    with tempfile.TemporaryDirectory(prefix="elmoscope-bench-", ignore_cleanup_errors=True) as folder:
        setting = Setting(folder=Path(folder), threads=threads, quick=quick)
        for name in dict.fromkeys(suite):
            for row in run_suite(name, setting):
                made.append(row)
                note(f"{name}: {'  '.join(filter(None, cells(row)))}")
            if output:  # after each suite, for a run takes long
                _keep(Path(output), name, [row for row in made if row["suite"] == name])
    return {**_head(), "rows": made}, "\n".join(in_columns([("what", *HEADS), *map(cells, made)]))


def run_suite(name: str, setting: Setting) -> Iterator[Row]:
    """Yield the rows of a suite, which is a module here with `rows(setting)`, under the setting's number of threads."""
    with limited_to(setting.threads):
        yield from importlib.import_module(f"tests.bench.{name}").rows(replace(setting, suite=name))


def _head() -> dict:
    facts = surroundings()
    return {"machine": {key: facts[key] for key in ("machine", "versions")}, "date": facts["date"]}


def _keep(path: Path, suite: str, rows: list[dict]) -> None:
    """Replace the rows of a suite. Those of the others stay, with the conditions of their own run."""
    every = [*(row for row in _rows_in(path) if row.get("suite") != suite), *rows]
    write_json(path, {**_head(), "rows": sorted(every, key=lambda row: [*TITLES, row.get("suite")].index(row.get("suite")))})
    sums.renew(path)


def _rows_in(path: Path) -> list[dict]:
    rows = read_json(path, expect=dict).get("rows") if path.is_file() else []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(f"{path} holds something else than rows of a benchmark. Name another file.")
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Run the suites; returns the exit status."""
    return run(bench, sys.argv[1:] if arguments is None else arguments, "python -m tests.bench")


if __name__ == "__main__":
    sys.exit(main())
