"""Where the models compute, chosen by a visitor under "In use"; asked only on machines that have more than the processor."""

from __future__ import annotations

import streamlit as st

from core.common import device
from core.common.i18n import t
from pages._frame.choices import BOUND


def choose() -> None:
    """The choice, where there is one."""
    there = device.present()
    if len(there) == 1:
        return
    st.selectbox(
        t("Device"),
        [device.CPU, *(name for name in there if name != device.CPU)],
        format_func=lambda name: _names().get(name, name),
        key="device",
        **BOUND,
        help=t("Where the networks compute. Other devices' answers differ by rounding."),
    )


def in_use() -> str:
    """One of core.common.device; the processor where there is nothing else, where nothing was chosen, and in threads without a visitor."""
    there = device.present()
    chosen = st.session_state.get("device") if len(there) > 1 else None
    return chosen if chosen in there else device.CPU


def _names() -> dict[str, str]:
    return {device.CPU: t("Processor"), device.CUDA: t("Graphics card (CUDA)"), device.MPS: t("Graphics card (Metal)")}
