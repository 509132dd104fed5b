"""Step 9 of How it works: the mix that a task is given, under the Mix page's own sliders."""

import numpy as np
import streamlit as st

from core.analysis.walk import Walk
from core.common.config import ModelShape
from core.common.i18n import t
from core.common.markup import plain
from core.common.model_layers import subscript
from core.elmo.mix import mixed
from core.figures.walk import heat_figure, limit_of
from pages._how.parts import Rows, shorten
from pages._widgets.charts import draw, weight_bars
from pages._widgets.mix_sliders import sliders


def mix(way: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    n = len(way.layers)
    h = way.layers[:, way.position]  # (L, D)
    left, right = st.columns([2, 3], gap="large")
    with left:
        weights, gamma = sliders(n)
    with right:
        st.markdown(t("**s = softmax(w)**: the layer weights"))
        weight_bars(weights, key="how.weights")
    vector = mixed(h, weights, gamma)
    parts = np.stack([*(gamma * weights[:, None] * h), vector])
    names = [f"γ · s{subscript(k)} · h{subscript(k)}" for k in range(n)] + [t("ELMo (sum)")]
    st.markdown(
        t("**The vector of “{word}”** and its parts, {n} numbers each", word=plain(shorten(way.tokens[way.position])), n=len(vector))
    )
    alt = t(
        "Heat map: the weighted layers of “{word}” and their sum, {n} numbers each.", word=shorten(way.tokens[way.position]), n=len(vector)
    )
    draw(heat_figure(parts, names, key="how.mix", limit=limit_of(parts), bold=n, row=34), key="how.mix", alt=alt)
    length = float(np.linalg.norm(vector))
    cosines = [float(vector @ layer / max(length * np.linalg.norm(layer), 1e-12)) for layer in h]
    nearest = int(np.argmax(cosines))
    lengths = np.linalg.norm(parts[:-1], axis=1)
    longest = int(lengths.argmax())
    lines = [
        t(
            "The vector has length {length:.2f} and is closest to layer {layer} (cosine {cosine:.2f}).",
            length=length,
            layer=nearest,
            cosine=cosines[nearest],
        ),
        t(
            "Layer {layer} contributes most: length {part:.2f}, with weight {share:.0%}.",
            layer=longest,
            part=float(lengths[longest]),
            share=float(weights[longest]),
        ),
    ]
    return lines, [
        {t("part"): name} | {str(d + 1): round(float(v), 4) for d, v in enumerate(row)} for name, row in zip(names, parts, strict=True)
    ]
