"""The curves of "What decides" as data for their widget: densities of same-meaning and different-meaning pairs, and the pair's values."""

from collections.abc import Mapping, Sequence

from ..common import model_layers
from ..elmo.models import Model
from ..figures.curves import EvidenceRow
from ..figures.style import DIFFERENT, SAME
from ..senses.calibration import Density, densities
from ..views.levels import Judgment
from .texts import curve_texts, kind_names, plain_name, say_like, say_together


def decisive_rows(model: Model, judgment: Judgment) -> list[EvidenceRow]:
    """Return a row for each kind of evidence of a verdict that has densities."""
    if judgment.verdict is None:
        return []
    by_kind, values = densities(model, labeled=bool(judgment.lemma)), judgment.verdict.evidence
    return [_row(name, by_kind[kind], values[kind]) for kind, name in kind_names().items() if kind in by_kind and kind in values]


def plain_rows(model: Model, judgment: Judgment, cosines: Mapping[str, float]) -> dict[str, EvidenceRow]:
    """Return the plain cosine by layer and mix, if it has densities."""
    by_kind = densities(model, labeled=bool(judgment.lemma))
    return {
        space: _row(plain_name(model_layers.in_use(), space), by_kind[space], value) for space, value in cosines.items() if space in by_kind
    }


def say_probability(judgment: Judgment) -> str:
    """Return the verdict's own probability, in words."""
    if (verdict := judgment.verdict) is None:
        return ""
    share = min(99, max(1, round(100 * verdict.probability)))
    return say_together(verdict.says, share, 100 - share)


def density_data(density: Density) -> dict:
    """Return a density for JSON."""
    curves = {name: [round(float(item), 4) for item in getattr(density, name)] for name in ("same", "different")}
    return {"low": float(density.edges[0]), "high": float(density.edges[-1])} | curves


def _row(name: str, density: Density, value: float) -> EvidenceRow:
    low, high = float(density.edges[0]), float(density.edges[-1])
    return EvidenceRow(name=name, low=low, high=high, same=density.same, different=density.different, value=value)


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
        "colors": [SAME, DIFFERENT],
        "text": curve_texts() | {"sure": sure, "alt": describe(rows, sure)},
    }


def describe(rows: Sequence[EvidenceRow], sure: str) -> str:
    """Return what the curves show, in words."""
    return " ".join([f"{curve_texts()['title']}:", *(say_like(row.name, same=row.favors_same) for row in rows), sure])
