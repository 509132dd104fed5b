"""Why: the game with both sentences, then the words of the first that decide."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common.i18n import t
from pages._frame.in_use import InUse
from pages._why import decide, edit
from pages._widgets.inputs import Chosen


def show(in_use: InUse, first: Chosen, second: Chosen, picture: DeltaGenerator) -> None:
    """Draw the game in `picture`, and the words that decide below."""
    if first.position is not None and second.position is not None:
        edit.show(in_use, first, second, picture)
    if first.position is not None:
        st.subheader(t("Which words decided it?"), anchor=False)
        decide.show(in_use, first, second)
