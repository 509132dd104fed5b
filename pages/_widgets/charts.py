"""Draw every figure of the app with a description for screen readers, record it for the exports, and place the stars of maps."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.common.i18n import t
from core.common.markup import Markup
from core.figures import measures
from core.figures.maps import Star
from core.figures.style import CONFIG, layer_color, layer_title, mark
from pages._export import record
from pages._frame.markup import show_html
from pages._widgets.inputs import Chosen

LONGEST = 500  # characters of a description, which a screen reader reads without a pause


def draw(figure: go.Figure, *, key: str, alt: str, config: dict[str, Any] = CONFIG, **options: Any) -> Any:
    """Draw a figure, which `alt` describes in a sentence or two, and return the value of st.plotly_chart with its `options`."""
    alt = alt if len(alt) <= LONGEST else alt[: LONGEST - 1] + "…"
    record.now().note("figure", record.NotedFigure(figure, alt), key)
    return st.plotly_chart(figure, key=key, alt=alt, config=config, **options)


def note(figure: go.Figure | Callable[[], go.Figure], *, key: str, alt: str) -> None:
    """Record a figure, or a function that makes it, for the exports without drawing it."""
    record.now().note("figure", record.NotedFigure(figure, alt[:LONGEST]), key)


def note_weights(weights: Sequence[float], *, key: str, by_length: bool = False) -> str:
    """Record layer weights (L,), sum 1, as bars; with `by_length`, times the lengths of the layers. Return a description."""
    named = ", ".join(f"{layer_title(str(k))} {weight:.0%}" for k, weight in enumerate(weights))
    alt = t("Layer weight times vector length: {named}.", named=named) if by_length else t("Layer weights: {named}.", named=named)
    note(measures.weight_bars(weights), key=key, alt=alt)
    return alt


def weight_bars(weights: Sequence[float], *, key: str) -> None:
    """Show layer weights (L,), sum 1, as bars in plain HTML. A Plotly chart would flicker while a slider moves."""
    alt = note_weights(weights, key=key)
    row = Markup('<span>s<sub>{}</sub></span><span class="bar"><i style="width:{:.1f}%;background:{}"></i><b>{:.0%}</b></span>')
    rows = [row.format(k, 100 * weight, layer_color(str(k)), weight) for k, weight in enumerate(weights)]
    show_html('<div class="weights" role="img" aria-label="{}">{}</div>', alt, rows)


def stars(chosen: Mapping[int, Chosen], names: Sequence[str], places: np.ndarray) -> list[Star]:
    """Return the sentences by number, at their places (K, S, d) in K spaces."""
    both = zip(chosen.items(), np.moveaxis(places, 1, 0).tolist(), strict=True)
    return [
        Star(t("yours, {number}", number=number), mark(item.tokens, item.position), dict(zip(names, map(tuple, positions), strict=True)))
        for (number, item), positions in both
    ]
