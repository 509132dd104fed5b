"""The widget of the Map page, the selection that it shares with the other maps and the table of dots, and the selected point.

The browser receives all layers at once, so that dots glide between them during a drag (`map.js`). Later messages hold the visible layer, the
point whose lines are drawn, and the selection (core.live.widgets).

Streamlit mounts a chart again when its figure changes. Therefore the map in which the user selects keeps its figure, because the browser
already shows the selection there. A map that must change starts at its previous zoom. Streamlit reports neither clicks on single dots nor
zooms, so a listener reports them (`brush.js`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.word_maps import Links
from core.common.i18n import t
from core.figures.maps import selected_rows, sense_note
from core.files.formats import encode_csv
from core.index.rows import Occurrence
from core.live.widgets import NONE, STARS, TABLE, Brush, map_setting
from core.text.tokens import bare, join_tokens
from pages._frame.choices import ALL, TOKENS
from pages._frame.markup import component
from pages._frame.parameters import is_new, read_parameter, write_parameter
from pages._frame.patches import is_number
from pages._widgets import components, lists, verdict
from pages._widgets.components import get_settings, map_widget
from pages._widgets.inputs import Chosen

BRUSH_KEY, WATCH = "map.brush", "map.watch"
# A map is identified by the `meta` of its layout. Both events are Plotly's, on the element of the chart.
_listen = component("elmoscope_map_watch", Path(__file__).with_name("brush"))
DOT_KEY, DOT_PARAMETER = "map.dot", "dot"
LIVE = "map.live"  # key of the component
MOST_LINKED = 200  # dots whose neighbors are all sent; with more dots, only those of the stars and of the selected dot


def brush(scope: tuple) -> Brush:
    """Return the selection of the session, or a new one if the rows have changed."""
    if BRUSH_KEY not in st.session_state or st.session_state[BRUSH_KEY].scope != scope:
        st.session_state[BRUSH_KEY] = Brush(scope)
    return st.session_state[BRUSH_KEY]


def brushed(name: str) -> None:
    """Take over a selection that the user made or cleared in a map."""
    st.session_state[BRUSH_KEY].select(selected_rows(st.session_state[name]), name)


def listen(clicked: Callable[[int], None]) -> None:
    """Handle clicks on dots and zooms of the map. `clicked` is called with the row, or with -1 or -2 for a star."""

    def on_click() -> None:
        row = st.session_state[WATCH].get("clicked")
        if is_number(row) and int(row) == row:
            clicked(int(row))

    def on_zoom() -> None:
        zooms = st.session_state[WATCH].get("zooms")
        items = zooms.items() if isinstance(zooms, dict) else ()
        sound = {k: v for k, v in items if isinstance(v, list) and len(v) == 4 and all(map(is_number, v))}
        st.session_state[BRUSH_KEY].zooms = {name: tuple(map(float, limits)) for name, limits in sound.items()}

    _listen(key=WATCH, on_clicked_change=on_click, on_zooms_change=on_zoom)


def show_table(occurrences: Sequence[Occurrence], state: Brush) -> None:
    """Show all dots as a table whose ticked rows are the selection. Rows that were selected on a map come first."""
    rows = [o.row for o in occurrences]
    if not state.order or set(state.order) != set(rows):
        chosen = set(state.picked)
        state.order = (*(r for r in rows if r in chosen), *(r for r in rows if r not in chosen))
        state.ticked = len(chosen)
    key = f"{TABLE}.{state.version}"

    def ticked() -> None:
        numbers = lists.read_selection(st.session_state[key], len(state.order))
        st.session_state[BRUSH_KEY].select([state.order[n] for n in numbers], TABLE)

    title, clear = st.columns([3, 2], vertical_alignment="center")
    if state.picked:
        title.markdown(t("**{n} selected**", n=len(state.picked)))
        clear.button(t("Clear selection"), key="map.clear", width="stretch", on_click=lambda: state.select([], ""))
    else:
        title.markdown(t("**All {n} dots**", n=len(rows)))
    selection = {"selection_mode": "multi-row", "selection_default": {"selection": {"rows": list(range(state.ticked))}}}
    alt = t("All sentences; checked ones are selected on the maps.")
    lists.grid(_list_dots(occurrences, state.order), height=400, key=key, on_select=ticked, alt=alt, **selection)
    if state.picked:
        table = encode_csv(_list_dots(occurrences, state.picked))
        lists.download(t("Download selection"), table, "selection.csv", "text/csv", key="map.selection")


def _list_dots(occurrences: Sequence[Occurrence], rows: Sequence[int]) -> pd.DataFrame:
    by_row = {o.row: o for o in occurrences}
    listed = [by_row[row] for row in rows if row in by_row]
    columns = {
        t("word"): [bare(o.tokens[o.position]) for o in listed],
        t("sense"): [sense_note(o) for o in listed],
        t("sentence"): [o.sentence for o in listed],
    }
    return pd.DataFrame({name: values for name, values in columns.items() if any(values)})


def choose_point(chosen: Mapping[int, Chosen], occurrences: Sequence[Occurrence]) -> str:
    """Let the user choose the point whose neighbor lines are drawn: a clicked dot, a star, or none. Return its row id, star or NONE."""
    titles = {STARS[n]: t("your first sentence") if n == 1 else t("your second sentence") for n in chosen}
    before = "" if is_new(DOT_PARAMETER) else st.session_state.get(DOT_KEY)  # after Back the address wins
    wanted = before or read_parameter(DOT_PARAMETER) or ""
    if o := next((o for o in occurrences if str(o.row) == wanted), None):
        readable = join_tokens(list(o.tokens[max(0, o.position - 4) : o.position + 5]))
        titles[wanted] = t("dot “… {sentence} …”", sentence=readable)
    titles[NONE] = t("none")
    if wanted in titles:
        st.session_state[DOT_KEY] = wanted
    elif DOT_KEY in st.session_state:  # a dot of another word
        del st.session_state[DOT_KEY]
    options = {"format_func": titles.get, "key": DOT_KEY, "persist_state": "session"}
    about = t("Nearest by cosine in all dimensions; or click a dot or star.")
    picked = st.selectbox(t("True neighbors of"), list(titles), help=about, **options) or NONE
    write_parameter(DOT_PARAMETER, None if picked == next(iter(titles)) else picked)  # a binding of the widget would not write a row id
    return picked


def toggle_point(row: int, chosen: dict[int, Chosen]) -> None:
    """Select the clicked dot, or star (row -1 or -2), or deselect it if it is selected. Other rows are ignored."""
    if row < -len(chosen):
        return
    name = str(row) if row >= 0 else STARS[list(chosen)[-1 - row]]
    st.session_state[DOT_KEY] = NONE if st.session_state.get(DOT_KEY) == name else name


def show_neighbors(occurrences: Sequence[Occurrence], links: Links, key: str, title: str) -> None:
    """List the true neighbors among the dots of a map. A neighbor that the user checks becomes the selected point."""
    listed = [occurrences[k] for k in links.rows]

    def pick() -> None:
        if chosen := lists.read_selection(st.session_state[key], len(listed)):
            st.session_state[DOT_KEY] = str(listed[chosen[0]].row)

    st.markdown(title)
    columns = {
        t("on the map"): [t("near") if is_near else t("not near") for is_near in links.near],
        t("cosine"): links.cosines.round(3),
        t("sense"): [sense_note(o) for o in listed],
        t("sentence"): [o.sentence for o in listed],
    }
    lists.grid(columns, key=key, on_select=pick, selection_mode="single-row", alt=t("True neighbors, nearest first."))


def live(
    data: dict, names: Sequence[str], rows: Collection[int], links: Mapping[int, Sequence[Links]] | None = None, **settings: Any
) -> None:
    """Mount the widget. When the user lets go, take over the layer, the selected point and the selection.

    The `settings` are the space (`view`), the point whose lines are drawn (`dot`) and the selected rows (`picked`). The `links` are those of
    points that were not sent before.
    """
    map_widget(key=LIVE, data=data, on_set_change=lambda: _take_settings(names, rows))
    message = {
        **settings,
        "seq": components.sequence(LIVE),
        "key": data["key"],
        "picked": [int(row) for row in settings["picked"]],
        "links": {str(k): [link.as_lists for link in every] for k, every in (links or {}).items()},
    }
    components.send("map", message)


def glides(view: str, names: Sequence[str]) -> bool:
    """Return whether one layer is visible, so that dots can glide, and not all layers side by side."""
    if live := view in names:
        components.hide("map", "map_layers", "map_whose")
    return live


def side_by_side(names: Sequence[str]) -> list:
    rows = range((len(names) + 1) // 2)
    return [st.container()] if len(names) == 1 else [column for _ in rows for column in st.columns(2, gap="small")]


def _take_settings(names: Sequence[str], rows: Collection[int]) -> None:
    """Take over the layer (a URL parameter), the selected point and the selection that the user set in the widget."""
    if (setting := map_setting(get_settings(LIVE), (*names, ALL, TOKENS), rows)) is None:
        return
    st.session_state["view"], st.session_state[DOT_KEY], picked = setting
    verdict.keep_layer(setting[0])
    state = st.session_state[BRUSH_KEY]
    if set(picked) != set(state.picked):
        state.select(picked, LIVE)


def side_names() -> tuple[str, str, str]:
    return t("nearer to the first"), t("nearer to the second"), t("neither")
