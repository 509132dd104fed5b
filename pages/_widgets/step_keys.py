"""Steps that are never lost: arrow keys, and the buttons beside the numbers, press the neighboring number in the browser.

Streamlit answers a button with what the last whole run had drawn, and keeps one press of it for the next run: of two quick
steps one was lost, and of a step during a run often that one too. A chosen number is the browser's own state instead: it
stands at once, the next step counts from it, and the next run is told the newest. Until the browser has loaded this, the
buttons and their shortcuts work by themselves.
"""

import re
from pathlib import Path

import streamlit as st

# A text's cursor keys stay its own. Clicks are taken before React hears of them, and keys after that, on their way to the
# buttons' shortcuts, which listen on the document: groups of choices have their arrow keys.
LISTENER = Path(__file__).with_suffix(".js").read_text("utf-8")
_listen = st.components.v2.component("elmoscope_steps", js=LISTENER)


def listen(numbers: str, back: str, forward: str, *, arrows: bool) -> None:
    """Let both buttons, and the arrow keys if `arrows`, press a number of a segmented control; all are named by their keys."""
    data = {"numbers": _css(numbers), "back": _css(back), "next": _css(forward), "arrows": arrows}
    _listen(key=f"{numbers}.steps", data=data, width="content", height="content")


def _css(key: str) -> str:
    """The class that Streamlit gives to the element with this key."""
    return "st-key-" + re.sub(r"[^\w-]", "-", key, flags=re.ASCII)
