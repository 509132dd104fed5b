"""Classifiers at work: answers side by side, confidence against accuracy, confusion, curves of a training."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go

from core.figures.style import SENSE_COLOURS, base

GRID = "rgba(140,140,150,0.2)"
GRADES = ("#A6341B", "#E08A5B", "#9A9AA3", "#5FA8D3", "#1B5E8C")  # ordered classes, from bad to good
FOR, AGAINST = "0,114,178", "213,94,0"  # red, green, blue of what speaks for a class and against it


def class_colours(labels: Sequence[str], *, ordered: bool) -> dict[str, str]:
    """A colour for each class, the same wherever it is drawn; ordered ones run from red to blue."""
    if ordered and len(labels) > 1:
        places = np.linspace(0, len(GRADES) - 1, len(labels)).round().astype(int)
        return {label: GRADES[k] for label, k in zip(labels, places, strict=True)}
    return {label: SENSE_COLOURS[k % len(SENSE_COLOURS)] for k, label in enumerate(labels)}


def answers_figure(titles: Sequence[str], probabilities: Sequence[dict[str, float]], colours: dict[str, str]) -> go.Figure:
    """A bar a classifier, all 100 % of it shared out among the classes; the answer is named in its part."""
    figure = go.Figure()
    names = [escape(title) for title in titles]
    best = [max(row, key=row.get) for row in probabilities]
    for label, colour in colours.items():
        shares = [row.get(label, 0.0) for row in probabilities]
        figure.add_bar(
            x=shares,
            y=names,
            orientation="h",
            name=label,
            marker={"color": colour, "line": {"width": 0}},
            opacity=1.0,
            text=[f"<b>{escape(label)}</b> {p:.0%}" if label == b else "" for p, b in zip(shares, best, strict=True)],
            textposition="inside",
            insidetextanchor="start",
            textangle=0,
            textfont={"color": "#ffffff", "size": 14},
            hovertemplate=f"%{{y}}<br>{escape(label)}: %{{x:.1%}}<extra></extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.28, uniformtext={"minsize": 9, "mode": "show"})
    figure.update_xaxes(visible=False, range=[0, 1.0], fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickfont={"size": 14}, automargin=True)
    return base(figure, height=38 * len(names) + 40, key="answers")


def token_marks(tokens: Sequence[str], values: Sequence[float], *, title: str) -> str:
    """Safe HTML: each token on a ground that says how much it speaks for (blue) or against (orange) a class; log-odds on hover."""
    most = max([1.0, *(abs(v) for v in values)])  # one nat at full strength at least: weak reasons stay pale
    parts = []
    for token, value in zip(tokens, values, strict=True):
        ground = f"rgba({FOR if value >= 0 else AGAINST},{abs(value) / most * 0.62:.2f})"
        parts.append(
            f'<span class="token" style="background:{ground}" title="{value:+.2f} {escape(title)}">{escape(token)}</span>'
        )
    return f'<div class="tokens">{" ".join(parts)}</div>'


def reliability_figure(bins: Sequence[dict], *, colour: str) -> go.Figure:
    """Confidence against accuracy: dots on the diagonal are honest. `bins`: confidence, accuracy, n (Guo et al. 2017, fig. 1)."""
    kept = [b for b in bins if b["n"]]
    largest = max([1, *(b["n"] for b in kept)])
    figure = go.Figure(
        go.Scatter(x=[0, 1], y=[0, 1], mode="lines", line={"color": "#888", "dash": "dot", "width": 1.5}, hoverinfo="skip")
    )
    figure.add_scatter(
        x=[b["confidence"] for b in kept],
        y=[b["accuracy"] for b in kept],
        mode="markers+lines",
        line={"color": colour, "width": 2},
        marker={"color": colour, "size": [7 + 17 * (b["n"] / largest) ** 0.5 for b in kept]},
        customdata=[b["n"] for b in kept],
        hovertemplate="says %{x:.0%}, is right in %{y:.0%} of %{customdata:,} texts<extra></extra>",
    )
    for axis, title in ((figure.update_xaxes, "how sure it was"), (figure.update_yaxes, "how often it was right")):
        axis(title=title, range=[0, 1.04], tickformat=".0%", gridcolor=GRID, zeroline=False, fixedrange=True)
    return base(figure, height=320, key="reliability")


def confusion_figure(confusion: Sequence[Sequence[int]], labels: Sequence[str]) -> go.Figure:
    """(C, C) counts, a row for each true class: shade by the row's share, counts as text."""
    counts = np.asarray(confusion, float)
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    names = [escape(label) for label in labels]
    figure = go.Figure(
        go.Heatmap(
            z=shares, x=names, y=names, zmin=0, zmax=1, showscale=False, xgap=3, ygap=3, text=counts.astype(int), texttemplate="%{text:,}",
            colorscale=[[0, "rgba(66,146,198,0.08)"], [1, "#2171B5"]],
            hovertemplate="is %{y}, was called %{x}: %{text:,} (%{z:.1%})<extra></extra>",
        )
    )  # fmt: skip
    figure.update_yaxes(autorange="reversed", title="is", fixedrange=True)
    figure.update_xaxes(title="was called", fixedrange=True, side="bottom")
    return base(figure, height=90 + 52 * len(names), key="confusion")


def curves_figure(curves: dict[str, list[tuple[float, float]]], *, y: str, percent: bool, x: str = "epoch") -> go.Figure:
    """Named lines of (x, y) points, each named at its end."""
    figure = go.Figure()
    for k, (name, points) in enumerate(curves.items()):
        colour = SENSE_COLOURS[k % len(SENSE_COLOURS)]
        figure.add_scatter(
            x=[p[0] for p in points], y=[p[1] for p in points], mode="lines+markers", name=name, line={"color": colour, "width": 2.5},
            hovertemplate=f"{escape(name)}<br>{x} %{{x}}: %{{y:{'.1%' if percent else '.3f'}}}<extra></extra>",
        )  # fmt: skip
        if points:
            figure.add_annotation(
                x=points[-1][0], y=points[-1][1], text=escape(name), showarrow=False, xanchor="left", xshift=8,
                font={"color": colour, "size": 12},
            )  # fmt: skip
    figure.update_xaxes(title=x, gridcolor=GRID, zeroline=False, fixedrange=True)
    figure.update_yaxes(title=y, tickformat=".0%" if percent else None, gridcolor=GRID, zeroline=False, fixedrange=True)
    return base(figure, height=320, key=f"curves.{y}").update_layout(margin_r=120)
