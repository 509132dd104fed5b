"""The rows of "What decides": what core has of the calibration's pairs, and where this pair falls."""

from collections.abc import Mapping, Sequence

from core.common.i18n import t
from core.figures.curves import EvidenceRow
from core.senses.verdict import CLOSE, ONE
from core.views.pair import Pair
from pages._frame.in_use import InUse
from pages._word import verdict


def rows(in_use: InUse, pair: Pair) -> Sequence[EvidenceRow]:
    """Return a row for each kind of evidence of the verdict that has densities."""
    return []


def plain_rows(in_use: InUse, pair: Pair) -> Mapping[str, EvidenceRow]:
    """Return by layer and mix the cosine alone, where it has densities."""
    return {}


def usual_layer(in_use: InUse) -> str:
    """Return the layer that separates meanings best over all labeled words."""
    return verdict.usual_layer(in_use)


def say_probability(pair: Pair) -> str:
    """Return the verdict's own probability, in words."""
    judgment = pair.judgment.verdict
    if judgment is None:
        return ""
    share = min(99, max(1, round(100 * judgment.probability)))
    if judgment.says == CLOSE:
        return t("Together: {one}% one meaning, {two}% two.", one=share, two=100 - share)
    return t("Together: {one}% one meaning.", one=share) if judgment.says == ONE else t("Together: {two}% two meanings.", two=100 - share)
