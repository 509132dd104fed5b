"""Run the commands that make and measure what ships (`python -m core.lab`). No page, notebook or user command needs them."""

import sys

from ..cli.main import run
from ..cli.options import group
from . import bundle, card, variants

COMMANDS = (
    *(bundle.bundle, bundle.texts, variants.train_heads, variants.experiments, variants.task_results),
    *(card.evaluate_card, card.evaluate_lessons, card.evaluate_layers, card.check_sentences),
    *(bundle.sense_space, bundle.verdicts, bundle.tag_sentences, bundle.quiz),
)
lab = group(None, "Make and measure what ships with Elmoscope.", commands=COMMANDS)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    return run(lab, sys.argv[1:] if arguments is None else arguments, "python -m core.lab")


if __name__ == "__main__":
    sys.exit(main())
