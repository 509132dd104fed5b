"""Maps of many vectors in two or three dimensions, with lines to true neighbors."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from ..common.i18n import t
from ..common.markup import Markup, html
from ..text.tokens import letter_count
from . import style
from .style import GRAY, OWN, Figure, add_plate, base, ink, mark, sense_color

if TYPE_CHECKING:  # it imports torch
    from ..index.rows import Occurrence
    from ..senses.scene import Scene

SCENE_HEIGHT = 460  # pixels
NEAR_BOTH = "#B4B4BE"  # words near both sentences
WIDTHS = (290, 380, 560, 800, 1200)  # pixels between which a map may be drawn: a phone's to a large screen's
TALL, NAME_LETTER, EDGE = 27.0, 8.5, 12.0  # pixels: of a name with the room around it, of a letter, of both sides of its plate
ENDS = {"left": (0.0, 1.0), "center": (-0.5, 0.5), "right": (-1.0, 0.0)}  # a name's extent, in its own widths, by the end at its place
FADED = 0.15  # opacity of dots that are not selected where others are
FAINT = 0.3  # opacity of dots whose sense a model guessed
MARGINS = 36  # pixels above and below a map, of its height
KEPT, ELSEWHERE = "#6B7280", "#D81B60"  # lines to true neighbors which a map has near too, and which it put elsewhere
Limits = tuple[float, float, float, float]  # left, right, bottom, top
SYMBOLS_3D = ("circle", "diamond", "square", "cross", "x", "circle-open", "diamond-open", "square-open")  # all that Plotly has


@dataclass(frozen=True, slots=True)
class Star:
    """A token of the user's own, placed into a map."""

    label: str
    text: str  # the sentence, for the hover card
    points: dict[str, tuple[float, float]]  # by layer name


@dataclass(frozen=True, slots=True, kw_only=True)
class MapLook:
    """The style of a map of one layer. Without `limits` it fits its dots. It has axes only with `titles` (HTML)."""

    layer: str
    key: str
    stars: Sequence[Star] = ()
    width: int = 560
    height: int = 430
    limits: Limits | None = None
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
    picked = set(look.picked)
    edges = {}
    xy = np.asarray(coordinates, float)
    labels_array = np.array([label or "" for label in labels], object)
    ids = np.asarray(rows, np.int32)  # Plotly looks at a list number by number
    cards = np.array(hovers, object)
    guessed = np.array(look.guesses if len(look.guesses) else [False] * len(xy), bool)
    numbered = list(enumerate(senses))
    groups = [(-1, "", False), *((k, sense, True) for k, sense in numbered), *((k, sense, False) for k, sense in numbered)]
    for number, sense, is_guess in groups:
        chosen = np.flatnonzero((labels_array == sense) & (guessed == is_guess))
        if not len(chosen):
            continue
        marker = {"color": GRAY, "symbol": "circle", "size": 6, "line": {"width": 0.0}}
        if number >= 0:
            marker = {"color": sense_color(number), "symbol": style.SENSE_SYMBOLS[number % 8], "size": 10, "line": style.THIN}
        if is_guess:
            marker["opacity"] = FAINT
        add = figure.add_scattergl if len(xy) > 5000 else figure.add_scatter
        add(
            x=xy[chosen, 0],
            y=xy[chosen, 1],
            mode="markers",
            marker=marker,
            name=sense or t("other"),
            customdata=ids[chosen, None],
            text=cards[chosen],
            hovertemplate="%{text}",
            selectedpoints=np.flatnonzero(np.isin(ids[chosen], list(picked))).tolist() if picked else None,
            unselected={"marker": {"opacity": FADED}},
        )
        if number >= 0 and look.name_senses and (not is_guess or not ((labels_array == sense) & ~guessed).any()):
            edges[number] = outer_edge(xy[chosen], xy)
    name_groups(figure, edges, senses, xy, height=look.height, limits=look.limits)
    figure.update_yaxes(scaleanchor="x")
    figure.update_layout(dragmode="select")
    return finish_map(figure, look)


def card(occurrence: "Occurrence") -> Markup:
    """Return an occurrence's sentence and its sense, for hovering."""
    return mark(occurrence.tokens, occurrence.position) + html("<br><i>{}</i>", sense_note(occurrence))


def sense_note(occurrence: "Occurrence") -> str:
    """Return an occurrence's sense, or the one that a model guessed, or ""."""
    return occurrence.sense or (t("{sense} (guess)", sense=occurrence.guess) if occurrence.guess else "")


def word_map(occurrences: Sequence["Occurrence"], flat: np.ndarray, senses: Sequence[str], lemma: str | None, **look: Any) -> go.Figure:
    """Draw occurrences at `flat` (N, 2), those of `lemma` colored by sense, with the style of `MapLook`."""
    labels = [o.sense or o.guess if o.lemma == lemma else None for o in occurrences]
    look["guesses"] = [o.guess is not None and o.lemma == lemma for o in occurrences]
    return map_figure(flat, labels, [card(o) for o in occurrences], [o.row for o in occurrences], senses, MapLook(**look))


def finish_map(figure: go.Figure, look: MapLook) -> go.Figure:
    """Add the stars, and axes if they have titles."""
    add_stars(figure, look.stars, look.layer)
    if look.limits:
        figure.update_xaxes(range=look.limits[:2])
        figure.update_yaxes(range=look.limits[2:])
    base(figure, height=look.height, key=look.key)
    if not look.titles:
        return figure.update_xaxes(visible=False).update_yaxes(visible=False)
    axis = {"showgrid": False, "zeroline": True, "zerolinecolor": GRAY, "nticks": 5, "tickformat": ".1f", "title_standoff": 4}
    figure.update_xaxes(title=look.titles[0], **axis)
    figure.update_yaxes(title=look.titles[1], **axis)
    return figure.update_layout(margin={"l": 48, "b": 44})


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
    if place > 0.8:
        return "right"
    return "left" if place < 0.2 else "center"


def name_groups(
    figure: go.Figure, edges: Mapping[int, np.ndarray], names: Sequence[str], xy: np.ndarray, *, height: float, limits: Limits | None = None
) -> None:
    """Write each group's name at its place, or as near to it as no other name is, on a map `height` pixels high."""
    if not edges:
        return
    places = np.array(list(edges.values()))
    everything = np.concatenate([xy, places])
    room = 0.15 * np.ptp(everything, axis=0).max()  # Plotly leaves this margin around the dots
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
        look = {"size": 14, "textposition": "bottom center" if number % 2 else "top center", "unselected": {"marker": {"opacity": 0.9}}}
        names = {"name": star.label, "labels": [star.label], "customdata": [[-1 - number]]}
        style.add_dots(figure, [star.points[layer]], [star.text], style.star(number, 18, opacity=0.9), **names, **look)


def find_limits(*places: np.ndarray) -> Limits:
    """Return x and y ranges that hold all places (..., 2) with a margin, for small multiples with the same axes."""
    points = np.concatenate([np.asarray(part, float).reshape(-1, 2) for part in places])
    low, high = points.min(0), points.max(0)
    pad = np.maximum((high - low) * 0.13, 1e-3) if (high > low).any() else np.ones(2)  # for a single place too
    return low[0] - pad[0], high[0] + pad[0], low[1] - pad[1], high[1] + pad[1]


def selected_rows(event) -> list[int]:
    """Return the row ids of a selection event, without stars (negative ids). The number of a point is not unique among traces."""
    return [int(k) for k in selected_data(event) if isinstance(k, int | float) and k >= 0]


def selected_data(event) -> list:
    """Return the first item of `customdata` of each selected point. `customdata` is a list, or a dictionary by index in some traces."""
    points = (event or {}).get("selection", {}).get("points", [])
    data = [point["customdata"] for point in points if point.get("customdata")]
    return [item[0] if isinstance(item, list | tuple) else item["0"] for item in data]


def free_heights(places: np.ndarray, names: Sequence[str], anchors: Sequence[str], limits: Limits, height: float) -> list[float | None]:
    """Return the height of each name: the nearest to its own, within `limits`, at which it covers no name before it.

    `places` (K, 2) and `limits` are in the map's units, which are equally long along both axes; `height` is the map's in pixels. None
    where the map has no room for a name.
    """
    left, right, bottom, top = limits
    map_width, map_height = max(right - left, 1e-9), max(top - bottom, 1e-9)
    scales = np.array([min(width / map_width, height / map_height) for width in WIDTHS])  # pixels of a unit
    gap = TALL / scales.min()
    ends = []
    for (x, _), name, anchor in zip(places, names, anchors, strict=True):
        size = NAME_LETTER * letter_count(name) + EDGE
        ends.append(tuple(scales * x + share * size for share in ENDS[anchor]))

    def overlap(a: int, b: int) -> bool:
        """Return whether two names overlap horizontally on a map of any width."""
        return bool(((ends[a][0] < ends[b][1]) & (ends[b][0] < ends[a][1])).any())

    low = high = (bottom + top) / 2
    if top - bottom > gap:
        low, high = bottom + gap / 2, top - gap / 2
    heights: list[float | None] = []
    for k, (_, y) in enumerate(places):
        taken = [taken_height for j, taken_height in enumerate(heights) if taken_height is not None and overlap(k, j)]
        wanted = min(max(float(y), low), high)
        candidates = [wanted, *(middle + sign * gap for middle in taken for sign in (-1, 1))]
        free = [middle for middle in candidates if low <= middle <= high and all(abs(middle - m) >= gap * (1 - 1e-9) for m in taken)]
        heights.append(min(free, key=lambda middle: abs(middle - wanted)) if free else None)
    return heights


def scene_figure(scene: "Scene", space: str, sentences: Sequence[tuple[Sequence[str], int]]) -> go.Figure:
    """Draw a scene in one of its spaces. `sentences` are both typed ones: their tokens and the position of the word."""
    k = scene.spaces.index(space)
    stars = []
    for label, sentence, places in zip((t("1st"), t("2nd")), sentences, np.moveaxis(scene.stars, 1, 0).tolist(), strict=True):
        stars.append(Star(label, mark(*sentence), dict(zip(scene.spaces, map(tuple, places), strict=True))))
    limits = find_limits(scene.points, scene.stars)
    is_placed = bool(scene.points[k].any())
    look = MapLook(layer=space, key=f"scene.{space}", stars=stars, height=SCENE_HEIGHT, limits=limits, name_senses=is_placed)
    texts = list(scene.texts)
    rows = list(range(len(scene.texts)))
    if scene.labeled:
        return map_figure(scene.points[k], [scene.senses[sense] for sense in scene.sense_of], texts, rows, list(scene.senses), look)
    figure = map_figure(scene.points[k], [None] * len(texts), texts, rows, [], look)
    for word, star, (x, y) in zip(texts, scene.sense_of, scene.points[k].tolist(), strict=True):
        color = (*OWN, NEAR_BOTH)[star]
        figure.add_annotation(x=x, y=y, text=word, showarrow=False, font={"size": 13, "color": ink(color)}, bgcolor=color, borderpad=2)
    return figure


def add_links(figure: go.Figure, start: Sequence[float], ends: np.ndarray, is_near: np.ndarray) -> go.Figure:
    """Draw lines under the dots of a map from `start` (d,) to the ends (n, d), d = 2 or 3: solid if `is_near` (n,), else dashed."""
    ends, is_near, start = np.asarray(ends, float), np.asarray(is_near, bool), np.asarray(start, float)
    kind = go.Scatter3d if len(start) == 3 else go.Scatter
    for chosen, color, dash in ((is_near, KEPT, "solid"), (~is_near, ELSEWHERE, "dash")):
        if chosen.any():
            path = np.full((3 * chosen.sum(), len(start)), np.nan)  # from, to, a gap
            path[0::3], path[1::3] = start, ends[chosen]
            places = {name: [None if np.isnan(v) else float(v) for v in column] for name, column in zip("xyz", path.T, strict=False)}
            figure.add_trace(kind(**places, mode="lines", line={"color": color, "width": 2.2, "dash": dash}, hoverinfo="skip"))
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    ring = {"color": "rgba(0,0,0,0)", "size": 20, "line": {"color": ELSEWHERE, "width": 2.5}}
    if len(start) == 2:
        figure.add_scatter(x=[start[0]], y=[start[1]], mode="markers", marker=ring, hoverinfo="skip", unselected={"marker": {"opacity": 1}})
    figure.data = [*lines, *(trace for trace in figure.data if trace.mode != "lines")]
    return figure


def space_figure(
    coordinates: np.ndarray, labels: Sequence[str | None], hovers: Sequence[str], senses: Sequence[str], look: MapLook
) -> go.Figure:
    """Draw (N, 3) coordinates as a cloud to turn. Of `look` only layer, key and stars (three coordinates) count. Nothing can be selected."""
    figure = Figure()
    labels_array = np.array([label or "" for label in labels], object)
    for number, sense in [(-1, ""), *enumerate(senses)]:
        chosen = np.flatnonzero(labels_array == sense)
        if not len(chosen):
            continue
        x, y, z = np.asarray(coordinates, float)[chosen].T
        marker = {"size": 2.5, "color": GRAY, "symbol": SYMBOLS_3D[0]}
        if number >= 0:
            marker = {"size": 5, "color": sense_color(number), "symbol": SYMBOLS_3D[number % 8]}
        dots = {"name": sense or t("other"), "text": [hovers[k] for k in chosen], "hovertemplate": "%{text}"}
        figure.add_scatter3d(x=x, y=y, z=z, mode="markers", marker=marker, **dots)
    for number, star in enumerate(look.stars):
        if look.layer in star.points:
            x, y, z = ([value] for value in star.points[look.layer])
            texts = {"name": star.label, "text": [star.label], "hovertext": [star.text], "hovertemplate": "%{hovertext}"}
            figure.add_scatter3d(x=x, y=y, z=z, mode="markers+text", marker=style.star(number, 9, symbol="diamond"), **texts)
    axis = {"showbackground": False, "showticklabels": False, "showspikes": False, "gridcolor": "rgba(140,140,150,0.25)", "zeroline": False}
    names = [t("component {number}", number=number) for number in (1, 2, 3)]
    figure.update_layout(scene={f"{letter}axis": {**axis, "title": {"text": name}} for letter, name in zip("xyz", names, strict=True)})
    figure.update_layout(scene_aspectmode="data", scene_uirevision=look.key)
    return base(figure, height=620, key=look.key)
