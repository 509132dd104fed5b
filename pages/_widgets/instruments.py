"""Widgets that react to every pixel of a drag in the browser, in the page itself and in its colors.

Each is a script that uses the shared `instrument.js`, with a style. The server sends data and texts as JSON. A small second component sends
what the server has computed since.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

SHARED = (Path(__file__).parent / "instrument.js").read_text("utf-8")
TELL = (Path(__file__).parent / "tell.js").read_text("utf-8")
_told = st.components.v2.component("elmoscope_told", html="<span></span>", js=TELL)


def instrument(name: str, folder: Path, *parts: str) -> Callable[..., Any]:
    """Return the component of `name`.js and `name`.css in a folder, after the scripts of its `parts`. It draws into `name`.html or a `div`."""
    read = {end: "".join((folder / f"{part}.{end}").read_text("utf-8") for part in (*parts, name)) for end in ("js", "css")}
    own = folder / f"{name}.html"
    html = own.read_text("utf-8") if own.is_file() else f'<div class="{name}"></div>'
    return st.components.v2.component(f"elmoscope_{name}", html=html, css=read["css"], js=SHARED + read["js"])


def get_settings(key: str) -> dict:
    """Return the last settings that the widget `key` sent, or {} for any other value."""
    result = (st.session_state.get(key) or {}).get("set")
    return result if isinstance(result, dict) else {}


def sequence(key: str) -> int | None:
    """Return the number of the widget's last message, which is sent back to it."""
    number = get_settings(key).get("seq")
    return number if isinstance(number, int) else None


def send(name: str, data: dict) -> None:
    """Send data to the widget."""
    _told(key=f"{name}.told", data=data | {"instrument": name}, height=1)


def hide(name: str, *keys: str) -> None:
    """Hide Streamlit's own controls while a widget replaces them. They hold the values, and so does the URL."""
    # Beside the style stands an element, or Streamlit would keep the style when what it is for is gone.
    st.html(f"<style>{', '.join(f'.st-key-{key}' for key in (*keys, f'{name}-told'))} {{display: none;}}</style><i hidden></i>")
