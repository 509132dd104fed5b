"""The link of a view and PNG and SVG of its figures, made in the reader's browser: no server draws them, nothing is sent."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.common.i18n import t

STYLE = Path(__file__).with_suffix(".css").read_text("utf-8")
# Plotly cannot be called from outside Streamlit's own chart, but a chart's menu holds the very button that saves it (charts.py
# puts it there): it is told the format and the name, and pressed while the chart has the page's ground instead of none.
SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")
HTML = '<section class="link"></section><section class="card" hidden></section><section class="figures"></section><p role="status"></p>'
CARD = (Path(__file__).parent / "card.js").read_text("utf-8")
NUMBER = "take.card"  # in the session: the card that was made last, of this view


def pictures(name: str, *, title: str, source: str, query: str, short: str, longest: int, card: Callable[[], dict] | None) -> None:
    """The address with a button that copies it, the share card, and of each figure on the page two files, `name` and a number.

    `title` and `source` stand above and below each picture, as Plotly reads text: any markup in them must be escaped. `short` is
    the short link's parameter of a `query`, `longest` the most letters of an address that can be opened, `card` what makes the share card's data once it is asked for.
    """
    component = st.components.v2.component("pictures", html=HTML, css=STYLE, js=CARD + SCRIPT)
    values = {
        "link": t("Link to this view"),
        "copy": t("Copy link"),
        "copy_short": t("Copy short link"),
        "copied": t("Copied."),
        "no_link": t("This view is too long for a link. Save it as a file instead."),
        "figures": t("Figures"),
        "share": t("Share card") if card else "",
        "make": t("Make card"),
    }
    values |= {
        "name": name,
        "title": title,
        "source": source,
        "query": query,
        "short": short,
        "longest": longest,
        "card": st.session_state.get(NUMBER),
    }
    component(data=values, key="take.pictures", on_card_change=lambda: _make(card), on_moved_change=lambda: None)


def _make(card: Callable[[], dict] | None) -> None:
    if card is not None:
        number = (st.session_state.get(NUMBER) or {}).get("number", 0) + 1
        st.session_state[NUMBER] = card() | {"number": number}
