"""Let touch and the wheel scroll the page over charts. Ctrl and the wheel zoom a map.

Plotly takes every touch on a chart as a drag and every turn of the wheel on a map as a zoom, so a chart as wide as a phone would block
scrolling. Both events are stopped before Plotly receives them. The browser turns a tap into a click.
"""

from pathlib import Path

import streamlit as st

LISTENER = Path(__file__).with_suffix(".js").read_text("utf-8")
# Two fingers still enlarge the page; nothing on a chart may hold it fast.
STYLE = "<style>.js-plotly-plot, .js-plotly-plot * {touch-action: pan-x pan-y pinch-zoom !important;}</style>"
_listen = st.components.v2.component("elmoscope_gestures", js=LISTENER)


def listen() -> None:
    """Install the listener. Call this once on every page, after its charts."""
    st.html(STYLE)
    _listen(key="gestures", width="content", height="content")
