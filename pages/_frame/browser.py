"""Configure the browser for every page: its history, and the length of pasted texts.

Each step of the user (a typed text, a click, an example, a page) is one entry of the history. Streamlit alone would add an entry for each
value that changes in the run: an example with two sentences and two words would add four. Values that change in quick succession (a
moved slider, a text area) are one step.

A Streamlit box with `max_chars` rejects a longer text that is pasted. The browser's own limit cuts the text instead.
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
    """Install the scripts. Call this once on every page."""
    st.components.v2.component("browser", js=SCRIPT, html="<span></span>")(key="browser")


def limit_text(place, label: str, text: str | None, most: int) -> None:
    """Cut a longer text in the box named `label` to `most` characters, and state this below the box."""
    show_html('<span class="most" data-box="{}" data-most="{}"></span>', label, most, place=place)
    if len((text or "").encode("utf-16-le", "replace")) // 2 >= most:  # as a browser counts
        place.caption(t("Only the first {n:,} characters are read.", n=most))
