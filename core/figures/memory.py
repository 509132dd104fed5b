"""How far a sentence's vectors drift when the model remembers earlier text: by token, and as a stream goes on."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core.common.i18n import t
from core.common.markup import html
from core.figures import style
from core.figures.measures import BACKWARD, FORWARD
from core.figures.style import Figure, base, layer_colour, layer_title, word_ticks

NEVER = "#009E73"  # our own encoder, which remembers nothing
SAME, VARIED = "#CC79A7", "#7F7F7F"  # what stands between: the same text, another each time


def layers_figure(cosines: np.ndarray, tokens: Sequence[str], *, stateless: np.ndarray, bold: int) -> go.Figure:
    """(L, T) cosines to a fresh start, a line a layer, and (T,) of the encoder without memory."""
    figure = Figure()
    _line(figure, stateless, tokens, NEVER, t("this app"), "%{y:.4f}", dash="dot")
    for layer, values in enumerate(cosines):
        if layer:  # layer 0 reads no context: its line would be the dotted one
            name = layer_title(str(layer))
            _line(figure, values, tokens, layer_colour(str(layer)), name, "%{y:.4f}")
    low = float(min(cosines.min(), stateless.min()))
    figure.update_yaxes(title=t("cosine to fresh state"), range=[low - 0.08 * (1.02 - low), 1.02], tickformat=".2f")
    return _token_axis(figure, tokens, bold, key="state.layers", height=330)


def halves_figure(forward: np.ndarray, backward: np.ndarray, tokens: Sequence[str], *, bold: int) -> go.Figure:
    """Drift (T,) of the forward half and of the backward half."""
    figure = Figure()
    _line(figure, forward, tokens, FORWARD, t("forward"), "%{y:.4f}")
    _line(figure, backward, tokens, BACKWARD, t("backward"), "%{y:.4f}")
    figure.update_yaxes(title=t("drift (1 − cosine)"), rangemode="tozero", tickformat=".2f")
    return _token_axis(figure, tokens, bold, key="state.halves", height=330)


def settling_figure(same: np.ndarray, varied: np.ndarray, stateless: np.ndarray) -> go.Figure:
    """Drift from the encoding before, (n,) each: the same text between, another text each time, no memory at all."""
    figure = Figure()
    at = list(range(2, len(same) + 2))
    lines = ((varied, VARIED, t("different texts"), None), (same, SAME, t("same text"), None), (stateless, NEVER, t("this app"), "dot"))
    for values, colour, name, dash in lines:
        card = html("%{{x}}: %{{y:.5f}}<extra>{}</extra>", name)
        style.add_line(figure, at, values, colour, card, dash=dash, marker={"size": 8}, name=name)
    figure.update_xaxes(title=t("encoding"), tickvals=at, **style.QUIET)
    figure.update_yaxes(title=t("drift from previous"), rangemode="tozero", tickformat=".2f")
    return _finish(figure, key="state.settling", height=330)


def _line(figure: go.Figure, values, tokens: Sequence[str], colour: str, name: str, card: str, *, dash: str | None = None) -> None:
    card = html("<b>%{{customdata}}</b>: {}<extra>{}</extra>", card, name)
    words = [token[:60] for token in tokens]
    style.add_line(figure, range(len(tokens)), values, colour, card, dash=dash, name=name, customdata=words)


def _token_axis(figure: go.Figure, tokens: Sequence[str], bold: int, *, key: str, height: int) -> go.Figure:
    figure.update_xaxes(**word_ticks(tokens, {bold: "<b>{}</b>"}), **style.EMPTY, range=[-0.4, len(tokens) - 0.6])
    return _finish(figure, key=key, height=height)


def _finish(figure: go.Figure, *, key: str, height: int) -> go.Figure:
    figure.update_yaxes(**style.QUIET, automargin=True, title_standoff=16)
    figure = base(figure, height=height, key=key)
    # Names above the plot: these lines run close to each other, and labels at their ends would cover one another.
    legend = style.LEGEND | {"y": 1.02, "font": {"size": 13}, "itemclick": False, "itemdoubleclick": False}
    return figure.update_layout(showlegend=True, legend=legend, margin={"t": 44})
