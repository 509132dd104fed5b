"""Count every step: arrow keys and the buttons next to the numbers select the neighboring number in the browser.

Streamlit answers a button with what the last complete run drew, and keeps one click for the next run. Of two quick steps one was lost. A
selected number is state of the browser instead: it changes at once, and the next run receives the newest. Until the browser has loaded the
script, the buttons and their shortcuts work without it.
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
    """Return the class that Streamlit gives to the element with a key."""
    return "st-key-" + re.sub(r"[^\w-]", "-", key, flags=re.ASCII)
