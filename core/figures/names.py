"""Place the names of groups on a map so that none overlaps another, at any width of the map."""

from collections.abc import Sequence

import numpy as np

from ..text.tokens import letter_count

WIDTHS = (290, 380, 560, 800, 1200)  # pixels between which a map may be drawn: a phone's to a large screen's
TALL, LETTER, EDGE = 27.0, 8.5, 12.0  # pixels: of a name with the room around it, of a letter, of both sides of its plate
ENDS = {"left": (0.0, 1.0), "center": (-0.5, 0.5), "right": (-1.0, 0.0)}  # of a name, in its own widths, by the end that is at its place


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
        size = LETTER * letter_count(name) + EDGE
        ends.append(tuple(scales * x + share * size for share in ENDS[anchor]))
    low, high = (bottom + gap / 2, top - gap / 2) if top - bottom > gap else ((bottom + top) / 2,) * 2
    heights: list[float | None] = []
    for k, (_, y) in enumerate(places):
        beside = [heights[j] for j in range(k) if heights[j] is not None and ((ends[k][0] < ends[j][1]) & (ends[j][0] < ends[k][1])).any()]
        own = min(max(float(y), low), high)
        tried = [own, *(each + way * gap for each in beside for way in (-1, 1))]
        free = [at for at in tried if low <= at <= high and all(abs(at - each) >= gap * (1 - 1e-9) for each in beside)]
        heights.append(min(free, key=lambda at: abs(at - own)) if free else None)
    return heights
