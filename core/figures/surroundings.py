"""Words around a word: a map of them by the sentence they lean to, and how far each leans."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from core.common.i18n import t
from core.common.markup import Markup
from core.figures.maps import add_stars
from core.figures.style import GREY, GRID, SENSE_COLOURS, Figure, base

SIDES = (GREY, SENSE_COLOURS[0], SENSE_COLOURS[1])  # of a point that leans to neither, to the first, to the second sentence
NAMED = 8  # points on each side whose words stand on the map
LETTER, LINE = 7.5, 17  # a letter's width and a line's height, in pixels


def lean_map(
    coordinates: np.ndarray,
    words: Sequence[str],
    cards: Sequence[str],
    groups: Sequence[int],
    colours: Sequence[str],
    strength: Sequence[float],
    *,
    occurrences: int,
    stars: Sequence,
    layer: str,
    limits: tuple[float, float, float, float],
    width: int,
    height: int,
    key: str,
    titles: tuple[str, str] | None = None,
) -> go.Figure:
    """(N, 2) coordinates of points in `groups` (N,), numbers into `colours`; the first `occurrences` are diamonds, the rest dots.

    The strongest of each group carry their word, where there is room for it on a map `width` pixels wide. Axes are shown only where they have `titles`.
    """
    figure = Figure()
    xy = np.asarray(coordinates, float).reshape(-1, 2)
    groups = np.asarray(groups, int)
    written = named(xy, words, groups, np.asarray(strength, float), stars, layer, limits, occurrences, width, height)
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
    add_stars(figure, stars, layer)
    shown = {"showgrid": False, "zeroline": True, "zerolinecolor": GREY, "nticks": 5, "tickformat": ".1f", "title_standoff": 4}
    for axis, number, span in ((figure.update_xaxes, 0, limits[:2]), (figure.update_yaxes, 1, limits[2:])):
        axis(range=span, **({"title": titles[number], **shown} if titles else {"visible": False}))
    figure.update_layout(dragmode=False)
    base(figure, height=height, key=key)
    return figure.update_layout(margin={"l": 48, "b": 44}) if titles else figure


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


def named(xy, words, groups, strength, stars, layer, limits, occurrences, width, height) -> set[int]:
    """Numbers of the points whose words are written: the strongest of each group that cover neither each other nor a star's name."""
    scale = min(width / (limits[1] - limits[0]), height / (limits[3] - limits[2]))  # pixels a unit, the same along both axes
    taken = [(*(np.array(star.points[layer]) * scale), 10 * LETTER, 2.5 * LINE) for star in stars if layer in star.points]
    found: set[int] = set()
    for group in sorted(set(groups.tolist())):
        order = [k for k in np.argsort(-strength, kind="stable") if groups[k] == group and k >= occurrences]
        here = 0
        for k in order:
            if here == NAMED:
                break
            (x, y), wide = xy[k] * scale, LETTER * max(3, len(words[k]))
            if all(abs(x - a) > (wide + other) / 2 or abs(y - b) > tall for a, b, other, tall in taken):
                taken.append((x, y, wide, LINE))
                found.add(int(k))
                here += 1
    return found
