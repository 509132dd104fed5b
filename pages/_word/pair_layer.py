"""The layer at which the pages about the word in question show it: the one that Home's verdict reads, unless the reader chose another,
which then goes along from page to page; a page that shows another says so."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.figures.style import layer_title
from pages._frame.choices import layer_choice
from pages._frame.in_use import InUse
from pages._word import verdict

CHOSEN = "pair.layer"  # in the session: what the reader, or the address, chose on any of these pages


def choose(key: str, in_use: InUse, *, spaces: Sequence[str] = (), best: str = "", label: str = "", place: Any = st, **options: Any) -> str:
    """The layer that a page's control `key` holds; `best`: that of another word than the one in question."""
    state = st.session_state
    spaces = spaces or model_layers.in_use().spaces
    best = best or verdict.layer_in_question(in_use)
    best = best if best in spaces else model_layers.in_use().top
    given = st.query_params.get(key)
    if f"{key}.seen_by_pair" not in state:  # a link that names a layer is a choice
        state[f"{key}.seen_by_pair"] = True
        if given in model_layers.in_use().spaces:
            if given != best:
                keep(given)
        elif given in spaces:  # a view that is no layer
            state[key] = given
    wanted = state[CHOSEN] if state.get(CHOSEN) in spaces else best
    by_itself = f"{key}.by_itself"  # what this page opened at, and nobody chose
    if state.get(key) not in spaces or (state[key] in (*model_layers.in_use().spaces, state.get(by_itself)) and state[key] != wanted):
        state[key] = state[by_itself] = wanted
    return layer_choice(key, spaces=spaces, default=best, label=label, place=place, on_change=_chosen_by_hand, args=(key, best), **options)


def note(in_use: InUse, layer: str, *, best: str = "") -> None:
    """Say where the verdict reads another layer than the one shown."""
    best = best or verdict.layer_in_question(in_use)
    if layer != best and layer in model_layers.in_use().spaces:
        st.caption(t("The verdict uses {best}, this picture {layer}.", best=layer_title(best), layer=layer_title(layer)))


def keep(layer: str) -> None:
    """Let the other pages open at this layer too; a view that is no layer stays with its page."""
    if layer in model_layers.in_use().spaces:
        st.session_state[CHOSEN] = layer


def _chosen_by_hand(key: str, best: str) -> None:
    st.session_state.pop(f"{key}.by_itself", None)
    keep(st.session_state.get(key) or best)
