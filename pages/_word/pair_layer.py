"""The layer that pages about the target word show: the model's default for every word, until the user chooses another.

The choice then holds for all words and pages. Home opens in the sense space.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.common import model_layers
from pages._frame.choices import layer_choice
from pages._frame.in_use import InUse
from pages._word import verdict

CHOSEN = "pair.layer"  # in the session: what the reader, or the address, chose on any of these pages


def choose(
    key: str, in_use: InUse, *, spaces: Sequence[str] = (), usual: str = "", label: str = "", place: Any = st, **options: Any
) -> str:
    """Draw a page's control `key` and return the layer that it holds: `usual`, if given, until the user chooses another."""
    state = st.session_state
    spaces = spaces or model_layers.in_use().spaces
    usual = usual or verdict.usual_layer(in_use)
    usual = usual if usual in spaces else model_layers.in_use().top
    given = st.query_params.get(key)
    if f"{key}.seen_by_pair" not in state:  # a link that names a layer is a choice
        state[f"{key}.seen_by_pair"] = True
        if given in model_layers.in_use().spaces:
            if given != usual:
                keep(given)
        elif given in spaces:  # a view that is no layer
            state[key] = given
    wanted = state[CHOSEN] if state.get(CHOSEN) in spaces else usual
    by_itself = f"{key}.by_itself"  # what this page opened at, and nobody chose
    if state.get(key) not in spaces or (state[key] in (*model_layers.in_use().spaces, state.get(by_itself)) and state[key] != wanted):
        state[key] = state[by_itself] = wanted
    return layer_choice(
        key, spaces=spaces, default=usual, label=label, place=place, on_change=_chosen_by_hand, args=(key, usual), **options
    )


def keep(layer: str) -> None:
    """Let the other pages open at this layer too; a view that is no layer stays with its page."""
    if layer in model_layers.in_use().spaces:
        st.session_state[CHOSEN] = layer


def _chosen_by_hand(key: str, usual: str) -> None:
    st.session_state.pop(f"{key}.by_itself", None)
    keep(st.session_state.get(key) or usual)
