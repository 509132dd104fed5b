"""Run the command line: `python -m core` in a checkout, `elmoscope` if installed."""

import gc
import sys


def main() -> int:
    """Run the command that the program's arguments name; return its exit status."""
    try:
        from .common.installation import unsupported

        if message := unsupported():  # first, as such a Python lacks what the commands import
            sys.exit(f"error: {message}")
        from .cli.main import main as run

        return run()
    except KeyboardInterrupt:  # during the imports
        print("stopped.", file=sys.stderr)
        return 130
    finally:
        gc.freeze()  # otherwise Python's last collection visits all that torch loaded: 0.6 s of each command


if __name__ == "__main__":
    sys.exit(main())
