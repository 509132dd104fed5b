"""The widget of the Map page. The browser receives all layers at once, so that dots glide between them during a drag.

`map.js` interpolates and draws; `map.css` is its style. Later messages hold the visible layer, the point whose lines are drawn, and the
selection.
"""

from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from core.common.i18n import t
from core.live.settings import map_setting
from core.senses.trust import Links
from pages._frame.choices import ALL, TOKENS
from pages._map import brush
from pages._map.lines import KEY
from pages._widgets import instruments
from pages._widgets.instruments import get_settings
from pages._widgets.maps import map_widget
from pages._word import pair_layer

LIVE = "map.live"  # key of the component
MOST_LINKED = 200  # dots up to which the neighbors of each are sent beforehand; of more, those of the stars and of the one in question


def live(data: dict, names: Sequence[str], rows: Collection[int]) -> None:
    """Mount the widget. When the user lets go, take over the layer, the selected point and the selection."""
    map_widget(key=LIVE, data=data, on_set_change=lambda: _take(names, rows))


def set_view(data: dict, view: str, dot: str, picked: Sequence[int], links: Mapping[int, Sequence[Links]]) -> None:
    """Return the settings: the space, the point whose lines are drawn, the selected rows, and the links of points that were not sent before."""
    known = {"seq": instruments.sequence(LIVE), "key": data["key"], "view": view, "dot": dot, "picked": [int(row) for row in picked]}
    instruments.send("map", known | {"links": {str(k): [each.as_lists for each in every] for k, every in links.items()}})


def glides(view: str, names: Sequence[str]) -> bool:
    """Return whether one layer is visible, so that dots can glide, and not all layers side by side."""
    if live := view in names:
        instruments.hide("map", "map_layers", "map_whose")
    return live


def side_by_side(names: Sequence[str]) -> list:
    """Return a container for the map of each space, alone or in two columns."""
    rows = range((len(names) + 1) // 2)
    return [st.container()] if len(names) == 1 else [column for _ in rows for column in st.columns(2, gap="small")]


def _take(names: Sequence[str], rows: Collection[int]) -> None:
    """Take over the layer (a URL parameter), the selected point and the selection that the user set in the widget."""
    if (given := map_setting(get_settings(LIVE), (*names, ALL, TOKENS), rows)) is None:
        return
    st.session_state["view"], st.session_state[KEY], picked = given
    pair_layer.keep(given[0])
    state = st.session_state[brush.KEY]
    if set(picked) != set(state.picked):
        state.select(picked, LIVE)


def side_names() -> tuple[str, str, str]:
    """Return the names of the sides: nearer to the first or the second sentence."""
    return t("nearer to the first"), t("nearer to the second"), t("neither")
