"""What the Mix page's instrument is sent of a word whose senses nobody labelled: the nearest of all words, and the word's own sentences.

There is no accuracy without labels. What a point is coloured by is which of the reader's two sentences it leans to under the mix on
screen, which `mix.js` works out anew at every pixel: so both sentences are given the same candidates.
"""

import numpy as np

from core.analysis import surroundings
from core.common.i18n import t
from core.figures.surroundings import SIDES
from core.index.table import OccurrenceTable
from core.views.mix import AnyMix
from pages._map import map_view
from pages._map.map_view import NEUTRAL

CIRCLE, DIAMOND = 0, 1  # numbers of live.js's shapes


def static(of: AnyMix, table: OccurrenceTable) -> dict:
    """Lines by id, and what a point's colour says, in the order of its numbers."""
    names = map_view.side_names()
    senses = [{"name": name, "colour": colour} for name, colour in zip(names, (SIDES[1], SIDES[2], NEUTRAL), strict=True)]
    return {"lines": _lines(table, of.candidates[0].rows), "senses": senses if len(of.candidates) > 1 else [], "close": surroundings.CLOSE}


def text(of: AnyMix, word: str) -> dict:
    """What else the instrument says; what it fills in stands in braces."""
    n, own = len(of.ids), of.occurrences
    points = t("Circles: words (means). Diamonds: occurrences of “{word}” ({n}).", word=word, n=own)
    if not own:
        points = t("Circles: words (means); “{word}” occurs nowhere else in your corpus.", word=word)
    moves = t("PCA, redrawn when you release.")
    sides = t("Add a second sentence to compare the two.")
    if len(of.candidates) > 1:
        braces = {name: "{" + name + "}" for name in ("first", "second", "neither")}
        sides = t(
            "Of {n} points, {first} are nearer to the first, {second} to the second, {neither} to neither (within {close}).",
            n=n,
            close=surroundings.CLOSE,
            **braces,
        )
    return {
        "map": t("Map of “{word}” in this mix: {n} words and sentences.", n=n, word=word),
        "about_map": f"{points} {moves}",
        "unlabelled": t("“{word}” has no labels, so no accuracy.", word=word),
        "sides": sides,
    }


def _lines(table: OccurrenceTable, ids: np.ndarray) -> dict:
    """By id: what stands left of the word, the word, what stands right of it, the number of its shape; a spelling in its first sentence."""
    first = dict(zip(*np.unique(table.word, return_index=True), strict=True))
    lines = {}
    for number in ids.tolist():
        o = table.occurrence(number if number >= 0 else int(first[-1 - number]))
        lines[str(number)] = (*map_view.line(o.tokens, o.position), DIAMOND if number >= 0 else CIRCLE)
    return lines
