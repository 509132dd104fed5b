"""What the browser is told for every page: how Back and Forward go, and how long a text a box takes.

Streamlit writes bound values into the address as they change: one the reader changed replaces the entry of the history it stands
in, one that the program changed makes an entry of its own, so that an example's two sentences and two words were four. Here every
step of the reader's (a text sent, a tap, an example, a page) is one entry, and what follows from it within the run is written into
that entry. Values changed again at once (a slider drawn, a text area typed in) stay one step.

A box of Streamlit's with `max_chars` takes nothing at all of a longer text that is pasted. The browser's own limit cuts it.
"""

from pathlib import Path

import streamlit as st

from core.common.i18n import t
from pages._frame.markup import show_html

SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")
STYLE = """
<style>
  .st-key-browser, [class*="st-key-presses-"], [data-testid="stElementContainer"]:has(> .stHtml > .most) {display: none;}
</style>
"""


def begin() -> None:
    """On every page, once."""
    st.components.v2.component("browser", js=SCRIPT, html="<span></span>")(key="browser")


def limit_text(place, label: str, text: str | None, most: int) -> None:
    """In `place`, below the box of that label, which takes `most` characters: a longer text is cut there, and that is said."""
    show_html('<span class="most" data-box="{}" data-most="{}"></span>', label, most, place=place)
    if len((text or "").encode("utf-16-le", "replace")) // 2 >= most:  # as a browser counts
        place.caption(t("Only the first {n:,} characters are read.", n=most))
