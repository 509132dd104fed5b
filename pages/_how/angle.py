"""Step 8 of How it works: the word's vectors in two sentences as arrows at their true angle, and the cosine in each layer."""

import math

import streamlit as st

from core.analysis.walk import Walk
from core.common import model_layers
from core.common.config import ModelShape
from core.common.i18n import t
from core.figures.maps import angle_figure, cosine_bars
from core.figures.style import layer_title
from pages._frame.in_use import InUse
from pages._how.parts import Rows, shorten
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen, sentence
from pages._word import verdict


def show(in_use: InUse, first: Chosen, way: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    """Draw both vectors at the top layer, GloVe's left of them, and the cosines of all layers."""
    second = sentence(st.container(), "b", t("Second sentence"), t("Word, second sentence"))
    if second.position is None:
        return [t("Type a second sentence to compare.")], []
    result = verdict.of_pair(in_use, first, second)
    top = model_layers.in_use().top
    degrees = {name: math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) for name, cosine in result.cosines.items()}
    left, right = st.columns(2, gap="large")
    with left:
        labels = t("1st"), t("2nd")
        alt = t("Two arrows, {degrees:.0f}° apart at {layer}.", degrees=degrees[top], layer=layer_title(top))
        draw(angle_figure(result.cosines[top], labels, same_word=result.same, layer=top, glove=result.static), key="how.angle", alt=alt)
    with right:
        named = ", ".join(f"{name}: {cosine:.2f}" for name, cosine in result.bars.items())
        draw(cosine_bars(result.bars, chosen=top), key="how.cosines", alt=t("Cosines by layer. {named}.", named=named))
    low = next(iter(result.cosines))
    values = {"word": shorten(way.tokens[way.position]), "low": degrees[low], "high": degrees[top]}
    values |= {"below": model_layers.in_use().at(low), "at": model_layers.in_use().at(top)}
    line = t("The two vectors of “{word}” are {low:.0f}° apart {below} and {high:.0f}° {at}.", **values)
    return [line], [
        {t("vectors"): layer_title(name), t("cosine"): round(cosine, 4), t("angle, degrees"): round(degrees[name], 1)}
        for name, cosine in result.cosines.items()
    ]
