"""The Map page's instrument: what core sends to the reader's browser once, so that layers glide under the hand.

`map.js` interpolates between the layers' places and draws; `map.css` is its look. What it is told besides is which layer is on
screen, whose lines are drawn and what is selected.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.model_layers import SENSES
from core.figures.style import OWN, ink, layer_colour, layer_title
from core.files.artifacts import text_fingerprint
from core.index.neighbours import Occurrence
from core.live.texts import map_texts
from core.senses.trust import Links
from core.text.tokens import around
from pages._frame.choices import ALL, TOKENS, layer_name
from pages._map import brush
from pages._map.lines import KEY, STARS
from pages._widgets import instruments
from pages._widgets.inputs import Chosen
from pages._widgets.instruments import instrument, packed, said
from pages._word import pair_layer

LIVE = "map.live"  # key of the component
_live = instrument("map", Path(__file__).parent, "live")
MOST_LINKED = 200  # dots up to which the neighbours of each are sent beforehand; of more, those of the stars and of the one in question
NEUTRAL = "#8c8c96"  # of dots in no group


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Points:
    """What is on one map: N dots, each an occurrence, and S stars in K spaces."""

    names: Sequence[str]  # (K,) of the spaces
    coordinates: np.ndarray  # (K, N, 2)
    stars: np.ndarray  # (K, S, 2)
    chosen: Mapping[int, Chosen]  # the reader's sentences that are stars, by number
    occurrences: Sequence[Occurrence]  # (N,)
    groups: Sequence[Sequence[int]]  # of each dot, in every space or once for all: a number into `colours`, 0 for none
    colours: Sequence[str]
    chips: Sequence[tuple[str, int, int]]  # what a group is called, its number, its shape
    shapes: Sequence[int]  # (N,)
    notes: Sequence[str]  # (N,) what else is said of a dot
    links: Sequence[Sequence[Links]]  # true neighbours of the first dots, then of the stars, in every space
    labels: Sequence[tuple[int, np.ndarray]] = ()  # groups that are named on the map, and where: (K, 2)
    words: Sequence[Sequence[int]] = ()  # numbers of the dots whose words are written, in every space
    under: Sequence[str] = ()  # what is said under a space's name
    told: Mapping[str, str] = field(default_factory=dict)  # what a group's name means
    axes: tuple[str, str] | None = None


def data(shown: Points, *, title: str, alt: str) -> dict:
    """All that the map of these points needs in any layer, as JSON; `alt` has a place for where one looks, "{where}"."""
    n_spaces, n, _ = shown.coordinates.shape
    places = np.concatenate([shown.coordinates, shown.stars], axis=1).astype(float)
    labels = np.array([[at[k] for _, at in shown.labels] for k in range(n_spaces)], float).reshape(n_spaces, -1, 2)
    everything = places.reshape(-1, 2)
    low, high = (everything.min(0), everything.max(0)) if len(everything) else (np.zeros(2), np.ones(2))
    named = {group: name for name, group, _ in shown.chips}
    linked = len(shown.links) - len(shown.chosen)
    origins = [*range(linked), *range(n, n + len(shown.chosen))]
    result = {
        "names": list(shown.names),
        "short": [t("sense") if name == SENSES else layer_name(name) for name in shown.names],
        "titles": [model_layers.in_use().heading(name) for name in shown.names],
        "where": [layer_title(name) for name in shown.names],
        "under": list(shown.under) or [""] * n_spaces,
        "tints": [layer_colour(name) for name in shown.names],
        "places": packed(np.concatenate([places, labels], axis=1)),
        "limits": [float(low[0]), float(high[0]), float(low[1]), float(high[1])],
        "rows": [o.row for o in shown.occurrences],
        "groups": [[int(group) for group in each] for each in shown.groups],
        "colours": list(shown.colours),
        "chips": [{"name": name, "group": group, "shape": shape, "told": shown.told.get(name, "")} for name, group, shape in shown.chips],
        "shapes": [int(shape) for shape in shown.shapes],
        "lines": [around(o.tokens, o.position) for o in shown.occurrences],
        "notes": list(shown.notes),
        "stars": [
            {"name": STARS[k], "label": t("yours, {number}", number=k), "text": item.readable, "colour": OWN[k - 1]}
            for k, item in shown.chosen.items()
        ],
        "labels": [
            {
                "name": named[k],
                "group": k,
                "colour": (colour := shown.colours[k]),
                "ink": ink(colour),
                "shown": [0.0, *[1.0] * (n_spaces - 1)],
            }
            for k, _ in shown.labels
        ],
        "words": [[int(k) for k in each] for each in shown.words] or None,
        "links": {str(k): [each.as_lists for each in links] for k, links in zip(origins, shown.links, strict=True)},
        "axes": shown.axes,
        "text": map_texts() | {"all": t("all layers"), "every": t("all tokens"), "title": title, "alt": alt},
    }
    return result | {"key": text_fingerprint([repr(result)])[:16]}


def live(data: dict, names: Sequence[str], rows: Collection[int]) -> None:
    """Mount the instrument; where the reader lets go, the layer, the point in question and the selection are taken over."""
    _live(key=LIVE, data=data, on_set_change=lambda: _take(names, rows))


def told(data: dict, view: str, dot: str, picked: Sequence[int], links: Mapping[int, Sequence[Links]]) -> None:
    """What is set: the space, whose lines are drawn, which rows are selected; links of points whose were not sent before."""
    known = {"seq": instruments.sequence(LIVE), "key": data["key"], "view": view, "dot": dot, "picked": [int(row) for row in picked]}
    instruments.told("map", known | {"links": {str(k): [each.as_lists for each in every] for k, every in links.items()}})


def glides(view: str, names: Sequence[str]) -> bool:
    """Whether the layers lie under the reader's hand: where the browser can, and one of them is asked for, not all side by side."""
    if live := view in names and not instruments.is_plain("map"):
        instruments.hide("map", "map_layers", "map_whose")
    return live


def side_by_side(names: Sequence[str]) -> list:
    """A place for the map of each space: alone, or in two columns."""
    rows = range((len(names) + 1) // 2)
    return [st.container()] if len(names) == 1 else [column for _ in rows for column in st.columns(2, gap="small")]


def _take(names: Sequence[str], rows: Collection[int]) -> None:
    """What the reader let go of: the layer, which stands in the address, whose lines are drawn, what is selected."""
    if (given := setting(names, rows)) is None:
        return
    st.session_state["view"], st.session_state[KEY], picked = given
    pair_layer.keep(given[0])
    state = st.session_state[brush.KEY]
    if set(picked) != set(state.picked):
        state.select(picked, LIVE)


def setting(names: Sequence[str], rows: Collection[int]) -> tuple[str, str, list[int]] | None:
    """What the reader's browser says was set: a space, all layers or all tokens, whose lines, which rows; None where that is no such thing."""
    given = said(LIVE)
    view, dot, picked = (given.get(name) for name in ("view", "dot", "picked"))
    if view not in (*names, ALL, TOKENS) or not isinstance(dot, str) or not isinstance(picked, list):
        return None
    known = {int(row) for row in rows}
    return view, dot, [row for row in picked if isinstance(row, int) and row in known]


def side_names() -> tuple[str, str, str]:
    """Which of both sentences a word leans to."""
    return t("nearer to the first"), t("nearer to the second"), t("neither")
