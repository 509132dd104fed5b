"""`python -m tests.bench`: our speed beside a peer's, measured in the same run. Options and answers as the command line's."""

import sys

from core.cli.main import Parser, answered
from core.cli.options import whole
from tests.bench.suites import SUITES


def main(arguments: list[str] | None = None) -> int:
    """Run the suites; returns the exit status."""
    parser = Parser(
        prog="python -m tests.bench", description="Measure our speed beside a peer's in the same run: medians and their quotient."
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout and nothing else")
    parser.add_argument(
        "--suite", nargs="+", default=list(SUITES), choices=SUITES, metavar="NAME", help=f"of {', '.join(SUITES)} (default: all)"
    )
    parser.add_argument("--threads", type=whole(1, 1024), default=2, metavar="N", help="of both sides (default 2)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that everything runs: nothing is claimed")
    parser.add_argument(
        "--output", metavar="F", help="keep the rows as JSON, such as assets/results/speed.json; rows of other suites there stay"
    )
    args = parser.parse_args(arguments)
    return answered(lambda: _bench(args), as_json=args.json)


def _bench(args) -> tuple[dict, str]:
    from tests.bench.command import bench

    return bench(args)


if __name__ == "__main__":
    sys.exit(main())
