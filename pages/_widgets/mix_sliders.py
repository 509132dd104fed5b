"""The sliders of a layer mix: the same on the Mix page and in How it works, so that what is set on one stands on the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st
from scipy.special import softmax

from core.common.i18n import t
from pages._frame.choices import BOUND

SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"


def sliders(n_layers: int, *, moved: Callable[[], None] | None = None) -> tuple[np.ndarray, float]:
    """The weights (L,), which the Neighbours page's mix takes too, and the scale; `moved` is called when a weight was."""
    raw = [
        st.slider(
            t("w{subscript}, layer {layer}", subscript=SUBSCRIPTS[k], layer=k), -6.0, 6.0, 0.0, 0.1, key=f"w{k}",
            **BOUND, on_change=moved,
        )
        for k in range(n_layers)
    ]  # fmt: skip
    gamma = st.slider(t("γ, the scale of the whole"), 0.1, 5.0, 1.0, 0.1, key="gamma", **BOUND)
    weights = softmax(raw)
    st.session_state["s"] = ",".join(f"{v:.3g}" for v in weights)  # the Neighbours page's mix
    return weights, gamma
