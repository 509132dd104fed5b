"""Let the user choose the device of the models under "Model and data", on machines that have more than the processor."""

import sys
from pathlib import Path

import streamlit as st

from core.common.i18n import t
from pages._frame.choices import choice

CPU, CUDA, MPS = "cpu", "cuda", "mps"  # as core.common.device names them; that module loads torch
DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # of a card on Linux: NVIDIA's, AMD's, and either under WSL


def choose() -> None:
    """Draw the choice of a device if there is more than one."""
    there = _present()
    if len(there) == 1:
        return
    titles = {name: _names().get(name, name) for name in (CPU, *(name for name in there if name != CPU))}
    choice("device", t("Device"), titles, CPU, in_box=True, help=t("Results differ only by rounding."))


def in_use() -> str:
    """Return the selected device (see core.common.device). It is the processor by default, and in threads without a user."""
    there = _present()
    chosen = st.session_state.get("device") if len(there) > 1 else None
    return chosen if chosen in there else CPU


def _present() -> tuple[str, ...]:
    """Return the devices that torch can use. Do not load torch on a machine without a graphics card, so that a page appears sooner."""
    if "torch" not in sys.modules and sys.platform == "linux" and not any(Path(driver).exists() for driver in DRIVERS):
        return (CPU,)
    from core.common import device

    return device.present()


def _names() -> dict[str, str]:
    return {CPU: t("CPU"), CUDA: t("GPU (CUDA)"), MPS: t("GPU (Metal)")}
