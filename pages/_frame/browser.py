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

SCRIPT = Path(__file__).with_name("browser.js").read_text("utf-8")
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


# A browser without a Hangul font draws the same box for every letter, also in charts and saved pictures. The check draws two letters of the
# language's name. If they look alike, a message appears in English, because the language itself would be unreadable.
# fmt: off
MISSING_FONT = (
    "This browser has no font with the letters of the chosen language, so they show as boxes, in charts and saved pictures too. "
    "Install one and start the browser anew: Noto Sans CJK or Nanum for Korean "
    "(Debian, Ubuntu: apt install fonts-noto-cjk; Fedora: dnf install google-noto-sans-cjk-fonts; Windows and macOS bring one)."
)
# fmt: on
FONTS_STYLE = """
.letters {font-family: inherit; font-size: 1rem; line-height: 1.5; margin: 0; padding: 0.7rem 0.9rem; color: var(--st-text-color);
          border-left: 4px solid #B45309; background: var(--st-secondary-background-color);}
.letters[hidden] {display: none;}
"""
FONTS_SCRIPT = Path(__file__).with_name("fonts.js").read_text("utf-8")


def check_font(name: str) -> None:
    """Show a message if the browser cannot draw the language named `name`. A name in ASCII needs no check."""
    letters = list(dict.fromkeys(sign for sign in name if sign.isalpha() and not sign.isascii()))[:2]
    if len(letters) < 2:
        return
    html = f'<p class="letters" role="status" hidden>{MISSING_FONT}</p>'
    component = st.components.v2.component("letters", html=html, css=FONTS_STYLE, js=FONTS_SCRIPT)
    component(data={"letters": letters}, key="letters")
