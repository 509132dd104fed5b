"""Figures of the lessons and of ranked words: cosine densities, means with intervals, accuracy by probe rank, and a dot for each word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go

from ..common.i18n import t
from ..common.markup import Markup, html
from . import style
from .style import GRID, MARKED_RIM, OWN, RIM, SENSE_SYMBOLS, Figure, add_text, base, layer_color, layer_title, line_name, sense_color

RANDOM_PAIRS, ONE_WORD, ONE_SENSE = "#8A8A94", "#D55E00", "#0072B2"  # random pairs, of one word (in two senses), of one sense
ROW = 0.86  # height of a curve, as a share of the distance between two rows
WORD_ROW = 19  # pixels a word


@dataclass(frozen=True, slots=True)
class Row:
    """A row of densities: its name, the text at its right, and its curves by name."""

    name: str
    note: str
    curves: Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Dots:
    """A row of a figure by word: a mean with its interval, and a dot for each word."""

    name: str
    mean: float
    low: float | None  # None, both: it has no interval
    high: float | None
    words: Mapping[str, float] = field(default_factory=dict)
    color: str = ONE_SENSE


def density_rows(
    rows: Sequence[Row], grid: np.ndarray, colors: Mapping[str, str], *, span: tuple[float, float], key: str, threshold: float | None = None
) -> go.Figure:
    """Draw densities over `grid` (n,), a row for each layer, all curves equally high. `threshold` draws a line through all rows."""
    figure = Figure()
    inside = (grid >= span[0]) & (grid <= span[1])
    x = grid[inside]
    for number, row in enumerate(rows):
        foot = -number
        for name, curve in row.curves.items():
            y = foot + ROW * curve[inside] / max(curve.max(), 1e-12)
            color = colors[name]
            card = html("{}: %{{x:.2f}}<extra>{}</extra>", name, row.name)
            look = {"line": {"color": color, "width": 2}, "fill": "tonexty", "fillcolor": style.see_through(color, "0.18"), "name": name}
            figure.add_scatter(x=x, y=np.full(len(x), foot), mode="lines", line={"width": 0}, hoverinfo="skip")
            figure.add_scatter(x=x, y=y, mode="lines", customdata=curve[inside], hovertemplate=card, **look)
        caption = html("<b>{}</b>", row.name) + (html("<br>{}", row.note) if row.note else "")
        add_text(figure, 0, foot + ROW, caption, yanchor="top", **style.AT_LEFT)
        figure.add_hline(y=foot, line={"color": GRID, "width": 1})
    if threshold is not None:
        figure.add_vline(x=threshold, line={"color": "#888", "width": 2, "dash": "dot"})
    _name_above(figure, [line_name(name, color) for name, color in colors.items()])
    figure.update_xaxes(range=list(span), title=t("cosine"), **style.QUIET)
    figure.update_yaxes(range=[0.05 - len(rows) + 0.9, 0.95], visible=False, fixedrange=True)
    return base(figure, height=118 * len(rows) + 60 + 19 * len(colors), key=key).update_layout(margin_t=14 + 19 * len(colors))


def _name_above(figure: go.Figure, names: Sequence[str]) -> None:
    """Write the names of lines above the plot, one below the other."""
    add_text(figure, 0, 1, Markup("<br>").join(names), yref="paper", yanchor="bottom", **style.AT_LEFT)


def interval_dots(rows: Sequence[Dots], *, title: str, zero: float | None, key: str, marked: str = "", per_cent: bool = True) -> go.Figure:
    """Draw a row for each mean with its interval, and a gray dot for each word. The marked word's dots are larger and dark."""
    figure = Figure()
    rng = np.random.default_rng(0)
    form = ".0%" if per_cent else ".2f"
    if zero is not None:
        figure.add_vline(x=zero, line=style.DOTTED)
    for number, row in enumerate(rows):
        words = list(row.words)
        heights = -number - 0.14 - 0.16 * rng.random(len(words))
        is_marked = [word == marked for word in words]
        marker = {
            "size": [13 if mark else 6 for mark in is_marked],
            "color": [OWN[0] if mark else "rgba(140,140,150,0.55)" for mark in is_marked],
            "line": {"width": [2 if mark else 0 for mark in is_marked], "color": RIM},
            "symbol": ["star" if mark else "circle" for mark in is_marked],
            "opacity": 1,  # without it, Plotly draws dots of several sizes pale
        }
        card = f"%{{text}}: %{{x:{form}}}"
        figure.add_scatter(x=list(row.words.values()), y=heights, mode="markers", text=words, hovertemplate=card, marker=marker)
        interval = [] if row.low is None else [row.low, row.high]
        figure.add_scatter(x=interval, y=[-number] * len(interval), mode="lines", line={"color": row.color, "width": 4}, hoverinfo="skip")
        card = f"{row.name}: %{{x:{form}}}"
        marker = {"size": 13, "color": row.color}
        figure.add_scatter(x=[row.mean], y=[-number], mode="markers", marker=marker, hovertemplate=card)
        span = t("{low} to {high}", low=f"{row.low:{form}}", high=f"{row.high:{form}}") if interval else t("no interval")
        message = html("<b>{}</b>  {}", row.name, f"{row.mean:{form}}  ({span})")
        add_text(figure, 0, -number, message, yshift=9, yanchor="bottom", **style.AT_LEFT)
    places = [zero, *(value for row in rows for value in (row.mean, row.low, row.high, *row.words.values()))]
    low = min(place for place in places if place is not None)
    high = max(place for place in places if place is not None)
    margin = 0.04 * (high - low or 1)
    figure.update_xaxes(range=[low - (margin if low != zero else 0), high + margin], title=title, tickformat=form, **style.QUIET)
    figure.update_yaxes(range=[0.5 - len(rows), 0.55], visible=False, fixedrange=True)
    return base(figure, height=64 * len(rows) + 60, key=key)


def word_dots(
    xs: Sequence[float], ys: Sequence[float], words: Sequence[str], *, across: str, up: str, log: bool, color: str, key: str
) -> go.Figure:
    """Draw a dot for each word, named on hover. `log` concerns the horizontal axis."""
    spread = np.random.default_rng(0).uniform(-0.12, 0.12, len(xs)) if not log else np.zeros(len(xs))  # equal numbers would overlap
    card = Markup("<b>%{text}</b>: %{y:.2f} (%{customdata:,})")
    marker = {"size": 9, "color": color, "opacity": 0.75}
    look = {"mode": "markers", "marker": marker, "text": words, "customdata": list(xs)}
    figure = Figure().add_scatter(x=np.asarray(xs, float) + spread, y=list(ys), hovertemplate=card, **look)
    figure.update_xaxes(title=across, type="log" if log else "linear", dtick=1, tickformat="," if log else None, **style.QUIET)
    figure.update_yaxes(title=up, tickformat=".2f", **style.QUIET)
    return base(figure, height=300, key=key)


def rank_lines(ranks: Sequence[int], lines: Mapping[str, Sequence[float]], *, level: tuple[str, float], title: str, key: str) -> go.Figure:
    """Draw accuracies by the probe's rank on a logarithmic axis, with named lines. `level` is an accuracy without a probe."""
    figure = Figure()
    colors = (ONE_SENSE, ONE_WORD)
    figure.add_hline(y=level[1], line=style.DOTTED)
    for (name, values), color in zip(lines.items(), colors, strict=False):
        style.add_line(figure, ranks, values, color, f"{name}: %{{y:.1%}}", width=3, marker={"size": 9}, name=name)
    _name_above(figure, [*(line_name(*line) for line in zip(lines, colors, strict=False)), f"··· {level[0]} {level[1]:.0%}"])
    figure.update_xaxes(title=title, type="log", tickvals=list(ranks), **style.QUIET)
    figure.update_yaxes(range=[0, 1.03], tickformat=".0%", **style.QUIET)
    return base(figure, height=400, key=key).update_layout(margin_t=76)


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
    common = {"y": places, "mode": "markers", "customdata": [[word] for word in words]}
    chosen = [gains[word][layer] for word in words]
    figure.add_vline(x=0, line=style.DOTTED)
    card = t("maximum: {most}", most="%{x:.0%}")
    marker = {"symbol": "line-ns", "size": 9, "line": {"color": "#888", "width": 2}}
    figure.add_scatter(x=[gain[3] for gain in chosen], marker=marker, hovertemplate=card, **common)
    for name in next(iter(gains.values())):
        if name == layer:
            continue
        card = f"%{{customdata[0]}}, {layer_title(name)}: %{{x:+.0%}}"
        marker = {"size": 6, "color": layer_color(name), "opacity": 0.75}
        figure.add_scatter(x=[gains[word][name][0] for word in words], marker=marker, hovertemplate=card, **common)
    means, lows, highs, _, shown = zip(*chosen, strict=True)
    marker = style.hollow_dots(12, layer_color(layer), 2.5, shown)
    bars = style.error_bars(means, lows, highs, color=layer_color(layer), thickness=2, width=0)
    card = html("<b>%{{customdata[0]}}</b>, {}: %{{x:+.0%}}", layer_title(layer))
    figure.add_scatter(x=means, error_x=bars, marker=marker, hovertemplate=card, **common)
    ticks = {"tickvals": places, "ticktext": [html("<b>{}</b> ◂", w) if w == word else w for w in words], "tickfont": {"size": 13}}
    figure.update_yaxes(range=[len(words) - 0.4, -0.6], **ticks, **style.EMPTY)
    figure.update_xaxes(title=t("accuracy above chance"), tickformat="+.0%", range=[-0.3, 0.85], fixedrange=True, gridcolor=GRID, nticks=6)
    figure.update_layout(dragmode=False, clickmode="event+select")
    return base(figure, height=WORD_ROW * len(words) + 70, key=key)


def words_figure(
    points: Mapping[str, tuple[float, float, int, str]], names: Mapping[str, str], *, layer: str, word: str, key: str
) -> go.Figure:
    """Draw all words: word -> (chance, 1-NN share, senses, part of speech). `names` are of the parts of speech, in order.

    Accuracy of the nearest sentence over that of shuffled senses. Both are equal on the broken line. Larger dots have more senses. The
    customdata of each dot is its word.
    """
    figure = Figure()
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=style.DOTTED, hoverinfo="skip", showlegend=False)
    accuracy = t("1-NN {share}, chance {chance}", share="%{y:.0%}", chance="%{x:.0%}")
    card = html("<b>%{{customdata[0]}}</b> · {}<br>{}", t("{n} senses", n="%{customdata[1]}"), accuracy)
    for number, (pos, name) in enumerate(names.items()):
        group = [(spelling, *point) for spelling, point in points.items() if point[3] == pos]
        if not group:
            continue
        spellings, chances, shares, n_senses, _ = zip(*group, strict=True)
        marker = {
            "color": sense_color(number),
            "symbol": SENSE_SYMBOLS[number % 8],
            "size": [4 + 3 * n for n in n_senses],
            "opacity": 0.75,
            "line": {"width": [3 if spelling == word else 0.5 for spelling in spellings], "color": MARKED_RIM},
        }
        data = list(zip(spellings, n_senses, strict=True))
        figure.add_scatter(x=chances, y=shares, mode="markers", name=name, customdata=data, marker=marker, hovertemplate=card)
    x = [point[0] for point in points.values()] or [0, 1]
    axis = {"tickformat": ".0%", "gridcolor": GRID, "zeroline": False}
    figure.update_xaxes(title=t("chance"), range=[max(0, min(x) - 0.05), min(1, max(x) + 0.05)], **axis)
    figure.update_yaxes(title=t("1-NN, {where}", where=layer_title(layer)), range=[-0.03, 1.03], **axis)
    figure.update_layout(legend={"orientation": "h", "y": 1.08, "x": 0}, showlegend=True, clickmode="event+select", dragmode=False)
    return base(figure, height=480, key=key)
