"""Step 3 of How it works: the highway where there is one, and the matrix that makes the vector of a spelling."""

import numpy as np
import streamlit as st

from core.analysis.walk import Walk
from core.common.config import ModelShape
from core.common.i18n import t
from core.common.markup import html
from core.figures.walk import heat_figure, limit_of, share_figure
from pages._how.parts import Rows
from pages._widgets.charts import draw

UNITS = 48  # highway units shown
PARTS = 8  # bars of what the vector is made of


def projection(way: Walk, shape: ModelShape) -> tuple[list[str], Rows]:
    units = np.sort(np.argsort(-np.abs(way.highways[-1].y if way.highways else way.pooled), kind="stable")[:UNITS])
    for k, step in enumerate(way.highways):
        st.markdown(t("**Highway layer {number}**, {n} largest units", number=k + 1, n=len(units)))
        parts = np.stack([step.x, step.transformed, step.gate, step.y])[:, units]
        names = [t("y, input"), t("r, new content"), t("g, gate"), t("z, output")]
        alt = t("Heat map of highway layer {number}: input, new content, gate and output of {n} units.", number=k + 1, n=len(units))
        draw(heat_figure(parts, names, key=f"how.highway.{k}", limit=limit_of(parts)), key=f"how.3.{k}", alt=alt)
    most = np.argsort(-np.abs(way.shares), kind="stable")[:PARTS]
    most = most[np.abs(way.shares[most]) >= 0.001] if (np.abs(way.shares) >= 0.001).any() else most[:1]
    windows = [(int(f), *way.filter_window(int(f))) for f in most]
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown(t("**Shares** of the vector’s squared length"))
        hovers = [t("filter {number:,}, width {width}", number=f, width=width) for f, width, _ in windows]
        named = ", ".join(f"{w} {share:.1%}" for (_, _, w), share in zip(windows, way.shares[most], strict=True))
        alt = t("Bars of window shares: {named}.", named=named)
        draw(share_figure([html("<b>{}</b>", w) for _, _, w in windows], way.shares[most], hovers), key="how.3", alt=alt)
    with right:
        st.markdown(t("**The vector x**, {n} numbers", n=len(way.vector)))
        vector = np.full(-(-len(way.vector) // 16) * 16, np.nan)
        vector[: len(way.vector)] = way.vector
        names = [str(16 * k + 1) for k in range(len(vector) // 16)]
        alt = t("Heat map of the spelling vector’s {n} numbers, 16 per row.", n=len(way.vector))
        draw(heat_figure(vector.reshape(-1, 16), names, key="how.vector", limit=limit_of(way.vector)), key="how.4", alt=alt)
    lines = [
        t(
            "<b>{window}</b> makes {share:z.0%} of this vector, all filters {all:z.0%}, the bias {bias:z.0%}.",
            window=windows[0][2],
            share=float(way.shares[most[0]]),
            all=1 - way.bias_share,
            bias=way.bias_share,
        )
    ]
    if way.highways:
        mean = float(way.highways[-1].gate.mean())
        lines.append(t("Bars are highway outputs, named after their filters (gate {mean:.0%} open on average).", mean=mean))
    else:
        lines.append(t("No other word has been read yet."))
    return lines, [
        {t("filter"): str(f), t("width"): width, t("window"): window, t("share"): round(float(way.shares[f]), 5)}
        for f, width, window in windows
    ] + [{t("filter"): "b", t("share"): round(way.bias_share, 5)}]
