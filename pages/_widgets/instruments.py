"""Instruments: pictures that answer every pixel of a drag in the reader's browser, in the page itself and in its colours.

Each is a script of its own behind `instrument.js`, which all share, and a style; data and texts are core's and the page's, as JSON.
Beside it stands a small component that only tells it what the server has since made, and tells the server where the browser could not
run it: then the page is drawn by Streamlit alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

SHARED = (Path(__file__).parent / "instrument.js").read_text("utf-8")
# Old syntax alone: it must run where the instrument does not.
TELL = """
export default function (given) {
  var news = given.data, name = news.instrument, event = "elmoscope-" + name, page = document.documentElement, wait = 0;
  window[event] = news;
  window.dispatchEvent(new CustomEvent(event, { detail: news }));
  function check() { if (page.dataset[name] !== "alive") given.setStateValue("plain", true); }
  window.addEventListener(event + "-failed", check);
  wait = setTimeout(check, page.dataset[name] === "failed" ? 0 : 12000);
  return function () { clearTimeout(wait); window.removeEventListener(event + "-failed", check); };
}
"""
_told = st.components.v2.component("elmoscope_told", html="<span></span>", js=TELL)


def instrument(name: str, folder: Path) -> Callable[..., Any]:
    """The component of `name`.js and `name`.css in a folder, drawn into a `div` of that class."""
    own = {ending: (folder / f"{name}.{ending}").read_text("utf-8") for ending in ("js", "css")}
    return st.components.v2.component(
        f"elmoscope_{name}", html=f'<div class="{name}"></div>', css=own["css"], js=SHARED + own["js"]
    )


def told(name: str, data: dict, plain: Callable[[], None]) -> None:
    """Tell the instrument `data`; `plain` is called where the browser cannot run it."""
    _told(key=f"{name}.told", data=data | {"instrument": name}, on_plain_change=plain, height=1)
