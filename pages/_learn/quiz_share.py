"""The result as a line to share, with a button that copies it. A browser that forbids copying selects it instead."""

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from core.common.i18n import t
from pages._frame.menu import door
from pages._frame.parameters import read_parameter

CARRIED = ("lang", "model")  # of an address: what else tells which sentences are asked, and who reads them
SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")
HTML = '<div class="share"><p></p><button type="button"></button><span role="status"></span></div>'
STYLE = Path(__file__).with_suffix(".css").read_text("utf-8")
_share = st.components.v2.component("guess_share", html=HTML, css=STYLE, js=SCRIPT)


def link(number: int) -> str:
    """Return the link to a quiz: the page's address, the number, and the model unless it is the default."""
    carried = {key: value for key in CARRIED if (value := read_parameter(key)) is not None}
    _, view = door("guess")
    return f"{(st.context.url or '').partition('?')[0]}?{urlencode({**view, 'quiz': number, **carried})}"


def share(line: str) -> None:
    """Show the line and its button."""
    words = {"copy": t("Copy"), "copied": t("Copied"), "selected": t("Selected: press Ctrl + C")}
    _share(key="guess.share", data={"line": line, **words})
