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
from tests.bench.rows import HEADS, SUITES, TITLES, cells


@command(
    "bench",
    option("--suite", f"of {', '.join(SUITES)} (default: all)", metavar="NAME", choices=SUITES, many=True, default=SUITES),
    option("--threads", "of both sides (default 2)", metavar="N", type=whole(1, 1024), default=2),
    flag("--quick", "tiny sizes, to see that everything runs: nothing is claimed"),
    option("--output", "keep the rows as JSON, such as assets/results/speed.json; rows of other suites there stay", metavar="F"),
)
def bench(*, suite, threads, quick, output) -> Answer:
    """Measure our speed and a peer's in the same run: medians and their quotient."""
    if quick and output:
        raise BadInput("A --quick run claims nothing, so its rows are not kept: leave --output or --quick out.")
    made: list[Row] = []
    stored = read_json(Path(output), expect=dict)["rows"] if output and Path(output).is_file() else []
    with tempfile.TemporaryDirectory(prefix="elmoscope-bench-", ignore_cleanup_errors=True) as folder:
        setting = Setting(folder=Path(folder), threads=threads, quick=quick)
        for name in dict.fromkeys(suite):
            stored = [row for row in stored if row["suite"] != name]  # those of the others stay, with the conditions of their own run
            for row in run_suite(name, setting):
                made.append(row)
                stored.append(row)
                note(f"{name}: {'  '.join(filter(None, cells(row)))}")
            if output:  # after each suite, for a run takes long
                write_json(Path(output), {**_head(), "rows": sorted(stored, key=lambda row: list(TITLES).index(row["suite"]))})
                sums.renew(Path(output))
    return {**_head(), "rows": made}, "\n".join(in_columns([("what", *HEADS), *map(cells, made)]))


def run_suite(name: str, setting: Setting) -> Iterator[Row]:
    """Yield the rows of a suite, which is a module here with `rows(setting)`, under the setting's number of threads."""
    with limited_to(setting.threads):
        yield from importlib.import_module(f"tests.bench.{name}").rows(replace(setting, suite=name))


def _head() -> dict:
    facts = surroundings()
    return {"machine": {key: facts[key] for key in ("machine", "versions")}, "date": facts["date"]}


def main(arguments: list[str] | None = None) -> int:
    """Run the suites; returns the exit status."""
    return run(bench, sys.argv[1:] if arguments is None else arguments, "python -m tests.bench")


if __name__ == "__main__":
    sys.exit(main())
