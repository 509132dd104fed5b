"""The selection of a session (core.live.brush), shared by the maps and the table of dots.

Streamlit mounts a chart again when its figure changes. Therefore the map in which the user selects keeps its figure, because the browser
already shows the selection there. A map that must change starts at its previous zoom. Streamlit reports neither clicks on single dots nor
zooms, so a listener reports them.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.figures.maps import selected_rows
from core.index.neighbors import Occurrence
from core.live.brush import TABLE, Brush
from core.text.tokens import bare
from pages._export.csv_file import csv_of
from pages._frame.client_values import is_number
from pages._widgets import lists
from pages._word.atlas import sense_note

KEY, WATCH = "map.brush", "map.watch"
# Maps say who they are in their layout's `meta`. Both events are Plotly's own, on the chart's element.
LISTENER = Path(__file__).with_suffix(".js").read_text("utf-8")
_listen = st.components.v2.component("elmoscope_map_watch", js=LISTENER)


def brush(scope: tuple) -> Brush:
    """Return the selection of the session, or a new one if the rows have changed."""
    if KEY not in st.session_state or st.session_state[KEY].scope != scope:
        st.session_state[KEY] = Brush(scope)
    return st.session_state[KEY]


def brushed(name: str) -> None:
    """Take over a selection that the user made or cleared in a map."""
    st.session_state[KEY].select(selected_rows(st.session_state[name]), name)


def listen(clicked: Callable[[int], None]) -> None:
    """Handle clicks on dots and zooms of the map. `clicked` is called with the row, or with -1 or -2 for a star."""

    def on_click() -> None:
        row = st.session_state[WATCH].get("clicked")
        if is_number(row) and int(row) == row:
            clicked(int(row))

    def on_zoom() -> None:
        zooms = st.session_state[WATCH].get("zooms")
        items = zooms.items() if isinstance(zooms, dict) else ()
        st.session_state[KEY].zooms = {
            name: tuple(map(float, limits))
            for name, limits in items
            if isinstance(limits, list) and len(limits) == 4 and all(map(is_number, limits))
        }

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
        st.session_state[KEY].select([state.order[n] for n in numbers], TABLE)

    title, clear = st.columns([3, 2], vertical_alignment="center")
    if state.picked:
        title.markdown(t("**{n} selected**", n=len(state.picked)))
        clear.button(t("Clear selection"), key="map.clear", width="stretch", on_click=lambda: state.select([], ""))
    else:
        title.markdown(t("**All {n} dots**", n=len(rows)))
    st.dataframe(
        _frame(occurrences, state.order),
        hide_index=True,
        width="stretch",
        height=400,
        key=key,
        on_select=ticked,
        selection_mode="multi-row",
        selection_default={"selection": {"rows": list(range(state.ticked))}},
        alt=t("All sentences; checked ones are selected on the maps."),
    )
    if state.picked:
        st.download_button(
            t("Download selection"),
            csv_of(_frame(occurrences, state.picked)),
            "selection.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
        )


def _frame(occurrences: Sequence[Occurrence], rows: Sequence[int]) -> pd.DataFrame:
    of = {o.row: o for o in occurrences}
    listed = [of[row] for row in rows if row in of]
    columns = {
        t("word"): [bare(o.tokens[o.position]) for o in listed],
        t("sense"): [sense_note(o) for o in listed],
        t("sentence"): [o.sentence for o in listed],
    }
    return pd.DataFrame({name: values for name, values in columns.items() if any(values)})
