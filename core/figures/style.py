"""One look for every figure: palette, hover text, and the layout all of them start from.

Senses wear the Okabe-Ito colours (safe for colour-blind readers; then shapes repeat them), layers 0, 1, 2 one blue from
light to dark, the mix the darkest, GloVe always orange, the user's own sentence always a star with a dark rim. Colours
are chosen to stand on a white and on a near-black page; text takes the page's own colour.
"""

from __future__ import annotations

from html import escape

import plotly.graph_objects as go

SENSE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#B8A600", "#7F7F7F")
SENSE_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "pentagon", "hexagon")
LAYER_COLOURS = {"0": "#8EC1E8", "1": "#4292C6", "2": "#2171B5", "mix": "#5E5BC8"}
GLOVE = "#E8871E"
GREY = "rgba(140,140,150,0.35)"
OWN = ("#FFD23F", "#FF7AB6")  # the stars of the first and the second sentence
RIM = "#1B1B1F"
CONFIG = {"displaylogo": False, "displayModeBar": False, "responsive": True}
MAP_CONFIG = {
    "displaylogo": False,
    "responsive": True,
    "scrollZoom": True,
    "modeBarButtonsToRemove": ["autoScale2d", "toImage"],
}


def sense_colour(number: int) -> str:
    return SENSE_COLOURS[number % len(SENSE_COLOURS)]


def mark(tokens: list[str] | tuple[str, ...], position: int, *, width: int = 60) -> str:
    """A sentence as safe HTML with its token in bold, wrapped for a hover card."""
    lines, line, length = [], [], 0
    for k, token in enumerate(tokens):
        shown = escape(token[:60])
        line.append(f"<b>{shown}</b>" if k == position else shown)
        length += len(token) + 1
        if length > width:
            lines.append(" ".join(line))
            line, length = [], 0
        if len(lines) == 6:
            return "<br>".join(lines) + " …"
    return "<br>".join([*lines, " ".join(line)] if line else lines)


def base(figure: go.Figure, *, height: int, key: str) -> go.Figure:
    """The house style of every figure: no box, no ground, page's font, zoom kept under `key`."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=False,
        uirevision=key,
        hoverlabel={"align": "left", "font": {"size": 13}},
        transition={"duration": 450, "easing": "cubic-in-out"},
    )
    return figure


def layer_title(name: str) -> str:
    return "the mix" if name == "mix" else f"layer {name}"
