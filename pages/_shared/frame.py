"""The frame of every screen: page settings, menu, title, what to notice. Each script starts with `frame(...)`.

There is no st.navigation: beside a folder called pages/ a cold deep link would run a page without app.py.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import texts
from core.config import ASSETS
from core.markup import ours
from core.texts import t
from pages._shared import asked, browser, spoken, taken, teaching
from pages._shared.in_use import InUse, choose, english
from pages._shared.markup import shown_errors
from pages._shared.menu import menu
from pages._shared.style import STYLE, uploader_style

ENGLISH_ONLY = ("pages/classify.py", "pages/train.py", "pages/results.py")


def frame(file: str) -> InUse:
    """Begin a screen: must be its first Streamlit call. `file` is the page's, as the menu names it."""
    spoken.follow()
    entry, title = next((entry, label) for entry in menu() for path, label in entry.pages if path == file)
    large = teaching.begin(file)
    st.set_page_config(
        page_title=f"{title} · Elmoscope",
        page_icon=str(ASSETS / "icon.png"),
        layout="wide",
        initial_sidebar_state="collapsed" if large else "auto",
    )
    st.html(STYLE + taken.STYLE + browser.STYLE + (teaching.STYLE if large else ""))
    if texts.language() != texts.ENGLISH:
        st.html(uploader_style(t("Choose files")))
    browser.begin()
    with st.sidebar:
        st.markdown("### :material/biotech: Elmoscope")
        for one in menu():
            st.page_link(one.pages[0][0], label=f"**{one.label}**" if one == entry else one.label, icon=one.icon, width="stretch")
        content = spoken.choose()
        teaching.toggle()
        in_use = choose(content)
    if large:
        teaching.link(file)
    elif len(entry.pages) > 1:
        with st.container(horizontal=True, gap="small", key="siblings"):
            for path, label in entry.pages:
                st.page_link(path, label=f"**{label}**" if path == file else label, width="content")
    spoken.say_if_missing(content)
    if file in ENGLISH_ONLY:
        in_use = english(in_use)
    asked.settle()
    taken.begin("home" if file == "app.py" else Path(file).stem, title, in_use)
    return in_use


def show(module: str, *args) -> None:
    """Run `show` of a module of this package: imported only now, so that title and inputs stand before torch is loaded."""
    with shown_errors():
        import_module(f"pages._shared.{module}").show(*args)
        import_module("pages._shared.take").show()
        import_module("pages._shared.gestures").listen()
        import_module("pages._shared.store").warm_up()


def picture_first() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Where the inputs stand and, below them, the picture; on a phone the picture stands first (see style.py)."""
    with st.container(key="picture_first"):
        return st.container(), st.container()


def question(text: str) -> None:
    """The title of a page: what it answers."""
    taken.now().question = text
    st.title(text)


def lede(text: str) -> None:
    """The one sentence of answer under a title (our own HTML, no user text)."""
    taken.now().lede = ours(text)
    st.html(f'<p class="lede">{ours(text)}</p>')


def notice(lines: list[str]) -> None:
    """What to notice: sentences computed from the result on screen; user text in them is escaped, and what is not stays text."""
    said = ours(" ".join(lines))
    taken.now().note("notice", said)
    st.html(f'<div class="notice"><b>{t("What to notice.")}</b> {said}</div>')
