"""The curves of "What decides" as their widget is sent them: pairs of one meaning and of two, and where a pair falls."""

from collections.abc import Mapping, Sequence

from core.common import model_layers
from core.common.i18n import t
from core.figures.curves import EvidenceRow
from core.figures.style import DIFFERENT, SAME
from core.live.texts import curve_texts


def curves_data(rows: Sequence[EvidenceRow], plain: Mapping[str, EvidenceRow], spaces: Sequence[str], usual: str, sure: str) -> dict:
    """Return all that the curves' script needs, as JSON.

    Parameters
    ----------
    rows : the evidence that decides.
    plain : by layer or mix the cosine alone; the sense space shows that of the `usual` layer.
    spaces : of the slider of the picture.
    sure : the verdict's own probability, in words.
    """
    gray = [plain.get(space, plain.get(usual)) for space in spaces]
    return {
        "rows": [row.as_lists for row in rows],
        "plain": [row.as_lists if row else None for row in gray],
        "colours": [SAME, DIFFERENT],
        "text": curve_texts() | {"sure": sure, "alt": describe(rows, sure)},
    }


def describe(rows: Sequence[EvidenceRow], sure: str) -> str:
    """Return what the curves show, in words."""
    each = [
        t("{name}: like pairs of the same meaning.", name=row.name)
        if row.favors_same
        else t("{name}: like pairs of different meanings.", name=row.name)
        for row in rows
    ]
    return " ".join([t("What decides:"), *each, sure])


def plain_name(space: str) -> str:
    """Return what the gray row is called."""
    return t("Cosine alone, {where}", where=model_layers.in_use().short(space))
