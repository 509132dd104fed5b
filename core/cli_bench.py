"""What `bench` can be told; a part of core.cli, which hands in its own helpers."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from core.bench import SUITES


def add_commands(commands, add: Callable, whole: Callable) -> None:
    """`add` makes a command's parser, `whole` is the type of a bounded number."""
    bench: argparse.ArgumentParser = add(
        commands, "bench", "bench", "Measure our speed beside a peer's in the same run: medians, their quotient, and a goal."
    )
    bench.add_argument(
        "--suite", nargs="+", default=list(SUITES), choices=SUITES, metavar="NAME", help=f"of {', '.join(SUITES)} (default: all)"
    )
    bench.add_argument("--threads", type=whole(1, 1024), default=2, metavar="N", help="of both sides (default 2)")
    bench.add_argument("--quick", action="store_true", help="tiny sizes, to see that everything runs: nothing is claimed")
    bench.add_argument(
        "--output", metavar="F", help="keep the rows as JSON, such as assets/results/speed.json; rows of other suites there stay"
    )
