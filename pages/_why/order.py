"""The inputs of the game: the order of the edits, the layer and the guess."""

from collections.abc import Sequence

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.senses import edits
from core.senses.edits import EditStep
from core.views.levels import has_senses
from pages._cached.views import workspace
from pages._frame.choices import BOUND, choice
from pages._frame.in_use import InUse
from pages._why.edit_notices import NEVER
from pages._word import pair_layer


def choices(in_use: InUse) -> tuple[str, str]:
    """Draw the order of the edits and the layer."""
    orders = dict(zip(edits.ORDERS, (t("left to right"), t("nearest the word first"), t("greedy: what moves most")), strict=True))
    order = choice(
        "order",
        t("Order of the edits"),
        orders,
        edits.LEFT_TO_RIGHT,
        help=t("Greedy takes the edit that moves the sense most until it flips: few edits, not always the fewest."),
    )
    layer = pair_layer.choose(
        "flip_layer",
        in_use,
        spaces=(*model_layers.in_use().reading, *[model_layers.SENSES] * (has_senses(workspace(in_use)))),
        help=t("Layer 0 never moves: it reads no context. The layer mix weights all layers equally."),
    )
    return order, layer


def choose_guess(steps: Sequence[EditStep], of: tuple, *, labeled: bool) -> tuple[int | None, bool]:
    """Return the user's guess (NEVER, the number of an edit, or None), and whether to show the answer."""
    if st.session_state.get("flip_of", of) != of:  # another path: a new guess, the answer hidden again
        st.session_state.reveal, st.session_state.guess = False, ""
    st.session_state.flip_of = of
    titles = {"": t("Your guess")} | {str(k): t("edit {k}", k=k) for k in range(1, len(steps))} | {str(NEVER): t("it never flips")}
    label = t("At which edit does the sense flip?") if labeled else t("At which edit is it nearer to the second sentence?")
    guess = choice("guess", label, titles, "", in_box=True)
    return int(guess) if guess else None, st.toggle(t("Reveal"), key="reveal", **BOUND)
