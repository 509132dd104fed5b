"""What `check-sentences` can be told; a part of core.cli, which hands in its own helper."""

from __future__ import annotations

from collections.abc import Callable


def add_commands(commands, add: Callable) -> None:
    """`add` makes a command's parser."""
    help_text = "Check a file of sense-labelled sentences: enough of each sense, varied, none a copy."
    checked = add(commands, "check-sentences", "check_sentences", help_text)
    checked.add_argument("file", metavar="F", help=".jsonl or .json: rows with tokens, position, lemma and sense")
