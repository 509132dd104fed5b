"""Whether the reader's browser can draw the letters of a language; what to install where it cannot.

A browser without a font for Hangul draws one and the same box for every letter, on the page, in its charts and in the pictures
that it saves. It is asked to draw two letters of the language's own name; where they come out alike, a sentence says so, in
English, for the language itself could not be read.
"""

from pathlib import Path

import streamlit as st

# fmt: off
TOLD = (
    "This browser has no font with the letters of the chosen language, so they show as boxes, in charts and saved pictures too. "
    "Install one and start the browser anew: Noto Sans CJK or Nanum for Korean "
    "(Debian, Ubuntu: apt install fonts-noto-cjk; Fedora: dnf install google-noto-sans-cjk-fonts; Windows and macOS bring one)."
)
# fmt: on
STYLE = """
.letters {font-family: inherit; font-size: 1rem; line-height: 1.5; margin: 0; padding: 0.7rem 0.9rem; color: var(--st-text-color);
          border-left: 4px solid #B45309; background: var(--st-secondary-background-color);}
.letters[hidden] {display: none;}
"""
SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")


def check(name: str) -> None:
    """Say what is missing, if anything is, for a language that calls itself `name`; a name in ASCII needs nothing."""
    letters = list(dict.fromkeys(sign for sign in name if sign.isalpha() and not sign.isascii()))[:2]
    if len(letters) < 2:
        return
    html = f'<p class="letters" role="status" hidden>{TOLD}</p>'
    component = st.components.v2.component("letters", html=html, css=STYLE, js=SCRIPT)
    component(data={"letters": letters}, key="letters")
