"""Words around a word: a map of them by the sentence they lean to, and how far each leans."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core.common.i18n import t
from core.common.markup import Markup
from core.figures.maps import MapLook, finish_map
from core.figures.style import GREY, GRID, SENSE_COLOURS, Figure, base

SIDES = (GREY, SENSE_COLOURS[0], SENSE_COLOURS[1])  # of a point that leans to neither, to the first, to the second sentence
NAMED = 8  # points on each side whose words stand on the map
LETTER, LINE = 7.5, 17  # a letter's width and a line's height, in pixels


def group_colours(*, sides: bool) -> tuple[str, ...]:
    """By a group's number, 0 for none: of two sentences' sides, or of any groups."""
    return SIDES if sides else (GREY, *SENSE_COLOURS)


def lean_map(
    coordinates: np.ndarray,
    words: Sequence[str],
    cards: Sequence[str],
    groups: Sequence[int],
    colours: Sequence[str],
    strength: Sequence[float],
    occurrences: int,
    look: MapLook,
) -> go.Figure:
    """(N, 2) coordinates of points in `groups` (N,), numbers into `colours`; the first `occurrences` are diamonds, the rest dots. The
    strongest of each group carry their word, where there is room for it."""
    figure = Figure()
    xy = np.asarray(coordinates, float).reshape(-1, 2)
    groups = np.asarray(groups, int)
    written = words_with_room(xy, words, groups, np.asarray(strength, float), occurrences, look)
    for group in sorted(set(groups.tolist())):
        here = np.flatnonzero(groups == group)
        figure.add_scatter(
            x=xy[here, 0],
            y=xy[here, 1],
            mode="markers+text",
            customdata=here[:, None],
            cliponaxis=False,
            text=[words[k] if k in written else "" for k in here],
            textposition="top center",
            textfont={"size": 13},
            hovertext=[cards[k] for k in here],
            hovertemplate="%{hovertext}",
            marker={
                "color": colours[group],
                "size": 10,
                "symbol": ["diamond" if k < occurrences else "circle" for k in here],
                "line": {"width": 0.7, "color": "rgba(255,255,255,0.7)"},
            },
        )
    figure.update_layout(dragmode=False)
    return finish_map(figure, look)


def lean_bars(words: Sequence[str], values: Sequence[float], groups: Sequence[int], *, key: str) -> go.Figure:
    """One bar a word: how much nearer it is to the first sentence (to the left) or to the second (to the right), from zero."""
    reach = max([0.1, *np.abs(values)]) * 1.15
    figure = Figure().add_bar(
        x=[-value for value in values],
        y=list(range(len(words))),
        orientation="h",
        marker_color=[SIDES[k] for k in groups],
        customdata=list(zip(words, values, strict=True)),
        hovertemplate=Markup("<b>%{customdata[0]}</b>: %{customdata[1]:+.2f}"),
    )
    ticks = {"tickvals": list(range(len(words))), "ticktext": words, "tickfont": {"size": 13}}
    figure.update_yaxes(**ticks, range=[len(words) - 0.4, -0.6], fixedrange=True, showgrid=False, zeroline=False)
    figure.update_xaxes(
        range=[-reach, reach],
        fixedrange=True,
        gridcolor=GRID,
        zeroline=True,
        zerolinecolor="#888",
        showticklabels=False,
        title=t("← first sentence · second sentence →"),
    )
    figure.update_layout(dragmode=False, bargap=0.35)
    return base(figure, height=21 * len(words) + 60, key=key)


def words_with_room(xy, words, groups, strength, occurrences: int, look: MapLook) -> set[int]:
    """Numbers of the points whose words are written: the strongest of each group that cover neither each other nor a star's name."""
    left, right, low, high = look.limits
    scale = min(look.width / (right - left), look.height / (high - low))  # pixels a unit, the same along both axes
    stars = [star.points[look.layer] for star in look.stars if look.layer in star.points]
    taken = [(*(np.array(point) * scale), 10 * LETTER, 2.5 * LINE) for point in stars]
    result: set[int] = set()
    for group in sorted(set(groups.tolist())):
        order = [k for k in np.argsort(-strength, kind="stable") if groups[k] == group and k >= occurrences]
        here = 0
        for k in order:
            if here == NAMED:
                break
            (x, y), wide = xy[k] * scale, LETTER * max(3, len(words[k]))
            if all(abs(x - a) > (wide + other) / 2 or abs(y - b) > tall for a, b, other, tall in taken):
                taken.append((x, y, wide, LINE))
                result.add(int(k))
                here += 1
    return result
