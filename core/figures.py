"""Arrays to Plotly figures, with one palette for all pages.

Senses wear the Okabe-Ito colours (safe for colour-blind readers; then shapes repeat them), layers 0, 1, 2 one blue from
light to dark, the mix the darkest, GloVe always orange, the user's own sentence always a star with a dark rim. Colours
are chosen to stand on a white and on a near-black page; text takes the page's own colour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

import numpy as np
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


@dataclass(frozen=True, slots=True)
class Star:
    """A token of the user's own, placed into a map."""

    label: str
    text: str  # the sentence, for the hover card
    points: dict[str, tuple[float, float]]  # by layer name


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


def angle_figure(
    cosine: float, labels: tuple[str, str], *, word: str, same_word: bool, layer: str, glove: float | None
) -> go.Figure:
    """Two vectors as what their cosine says: two rays at the true angle; above them GloVe's, which is one where the word is.

    `glove` is the cosine of the two words' GloVe vectors (1 for the same word), None where one has none.
    """
    figure = go.Figure()
    _rays(figure, 0.0, glove, GLOVE, (GLOVE, GLOVE), ("", ""))
    _rays(figure, 1.45, cosine, LAYER_COLOURS[layer], OWN, labels)
    degrees = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
    one = "one vector for both" if same_word else "two words, two vectors"
    glove_text = "not in its vocabulary" if glove is None else one
    for x, title, text in (
        (0.0, f"GloVe: “{word}”", glove_text),
        (1.45, f"ELMo, {_layer_title(layer)}", f"{degrees:.0f}° apart"),
    ):
        figure.add_annotation(
            x=x, y=-0.13, text=f"<b>{escape(title)}</b><br>{escape(text)}", showarrow=False, font={"size": 14}, yanchor="top"
        )
    figure.update_xaxes(visible=False, range=[-0.75, 2.2], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-0.42, 1.25], fixedrange=True, scaleanchor="x")
    return base(figure, height=330, key="angle")


def _rays(figure: go.Figure, x0: float, cosine: float | None, line: str, dots: tuple[str, str], labels: tuple[str, str]) -> None:
    if cosine is None:
        return
    half = math.acos(max(-1.0, min(1.0, cosine))) / 2
    arc = np.linspace(-half, half, 40)
    figure.add_scatter(
        x=x0 + 0.32 * np.sin(arc), y=0.32 * np.cos(arc), mode="lines", line={"color": line, "width": 3}, hoverinfo="skip"
    )
    for side, dot, label in ((-1, dots[0], labels[0]), (1, dots[1], labels[1])):
        x, y = x0 + math.sin(side * half), math.cos(half)
        figure.add_scatter(
            x=[x0, x],
            y=[0, y],
            mode="lines+markers+text",
            line={"color": line, "width": 3},
            marker={
                "color": ["rgba(0,0,0,0)", dot],
                "size": [1, 22 if label else 16],
                "symbol": ["circle", "star" if label else "circle"],
                "line": {"color": RIM, "width": 1.5},
            },
            text=["", label],
            textposition="top center",
            textfont={"size": 15},
            hoverinfo="skip",
            cliponaxis=False,
        )


def _layer_title(name: str) -> str:
    return "the mix" if name == "mix" else f"layer {name}"


def cosine_bars(values: dict[str, float], *, chosen: str) -> go.Figure:
    """Cosine per layer as bars on one scale from 0 to 1 (below 0 where a cosine is)."""
    names = list(values)
    figure = go.Figure(
        go.Bar(
            x=list(values.values()),
            y=[_layer_title(n) if n != "GloVe" else n for n in names],
            orientation="h",
            text=[f"{v:.2f}" for v in values.values()],
            textposition="outside",
            textfont={"size": 15},
            cliponaxis=False,
            marker_color=[GLOVE if n == "GloVe" else LAYER_COLOURS[n] for n in names],
            marker_opacity=[1.0 if n in (chosen, "GloVe") else 0.55 for n in names],
            hovertemplate="%{y}: cosine %{x:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(range=[min(0.0, *values.values()) - 0.02, 1.18], visible=False, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickfont={"size": 14})
    return base(figure, height=48 * len(names) + 30, key="cosines")


def map_figure(
    coordinates: np.ndarray,
    labels: list[str | None],
    hovers: list[str],
    rows: list[int],
    senses: list[str],
    *,
    layer: str,
    stars: list[Star] = (),
    height: int = 430,
    key: str,
    limits: tuple[float, float, float, float] | None = None,
    name_senses: bool = True,
) -> go.Figure:
    """A map of occurrences: (N, 2) coordinates, one sense (or None) and one hover text each; `rows` are stable row ids.

    Senses are drawn in the order given, grey points first; each is named once beside its own points.
    """
    figure = go.Figure()
    xy, labels_array = np.asarray(coordinates, float), np.array([label or "" for label in labels], object)
    for number, sense in [(-1, ""), *enumerate(senses)]:
        here = np.flatnonzero(labels_array == sense)
        if not len(here):
            continue
        figure.add_trace(
            (go.Scattergl if len(xy) > 5000 else go.Scatter)(
                x=xy[here, 0],
                y=xy[here, 1],
                mode="markers",
                name=sense or "other",
                customdata=[[rows[k]] for k in here],
                text=[hovers[k] for k in here],
                hovertemplate="%{text}<extra></extra>",
                marker={
                    "color": GREY if number < 0 else sense_colour(number),
                    "symbol": "circle" if number < 0 else SENSE_SYMBOLS[number % 8],
                    "size": 6 if number < 0 else 10,
                    "line": {"width": 0.0 if number < 0 else 0.7, "color": "rgba(255,255,255,0.7)"},
                },
            )
        )
        if number >= 0 and name_senses:
            _name(figure, _outer_edge(xy[here], xy), sense, sense_colour(number))
    _stars(figure, stars, layer)
    figure.update_xaxes(visible=False, range=limits[:2] if limits else None)
    figure.update_yaxes(visible=False, range=limits[2:] if limits else None, scaleanchor="x")
    figure.update_layout(dragmode="select")
    return base(figure, height=height, key=key)


def _outer_edge(points: np.ndarray, everything: np.ndarray) -> np.ndarray:
    """Where a group's name hides least: at its rim, on the side away from the middle of the map."""
    middle, centre = everything.mean(0), np.median(points, axis=0)
    away = centre - middle
    away = away / np.linalg.norm(away) if np.linalg.norm(away) > 1e-9 else np.array([0.0, 1.0])
    return middle + away * (((points - middle) @ away).max() + 0.06 * np.ptp(everything, axis=0).max())


def _name(figure: go.Figure, at: np.ndarray, text: str, colour: str) -> None:
    figure.add_annotation(
        x=at[0],
        y=at[1],
        text=f"<b>{escape(text)}</b>",
        showarrow=False,
        font={"size": 13, "color": "#ffffff"},
        bgcolor=colour,
        borderpad=3,
        opacity=0.95,
    )


def _stars(figure: go.Figure, stars, layer: str) -> None:
    for number, star in enumerate(stars):
        if layer not in star.points:
            continue
        x, y = star.points[layer]
        figure.add_scatter(
            x=[x],
            y=[y],
            mode="markers+text",
            text=[star.label],
            textposition="bottom center" if number % 2 else "top center",
            textfont={"size": 14},
            customdata=[[-1 - number]],
            hovertext=[star.text],
            hovertemplate="%{hovertext}<extra></extra>",
            name=star.label,
            marker={"symbol": "star", "size": 18, "opacity": 0.9, "color": OWN[number % 2], "line": {"color": RIM, "width": 2}},
        )


def shared_limits(coordinates: np.ndarray, stars: list[Star] = ()) -> tuple[float, float, float, float]:
    """x and y ranges that hold every point of every layer, with a margin: small multiples share their axes."""
    points = [np.asarray(coordinates, float).reshape(-1, 2), *(np.array([p]) for s in stars for p in s.points.values())]
    low, high = np.concatenate(points).min(0), np.concatenate(points).max(0)
    pad = np.maximum((high - low) * 0.13, 1e-3)
    return low[0] - pad[0], high[0] + pad[0], low[1] - pad[1], high[1] + pad[1]


def weight_bars(weights, learned: dict[str, list[float]] | None = None) -> go.Figure:
    """softmax(w) as bars from 0 to 1, layer by layer; weights learned elsewhere as marks on the same scale."""
    names = [f"s{k}" for k in range(len(weights))]
    figure = go.Figure(
        go.Bar(
            x=list(weights),
            y=names,
            orientation="h",
            marker_color=[LAYER_COLOURS[str(min(k, 2))] for k in range(len(weights))],
            text=[f"{w:.0%}" for w in weights],
            textposition="outside",
            textfont={"size": 15},
            cliponaxis=False,
            hovertemplate="%{y} = %{x:.3f}<extra></extra>",
        )
    )
    for label, values in (learned or {}).items():
        figure.add_scatter(x=values, y=names, mode="markers", name=label, marker={"symbol": "line-ns-open", "size": 18})
    figure.update_xaxes(range=[0, 1.15], visible=False, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickfont={"size": 15})
    return base(figure, height=58 * len(names) + 24, key="weights")


def accuracy_lines(curves: dict[str, dict[str, float]], *, null: float | None, majority: float | None) -> go.Figure:
    """1-NN sense accuracy per layer and mix as dots on one scale, with chance and majority as lines."""
    figure = go.Figure()
    for name, values in curves.items():
        layers = list(values)
        figure.add_bar(
            x=[_layer_title(n) for n in layers],
            y=list(values.values()),
            name=name,
            text=[f"{v:.0%}" for v in values.values()],
            textposition="outside",
            textfont={"size": 14},
            cliponaxis=False,
            marker_color=[LAYER_COLOURS[n] for n in layers],
            hovertemplate="%{x}: %{y:.1%}<extra></extra>",
        )
    for value, label, dash in _merged_lines(null, majority):
        figure.add_hline(y=value, line={"dash": dash, "color": "#888", "width": 1.5})
        figure.add_annotation(
            x=1.01, xref="paper", y=value, text=label, showarrow=False, xanchor="left", align="left", font={"size": 12}
        )
    figure.update_yaxes(range=[0, 1.12], tickformat=".0%", fixedrange=True, gridcolor="rgba(140,140,150,0.2)", nticks=5)
    figure.update_xaxes(fixedrange=True, tickfont={"size": 14})
    base(figure, height=270, key="accuracy")
    return figure.update_layout(margin_r=112)


def _merged_lines(null: float | None, majority: float | None) -> list[tuple[float, str, str]]:
    """The lines of chance and of the commonest sense, as one where they would lie on each other."""
    if null is not None and majority is not None and abs(null - majority) < 0.09:
        return [((null + majority) / 2, "chance,<br>commonest sense", "dot")]
    lines = [(null, "chance<br>(shuffled)", "dot"), (majority, "commonest<br>sense", "dash")]
    return [(value, label, dash) for value, label, dash in lines if value is not None]
