"""Figures of compared spaces and of senses: overlaps, CKA, accuracy by depth, bands, clusters and labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ..common.i18n import t
from ..common.markup import Markup, html
from . import style
from .maps import name_groups, outer_edge
from .style import GRID, MARKED_RIM, Figure, add_shades, add_text, base, line_name, sense_color, spread_heights

MOST_WRITTEN = 9  # spaces whose figures are written in their cells: more would overlap


def overlap_histogram(shared: np.ndarray, k: int, chance: float) -> go.Figure:
    """Draw how many words share 0 to k of their k neighbors, (n,). `chance` is the expected share of random neighbors."""
    counts = np.bincount(shared, minlength=k + 1)
    share = counts / max(1, len(shared))
    figure = Figure().add_bar(
        x=list(range(k + 1)),
        y=share,
        marker_color=style.LAYER_COLORS["2"],
        customdata=counts,
        text=[f"{value:.0%}" if value >= 0.005 else "" for value in share],
        textposition="outside",
        cliponaxis=False,
        hovertemplate=t("{x} shared neighbors: {n} words", x="%{x}", n="%{customdata:,}"),
    )
    for value, label, dash in ((chance * k, t("chance"), "dot"), (float(np.mean(shared)), t("mean"), "dash")):
        if value < 0.25:  # would cover the bar's own figure
            continue
        figure.add_vline(x=value, line={"dash": dash, "color": "#888", "width": 1.5})
        add_text(figure, value, 1.0, label, yref="paper", yanchor="bottom", size=12)
    figure.update_xaxes(title=t("shared neighbors of {k}", k=k), dtick=1, fixedrange=True, range=[-0.6, k + 0.6])
    top = 1.14 * float(share.max())
    figure.update_yaxes(title=t("words"), tickformat=".0%", fixedrange=True, gridcolor=GRID, nticks=5, range=[0, top])
    return base(figure, height=330, key="overlap")


def cka_heat(names: Sequence[str], matrix: np.ndarray) -> go.Figure:
    """Draw the linear CKA of every pair of spaces, (m, m), with numbers in the cells if they fit."""
    short_names = [name if len(name) <= 24 else "…" + name[-23:] for name in names]
    n = len(short_names)
    texts = [f"{value:.2f}".removeprefix("0" if n >= 6 else "") if n <= MOST_WRITTEN else "" for value in matrix.ravel()]
    card = t("{y}, {x}: CKA {z}", y="%{y}", x="%{x}", z="%{z:.3f}")
    figure = Figure()
    add_shades(figure, matrix, short_names, short_names, texts, size=13 if n < 6 else 10, hovertemplate=card)
    columns = [_short_column(name) for name in short_names]
    figure.update_xaxes(side="bottom", fixedrange=True, tickangle=0, type="category", tickvals=short_names, ticktext=columns)
    figure.update_yaxes(autorange="reversed", fixedrange=True, type="category")
    return base(figure, height=90 + (52 if n <= MOST_WRITTEN else 26) * n, key="cka")


def _short_column(name: str) -> Markup:
    """Return a space's name for its column, shorter than for its row: its layer, or the parts of a vector file's name."""
    return Markup("-<br>").join(name.rpartition(" · ")[2][:24].split("-"))


def number_figure(
    numbers: Sequence[int], silhouettes: Sequence[float], limit: Sequence[float], chosen: int, small: Sequence[int] = ()
) -> go.Figure:
    """Draw the silhouette for each number of clusters and the limit that random clouds set.

    The dot of the chosen number is larger. Those of numbers with a cluster too `small` to be a sense are hollow.
    """
    figure = Figure()
    named = ((limit, t("random clouds"), "#888", "dot"), (silhouettes, t("these sentences"), style.LAYER_COLORS["2"], "solid"))
    for values, _, color, dash in named:
        sizes = [13 if n == chosen and dash == "solid" else 6 for n in numbers]
        symbols = ["circle-open" if n in small and dash == "solid" else "circle" for n in numbers]
        style.add_line(figure, numbers, values, color, "%{y:.3f}", width=2, dash=dash, marker={"size": sizes, "symbol": symbols})
    for (_, name, color, _), y in zip(named, (1.0, 0.91), strict=True):
        add_text(figure, 1, y, line_name(name, color), xref="paper", yref="paper", xanchor="right", yanchor="top")
    figure.update_xaxes(title=t("groups"), dtick=1, fixedrange=True)
    figure.update_yaxes(title=t("silhouette"), fixedrange=True, gridcolor=GRID, nticks=5)
    return base(figure, height=300, key="number")


@dataclass(frozen=True, slots=True)
class Line:
    """A model's figures from its lowest layer to its top."""

    name: str
    values: Sequence[float]
    layers: Sequence[str]  # what each is called


def depth_figure(lines: Sequence[Line], chance: float) -> go.Figure:
    """Draw accuracy from layer 0 to the top layer, a named line for each model of any depth, with chance."""
    figure = Figure()
    figure.add_hline(y=chance, line=style.DOTTED)
    add_text(figure, 0, chance, t("shuffled labels"), xanchor="left", yanchor="bottom", size=12)
    values = [value for line in lines for value in (*line.values, chance)]
    low, high = min(values), max(values)
    ends = spread_heights({line.name: line.values[-1] for line in lines}, max(0.02, (high - low) / 9))
    for number, line in enumerate(lines):
        color = sense_color(number)
        along = np.linspace(0, 1, len(line.values)).tolist()
        style.add_line(figure, along, line.values, color, "%{text}: %{y:.1%}", width=3, marker={"size": 9}, text=list(line.layers))
        add_text(figure, 1.02, ends[line.name], line_name(line.name, color), xanchor="left")
    figure.update_xaxes(tickvals=[0, 1], ticktext=[t("layer 0"), t("top layer")], range=[-0.03, 1.45], **style.EMPTY)
    figure.update_yaxes(tickformat=".0%", fixedrange=True, gridcolor=GRID, nticks=6, range=[low - 0.04, high + 0.06])
    return base(figure, height=300, key="depth")


def draw_found_map(
    coordinates: np.ndarray, result: np.ndarray, names: Sequence[str], gold: Sequence[str | None], hovers: Sequence[str], *, key: str
) -> go.Figure:
    """Draw a map (n, 2) colored by cluster (n,) and shaped by gold label if there is one. Clusters are named next to their dots."""
    figure = Figure()
    senses = sorted({label for label in gold if label})
    symbols = np.array([style.SENSE_SYMBOLS[senses.index(label) % 8] if label else "circle" for label in gold])
    edges = {}
    for number in range(len(names)):
        chosen = np.flatnonzero(result == number)
        color = sense_color(number) if len(names) > 1 else style.GRAY
        marker = {"color": color, "symbol": symbols[chosen].tolist(), "size": 11, "line": style.THIN}
        style.add_dots(figure, coordinates[chosen], [hovers[k] for k in chosen], marker)
        if len(names) > 1 and len(chosen):
            edges[number] = outer_edge(coordinates[chosen], coordinates)
    name_groups(figure, edges, [name[:40] for name in names], coordinates, height=430)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x")
    return base(figure, height=430, key=key)


def label_map(
    coordinates: np.ndarray,
    senses: np.ndarray,
    sure: np.ndarray,
    labeled: np.ndarray,
    names: Sequence[str],
    hovers: Sequence[str],
    *,
    key: str,
) -> go.Figure:
    """Draw a map (n, 2) of spread labels: the sense of each sentence (n,), -1 for none, and its probability.

    Labeled dots have a rim. The customdata of a dot is its number.
    """
    figure = Figure().add_scatter(
        x=coordinates[:, 0],
        y=coordinates[:, 1],
        mode="markers",
        text=list(hovers),
        customdata=[[k] for k in range(len(senses))],
        hovertemplate="%{text}",
        marker={
            "color": [sense_color(number) if number >= 0 else "#8C8C96" for number in senses.tolist()],
            "opacity": np.where(senses < 0, 0.6, 0.25 + 0.75 * sure).round(3).tolist(),
            "size": np.where(labeled, 15, 10).tolist(),
            "line": {"width": np.where(labeled, 3, 0).tolist(), "color": MARKED_RIM},
        },
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0.25}},
    )
    groups = ((k, coordinates[senses == k]) for k in range(len(names)))
    edges = {k: outer_edge(dots, coordinates) for k, dots in groups if len(dots)}
    name_groups(figure, edges, [name[:40] for name in names], coordinates, height=400)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x")
    return base(figure, height=400, key=key).update_layout(dragmode="lasso")


def bands_figure(bands: Sequence[str], counts: np.ndarray, names: Sequence[str], *, key: str) -> go.Figure:
    """Draw the share of each group in each stretch of dates or each side, from (B, K) counts of sentences.

    Bars have their numbers, since one of three sentences looks like one of three hundred.
    """
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    figure = Figure()
    labels = [html("{}<br>n = {:,}", band, n) for band, n in zip(bands, counts.sum(axis=1).tolist(), strict=True)]
    for number, name in enumerate(names):
        figure.add_bar(
            x=labels,
            y=shares[:, number],
            marker_color=sense_color(number),
            customdata=counts[:, number],
            text=[f"{n:,}" if share >= 0.08 else "" for n, share in zip(counts[:, number].tolist(), shares[:, number], strict=True)],
            textposition="inside",
            insidetextanchor="middle",
            hovertemplate=t("{name}: {share} ({n} sentences)", name=name, share="%{y:.0%}", n="%{customdata:,}"),
        )
    figure.update_layout(barmode="stack", bargap=0.12)
    figure.update_xaxes(type="category", fixedrange=True)
    figure.update_yaxes(tickformat=".0%", fixedrange=True, range=[0, 1], gridcolor=GRID, nticks=5)
    return base(figure, height=330, key=key)


def shape_names(gold: Sequence[str | None]) -> list[tuple[str, str]]:
    """Return (sign, label) of each gold label, in the order in which `draw_found_map` gives shapes."""
    signs = ("●", "◆", "■", "▲", "✚", "✖", "⬟", "⬢")
    return [(signs[k % 8], label) for k, label in enumerate(sorted({label for label in gold if label}))]
