"""The link of a view, and PNG and SVG files of its figures, made in the browser. Nothing is sent to a server."""

from pathlib import Path

import streamlit as st

from core.common.i18n import t

STYLE = Path(__file__).with_suffix(".css").read_text("utf-8")
# Plotly cannot be called from outside Streamlit's own chart, but a chart's menu holds the very button that saves it (charts.py
# puts it there): it is told the format and the name, and pressed while the chart has the page's ground instead of none.
SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")
HTML = '<section class="link"></section><section class="figures"></section><p role="status"></p>'


def pictures(part: str, name: str, *, title: str, source: str, query: str, short: str, longest: int) -> None:
    """Draw a `part`: "link", the address with a button that copies it, or "figures", PNG and SVG of each figure, `name` and a number.

    `title` and `source` stand above and below each picture, as Plotly reads text: any markup in them must be escaped. `short` is
    the short link's parameter of a `query`, `longest` the most letters of an address that can be opened.
    """
    component = st.components.v2.component("pictures", html=HTML, css=STYLE, js=SCRIPT)
    values = {
        "link": t("Link to this view"),
        "copy": t("Copy link"),
        "copy_short": t("Copy short link"),
        "copied": t("Copied."),
        "no_link": t("This view is too long for a link. Save it as a file instead."),
        "figures": t("Figures"),
        "no_figure": t("No figure on this page."),
    }
    values |= {"part": part, "name": name, "title": title, "source": source, "query": query, "short": short, "longest": longest}
    component(data=values, key=f"take.{part}.box", on_moved_change=lambda: None)
