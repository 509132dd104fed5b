"""What `evaluate lessons` can be told; a part of core.cli, which hands in its own helpers."""

from __future__ import annotations

from collections.abc import Callable

PARTS = ("context", "control")


def add_command(evaluate, add: Callable, model: Callable) -> None:
    """`add` makes a command's parser, `model` gives it --model and --download."""
    help_text = "What the lessons take minutes to compute, kept beside the model: is it context, the control task."
    lessons = add(evaluate, "lessons", "evaluate_lessons", help_text)
    lessons.add_argument(
        "--only", nargs="+", choices=PARTS, metavar="WHAT", help=f"only these of: {', '.join(PARTS)}; others stay"
    )
    model(lessons)
