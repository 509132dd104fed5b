"""Teaching mode: type half as large again, the menu and the inputs folded away. A toggle in the menu, kept in the address.

A link with `?teach=1` opens any page in it; the slides are in it unless it is switched off there by hand.
"""

from contextlib import AbstractContextManager, nullcontext

import streamlit as st

from core.common.i18n import t
from pages._frame.choices import BOUND
from pages._frame.menu import page_link

SLIDES = "slides"
STYLE = """
<style>
  html {font-size: 24px;}
  @media (max-width: 640px) {html {font-size: 18px;}}
  .stMainBlockContainer {max-width: 100%; padding-top: 2.6rem;}
</style>
"""


def begin(view: str) -> bool:
    """Whether a page is to be large; before anything is drawn, as the answer decides whether the menu is open."""
    if "teach" not in st.session_state and st.query_params.get("teach") == "1":  # the toggle's binding knows "true" alone
        st.query_params["teach"] = "true"
        st.rerun()
    if view == SLIDES and not is_on() and "teach.by_hand" not in st.session_state:
        st.session_state["teach"] = True
    return is_on()


def is_on() -> bool:
    """Whether teaching mode is on, also before the toggle is drawn on a cold link."""
    return bool(st.session_state.get("teach", st.query_params.get("teach") == "true"))


def toggle() -> None:
    """The switch in the menu."""
    st.toggle(
        t("Teaching mode"), key="teach", **BOUND, on_change=_by_hand, help=t("Large type for a projector. Menu and inputs are folded.")
    )


def link(view: str) -> None:
    """From a large page to the slides, where the subject's other pages would be named."""
    if view != SLIDES:
        page_link(SLIDES, t("Slides"), icon=":material/slideshow:")


def folded(label: str) -> AbstractContextManager:
    """Where inputs stand: an expander in teaching mode, else simply the page."""
    return st.expander(label, icon=":material/edit:", key="folded") if is_on() else nullcontext()


def _by_hand() -> None:
    st.session_state["teach.by_hand"] = True
