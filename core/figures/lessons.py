"""Figures of the lessons: rows of cosine densities, measures with intervals, and a dot for each word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go

from ..common.i18n import t
from ..common.markup import Markup, html
from . import style
from .style import GRID, RIM, Figure, add_text, base, line_name

RANDOM_PAIRS, ONE_WORD, ONE_SENSE = "#8A8A94", "#D55E00", "#0072B2"  # random pairs, of one word (in two senses), of one sense
ROW = 0.86  # of the distance of two rows' feet: how high a curve is


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
            figure.add_scatter(x=x, y=np.full(len(x), foot), mode="lines", line={"width": 0}, hoverinfo="skip")
            figure.add_scatter(
                x=x,
                y=y,
                mode="lines",
                line={"color": color, "width": 2},
                fill="tonexty",
                fillcolor=_pale(color),
                name=name,
                customdata=curve[inside],
                hovertemplate=html("{}: %{{x:.2f}}<extra>{}</extra>", name, row.name),
            )
        caption = html("<b>{}</b>", row.name) + (html("<br>{}", row.note) if row.note else "")
        add_text(figure, 0, foot + ROW, caption, yanchor="top", **style.AT_LEFT)
        figure.add_hline(y=foot, line={"color": GRID, "width": 1})
    if threshold is not None:
        figure.add_vline(x=threshold, line={"color": "#888", "width": 2, "dash": "dot"})
    named = Markup("<br>").join(line_name(name, color) for name, color in colors.items())
    add_text(figure, 0, 1, named, yref="paper", yanchor="bottom", **style.AT_LEFT)
    figure.update_xaxes(range=list(span), title=t("cosine"), **style.QUIET)
    figure.update_yaxes(range=[0.05 - len(rows) + 0.9, 0.95], visible=False, fixedrange=True)
    base(figure, height=118 * len(rows) + 60 + 19 * len(colors), key=key)
    return figure.update_layout(margin_t=14 + 19 * len(colors))


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
        values = [row.words[word] for word in words]
        figure.add_scatter(
            x=values,
            y=heights,
            mode="markers",
            text=words,
            hovertemplate=f"%{{text}}: %{{x:{form}}}",
            marker={
                "size": [13 if word == marked else 6 for word in words],
                "color": ["#FFD23F" if word == marked else "rgba(140,140,150,0.55)" for word in words],
                "line": {"width": [2 if word == marked else 0 for word in words], "color": RIM},
                "symbol": ["star" if word == marked else "circle" for word in words],
                "opacity": 1,  # else Plotly draws dots of several sizes pale
            },
        )
        interval = [] if row.low is None else [row.low, row.high]
        figure.add_scatter(x=interval, y=[-number] * len(interval), mode="lines", line={"color": row.color, "width": 4}, hoverinfo="skip")
        card, marker = f"{row.name}: %{{x:{form}}}", {"size": 13, "color": row.color}
        figure.add_scatter(x=[row.mean], y=[-number], mode="markers", marker=marker, hovertemplate=card)
        ends = t("{low} to {high}", low=f"{row.low:{form}}", high=f"{row.high:{form}}") if interval else t("no interval")
        message = html("<b>{}</b>  {}", row.name, f"{row.mean:{form}}  ({ends})")
        add_text(figure, 0, -number, message, yshift=9, yanchor="bottom", **style.AT_LEFT)
    ends = [zero, *(end for row in rows for end in (row.mean, row.low, row.high, *row.words.values()))]
    low, high = (edge([end for end in ends if end is not None]) for edge in (min, max))
    margin = 0.04 * (high - low or 1)
    figure.update_xaxes(range=[low - (margin if low != zero else 0), high + margin], title=title, tickformat=form, **style.QUIET)
    figure.update_yaxes(range=[0.5 - len(rows), 0.55], visible=False, fixedrange=True)
    return base(figure, height=64 * len(rows) + 60, key=key)


def _pale(color: str) -> str:
    """Return a color, "#rrggbb", nearly transparent."""
    return f"rgba({int(color[1:3], 16)},{int(color[3:5], 16)},{int(color[5:7], 16)},0.18)"


def word_dots(
    xs: Sequence[float], ys: Sequence[float], words: Sequence[str], *, across: str, up: str, log: bool, color: str, key: str
) -> go.Figure:
    """Draw a dot for each word, named on hover. `log` concerns the horizontal axis."""
    spread = np.random.default_rng(0).uniform(-0.12, 0.12, len(xs)) if not log else np.zeros(len(xs))  # equal numbers would overlap
    figure = Figure().add_scatter(
        x=np.asarray(xs, float) + spread,
        y=list(ys),
        mode="markers",
        text=words,
        customdata=list(xs),
        marker={"size": 9, "color": color, "opacity": 0.75},
        hovertemplate=Markup("<b>%{text}</b>: %{y:.2f} (%{customdata:,})"),
    )
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
    labels = [line_name(name, color) for name, color in zip(lines, colors, strict=False)]
    named = Markup("<br>").join([*labels, f"··· {level[0]} {level[1]:.0%}"])
    add_text(figure, 0, 1, named, yref="paper", yanchor="bottom", **style.AT_LEFT)
    figure.update_xaxes(title=title, type="log", tickvals=list(ranks), **style.QUIET)
    figure.update_yaxes(range=[0, 1.03], tickformat=".0%", **style.QUIET)
    base(figure, height=400, key=key)
    return figure.update_layout(margin_t=76)
