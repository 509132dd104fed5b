"""Krippendorff's alpha: how far annotators agree beyond chance (Krippendorff 2011, "Computing Krippendorff's alpha-reliability")."""

from collections.abc import Sequence

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t

NOMINAL, ORDINAL = "nominal", "ordinal"


def alpha(annotators: Sequence[Sequence[object]], level: str = NOMINAL) -> float:
    """What each annotator said of the same units, None where nothing -> 1 agreement, 0 chance, below 0 worse than chance.

    Missing answers count as missing. ORDINAL takes numbers, whose distance grows with how many answers lie between. BadInput where no
    unit has two answers; where all answers are one value nothing can be told, and that is said, too.
    """
    if len({len(answers) for answers in annotators}) > 1:
        raise ValueError("annotators speak of other numbers of units")
    values = {answer for answers in annotators for answer in answers if answer is not None}
    names = sorted(values, key=float if level == ORDINAL else str)
    code = {name: k for k, name in enumerate(names)}
    counts = np.zeros((len(annotators[0]) if annotators else 0, len(names)))  # (units, values): how often each was said of each
    for answers in annotators:
        for unit, answer in enumerate(answers):
            if answer is not None:
                counts[unit, code[answer]] += 1
    counts = counts[counts.sum(axis=1) > 1]  # what one annotator alone answered is no pair
    if not len(counts):
        raise BadInput(t("No sentence has labels of two annotators. Label the same sentences."))
    weights = counts.sum(axis=1) - 1
    coincidences = (counts / weights[:, None]).T @ counts - np.diag((counts / weights[:, None]).sum(axis=0))  # (values, values)
    totals = coincidences.sum(axis=0)
    if (totals > 0).sum() < 2:
        raise BadInput(t("All labels are the same; agreement needs two senses."))
    apart = _distances(totals, level)
    expected = np.outer(totals, totals) - np.diag(totals)
    return float(1 - (totals.sum() - 1) * (coincidences * apart).sum() / (expected * apart).sum())


def _distances(totals: np.ndarray, level: str) -> np.ndarray:
    """(values, values): squared distances of any two values, of how often each was said."""
    if level == NOMINAL:
        return 1.0 - np.eye(len(totals))
    upto = np.cumsum(totals) - totals / 2
    return (upto[:, None] - upto[None]) ** 2
