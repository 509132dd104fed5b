"""The evidence for a verdict as curves, the words that decided a sense, and a path of edits from one sense to another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..common import model_layers
from ..common.i18n import format_number, t
from ..common.markup import Markup, html, shorten
from ..text.tokens import bare, spaced
from . import style
from .style import DIFFERENT, EMPTY, GRAY, RIM, SAME, Figure, add_plate, add_text, base, layer_color, line_name, spread_heights

if TYPE_CHECKING:  # it imports torch
    from ..senses.densities import Density

ROW = 120  # pixels of a kind of evidence
STEP_CARD = Markup("%{hovertext}<br>%{y:+.3f}<extra>%{fullData.name}</extra>")
TOGETHER = 0.12  # steps nearer than this share of the map share a number
FULL = 0.03  # a difference of cosines of this size, or the largest there is, has the full color: weak reasons stay pale
LEAST = 0.005  # smaller numbers are written as 0.00, without sign and color
FURTHEST = 0.6  # a longer stroke to the right (as a share of the longest bar) becomes an arrow at the edge, so that names have room
STROKE = "#8a8a94"
CARD = "%{{customdata[0]}}, %{{customdata[1]}}<br><b>%{{customdata[2]}}</b> %{{x:.2f}} ({} %{{customdata[3]}})"
STRONGEST = 0.62  # opacity of the full color: the page's own text color is read on it
SHOWN = 40  # characters of a token
TABLE = "border-collapse:separate;border-spacing:3px 2px;width:100%;font-size:0.9rem;"
CELL = "width:18%;text-align:center;padding:0.12rem 0.1rem;font-variant-numeric:tabular-nums;"
MARK = (
    '<span class="token" style="display:inline-block;text-align:center;line-height:1.35;margin:0.1rem 0.08rem;{}"{}>{}<br>'
    '<span style="font-size:0.74rem;font-variant-numeric:tabular-nums">{}</span></span>'
)
WORD = "text-align:right;padding:0.12rem 0.5rem;max-width:9rem;overflow-wrap:break-word;"  # a word is as wide as it is, up to a point


def signed(value: float) -> str:
    """Write a difference of cosines with two digits and its sign, without a sign for zero.

    >>> signed(0.056), signed(-0.004)
    ('+0.06', '0.00')
    """
    return "0.00" if abs(value) < LEAST else format_number(value, "+.2f")


@dataclass(frozen=True, slots=True)
class HalfBar:
    """A bar of `halves_figure`."""

    group: str  # the layer
    half: str
    label: str  # the sense it chooses
    color: str
    margin: float
    without_context: float  # the same sense's margin with no sentence around the word


def influence_marks(
    tokens: Sequence[str], position: int, values: dict[int, float], hovers: dict[int, str], colors: tuple[str, str], *, write=signed
) -> str:
    """Write a sentence with a number under each tried word, colored by its sign, and the target framed.

    `colors` are for positive and negative numbers. `values` and `hovers` (plain text) are by position. `write` formats a number.
    """
    strongest = _full_strength(values.values())
    cells = []
    for k, token in enumerate(tokens):
        look = title = ""
        if k == position:
            look = "outline:2px solid currentColor;font-weight:700;"
        elif k in values:
            look = _background(values[k], strongest, colors)
            title = html(' title="{}"', hovers[k])
        number = write(values[k]) if k in values else Markup("&nbsp;")
        cells.append(html(MARK, look, title, shorten(bare(token), SHOWN), number))
    parts = [html(" {}", cell) if has_blank else cell for has_blank, cell in zip(spaced(tokens), cells, strict=True)]
    return html('<div class="tokens">{}</div>', parts)


def influence_table(
    tokens: Sequence[str], position: int, changed: Sequence[int], values, views: Sequence[str], colors, *, chosen: int, write=signed
) -> str:
    """Draw a heat map of words in reading order by layers, with the `chosen` layer in bold and the target between its words.

    `values` are the (K, V) influences of the words `changed`, colored as by `influence_marks`.
    """
    strongest = _full_strength(values.ravel())
    values_of = dict(zip(changed, values, strict=True))
    titles = [
        html('<th scope="col" style="{}font-weight:{}">{}</th>', CELL, 700 if k == chosen else 400, name) for k, name in enumerate(views)
    ]
    rows = []
    for k in sorted([*changed, position]):
        cells = html("<td colspan={}></td>", len(views))
        if k in values_of:
            cells = [html('<td style="{}">{}</td>', CELL + _background(v, strongest, colors), write(v)) for v in values_of[k]]
        look = f"{WORD}font-weight:{700 if k == position else 400}"
        rows.append(html('<tr><th scope="row" style="{}">{}</th>{}</tr>', look, shorten(bare(tokens[k]), SHOWN), cells))
    return html('<table style="{}"><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table>', TABLE, titles, rows)


def halves_figure(bars: Sequence[HalfBar], *, key: str) -> go.Figure:
    """Draw a bar for each direction of each layer: the sense that it chooses alone, and its lead.

    A stroke is the word without a sentence, an arrow if it is left of the picture.
    """
    figure = Figure()
    is_new_group = [k > 0 and bar.group != bars[k - 1].group for k, bar in enumerate(bars)]
    places = np.arange(len(bars)) + 0.7 * np.cumsum(is_new_group)
    longest = max([FULL, *(number for bar in bars for number in (bar.margin, bar.without_context))])
    strokes = np.array([bar.without_context for bar in bars])
    is_inside = strokes >= -FURTHEST * longest
    strokes = np.maximum(strokes, -FURTHEST * longest)
    below = places + 0.22  # the bar under its name, so that a long name is not cut at the side
    details = [(bar.group, bar.half, bar.label, signed(bar.without_context)) for bar in bars]
    look = {"orientation": "h", "width": 0.38, "marker_color": [bar.color for bar in bars]}
    card = html(CARD, t("without context"))
    figure.add_bar(x=[bar.margin for bar in bars], y=below, customdata=details, hovertemplate=card, **look)
    quiet = {"hoverinfo": "skip", "cliponaxis": False}
    texts = [f"\u00a0{shorten(bare(bar.label), SHOWN)} {format_number(bar.margin, '.2f')}" for bar in bars]
    look = {"mode": "text", "textposition": "middle right", "textfont": {"size": 13}}
    figure.add_scatter(x=[0.0] * len(bars), y=places - 0.2, text=texts, **look, **quiet)
    marker = {"symbol": np.where(is_inside, "line-ns", "arrow-left"), "size": np.where(is_inside, 16, 9), "color": STROKE}
    figure.add_scatter(x=strokes, y=below, mode="markers", marker=marker | {"line": {"width": 2.5, "color": STROKE}}, **quiet)
    ticks = {"tickvals": places, "ticktext": [f"{bar.group} · {bar.half}" for bar in bars], "tickfont": {"size": 14}, "automargin": True}
    figure.update_yaxes(range=[places[-1] + 0.6, -0.6], **ticks, **EMPTY)
    least = min(0.0, strokes.min())
    room = (longest - least) * 0.06
    figure.update_xaxes(range=[least - room, longest + room], visible=False, fixedrange=True)
    figure.add_vline(x=0, line={"color": STROKE, "width": 1})
    return base(figure, height=46 * len(bars) + 36, key=key).update_layout(margin_t=4)


def _full_strength(values) -> float:
    """Return the size of a number with the full color."""
    return max([FULL, *(abs(float(v)) for v in values)])


def _background(value: float, strongest: float, colors: tuple[str, str]) -> str:
    """Return the style of a cell's background, which is stronger for larger values; "" for a number written as 0.00."""
    color = style.see_through(colors[0] if value >= 0 else colors[1], f"{abs(value) / strongest * STRONGEST:.2f}")
    return f"background:{color};" if abs(value) >= LEAST else ""


def add_path(figure: go.Figure, points: np.ndarray, hovers: Sequence[str], *, numbered: bool = True) -> go.Figure:
    """Draw (S, 2) steps on a map: a line with arrows, step numbers, a star at either end; the stars alone if not `numbered`."""
    points = np.asarray(points, float)
    dark = "rgba(120,120,130,0.95)"
    if numbered:
        marker = {"symbol": ["circle", *["arrow"] * (len(points) - 1)], "angleref": "previous", "size": 13, "standoff": 3, "color": dark}
        look = {"marker": marker, "hovertext": list(hovers), "name": "path"}
        style.add_line(figure, points[:, 0], points[:, 1], dark, "%{hovertext}", width=1.8, **look)
    for number, k in enumerate((0, len(points) - 1)):
        style.add_dots(figure, [points[k]], [hovers[k]], style.star(number, 19), name=f"end {number}")
    if not numbered:
        return figure
    span = max(np.ptp([v for trace in figure.data for v in trace[axis]]) for axis in ("x", "y"))
    for place, label in _numbers(points, TOGETHER * span):
        add_plate(figure, place[0], place[1], label, "#3A3F4B", yshift=17, borderpad=2, opacity=0.92, size=12)
    return figure


def margin_figure(
    margins: dict[str, Sequence[float]], flips: dict[str, int | None], senses: tuple[str, str], hovers: Sequence[str], *, chosen: str
) -> go.Figure:
    """Draw the second sense's lead in cosine, with a line for each layer and a diamond where a line first crosses 0. NaN is left out."""
    figure = Figure()
    n = len(hovers)
    heights = [value for values in margins.values() for value in values if np.isfinite(value)]
    reach = 1.25 * max(0.01, *(abs(v) for v in heights))
    figure.add_hline(y=0, line={"color": GRAY, "width": 2})
    ends = spread_heights({name: values[-1] for name, values in margins.items()}, reach / 8)
    for name, values in margins.items():
        title = model_layers.in_use().short(name)
        color = layer_color(name)
        look = {"width": 3.5, "opacity": 1.0} if name == chosen else {"width": 2, "opacity": 0.6, "marker": {"size": 4}}
        dash = "dot" if name == "0" else "solid"
        style.add_line(figure, range(n), values, color, STEP_CARD, dash=dash, name=title, hovertext=list(hovers), **look)
        if (flip := flips.get(name)) is not None:
            diamond = {"symbol": "diamond", "size": 15, "color": color, "line": {"color": RIM, "width": 1.5}}
            figure.add_scatter(x=[flip], y=[values[flip]], mode="markers", hoverinfo="skip", marker=diamond)
        add_text(figure, n - 1, ends[name], line_name(title, color), xanchor="left", xshift=9)
    for sense, y, anchor in ((senses[1], reach, "top"), (senses[0], -reach, "bottom")):
        add_text(figure, 0, y, t("nearer to {sense}", sense=html("<b>{}</b>", sense)), xanchor="left", yanchor=anchor)
    figure.update_xaxes(title=t("edits"), range=[-0.3, n - 0.7], dtick=1 if n < 22 else 5, **style.EMPTY)
    figure.update_yaxes(title=t("cosine difference"), range=[-reach, reach], **style.QUIET, nticks=6)
    return base(figure, height=330, key="margins").update_layout(margin_r=84)


def _numbers(points: np.ndarray, radius: float) -> list[tuple[np.ndarray, str]]:
    """Return the places and texts of step numbers. Steps at one place share a label, with runs such as "2–5"."""
    groups: list[tuple[np.ndarray, list[int]]] = []
    for k, point in enumerate(points):
        members = next((members for place, members in groups if np.linalg.norm(point - place) < radius), [])
        if not members:
            groups.append((point, members))
        members.append(k)
    return [(place, _runs(members)) for place, members in groups]


def _runs(numbers: list[int]) -> str:
    """Write rising numbers, with consecutive ones as a range: "1, 3–5"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceRow:
    """A kind of evidence: densities of the calibration pairs, and the value of this pair."""

    name: str
    density: "Density"
    value: float

    @property
    def favors_same(self) -> bool:
        """Return whether pairs of one meaning are denser at this pair's value."""
        place = np.searchsorted(self.density.edges[1:-1], self.value, side="right")  # values beyond the edges are in the outer bins
        return bool(self.density.same[place] > self.density.different[place])

    @property
    def as_lists(self) -> dict:
        """Return the row for JSON."""
        return {"name": self.name, "value": self.value} | self.density.as_lists


def curves_figure(rows: Sequence[EvidenceRow]) -> go.Figure:
    """Draw a row of two densities for each kind of evidence, and a line where the pair falls."""
    figure = Figure(make_subplots(rows=max(1, len(rows)), cols=1, subplot_titles=[row.name for row in rows], vertical_spacing=0.08))
    for k, row in enumerate(rows, 1):
        density = row.density
        places = (density.edges[1:] + density.edges[:-1]) / 2
        for name, values, color in ((t("different meanings"), density.different, DIFFERENT), (t("same meaning"), density.same, SAME)):
            look = {"mode": "lines", "fill": "tozeroy", "line": {"color": color, "width": 1.5}, "showlegend": k == 1}
            figure.add_scatter(x=places, y=list(values), name=name, hovertemplate="%{x:.2f}", row=k, col=1, **look)
        figure.add_vline(x=row.value, line={"color": "#6b7280", "width": 3}, row=k, col=1)
    figure.update_yaxes(visible=False, fixedrange=True)
    figure.update_xaxes(**EMPTY)
    return base(figure, height=ROW * max(1, len(rows)) + 40, key="curves").update_layout(showlegend=True, legend={"orientation": "h"})
