"""Measure on BLiMP how often a language model finds the grammatical sentence of a minimal pair more probable.

BLiMP (Warstadt et al. 2020) has 67 sets of 1,000 English pairs, as JSON lines. A sentence's log probability is the sum over its tokens
and its end (backward: its beginning). A word outside the vocabulary counts as <UNK>.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..common.errors import BadInput, MissingArtifact
from ..text.file_lines import json_rows
from .language_model import LanguageModel

OVERALL = "overall"
MEASURES = ("forward", "backward", "joined")  # the last is the sum of both directions' log probabilities
KEYS = ("sentence_good", "sentence_bad", "linguistics_term")  # of a row
IN_PAPER = {"s-selection": "argument_structure"}  # a term of the files -> the paper's phenomenon
MODELS = ("5-gram", "LSTM", "Transformer-XL", "GPT-2")
PUBLISHED = {  # phenomenon -> accuracy in percent of MODELS: raw_results/summary/models_summary.jsonl of github.com/alexwarstadt/blimp
    OVERALL: (61.2, 69.8, 69.6, 83.0),
    "anaphor_agreement": (47.9, 91.7, 94.1, 99.3),
    "argument_structure": (71.9, 73.2, 72.2, 81.8),
    "binding": (64.4, 73.5, 74.7, 80.9),
    "control_raising": (68.5, 67.0, 71.5, 81.9),
    "determiner_noun_agreement": (70.1, 85.4, 83.0, 95.8),
    "ellipsis": (36.9, 67.6, 77.2, 89.4),
    "filler_gap_dependency": (60.2, 73.9, 66.6, 81.3),
    "irregular_forms": (79.5, 89.1, 78.2, 91.9),
    "island_effects": (57.2, 46.6, 48.3, 72.7),
    "npi_licensing": (45.5, 51.7, 55.2, 76.8),
    "quantifiers": (53.5, 64.5, 69.3, 79.0),
    "subject_verb_agreement": (60.3, 80.1, 76.0, 86.4),
}


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """A grammatical and an ungrammatical sentence, and the phenomenon in which they differ."""

    good: str
    bad: str
    phenomenon: str


def read_pairs(folder: Path) -> list[MinimalPair]:
    """Return the pairs of all .jsonl files in a folder and in its folders. Raises MissingArtifact or BadInput with the file and line."""
    files = sorted(folder.rglob("*.jsonl"))
    if not files:
        archive = next(folder.glob("blimp*.tar.xz"), None)
        if archive:
            raise MissingArtifact(f"{folder} has no .jsonl files of BLiMP. Unpack its archive: tar xJf {archive} -C FOLDER")
        raise MissingArtifact(f"{folder} has no .jsonl files of BLiMP. Get them from https://github.com/alexwarstadt/blimp")
    needed = f"Each line needs {', '.join(KEYS)}, as BLiMP publishes them."
    pairs = []
    for path in files:
        for place, row in json_rows(path, needed=needed):
            values = [row.get(key) for key in KEYS] if isinstance(row, dict) else []
            if not values or not all(isinstance(value, str) and value.strip() for value in values):
                raise BadInput(f"{place} is not a minimal pair. {needed}")
            good, bad, term = values
            pairs.append(MinimalPair(good, bad, IN_PAPER.get(term, term)))
    if not pairs:
        raise BadInput(f"The .jsonl files in {folder} are empty. {needed}")
    return pairs


def evaluate_pairs(
    model: LanguageModel,
    pairs: list[MinimalPair],
    tokenize: Callable[[str], list[str]],
    *,
    report: Callable[[int, int], None] | None = None,
) -> dict[str, dict[str, float]]:
    """Return {phenomenon or OVERALL: {"n": pairs, and for each of MEASURES the share in which the good sentence is more probable}}.

    Each distinct sentence is read once. Equal probabilities count as wrong. Calls `report(sentences done, total)`.
    """
    number = {text: k for k, text in enumerate(dict.fromkeys(text for pair in pairs for text in (pair.good, pair.bad)))}
    scores = model.sentence_scores([tokenize(text) for text in number], report=report)  # (sentences, 2)
    scores = np.column_stack([scores, scores.sum(axis=1)])
    good, bad = (scores[[number[text] for text in texts]] for texts in zip(*((pair.good, pair.bad) for pair in pairs), strict=True))
    is_right = good > bad  # (pairs, 3)
    phenomena = np.array([pair.phenomenon for pair in pairs])
    rows = {OVERALL: np.ones(len(pairs), bool)} | {name: phenomena == name for name in sorted(set(phenomena.tolist()))}
    return {
        name: {"n": int(row.sum()), **dict(zip(MEASURES, is_right[row].mean(axis=0).tolist(), strict=True))} for name, row in rows.items()
    }
