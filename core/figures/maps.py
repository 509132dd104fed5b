"""Maps of many vectors, the angle between two, and cosines per layer."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from ..common import model_layers
from ..common.i18n import t
from ..common.markup import html
from ..text.tokens import letter_count
from . import style
from .style import GLOVE, GRAY, OWN, RIM, Figure, add_plate, add_text, base, ink, layer_color, layer_title, mark, sense_color

if TYPE_CHECKING:  # it imports torch
    from ..senses.scene import Scene

SCENE_HEIGHT = 460  # pixels
NEAR_BOTH = "#B4B4BE"  # of words near both sentences
WIDTHS = (290, 380, 560, 800, 1200)  # pixels between which a map may be drawn: a phone's to a large screen's
TALL, NAME_LETTER, EDGE = 27.0, 8.5, 12.0  # pixels: of a name with the room around it, of a letter, of both sides of its plate
ENDS = {"left": (0.0, 1.0), "center": (-0.5, 0.5), "right": (-1.0, 0.0)}  # of a name, in its own widths, by the end that is at its place
FADED = 0.15  # opacity of dots that are not selected where others are
FAINT = 0.3  # opacity of dots whose sense a model guessed
MARGINS = 36  # pixels above and below a map, of its height


@dataclass(frozen=True, slots=True)
class Star:
    """A token of the user's own, placed into a map."""

    label: str
    text: str  # the sentence, for the hover card
    points: dict[str, tuple[float, float]]  # by layer name


# Pixels: a letter of a star's name (15 px) and of the text below (14 px), a star or dot with its rim, between both pictures.
LETTER, LETTER_BELOW, STAR, BETWEEN = 8.6, 7.8, 15.0, 18.0
NARROWEST = 342.0  # pixels of width that must hold it all: a phone's


def angle_figure(cosine: float, labels: tuple[str, str], *, same_word: bool, layer: str, glove: float | None) -> go.Figure:
    """Draw two vectors as rays at the angle of their cosine, with those of GloVe to their left.

    `glove` is the cosine of the two words' GloVe vectors (1 for the same word), None if one has none. The distance between both pictures is
    what their names need on a phone.
    """
    item = t("one vector") if same_word else t("two vectors")
    message = t("no vector") if glove is None else item
    degrees = t("{degrees:.0f}° apart", degrees=math.degrees(_angle(cosine)))
    below = (("GloVe", message), (t("{model}, {layer}", model=model_layers.in_use().called, layer=layer_title(layer)), degrees))
    wide = [max(map(letter_count, lines)) * LETTER_BELOW / 2 for lines in below]
    names = [letter_count(label) * LETTER + STAR for label in labels]
    spread = [math.sin(_angle(1.0 if glove is None else glove) / 2), math.sin(_angle(cosine) / 2)]

    def reach(scale: float) -> list[float]:
        """Return the pixels needed to the left and right of GloVe's foot and of ELMo's."""
        dots = max(spread[0] * scale + STAR, wide[0])
        return [dots, dots, *(max(spread[1] * scale + STAR + name, wide[1]) for name in names)]

    scale = next((float(s) for s in range(150, 30, -2) if sum(reach(s)) + BETWEEN <= NARROWEST), 30.0)
    left, inner, outer, right = (pixels / scale for pixels in reach(scale))
    foot = inner + BETWEEN / scale + outer
    figure = Figure()
    _rays(figure, 0.0, glove, GLOVE, (GLOVE, GLOVE), ("", ""))
    _rays(figure, foot, cosine, layer_color(layer), OWN, labels)
    for x, (title, text) in zip((0.0, foot), below, strict=True):
        add_text(figure, x, -0.08, html("<b>{}</b><br>{}", title, text), yanchor="top", size=14)
    figure.update_xaxes(visible=False, range=[-left, foot + right], fixedrange=True)
    figure.update_yaxes(visible=False, range=[-0.08 - 50 / scale, 1 + STAR / scale], fixedrange=True, scaleanchor="x")
    return base(figure, height=280, key="angle").update_layout(margin={"l": 4, "r": 4, "t": 4, "b": 4})


def _angle(cosine: float) -> float:
    """Return the angle in radians."""
    return math.acos(max(-1.0, min(1.0, cosine)))


def _rays(figure: go.Figure, x0: float, cosine: float | None, line: str, dots: tuple[str, str], labels: tuple[str, str]) -> None:
    if cosine is None:
        return
    half = _angle(cosine) / 2
    arc = np.linspace(-half, half, 40)
    figure.add_scatter(x=x0 + 0.32 * np.sin(arc), y=0.32 * np.cos(arc), mode="lines", line={"color": line, "width": 3}, hoverinfo="skip")
    for side, dot, label in ((-1, dots[0], labels[0]), (1, dots[1], labels[1])):
        x, y = x0 + math.sin(side * half), math.cos(half)
        marker = {"color": ["rgba(0,0,0,0)", dot], "size": [1, 22 if label else 16], "line": {"color": RIM, "width": 1.5}}
        marker["symbol"] = ["circle", "star" if label else "circle"]
        figure.add_scatter(
            x=[x0, x],
            y=[0, y],
            mode="lines+markers+text",
            line={"color": line, "width": 3},
            marker=marker,
            text=["", label and (f"{label}\u00a0" if side < 0 else f"\u00a0{label}")],
            textposition="middle left" if side < 0 else "middle right",
            textfont={"size": 15},
            hoverinfo="skip",
            cliponaxis=False,
        )


def cosine_bars(values: dict[str, float], *, chosen: str, random: Mapping[str, float] | None = None) -> go.Figure:
    """Draw the cosine of each layer as a bar from 0 to 1, or from below 0 if a cosine is negative.

    `random` has the mean cosine of two random words by layer, drawn as a line across its bar.
    """
    names = list(values)
    lowest = min(0.0, *values.values())
    figure = Figure()
    rows = [layer_title(n) if n != "GloVe" else n for n in names]
    colors = [GLOVE if n == "GloVe" else layer_color(n) for n in names]
    look = {"textfont": {"size": 15}, "marker_opacity": [1.0 if n in (chosen, "GloVe") else 0.55 for n in names]}
    card = t("{layer}: cosine {cosine}", layer="%{y}", cosine="%{x:.3f}")
    style.add_rows(figure, values.values(), rows, colors, [f"{v:.2f}" for v in values.values()], card, **look)
    if level := {name: value for name, value in (random or {}).items() if name in values}:
        for width, color in ((7, "#ffffff"), (3, "#4b5563")):  # dark gray with a light rim: seen on every bar and both grounds
            figure.add_scatter(
                x=list(level.values()),
                y=[layer_title(name) for name in level],
                mode="markers",
                showlegend=False,
                cliponaxis=False,
                marker={"symbol": "line-ns", "size": 24, "opacity": 1, "line": {"width": width, "color": color}},
                hovertemplate=t("{layer}: random pairs, mean {cosine}", layer="%{y}", cosine="%{x:.2f}"),
            )
    figure.update_xaxes(range=[lowest - (0.2 * (1.2 - lowest) if lowest < 0 else 0.02), 1.2], visible=False, fixedrange=True)
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickfont={"size": 14})
    return base(figure, height=44 * len(names) + 20, key="cosines").update_layout(margin={"t": 8})


@dataclass(frozen=True, slots=True, kw_only=True)
class MapLook:
    """The style of a map of one layer. Without `limits` it fits its dots. It has axes only with `titles` (HTML)."""

    layer: str
    key: str
    stars: Sequence[Star] = ()
    width: int = 560
    height: int = 430
    limits: tuple[float, float, float, float] | None = None
    titles: tuple[str, str] | None = None
    name_senses: bool = True
    picked: Collection[int] = ()  # row ids; the others fade
    guesses: Sequence[bool] = ()  # (N,) dots whose sense a model guessed: faint


def map_figure(
    coordinates: np.ndarray, labels: list[str | None], hovers: list[str], rows: list[int], senses: list[str], look: MapLook
) -> go.Figure:
    """Draw occurrences at (N, 2) coordinates, each with its sense or None and its hover text.

    `rows` are stable row ids. Gray dots are drawn first, then the senses in the given order. Each sense is named once, next to its dots.
    """
    figure = Figure()
    picked, edges = set(look.picked), {}
    xy = np.asarray(coordinates, float)
    labels_array = np.array([label or "" for label in labels], object)
    ids, cards = np.asarray(rows, np.int32), np.array(hovers, object)  # lists are looked at number by number
    guessed = np.array(look.guesses if len(look.guesses) else [False] * len(xy), bool)
    for number, sense, is_guess in [(-1, "", False), *((k, name, guess) for guess in (True, False) for k, name in enumerate(senses))]:
        chosen = np.flatnonzero((labels_array == sense) & (guessed == is_guess))
        if not len(chosen):
            continue
        look_of = style.sense_dots(number, 10) if number >= 0 else {"color": GRAY, "symbol": "circle", "size": 6, "line": {"width": 0.0}}
        (figure.add_scattergl if len(xy) > 5000 else figure.add_scatter)(
            x=xy[chosen, 0],
            y=xy[chosen, 1],
            mode="markers",
            name=sense or t("other"),
            customdata=ids[chosen, None],
            text=cards[chosen],
            hovertemplate="%{text}",
            marker=look_of | ({"opacity": FAINT} if is_guess else {}),
            selectedpoints=np.flatnonzero(np.isin(ids[chosen], list(picked))).tolist() if picked else None,
            unselected={"marker": {"opacity": FADED}},
        )
        if number >= 0 and look.name_senses and (not is_guess or not ((labels_array == sense) & ~guessed).any()):
            edges[number] = outer_edge(xy[chosen], xy)
    name_groups(figure, edges, senses, xy, height=look.height, limits=look.limits)
    figure.update_yaxes(scaleanchor="x")
    figure.update_layout(dragmode="select")
    return finish_map(figure, look)


def finish_map(figure: go.Figure, look: MapLook) -> go.Figure:
    """Add the stars, and axes if they have titles."""
    add_stars(figure, look.stars, look.layer)
    ranges = (look.limits[:2], look.limits[2:]) if look.limits else (None, None)
    axes = {"showgrid": False, "zeroline": True, "zerolinecolor": GRAY, "nticks": 5, "tickformat": ".1f", "title_standoff": 4}
    for axis, number in ((figure.update_xaxes, 0), (figure.update_yaxes, 1)):
        axis(range=ranges[number], **({"title": look.titles[number], **axes} if look.titles else {"visible": False}))
    base(figure, height=look.height, key=look.key)
    return figure.update_layout(margin={"l": 48, "b": 44}) if look.titles else figure


def outer_edge(points: np.ndarray, everything: np.ndarray) -> np.ndarray:
    """Return the place for a group's name that hides least: at its rim, away from the middle of the map."""
    middle = everything.mean(0)
    center = np.median(points, axis=0)
    away = center - middle
    away = away / np.linalg.norm(away) if np.linalg.norm(away) > 1e-9 else np.array([0.0, 1.0])
    return middle + away * (((points - middle) @ away).max() + 0.06 * np.ptp(everything, axis=0).max())


def _side(x: float, low: float, high: float) -> str:
    """Return which end of a name is at x, so that the name stays within the map."""
    place = (x - low) / max(high - low, 1e-9)
    return "right" if place > 0.8 else "left" if place < 0.2 else "center"


def name_groups(
    figure: go.Figure,
    edges: Mapping[int, np.ndarray],
    names: Sequence[str],
    xy: np.ndarray,
    *,
    height: float,
    limits: tuple[float, float, float, float] | None = None,
) -> None:
    """Write each group's name at its place, or as near to it as no other name is, on a map `height` pixels high."""
    if not edges:
        return
    places = np.array(list(edges.values()))
    everything = np.concatenate([xy, places])
    room = 0.15 * np.ptp(everything, axis=0).max()  # which Plotly leaves around the dots
    (left, bottom), (right, top) = everything.min(axis=0) - room, everything.max(axis=0) + room
    limits = limits or (left, right, bottom, top)
    anchors = [_side(x, *limits[:2]) for x, _ in places]
    heights = free_heights(places, [names[number] for number in edges], anchors, limits, height - MARGINS)
    for number, (x, _), anchor, y in zip(edges, places, anchors, heights, strict=True):
        if y is not None:
            add_plate(figure, x, y, names[number], sense_color(number), xanchor=anchor, opacity=0.95)


def add_stars(figure: go.Figure, stars, layer: str) -> None:
    """Add the user's sentences as named stars."""
    for number, star in enumerate(stars):
        if layer not in star.points:
            continue
        look = {"name": star.label, "customdata": [[-1 - number]], "unselected": {"marker": {"opacity": 0.9}}}
        look |= {"labels": [star.label], "size": 14, "textposition": "bottom center" if number % 2 else "top center"}
        style.add_dots(figure, [star.points[layer]], [star.text], style.star(number, 18, opacity=0.9), **look)


def find_limits(*places: np.ndarray) -> tuple[float, float, float, float]:
    """Return x and y ranges that hold all places (..., 2) with a margin, for small multiples with the same axes."""
    points = np.concatenate([np.asarray(part, float).reshape(-1, 2) for part in places])
    low, high = points.min(0), points.max(0)
    pad = np.maximum((high - low) * 0.13, 1e-3) if (high > low).any() else np.ones(2)  # of a single place too
    return low[0] - pad[0], high[0] + pad[0], low[1] - pad[1], high[1] + pad[1]


def selected_rows(event) -> list[int]:
    """Return the row ids of a selection event, without stars (negative ids). The number of a point is not unique among traces."""
    return [int(k) for k in selected_data(event) if isinstance(k, int | float) and k >= 0]


def selected_data(event) -> list:
    """Return the first item of `customdata` of each selected point. `customdata` is a list, or a dictionary by index in some traces."""
    points = (event or {}).get("selection", {}).get("points", [])
    return [
        p["customdata"][0] if isinstance(p["customdata"], list | tuple) else p["customdata"]["0"] for p in points if p.get("customdata")
    ]


def free_heights(
    places: np.ndarray, names: Sequence[str], anchors: Sequence[str], limits: tuple[float, float, float, float], height: float
) -> list[float | None]:
    """Return the height of each name: the nearest to its own, within `limits` (left, right, bottom, top), at which it covers no name before it.

    `places` (K, 2) and `limits` are in the map's units, which are equally long along both axes; `height` is the map's in pixels. None
    where the map has no room for a name.
    """
    left, right, bottom, top = limits
    wide, high = max(right - left, 1e-9), max(top - bottom, 1e-9)
    scales = np.array([min(width / wide, height / high) for width in WIDTHS])  # pixels of a unit
    gap = TALL / scales.min()
    ends = []
    for (x, _), name, anchor in zip(places, names, anchors, strict=True):
        size = NAME_LETTER * letter_count(name) + EDGE
        ends.append(tuple(scales * x + share * size for share in ENDS[anchor]))
    low, high = (bottom + gap / 2, top - gap / 2) if top - bottom > gap else ((bottom + top) / 2,) * 2
    heights: list[float | None] = []
    for k, (_, y) in enumerate(places):
        taken = [heights[j] for j in range(k) if heights[j] is not None and ((ends[k][0] < ends[j][1]) & (ends[j][0] < ends[k][1])).any()]
        wanted = min(max(float(y), low), high)
        tried = [wanted, *(middle + sign * gap for middle in taken for sign in (-1, 1))]
        free = [middle for middle in tried if low <= middle <= high and all(abs(middle - m) >= gap * (1 - 1e-9) for m in taken)]
        heights.append(min(free, key=lambda middle: abs(middle - wanted)) if free else None)
    return heights


def scene_figure(scene: "Scene", space: str, sentences: Sequence[tuple[Sequence[str], int]]) -> go.Figure:
    """Draw a scene in one of its spaces. `sentences` are both typed ones: their tokens and the position of the word."""
    k = scene.spaces.index(space)
    places = [dict(zip(scene.spaces, map(tuple, scene.stars[:, n].tolist()), strict=True)) for n in range(scene.stars.shape[1])]
    texts = [mark(*sentence) for sentence in sentences]
    stars = [Star(*parts) for parts in zip((t("1st"), t("2nd")), texts, places, strict=True)]
    limits = find_limits(scene.points, scene.stars)
    look = MapLook(
        layer=space, key=f"scene.{space}", stars=stars, height=SCENE_HEIGHT, limits=limits, name_senses=bool(scene.points[k].any())
    )
    if scene.labeled:
        labels = [scene.senses[sense] for sense in scene.sense_of]
        return map_figure(scene.points[k], labels, list(scene.texts), list(range(len(labels))), list(scene.senses), look)
    figure = map_figure(scene.points[k], [None] * len(scene.texts), list(scene.texts), list(range(len(scene.texts))), [], look)
    for word, star, (x, y) in zip(scene.texts, scene.sense_of, scene.points[k].tolist(), strict=True):
        color = (*OWN, NEAR_BOTH)[star]
        figure.add_annotation(x=x, y=y, text=word, showarrow=False, font={"size": 13, "color": ink(color)}, bgcolor=color, borderpad=2)
    return figure
