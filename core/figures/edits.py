"""A path of edits: its steps on a word's map, and the lead of one sense over another by step."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..common import model_layers
from ..common.i18n import t
from ..common.markup import Markup, html
from . import style
from .style import GRAY, RIM, Figure, add_plate, add_text, base, layer_color, line_name, spread_heights

CARD = Markup("%{hovertext}<br>%{y:+.3f}<extra>%{fullData.name}</extra>")
TOGETHER = 0.06  # steps nearer than this share of the map share a number


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
        strong = name == chosen
        look = {"width": 3.5, "opacity": 1.0} if strong else {"width": 2, "opacity": 0.6, "marker": {"size": 4}}
        look |= {"dash": "dot" if name == "0" else "solid", "name": model_layers.in_use().short(name), "hovertext": list(hovers)}
        style.add_line(figure, range(n), values, layer_color(name), CARD, **look)
        if flips.get(name) is not None:
            diamond = {"symbol": "diamond", "size": 15, "color": layer_color(name), "line": {"color": RIM, "width": 1.5}}
            figure.add_scatter(x=[flips[name]], y=[values[flips[name]]], mode="markers", hoverinfo="skip", marker=diamond)
        add_text(figure, n - 1, ends[name], line_name(model_layers.in_use().short(name), layer_color(name)), xanchor="left", xshift=9)
    for sense, y, anchor in ((senses[1], reach, "top"), (senses[0], -reach, "bottom")):
        add_text(figure, 0, y, t("nearer to {sense}", sense=html("<b>{}</b>", sense)), xanchor="left", yanchor=anchor)
    figure.update_xaxes(title=t("edits"), range=[-0.3, n - 0.7], dtick=1 if n < 22 else 5, **style.EMPTY)
    figure.update_yaxes(title=t("cosine difference"), range=[-reach, reach], **style.QUIET, nticks=6)
    return base(figure, height=330, key="margins").update_layout(margin_r=84)


def _numbers(points: np.ndarray, near: float) -> list[tuple[np.ndarray, str]]:
    """Return the places and texts of step numbers. Steps at one place share a label, with runs such as "2–5"."""
    groups: list[tuple[np.ndarray, list[int]]] = []
    for k, point in enumerate(points):
        for place, members in groups:
            if np.linalg.norm(point - place) < near:
                members.append(k)
                break
        else:
            groups.append((point, [k]))
    return [(place, _runs(members)) for place, members in groups]


def _runs(numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
