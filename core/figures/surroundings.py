"""Words around a word: a map colored by the nearer sentence, and the difference of each word's cosines."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import plotly.graph_objects as go

from ..common.i18n import t
from ..common.markup import Markup
from . import style
from .maps import MapLook, find_limits, finish_map
from .style import GRAY, GRID, SENSE_COLORS, Figure, base

GROUPS = (GRAY, *SENSE_COLORS)  # by a group's number, 0 for none
SIDES = GROUPS[:3]  # of a point that is nearer to neither, to the first, to the second sentence
NAMED = 8  # points on each side whose words are written on the map
LETTER, LINE = 7.5, 17  # a letter's width and a line's height, in pixels


class Leaning(Protocol):
    """A word's surroundings (core.views.around.Around): N points in K spaces."""

    points: Any  # the first `occurrences` are sentences with the word, the rest words
    coordinates: np.ndarray  # (K, N, 2)
    stars: np.ndarray  # (K, S, 2)
    groups: np.ndarray  # (K, N) numbers into GROUPS
    strength: np.ndarray  # (K, N) in which order points are named

    def at(self, space: str) -> int:
        """Return the number of a space."""


def lean_map(result: Leaning, words: Sequence[str], cards: Sequence[str], look: MapLook) -> go.Figure:
    """Draw a space with sentences as diamonds and words (N,) as dots. The strongest words of each group are written if they fit.

    Without limits the map fits its points and stars.
    """
    k, occurrences = result.at(look.layer), result.points.occurrences
    look = replace(look, limits=look.limits or find_limits(result.coordinates[k], result.stars[k]))
    figure = Figure()
    xy, groups = np.asarray(result.coordinates[k], float).reshape(-1, 2), np.asarray(result.groups[k], int)
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
    figure = Figure().add_bar(
        x=[-value for value in values],
        y=list(range(len(words))),
        orientation="h",
        marker_color=[SIDES[k] for k in groups],
        customdata=list(zip(words, values, strict=True)),
        hovertemplate=Markup("<b>%{customdata[0]}</b>: %{customdata[1]:+.2f}"),
    )
    ticks = {"tickvals": list(range(len(words))), "ticktext": words, "tickfont": {"size": 13}}
    figure.update_yaxes(**ticks, range=[len(words) - 0.4, -0.6], **style.EMPTY)
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
        order = [k for k in np.argsort(-strength, kind="stable") if groups[k] == group and k >= occurrences]
        n_named = 0
        for k in order:
            if n_named == NAMED:
                break
            (x, y), wide = xy[k] * scale, LETTER * max(3, len(words[k]))
            if all(abs(x - a) > (wide + width) / 2 or abs(y - b) > tall for a, b, width, tall in taken):
                taken.append((x, y, wide, LINE))
                result.add(int(k))
                n_named += 1
    return result
