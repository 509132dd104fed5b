"""The sliders of the layer mix, shared by the Mix page and How it works."""

from collections.abc import Callable

import numpy as np
import streamlit as st
from scipy.special import softmax

from core.common import model_layers
from core.common.i18n import t
from pages._frame.choices import BOUND

STRIP = 420  # pixels of the strip in which the sliders of many layers are scrolled
LIMIT = 6.0  # of a raw score to either side


def presets(n_layers: int) -> dict[str, tuple[str, list[float]]]:
    """Return presets by code: titles, and a raw score for each layer. The scores of a rising mix give evenly rising weights."""
    k = np.arange(n_layers)
    of = model_layers.in_use()
    result = {str(item): (of.title(str(item)), np.where(k == item, LIMIT, -LIMIT).tolist()) for item in k}
    if n_layers > model_layers.FEW:
        even = np.log(k + 1.0)
        rising = (even - even.mean()).round(1).tolist()
        result |= {"last": (t("last four"), np.where(k >= n_layers - 4, LIMIT, -LIMIT).tolist())}
        result |= {"rising": (t("rising"), rising), "falling": (t("falling"), rising[::-1])}
    return result | {"average": (t("average"), [0.0] * n_layers)}


def slider_keys() -> list[str]:
    """Return the keys of the raw scores in the session and the URL, for the sliders of the selected model."""
    return [f"w{k}" for k in range(model_layers.in_use().n)]


def sliders(n_layers: int, *, moved: Callable[[], None] | None = None) -> tuple[np.ndarray, float]:
    """Draw the sliders. Return the weights (L,), which Neighbors uses too, and the scale. Call `moved` when a weight changes."""
    place = st.container() if n_layers <= model_layers.FEW else st.container(height=STRIP)
    of = model_layers.in_use()
    raw = [place.slider(of.weight_name(str(k)), -LIMIT, LIMIT, 0.0, 0.1, key=f"w{k}", **BOUND, on_change=moved) for k in range(n_layers)]
    gamma = st.slider(t("γ (scale)"), 0.1, 5.0, 1.0, 0.1, key="gamma", **BOUND)
    weights = softmax(raw)
    st.session_state["s"] = ",".join(f"{v:.3g}" for v in weights)  # the Neighbors page's mix
    return weights, gamma
