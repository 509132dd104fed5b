"""Charts leave the page's own gestures alone: touch scrolls the page, and so does the wheel; Ctrl and the wheel zooms a map.

Plotly takes every touch on a chart as a drag and every turn of the wheel on a map as a zoom, so that a reader on a phone is
held fast by a chart as wide as the screen. Both are stopped on their way to it; of a tap the browser itself makes a click.
"""

from pathlib import Path

import streamlit as st

LISTENER = Path(__file__).with_suffix(".js").read_text("utf-8")
# Two fingers still enlarge the page; nothing on a chart may hold it fast.
STYLE = "<style>.js-plotly-plot, .js-plotly-plot * {touch-action: pan-x pan-y pinch-zoom !important;}</style>"
_listen = st.components.v2.component("elmoscope_gestures", js=LISTENER)


def listen() -> None:
    """Once on every page, behind its charts."""
    st.html(STYLE)
    _listen(key="gestures", width="content", height="content")
