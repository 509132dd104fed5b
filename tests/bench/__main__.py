"""`python -m tests.bench`: our speed beside a peer's, measured in the same run. Options and answers as the command line's."""

import sys

from core.cli.main import run
from core.cli.options import Answer, command, flag, option, whole
from tests.bench.rows import TITLES as SUITES


@command(
    "bench",
    option("--suite", f"of {', '.join(SUITES)} (default: all)", metavar="NAME", choices=tuple(SUITES), many=True, default=tuple(SUITES)),
    option("--threads", "of both sides (default 2)", metavar="N", type=whole(1, 1024), default=2),
    flag("--quick", "tiny sizes, to see that everything runs: nothing is claimed"),
    option("--output", "keep the rows as JSON, such as assets/results/speed.json; rows of other suites there stay", metavar="F"),
)
def bench(*, suite, threads, quick, output) -> Answer:
    """Measure our speed and a peer's in the same run: medians and their quotient."""
    from tests.bench.command import run_suites

    return run_suites(suite=suite, threads=threads, quick=quick, output=output)


def main(arguments: list[str] | None = None) -> int:
    """Run the suites; returns the exit status."""
    return run(bench, sys.argv[1:] if arguments is None else arguments, "python -m tests.bench")


if __name__ == "__main__":
    sys.exit(main())
