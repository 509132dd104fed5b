"""The frame of every page: settings, menu, title and notice. Each script starts with `frame(...)`.

The app does not use st.navigation, because with a folder called pages/ a cold deep link would run a page without app.py.
"""

import json
from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common import i18n
from core.common.config import ASSETS
from core.common.i18n import t
from core.common.markup import Markup, html
from pages._export import record
from pages._frame import language, parameters, patches
from pages._frame.choices import choice, settle_choice
from pages._frame.in_use import THEIRS, InUse, choose, english, fit_model, in_front, short_name, switch
from pages._frame.markup import component, plain, show_errors, show_html
from pages._frame.menu import list_pages, menu
from pages._frame.question import settle

STYLE = "<style>\n" + Path(__file__).with_name("style.css").read_text("utf-8") + "</style>"  # additions to Streamlit's theme
# Each step of the user (a typed text, a click, an example, a page) is one entry of the browser's history. Streamlit alone would add an entry for
# each value that changes in a run: an example with two sentences and two words would add four. Quick changes, as of a slider, are one step.
_browser = component("browser", Path(__file__).with_name("browser"), html="<span></span>")
SLIDES = "slides"  # the view that fills the screen
ENGLISH_ONLY = "pages/classify.py"


def frame(file: str) -> InUse:
    """Begin the page of a file in the menu, by its first Streamlit call, and return the selected model and data."""
    patches.check_values()
    patches.protect_callbacks()
    patches.ignore_left_pages()
    patches.answer_late_downloads()
    patches.keep_answers()
    parameters.restore_values()
    language.follow()
    parameters.open_link()
    page = next(page for page in list_pages() if page.file == file)
    view = settle_choice(page.control, page.views, page.views[0])
    title = dict(page.parts).get(view, page.label)
    sidebar = "collapsed" if view == SLIDES else "auto"
    st.set_page_config(f"{title} · Elmoscope", str(ASSETS / "icon.png"), layout="wide", initial_sidebar_state=sidebar)
    foreign = ""
    if i18n.language() != i18n.ENGLISH:  # Streamlit's upload button speaks only English; our own text states the limit
        button = '[data-testid="stFileUploaderDropzone"] button p'
        label = json.dumps(t("Choose files"), ensure_ascii=False)
        foreign = (
            f"<style>{button} {{font-size: 0 !important;}} {button}::after {{content: {label}; font-size: 1rem;}} "
            '[data-testid="stFileUploaderDropzoneInstructions"] {display: none;}</style>'
        )
    # One element in every language, so that the next elements keep their places and no box appears twice while the language changes.
    st.html(STYLE + foreign)
    _browser(key="browser")
    with st.sidebar:
        st.markdown("### :material/biotech: Elmoscope")
        for heading, pages in menu().items():
            with st.container(gap="xxsmall"):
                st.caption(heading)
                for item in pages:
                    st.page_link(item.file, label=f"**{item.label}**" if item == page else item.label, icon=item.icon, width="stretch")
        content = language.choose()
        in_use = choose(content)
    if len(page.parts) > 1:
        choice(page.control, t("Part"), dict(page.parts), page.views[0], widget="segmented_control", label_visibility="collapsed")
    with st.container():  # a place in every language, so that what follows keeps its own
        language.say_if_missing(content)
    parameters.show_link_errors()
    if file == ENGLISH_ONLY:
        if in_use.other_model:
            st.caption(t("Only one model here. {model} is hidden.", model=plain(short_name(in_use.other_model))))
        fit_model(in_use.model)
        in_use = english(in_use)
    else:
        in_use = in_front(in_use, view)
        fit_model(in_use.model)
    settle()
    record.begin(view, title, in_use)
    return in_use


def part() -> str:
    return record.now().view


def show(module: str, *args) -> None:
    """Run `show` of a module, or a function as "module:name". It is imported now: title and inputs appear before torch is loaded."""
    try:
        with show_errors():
            name, _, function = module.partition(":")
            getattr(import_module(name), function or "show")(*args)
            import_module("pages._widgets.downloads").show()
            import_module("pages._widgets.components").listen_to_gestures()
            import_module("pages._home.live").warm_up()
            if (in_use := record.now().in_use) and in_use.engine == THEIRS:
                import_module("pages._cached.cache").compare_engines(in_use)
    finally:
        parameters.store_values()


def picture_first() -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return containers for the inputs and the picture below them. On a phone, the picture comes first (style.css)."""
    with st.container(key="picture_first"):
        return st.container(), st.container()


def question(text: str) -> None:
    view = record.now()
    view.question = text
    st.title(text)
    if view.in_use and view.in_use.other_model:
        switch(view.in_use, view.view)


def show_titles(**views: tuple[str, str, str]) -> str:
    """Show the title and the lede of the visible view, and return its module. Each view has a title, a lede and a module."""
    title, line, module = views[part()]
    question(title)
    lede(line)
    return module


def lede(text: str) -> None:
    record.now().lede = text
    show_html('<p class="lede">{}</p>', text)


def notice(lines: list[str]) -> None:
    """Show what to notice in the result: the first line, and the others under More."""
    record.now().note("notice", Markup(" ").join(lines))
    rest = html("<details><summary>{}</summary>{}</details>", t("More"), Markup(" ").join(lines[1:])) if lines[1:] else ""
    show_html('<div class="notice"><b>{}</b> {}{}</div>', t("What to notice."), lines[:1], rest)
