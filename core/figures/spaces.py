"""Figures of compared spaces, of senses and of the words around a word: overlaps, CKA, accuracy by depth, clusters, labels and leanings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from ..common.i18n import t
from ..common.markup import Markup, html
from . import style
from .maps import MapLook, find_limits, finish_map, name_groups, outer_edge
from .style import GRAY, GRID, MARKED_RIM, SENSE_COLORS, Figure, add_shades, add_text, base, line_name, sense_color, spread_heights

if TYPE_CHECKING:  # it imports torch
    from ..views.neighbors import Around

MOST_WRITTEN = 9  # spaces whose figures are written in their cells: more would overlap
GROUPS = (GRAY, *SENSE_COLORS)  # by group number; 0 is for points without a group
SIDES = GROUPS[:3]  # a point nearer to neither sentence, to the first, to the second
NAMED = 8  # points on each side whose words are written on the map
LETTER, LINE = 7.5, 17  # a letter's width and a line's height, in pixels


def overlap_histogram(shared: np.ndarray, k: int, chance: float) -> go.Figure:
    """Draw how many words share 0 to k of their k neighbors, (n,). `chance` is the expected share of random neighbors."""
    counts = np.bincount(shared, minlength=k + 1)
    share = counts / max(1, len(shared))
    card = t("{x} shared neighbors: {n} words", x="%{x}", n="%{customdata:,}")
    texts = {"text": [f"{value:.0%}" if value >= 0.005 else "" for value in share], "textposition": "outside", "cliponaxis": False}
    look = {"marker_color": style.LAYER_COLORS["2"], "customdata": counts, "hovertemplate": card}
    figure = Figure().add_bar(x=list(range(k + 1)), y=share, **texts, **look)
    for value, label, dash in ((chance * k, t("chance"), "dot"), (float(np.mean(shared)), t("mean"), "dash")):
        if value >= 0.25:  # else it would cover the bar's own figure
            figure.add_vline(x=value, line={"dash": dash, "color": "#888", "width": 1.5})
            add_text(figure, value, 1.0, label, yref="paper", yanchor="bottom", size=12)
    figure.update_xaxes(title=t("shared neighbors of {k}", k=k), dtick=1, fixedrange=True, range=[-0.6, k + 0.6])
    limits = [0, 1.14 * float(share.max())]
    figure.update_yaxes(title=t("words"), tickformat=".0%", fixedrange=True, gridcolor=GRID, nticks=5, range=limits)
    return base(figure, height=330, key="overlap")


def cka_heat(names: Sequence[str], matrix: np.ndarray) -> go.Figure:
    """Draw the linear CKA of every pair of spaces, (m, m), with numbers in the cells if they fit."""
    short_names = [name if len(name) <= 24 else "…" + name[-23:] for name in names]
    n = len(short_names)
    texts = [f"{value:.2f}".removeprefix("0" if n >= 6 else "") if n <= MOST_WRITTEN else "" for value in matrix.ravel()]
    card = t("{y}, {x}: CKA {z}", y="%{customdata[0]}", x="%{customdata[1]}", z="%{z:.3f}")
    figure = Figure()
    places = list(range(n))  # positions on the axes: several spaces may share a short name
    pairs = [[(row, column) for column in short_names] for row in short_names]
    add_shades(figure, matrix, places, places, texts, size=13 if n < 6 else 10, customdata=pairs, hovertemplate=card)
    columns = [Markup("-<br>").join(name.rpartition(" · ")[2][:24].split("-")) for name in short_names]  # narrower than a row's name
    figure.update_xaxes(side="bottom", fixedrange=True, tickangle=0, tickvals=places, ticktext=columns, zeroline=False)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickvals=places, ticktext=short_names, zeroline=False)
    return base(figure, height=90 + (52 if n <= MOST_WRITTEN else 26) * n, key="cka")


def number_figure(
    numbers: Sequence[int], silhouettes: Sequence[float], limit: Sequence[float], chosen: int, small: Sequence[int] = ()
) -> go.Figure:
    """Draw silhouettes by number of clusters, and random clouds' limit: `chosen` larger, hollow with a cluster too `small` for a sense."""
    figure = Figure()
    named = ((limit, t("random clouds"), "#888", "dot"), (silhouettes, t("these sentences"), style.LAYER_COLORS["2"], "solid"))
    for values, _, color, dash in named:
        sizes = [13 if n == chosen and dash == "solid" else 6 for n in numbers]
        symbols = ["circle-open" if n in small and dash == "solid" else "circle" for n in numbers]
        style.add_line(figure, numbers, values, color, "%{y:.3f}", width=2, dash=dash, marker={"size": sizes, "symbol": symbols})
    names = Markup("\u2003").join(line_name(name, color) for _, name, color, _ in named)
    add_text(figure, 1, 1, names, xref="paper", yref="paper", xanchor="right", yanchor="bottom")  # above the plot, where no line crosses it
    figure.update_xaxes(title=t("groups"), dtick=1, fixedrange=True)
    figure.update_yaxes(title=t("silhouette"), fixedrange=True, gridcolor=GRID, nticks=5)
    return base(figure, height=300, key="number")


@dataclass(frozen=True, slots=True)
class Line:
    """A model's figures from its lowest layer to its top."""

    name: str
    values: Sequence[float]
    layers: Sequence[str]  # the name of each


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
    for number in range(len(names)):
        chosen = np.flatnonzero(result == number)
        color = sense_color(number) if len(names) > 1 else GRAY
        marker = {"color": color, "symbol": symbols[chosen].tolist(), "size": 11, "line": style.THIN}
        style.add_dots(figure, coordinates[chosen], [hovers[k] for k in chosen], marker)
    return _finish_groups(figure, coordinates, result, names if len(names) > 1 else (), height=430, key=key)


def label_map(
    flat: np.ndarray, senses: np.ndarray, sure: np.ndarray, labeled: np.ndarray, names: Sequence[str], hovers: Sequence[str], *, key: str
) -> go.Figure:
    """Draw a map (n, 2) of spread labels: senses (n,), -1 for none, and their probabilities `sure` (n,). Labeled dots have a rim.

    The customdata of a dot is its number.
    """
    figure = Figure()
    marker = {
        "color": [sense_color(number) if number >= 0 else "#8C8C96" for number in senses.tolist()],
        "opacity": np.where(senses < 0, 0.6, 0.25 + 0.75 * sure).round(3).tolist(),
        "size": np.where(labeled, 15, 10).tolist(),
        "line": {"width": np.where(labeled, 3, 0).tolist(), "color": MARKED_RIM},
    }
    look = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 0.25}}}
    style.add_dots(figure, flat, hovers, marker, customdata=[[k] for k in range(len(senses))], **look)
    return _finish_groups(figure, flat, senses, names, height=400, key=key).update_layout(dragmode="lasso")


def _finish_groups(
    figure: go.Figure, coordinates: np.ndarray, numbers: np.ndarray, names: Sequence[str], *, height: int, key: str
) -> go.Figure:
    groups = ((k, coordinates[numbers == k]) for k in range(len(names)))
    edges = {k: outer_edge(dots, coordinates) for k, dots in groups if len(dots)}
    name_groups(figure, edges, [name[:40] for name in names], coordinates, height=height)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x")
    return base(figure, height=height, key=key)


def bands_figure(bands: Sequence[str], counts: np.ndarray, names: Sequence[str], *, key: str) -> go.Figure:
    """Draw the share of each group in each stretch of dates or each side, from (B, K) counts of sentences, which bars show too."""
    sizes = counts.sum(axis=1)
    shares = counts / np.maximum(sizes[:, None], 1)
    labels = [html("{}<br>n = {:,}", band, n) for band, n in zip(bands, sizes.tolist(), strict=True)]
    figure = Figure()
    places = list(range(len(labels)))  # positions on the axis: both sides may have the same label
    for number, name in enumerate(names):
        column, heights = counts[:, number], shares[:, number]
        card = t("{name}: {share} ({n} sentences)", name=name, share="%{y:.0%}", n="%{customdata:,}")
        texts = [f"{n:,}" if height >= 0.08 else "" for n, height in zip(column.tolist(), heights, strict=True)]
        look = {"text": texts, "textposition": "inside", "insidetextanchor": "middle", "marker_color": sense_color(number)}
        figure.add_bar(x=places, y=heights, customdata=column, hovertemplate=card, **look)
    figure.update_layout(barmode="stack", bargap=0.12)
    figure.update_xaxes(fixedrange=True, tickvals=places, ticktext=labels, zeroline=False)
    figure.update_yaxes(tickformat=".0%", fixedrange=True, range=[0, 1], gridcolor=GRID, nticks=5)
    return base(figure, height=330, key=key)


def shape_names(gold: Sequence[str | None]) -> list[tuple[str, str]]:
    """Return (sign, label) of each gold label, in the order in which `draw_found_map` gives shapes."""
    signs = ("●", "◆", "■", "▲", "✚", "✖", "⬟", "⬢")
    return [(signs[k % 8], label) for k, label in enumerate(sorted({label for label in gold if label}))]


def lean_map(result: "Around", words: Sequence[str], cards: Sequence[str], look: MapLook) -> go.Figure:
    """Draw a space with sentences as diamonds and words (N,) as dots. The strongest words of each group are written if they fit."""
    k = result.at(look.layer)
    occurrences = result.points.occurrences
    look = replace(look, limits=look.limits or find_limits(result.coordinates[k], result.stars[k]))
    figure = Figure()
    xy = np.asarray(result.coordinates[k], float).reshape(-1, 2)
    groups = np.asarray(result.groups[k], int)
    written = words_with_room(xy, words, groups, np.asarray(result.strength[k], float), occurrences, look)
    symbols = np.where(np.arange(len(groups)) < occurrences, "diamond", "circle")
    for group in sorted(set(groups.tolist())):
        chosen = np.flatnonzero(groups == group)
        marker = {"color": GROUPS[group], "size": 10, "symbol": symbols[chosen].tolist(), "line": style.THIN}
        more = {"customdata": chosen[:, None], "cliponaxis": False, "textposition": "top center"}
        labels = [words[k] if k in written else "" for k in chosen]
        style.add_dots(figure, xy[chosen], [cards[k] for k in chosen], marker, labels=labels, **more)
    figure.update_layout(dragmode=False)
    return finish_map(figure, look)


def lean_bars(words: Sequence[str], values: Sequence[float], groups: Sequence[int], *, key: str) -> go.Figure:
    """Draw a bar for each word: how much nearer it is to the first sentence (left) or to the second (right)."""
    reach = max([0.1, *np.abs(values)]) * 1.15
    places = list(range(len(words)))
    card = Markup("<b>%{customdata[0]}</b>: %{customdata[1]:+.2f}")
    look = {"orientation": "h", "marker_color": [SIDES[k] for k in groups], "customdata": list(zip(words, values, strict=True))}
    figure = Figure().add_bar(x=[-value for value in values], y=places, hovertemplate=card, **look)
    figure.update_yaxes(tickvals=places, ticktext=words, tickfont={"size": 13}, range=[len(words) - 0.4, -0.6], **style.EMPTY)
    figure.update_xaxes(title=t("← first sentence · second sentence →"), range=[-reach, reach], showticklabels=False)
    figure.update_xaxes(fixedrange=True, gridcolor=GRID, zeroline=True, zerolinecolor="#888")
    figure.update_layout(dragmode=False, bargap=0.35)
    return base(figure, height=21 * len(words) + 60, key=key)


def words_with_room(xy, words, groups, strength, occurrences: int, look: MapLook) -> set[int]:
    """Return the numbers of the points to label: the strongest of each group whose names overlap no other name."""
    left, right, low, high = look.limits
    scale = min(look.width / (right - left), look.height / (high - low))  # pixels a unit, the same along both axes
    stars = [star.points[look.layer] for star in look.stars if look.layer in star.points]
    taken = [(*(np.array(point) * scale), 10 * LETTER, 2.5 * LINE) for point in stars]
    result: set[int] = set()
    for group in sorted(set(groups.tolist())):
        order = [k for k in np.argsort(-strength, kind="stable").tolist() if groups[k] == group and k >= occurrences]
        limit = len(result) + NAMED
        for k in order:
            (x, y), wide = xy[k] * scale, LETTER * max(3, len(words[k]))
            if len(result) < limit and all(abs(x - a) > (wide + width) / 2 or abs(y - b) > tall for a, b, width, tall in taken):
                taken.append((x, y, wide, LINE))
                result.add(k)
    return result
