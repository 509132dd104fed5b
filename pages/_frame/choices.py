"""A choice that stands in the address by its code, the same in every language; a binding would write its label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages._frame.question import gone_through_history


def choice(key: str, label: str, titles: Mapping[str, str], default: str, **options: Any) -> str:
    """One of the codes of `titles`, as segments; what the address newly says counts before what was chosen earlier."""
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
