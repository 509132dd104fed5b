"""Run the commands that make and measure what ships (`python -m core.lab`). No page, notebook or user command needs them."""

import sys

from ..cli.main import run
from ..cli.options import group
from . import card, layer_scores, lessons, remake, sense_space_map, sentences, variants, verdicts

COMMANDS = (
    *(remake.bundle, remake.texts, variants.train_heads, variants.experiments, variants.task_results),
    *(card.evaluate_card, lessons.evaluate_lessons, layer_scores.evaluate_layers, sentences.check_sentences),
    *(sense_space_map.sense_space, verdicts.verdicts, sentences.tag_sentences, sense_space_map.measure_quiz),
)
lab = group(None, "Make and measure what ships with Elmoscope.", commands=COMMANDS)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    return run(lab, sys.argv[1:] if arguments is None else arguments, "python -m core.lab")


if __name__ == "__main__":
    sys.exit(main())
