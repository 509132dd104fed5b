"""Make a neighbor the user's own sentence with one click, and offer a way back.

The lines are HTML. A listener in the page receives the clicks on their buttons (class "take").
"""

from pathlib import Path

import streamlit as st

from core.common.i18n import t
from core.common.markup import shorten
from core.index.neighbors import Occurrence
from core.index.table import OccurrenceTable
from core.text.readings import as_typed
from pages._frame import question
from pages._frame.markup import plain

KEY, BEFORE = "requery", "requery.before"
KEPT = 20  # steps back
# Taken before the browser does anything else with the click. The page may draw its lines anew at any time, so the document listens.
# The buttons are seen once somebody listens (see STYLE): on a busy machine that is later than the lines.
LISTENER = Path(__file__).with_suffix(".js").read_text("utf-8")
STYLE = "<style>.st-key-requery {display: none;} html:not([data-takes]) .kwic .take {visibility: hidden;}</style>"
_listen = st.components.v2.component("elmoscope_requery", js=LISTENER)


def listen(table: OccurrenceTable) -> None:
    """Receive clicks on the buttons of lines whose occurrences are rows of `table`. The page runs again after a click.

    Call this before the lines are drawn, at a place that no other part of the page moves.
    """
    st.html(STYLE)

    def on_taken() -> None:
        side, _, row = str(st.session_state[KEY].get("taken") or "").partition(":")
        if side in ("a", "b") and row.isdecimal() and len(row) < 10 and int(row) < len(table):
            take(side, table.occurrence(int(row)))

    _listen(key=KEY, on_taken_change=on_taken)


def take(side: str, occurrence: Occurrence) -> None:
    """Make an occurrence the first ("a") or second ("b") sentence, and store the previous one."""
    state = st.session_state
    text, position = as_typed(occurrence.tokens, occurrence.position)
    state.setdefault(BEFORE, []).append({key: state.get(key) for key in question.KEPT})
    del state[BEFORE][:-KEPT]
    state[side], state[f"{side}i"] = text, position
    state[f"{side}.tapped"] = occurrence.tokens[occurrence.position]


def show_back() -> None:
    """Show a button that restores the previous sentences after one was taken from a list."""
    if not st.session_state.get(BEFORE):
        return
    last = st.session_state[BEFORE][-1]
    side = "a" if last["a"] != st.session_state.get("a") else "b"
    text = str(last[side] or "")
    st.button(t("Back to “{sentence}”", sentence=plain(shorten(text, 60))), icon=":material/undo:", key="requery.back", on_click=_back)


def _back() -> None:
    if st.session_state.get(BEFORE):
        st.session_state.update(st.session_state[BEFORE].pop())
