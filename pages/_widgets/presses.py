"""A button whose every click counts.

Streamlit merges the clicks before a run begins into one. Here the browser counts the clicks and sends the number. Until the browser has
loaded the script, the button works without it.
"""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

MOST = 100  # presses that one run is told of
LISTENER = Path(__file__).with_suffix(".js").read_text("utf-8")
_listen = st.components.v2.component("elmoscope_presses", js=LISTENER)


def button(label: str, key: str, on_press: Callable[[int], object], *, place=st, **options: Any) -> None:
    """Draw the button of that key in `place`; `on_press` is called with how often it was pressed since it was last called."""
    place.button(label, key=key, on_click=on_press, args=(1,), **options)
    counter = f"presses.{key}"
    data = {"button": "st-key-" + re.sub(r"[^\w-]", "-", key, flags=re.ASCII)}
    _listen(key=counter, data=data, on_presses_change=partial(_take, counter, on_press), height=1)


def _take(counter: str, on_press: Callable[[int], object]) -> None:
    number = (st.session_state.get(counter) or {}).get("presses")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        return
    seen = st.session_state.get(f"{counter}.seen", 0)
    st.session_state[f"{counter}.seen"] = number
    on_press(min(MOST, number - seen if number > seen else number))  # a browser that was loaded again counts from 1
