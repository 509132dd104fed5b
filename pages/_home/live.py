"""Home while the user types: sentences, verdict and picture are one fragment, so that a key runs nothing else."""

import time
from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common.i18n import t
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._frame.parameters import restore_again
from pages._frame.question import settle
from pages._widgets.inputs import sentence_pair

TOOK = "home.took"  # the session's key of the seconds that the last complete answer took
RESTS = (25, 50, 75, 100)  # ms
STYLE = "<style>\n" + (Path(__file__).parent / "home.css").read_text("utf-8") + "</style>"


def rest(took: float) -> str:
    """Return how long after a key a text is sent.

    The next key cuts short the run that a key began. If answers are fast, every key has one. If they are slow, keys in quick succession share one.
    """
    return f"{min(RESTS, key=lambda ms: abs(ms - 1000 * took / 8))}ms"


def show(in_use: InUse) -> None:
    st.html(STYLE)
    _answer(in_use)
    import_module("pages._home.show").offer_html_file(in_use)


@st.fragment
def _answer(in_use: InUse) -> None:
    began = time.perf_counter()
    if get_script_run_ctx().fragment_ids_this_run:  # a fragment's run, in which the frame has not determined the target
        restore_again()
        settle()
    with show_errors(), st.container(key="home_answer"):  # inside: an error in a fragment does not reach its caller
        first, second = sentence_pair(live=rest(st.session_state.get(TOOK, 1.0)))
        chips, place = st.container(key="home_expected"), st.container(key="home_verdict")
        if first.tokens and second.tokens:
            import_module("pages._home.show").show(
                in_use, first, second, chips, place
            )  # only now: title and inputs are there before torch is loaded
        else:
            show_html('<p class="verdict"><b>{}</b></p>', t("Type two sentences"), place=place)
    if get_script_run_ctx().fragment_ids_this_run:  # the page's own first run opens models, which no key does
        st.session_state[TOOK] = time.perf_counter() - began
