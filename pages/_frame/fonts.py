"""Check that the browser has a font for a language, and name one to install.

A browser without a Hangul font draws the same box for every letter, also in charts and saved pictures. The check draws two letters of the
language's name. If they look alike, a message appears in English, because the language itself would be unreadable.
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
    """Show a message if the browser cannot draw the language named `name`. A name in ASCII needs no check."""
    letters = list(dict.fromkeys(sign for sign in name if sign.isalpha() and not sign.isascii()))[:2]
    if len(letters) < 2:
        return
    html = f'<p class="letters" role="status" hidden>{TOLD}</p>'
    component = st.components.v2.component("letters", html=html, css=STYLE, js=SCRIPT)
    component(data={"letters": letters}, key="letters")
