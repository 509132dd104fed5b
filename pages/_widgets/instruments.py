"""Instruments: pictures that answer every pixel of a drag in the reader's browser, in the page itself and in its colors.

Each is a script of its own behind `instrument.js`, which all share, and a style; data and texts are core's and the page's, as JSON.
A small component of its own tells it what the server has since made.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

SHARED = (Path(__file__).parent / "instrument.js").read_text("utf-8")
TELL = (Path(__file__).parent / "tell.js").read_text("utf-8")
_told = st.components.v2.component("elmoscope_told", html="<span></span>", js=TELL)


def instrument(name: str, folder: Path, *parts: str) -> Callable[..., Any]:
    """The component of `name`.js and `name`.css in a folder, behind those of its `parts`, drawn into `name`.html or a `div` of that class."""
    read = {end: "".join((folder / f"{part}.{end}").read_text("utf-8") for part in (*parts, name)) for end in ("js", "css")}
    own = folder / f"{name}.html"
    html = own.read_text("utf-8") if own.is_file() else f'<div class="{name}"></div>'
    return st.components.v2.component(f"elmoscope_{name}", html=html, css=read["css"], js=SHARED + read["js"])


def get_settings(key: str) -> dict:
    """What the instrument mounted under `key` last told of what was set; {} where that is no such thing."""
    result = (st.session_state.get(key) or {}).get("set")
    return result if isinstance(result, dict) else {}


def sequence(key: str) -> int | None:
    """The number of what it last told, which goes back to it."""
    number = get_settings(key).get("seq")
    return number if isinstance(number, int) else None


def send(name: str, data: dict) -> None:
    """Tell the instrument `data`."""
    _told(key=f"{name}.told", data=data | {"instrument": name}, height=1)


def hide(name: str, *keys: str) -> None:
    """Hide Streamlit's own controls while an instrument stands in for them; they hold what is set, and so the address does."""
    # Beside the style stands an element, or Streamlit would keep the style when what it is for is gone.
    st.html(f"<style>{', '.join(f'.st-key-{key}' for key in (*keys, f'{name}-told'))} {{display: none;}}</style><i hidden></i>")
