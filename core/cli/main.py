"""The command line: parse, run the function that the command names (`module.function` of this folder), print.

With --json one JSON object goes to stdout and nothing else; progress and notes go to stderr; a user's error is one line
on stderr and exit status 2.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module

from core import __version__
from core.cli import classify_options, evaluate_options, making_options, reading_options
from core.common.errors import ElmoscopeError
from core.text import languages

FAMILIES = (reading_options, evaluate_options, making_options, classify_options)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = _parser().parse_args(arguments)
    return answered(lambda: _function(args.run)(args), as_json=args.json)


def answered(run: Callable[[], tuple[dict, str]], *, as_json: bool) -> int:
    """Print what a command answers, or why it cannot; the exit status."""
    try:
        result, text = run()
    except ElmoscopeError as error:
        return _refused(str(error))
    except OSError as error:
        if not error.filename:  # not about a file that the user named
            raise
        return _refused(f"{error.filename}: {error.strerror}.")
    except KeyboardInterrupt:
        print("stopped.", file=sys.stderr)
        return 130
    finally:
        languages.use(None)  # a command reads text as its model's language, and only it
    _say(_json(result) if as_json else text)
    return 0


def _function(name: str):
    """What a command does, by `module.function`; imported after parsing, so that --help need not wait for torch."""
    module, function = name.split(".")
    return getattr(import_module(f"core.cli.{module}"), function)


def _refused(message: str) -> int:
    """A user's error: one line on stderr, whatever was quoted in it, and the exit status."""
    print("error:", " ".join(message.splitlines()), file=sys.stderr)
    return 2


def _json(result: dict) -> str:
    """As one reads it; escaped where the terminal has no such letters, or an argument was no UTF-8."""
    text = json.dumps(result, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(result)
    return text


def _say(text: str) -> None:
    try:
        print(text)
        sys.stdout.flush()
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding
        _say(text.encode(encoding, "backslashreplace").decode(encoding))


class Parser(argparse.ArgumentParser):
    """Help and errors as a terminal of any encoding shows them."""

    def print_help(self, file=None) -> None:
        _say(self.format_help())

    def error(self, message: str) -> None:
        """One line and status 2, as for every user's error."""
        raise SystemExit(_refused(f"{message}. See: {self.prog} --help"))


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="python -m core", description="Elmoscope: what a word means in context.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    for family in FAMILIES:
        family.add_commands(commands)
    return parser
