"""The limits of a map: lines to true neighbors, a map in three dimensions, and words ranked by how well their senses separate."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from ..common.i18n import t
from ..common.markup import html
from . import style
from .maps import Star
from .style import GRAY, GRID, MARKED_RIM, OWN, RIM, SENSE_SYMBOLS, Figure, base, layer_color, layer_title, sense_color

KEPT, ELSEWHERE = "#6B7280", "#D81B60"  # lines to true neighbors which a map has near too, and which it put elsewhere
SYMBOLS_3D = ("circle", "diamond", "square", "cross", "x", "circle-open", "diamond-open", "square-open")  # all that Plotly has
ROW = 19  # pixels a word


def link_colors() -> dict[str, str]:
    """Return the names and the colors of both kinds of line."""
    return {t("near on the map"): KEPT, t("not near"): ELSEWHERE}


def add_links(figure: go.Figure, start: Sequence[float], ends: np.ndarray, is_near: np.ndarray) -> go.Figure:
    """Draw lines under the dots of a map from `at` (d,) to each end (n, d), d = 2 or 3; solid where `near` (n,), else broken."""
    ends, is_near, start = np.asarray(ends, float), np.asarray(is_near, bool), np.asarray(start, float)
    kind, names = (go.Scatter3d, "xyz") if len(start) == 3 else (go.Scatter, "xy")
    for chosen, color, dash in ((is_near, KEPT, "solid"), (~is_near, ELSEWHERE, "dash")):
        if chosen.any():
            path = np.full((3 * chosen.sum(), len(start)), np.nan)  # from, to, a gap
            path[0::3], path[1::3] = start, ends[chosen]
            places = {name: [None if np.isnan(v) else float(v) for v in path[:, k]] for k, name in enumerate(names)}
            figure.add_trace(kind(**places, mode="lines", line={"color": color, "width": 2.2, "dash": dash}, hoverinfo="skip"))
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    ring = {"color": "rgba(0,0,0,0)", "size": 20, "line": {"color": ELSEWHERE, "width": 2.5}}
    if len(start) == 2:
        figure.add_scatter(x=[start[0]], y=[start[1]], mode="markers", marker=ring, hoverinfo="skip", unselected={"marker": {"opacity": 1}})
    figure.data = [*lines, *(trace for trace in figure.data if trace.mode != "lines")]
    return figure


def space_figure(
    coordinates: np.ndarray,
    labels: Sequence[str | None],
    hovers: Sequence[str],
    senses: Sequence[str],
    *,
    stars: Sequence[Star],
    layer: str,
    key: str,
) -> go.Figure:
    """Draw (N, 3) coordinates as a cloud to turn. `stars` have three coordinates. Nothing can be selected."""
    figure = Figure()
    labels_array = np.array([label or "" for label in labels], object)
    for number, sense in [(-1, ""), *enumerate(senses)]:
        chosen = np.flatnonzero(labels_array == sense)
        if not len(chosen):
            continue
        x, y, z = np.asarray(coordinates, float)[chosen].T
        figure.add_scatter3d(
            x=x,
            y=y,
            z=z,
            mode="markers",
            name=sense or t("other"),
            text=[hovers[k] for k in chosen],
            hovertemplate="%{text}",
            marker={
                "size": 2.5 if number < 0 else 5,
                "color": GRAY if number < 0 else sense_color(number),
                "symbol": SYMBOLS_3D[max(number, 0) % 8],
            },
        )
    for number, star in enumerate(stars):
        if layer in star.points:
            x, y, z = ([value] for value in star.points[layer])
            figure.add_scatter3d(
                x=x,
                y=y,
                z=z,
                mode="markers+text",
                text=[star.label],
                name=star.label,
                hovertext=[star.text],
                hovertemplate="%{hovertext}",
                marker={"size": 9, "symbol": "diamond", "color": OWN[number % 2], "line": {"color": RIM, "width": 2}},
            )
    axis = {"showbackground": False, "showticklabels": False, "showspikes": False, "gridcolor": "rgba(140,140,150,0.25)", "zeroline": False}
    names = [t("component {number}", number=number) for number in (1, 2, 3)]
    figure.update_layout(scene={f"{letter}axis": {**axis, "title": {"text": name}} for letter, name in zip("xyz", names, strict=True)})
    figure.update_layout(scene_aspectmode="data", scene_uirevision=key)
    return base(figure, height=620, key=key)


def ranking_figure(
    gains: Mapping[str, Mapping[str, tuple[float, float, float, float, bool]]], *, layer: str, word: str, key: str
) -> go.Figure:
    """Draw words from top to bottom by their gain: word -> space -> (gain, low, high, maximum, shown).

    Filled dots are better than chance, hollow ones are inconclusive. The selected space has an interval, other spaces are small dots, and a mark
    is the maximum. The customdata of each dot is its word.
    """
    figure = Figure()
    words = list(gains)
    places = list(range(len(words)))
    figure.add_vline(x=0, line=style.DOTTED)
    figure.add_scatter(
        x=[gains[w][layer][3] for w in words],
        y=places,
        mode="markers",
        marker={"symbol": "line-ns", "size": 9, "line": {"color": "#888", "width": 2}},
        hovertemplate=t("maximum: {most}", most="%{x:.0%}"),
        customdata=[[w] for w in words],
    )
    for name in (n for n in next(iter(gains.values())) if n != layer):
        figure.add_scatter(
            x=[gains[w][name][0] for w in words],
            y=places,
            mode="markers",
            marker={"size": 6, "color": layer_color(name), "opacity": 0.75},
            customdata=[[w] for w in words],
            hovertemplate=f"%{{customdata[0]}}, {layer_title(name)}: %{{x:+.0%}}",
        )
    chosen = [gains[w][layer] for w in words]
    figure.add_scatter(
        x=[g[0] for g in chosen],
        y=places,
        mode="markers",
        customdata=[[w] for w in words],
        error_x=style.error_bars(*zip(*(g[:3] for g in chosen), strict=True), color=layer_color(layer), thickness=2, width=0),
        marker=style.hollow_dots(12, layer_color(layer), 2.5, [g[4] for g in chosen]),
        hovertemplate=html("<b>%{{customdata[0]}}</b>, {}: %{{x:+.0%}}", layer_title(layer)),
    )
    ticks = {"tickvals": places, "ticktext": [html("<b>{}</b> ◂", w) if w == word else w for w in words], "tickfont": {"size": 13}}
    figure.update_yaxes(range=[len(words) - 0.4, -0.6], **ticks, **style.EMPTY)
    figure.update_xaxes(title=t("accuracy above chance"), tickformat="+.0%", range=[-0.3, 0.85], fixedrange=True, gridcolor=GRID, nticks=6)
    figure.update_layout(dragmode=False, clickmode="event+select")
    return base(figure, height=ROW * len(words) + 70, key=key)


def words_figure(
    points: Mapping[str, tuple[float, float, int, str]], names: Mapping[str, str], *, layer: str, word: str, key: str
) -> go.Figure:
    """Draw all words: word -> (chance, 1-NN share, senses, part of speech). `names` are of the parts of speech, in order.

    Accuracy of the nearest sentence over that of shuffled senses. Both are equal on the broken line. Larger dots have more senses. The
    customdata of each dot is its word.
    """
    figure = Figure()
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=style.DOTTED, hoverinfo="skip", showlegend=False)
    card = t("{n} senses", n="%{customdata[1]}"), t("1-NN {share}, chance {chance}", share="%{y:.0%}", chance="%{x:.0%}")
    for number, (pos, name) in enumerate(names.items()):
        group = [w for w, point in points.items() if point[3] == pos]
        if not group:
            continue
        figure.add_scatter(
            x=[points[w][0] for w in group],
            y=[points[w][1] for w in group],
            mode="markers",
            name=name,
            customdata=[[w, points[w][2]] for w in group],
            marker={
                "size": [4 + 3 * points[w][2] for w in group],
                "color": sense_color(number),
                "opacity": 0.75,
                "symbol": SENSE_SYMBOLS[number % len(SENSE_SYMBOLS)],
                "line": {"width": [3 if w == word else 0.5 for w in group], "color": MARKED_RIM},
            },
            hovertemplate=html("<b>%{{customdata[0]}}</b> · {}<br>{}", *card),
        )
    figure.update_xaxes(title=t("chance"), tickformat=".0%", gridcolor=GRID, zeroline=False)
    title = t("1-NN, {where}", where=layer_title(layer))
    figure.update_yaxes(title=title, tickformat=".0%", gridcolor=GRID, range=[-0.03, 1.03], zeroline=False)
    x = [point[0] for point in points.values()] or [0, 1]
    figure.update_xaxes(range=[max(0, min(x) - 0.05), min(1, max(x) + 0.05)])
    figure.update_layout(legend={"orientation": "h", "y": 1.08, "x": 0}, showlegend=True, clickmode="event+select", dragmode=False)
    return base(figure, height=480, key=key)
