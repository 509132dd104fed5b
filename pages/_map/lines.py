"""Draw lines from the selected point to its true neighbors, mark those that the map placed elsewhere, and list them."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.index.neighbors import Occurrence
from core.live.points import NONE, STARS
from core.senses.trust import Links
from core.text.tokens import join_tokens
from pages._widgets import lists
from pages._widgets.inputs import Chosen
from pages._word.atlas import sense_note

KEY, ADDRESS = "map.dot", "dot"


def choose(placed: Mapping[int, Chosen], occurrences: Sequence[Occurrence]) -> str:
    """Let the user choose the point whose neighbor lines are drawn: a clicked dot, a star, or none. Return its row id, star or NONE.

    The choice is written into the address here, because a binding of the widget would not write the row id.
    """
    titles = {STARS[n]: t("your first sentence") if n == 1 else t("your second sentence") for n in placed}
    wanted = st.session_state.get(KEY) or st.query_params.get(ADDRESS, "")
    if o := next((o for o in occurrences if str(o.row) == wanted), None):
        readable = join_tokens(list(o.tokens[max(0, o.position - 4) : o.position + 5]))
        titles[wanted] = t("dot “… {sentence} …”", sentence=readable)
    titles[NONE] = t("none")
    if wanted in titles:
        st.session_state[KEY] = wanted
    elif KEY in st.session_state:  # a dot of another word
        del st.session_state[KEY]
    chosen = (
        st.selectbox(
            t("True neighbors of"),
            list(titles),
            format_func=titles.get,
            key=KEY,
            persist_state="session",
            help=t("Nearest by cosine in all dimensions; or click a dot or star."),
        )
        or NONE
    )
    if chosen != next(iter(titles)):
        st.query_params[ADDRESS] = chosen
    elif ADDRESS in st.query_params:
        del st.query_params[ADDRESS]
    return chosen


def toggle_point(row: int, placed: dict[int, Chosen]) -> None:
    """Select the clicked dot, or star (row -1 or -2), or deselect it if it is selected. Other rows are ignored."""
    if row < -len(placed):
        return
    name = str(row) if row >= 0 else STARS[list(placed)[-1 - row]]
    st.session_state[KEY] = NONE if st.session_state.get(KEY) == name else name


def show_list(occurrences: Sequence[Occurrence], near: Links, key: str, title: str) -> None:
    """List the true neighbors among the dots of a map. A neighbor that the user checks becomes the selected point."""
    listed = [occurrences[k] for k in near.rows]

    def pick() -> None:
        if chosen := lists.read_selection(st.session_state[key], len(listed)):
            st.session_state[KEY] = str(listed[chosen[0]].row)

    st.markdown(title)
    st.caption(t("Check a row for its neighbors."))
    st.dataframe(
        pd.DataFrame(
            {
                t("on the map"): [t("near") if kept else t("not near") for kept in near.near],
                t("cosine"): near.cosines.round(3),
                t("sense"): [sense_note(o) for o in listed],
                t("sentence"): [o.sentence for o in listed],
            }
        ),
        hide_index=True,
        width="stretch",
        key=key,
        on_select=pick,
        selection_mode="single-row",
        alt=t("True neighbors, nearest first."),
    )
