"""Widgets whose value is a URL parameter and is shared by all pages: choices, layers and text boxes."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import plain, shorten
from pages._export import record
from pages._frame.markup import show_html
from pages._frame.menu import has_switch
from pages._frame.parameters import BOUND, LAYER_KEYS, bound, drop, is_new, read_parameter, write_parameter

LAYERS = "layers"  # the session's key of the layers of the selected model
ALL, TOKENS = "all layers", "all tokens"  # views of the Map page that are not layers
WEIGHTS = "s"  # the parameter of the weights of a mix
SAID = "layers.said"  # the session's key of the messages that the next run shows


def layer_choice(key: str, spaces: Sequence[str], default: str, *, place=st, **options: Any) -> str:
    """Draw the choice of a layer or the layer mix: a segmented control, or a slider for a model with many layers."""
    layers = model_layers.in_use()
    if layers.few:
        return choice(key, t("Layer"), {name: layer_name(name) for name in spaces}, default, place=place, **options)
    special = {ALL: t("four layers"), TOKENS: t("all tokens")}
    titles = {name: special.get(name) or layers.title(name) for name in spaces}
    return choice(key, t("Layer"), titles, default, place=place, widget="select_slider", **options)


def layer_name(name: str) -> str:
    return {ALL: t("all layers"), TOKENS: t("all tokens")}.get(name) or model_layers.in_use().label(name)


def what_layers_read() -> str:
    if model_layers.in_use().is_elmo:
        return t("Layer 0 reads only the spelling, higher layers the sentence.")
    return t("The embeddings read word pieces, higher layers the sentence.")


def mix_weights() -> str:
    """Draw the text box for the layer weights. It shows the sliders' weights until the user types others."""
    n = model_layers.in_use().n
    about = t("{n} numbers. The Mix page has sliders.", n=n)
    return st.text_input(t("Layer weights, 0 to {top}", top=n - 1), ",".join("1" * n), help=about, **bound(WEIGHTS))


def fit_layers(model: str, layers: model_layers.Layers) -> None:
    """Select the layers of a model. Drop layers and weights that the model lacks, and state this once if the model has a name."""
    state = st.session_state
    in_url = st.query_params
    name = plain(Path(model).name)
    state[LAYERS] = layers
    messages = state.pop(SAID, [])
    for key in LAYER_KEYS:
        value = str(in_url.get(key) or state.get(key) or "")
        if not value.isdecimal() or value in layers.alone:
            continue
        state.pop(key, None)
        if in_url.pop(key, None):
            values = {"model": name, "layer": shorten(value, 10), "top": layers.n - 1}
            messages.append(t("{model} has no layer {layer}: its layers are 0 to {top}.", **values))
    weights = in_url.get(WEIGHTS) or state.get(WEIGHTS) or ""
    if weights and str(weights).count(",") != layers.n - 1:
        linked = WEIGHTS in in_url
        if drop(WEIGHTS):  # otherwise the user typed them, and their page states the error
            state.pop(WEIGHTS, None)
            if linked:
                messages.append(t("{model} has {n} layers. Layer weights reset to equal.", n=layers.n, model=name))
                state[SAID] = messages
                st.rerun()  # their box reads the address as it was when the run began
    for sentence in messages if model else ():
        st.info(sentence)


def turn_layers(old: model_layers.Layers, new: model_layers.Layers) -> None:
    """Move every selected layer to the same depth of another model, and drop weights that do not fit. Call this in a callback."""
    state = st.session_state
    for key in LAYER_KEYS:
        st.query_params.pop(key, None)
        if state.get(key) in old.spaces:
            state[key] = old.at_depth(state[key], new)
    if old.n != new.n and not drop(WEIGHTS):
        state[WEIGHTS] = ",".join("1" * new.n)
    elif old.n != new.n:
        state.pop(WEIGHTS, None)


def text_box(key: str, label: str, value: str, n_max: int, *, place=st, **options: Any) -> str:
    """Draw a text box for at most `n_max` characters and state when it cuts a text. With a height, it has several lines."""
    box = place.text_area if "height" in options else place.text_input
    text = box(label, value, key=key, max_chars=n_max, **{**BOUND, **options})
    show_html('<span class="most" data-box="{}" data-most="{}"></span>', label, n_max, place=place)
    if len((text or "").encode("utf-16-le", "replace")) // 2 >= n_max:  # UTF-16 units, which a browser counts
        place.caption(t("Only the first {n:,} characters are read.", n=n_max))
    record.now().note("typed", (label, text or ""), key)
    return text


def choice(key: str, label: str, titles: Mapping[str, str], default: str, *, place=st, widget: str = "", **options: Any) -> str:
    """Draw a choice as segments, or as a drop-down list where a switch is a page's one row of segments. Return its code, as in the URL."""
    settle_choice(key, titles, default)
    widget = widget or ("selectbox" if has_switch(record.now().view) else "segmented_control")
    options = {"format_func": titles.get, "key": key, "persist_state": "session"} | options
    if widget == "segmented_control":
        options["required"] = True
    chosen = getattr(place, widget)(label, list(titles), **options) or default
    write_parameter(key, None if chosen == default else chosen)
    return chosen


def multiple_choice(key: str, label: str, titles: Mapping[str, str], default: Sequence[str], **options: Any) -> list[str]:
    """Draw a choice of several codes of `titles`, as pills. The URL parameter joins them: "glove,elmo"."""
    state = st.session_state
    in_url = read_parameter(key)
    if key not in state or is_new(key):
        codes = [code for code in (in_url or "").split(",") if code in titles]
        state[key] = codes if codes or in_url == "" else list(default)
    else:
        state[key] = [code for code in state[key] if code in titles]
    picked = st.pills(label, list(titles), selection_mode="multi", format_func=titles.get, key=key, persist_state="session", **options)
    chosen = [code for code in titles if code in picked]
    write_parameter(key, None if set(chosen) == set(default) else ",".join(chosen))
    return chosen


def settle_choice(key: str, titles: Collection[str], default: str) -> str:
    """Return the value of a coded choice before the widget is drawn."""
    state = st.session_state
    in_url = read_parameter(key)
    if key not in state or is_new(key):
        state[key] = in_url if in_url in titles else default
    elif state[key] not in titles:
        state[key] = default
    return state[key]
