"""`python -m tests.bench`: our speed compared with a peer's, measured in the same run."""

import sys

from tests.bench.command import main

if __name__ == "__main__":
    sys.exit(main())
