"""Let the user choose the device of the models under "Model and data", on machines that have more than the processor."""

import sys
from pathlib import Path

import streamlit as st

from core.common.i18n import t
from pages._frame.choices import choice

CPU, CUDA, MPS = "cpu", "cuda", "mps"  # as core.common.device names them; that module loads torch
DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # of a card on Linux: NVIDIA's, AMD's, and either under WSL


def choose() -> None:
    """The choice, where there is one."""
    there = _present()
    if len(there) == 1:
        return
    titles = {name: _names().get(name, name) for name in (CPU, *(name for name in there if name != CPU))}
    choice("device", t("Device"), titles, CPU, in_box=True, help=t("Results differ only by rounding."))


def in_use() -> str:
    """One of core.common.device; the processor where there is nothing else, where nothing was chosen, and in threads without a visitor."""
    there = _present()
    chosen = st.session_state.get("device") if len(there) > 1 else None
    return chosen if chosen in there else CPU


def _present() -> tuple[str, ...]:
    """What torch can use; without loading it where no card can be, so that a page's title and inputs stand before it is loaded."""
    if "torch" not in sys.modules and sys.platform == "linux" and not any(Path(driver).exists() for driver in DRIVERS):
        return (CPU,)
    from core.common import device

    return device.present()


def _names() -> dict[str, str]:
    return {CPU: t("CPU"), CUDA: t("GPU (CUDA)"), MPS: t("GPU (Metal)")}
