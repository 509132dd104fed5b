"""Controls whose value stands in the address and stays from page to page: a choice among titles, one among layers, a box for a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import streamlit as st

from core.common.i18n import t
from pages._frame.browser import limited
from pages._frame.question import gone_through_history

# What a widget is given besides its key. Streamlit writes the title of what is chosen into the address, in the reader's language.
BOUND: Mapping[str, Any] = MappingProxyType({"bind": "query-params", "persist_state": "session"})
LAYERS = ("0", "1", "2", "mix")


def choice(key: str, label: str, titles: Mapping[str, str] | Sequence[str], default: str, *, place=st, **options: Any) -> str:
    """One of the codes of `titles` (or of a list, whose items are their own titles), as segments; tapped off, it is the default."""
    named = {"format_func": titles.get} if isinstance(titles, Mapping) else {}
    return place.segmented_control(label, list(titles), default=default, key=key, **named, **BOUND, **options) or default


def layer_choice(
    key: str, *, layers: Sequence[str] = LAYERS, default: str = "2", label: str = "", place=st, **options: Any
) -> str:
    """A layer, or the mix."""
    titles = {name: layer_name(name) for name in layers}
    return choice(key, label or t("Layer"), titles, default, place=place, **options)


def layer_name(name: str) -> str:
    """A layer's name on a button or in a column."""
    return {"mix": t("mix"), "all layers": t("all layers")}.get(name, name)


def text_box(key: str, label: str, value: str, most: int, *, place=st, **options: Any) -> str:
    """What is typed, at most so many characters, which is said where a text is cut; of several lines where a height is given."""
    box = place.text_area if "height" in options else place.text_input
    text = box(label, value, key=key, max_chars=most, **{**BOUND, **options})
    limited(place, label, text, most)
    return text


def coded_choice(key: str, label: str, titles: Mapping[str, str], default: str, **options: Any) -> str:
    """As `choice`, but its code stands in the address, the same in every language; what the address newly says counts first."""
    state, seen, given = st.session_state, f"{key}.seen", st.query_params.get(key)
    if key not in state or gone_through_history() or (given is not None and given != state.get(seen)):
        state[key] = given if given in titles else default
    elif state[key] not in titles:
        state[key] = default
    chosen = st.segmented_control(
        label, list(titles), format_func=titles.get, key=key, persist_state="session", required=True, **options
    ) or default  # fmt: skip
    if chosen != default:
        st.query_params[key] = chosen
    elif key in st.query_params:
        del st.query_params[key]
    state[seen] = None if chosen == default else chosen
    return chosen
