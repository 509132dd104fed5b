"""Choose a step by its number, the buttons Back and Next, or arrow keys. The number is a URL parameter."""

import re
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.common.i18n import t
from pages._frame.choices import choice

Pair = tuple[str | None, str | None]  # of the button back and the button next


def stepper(
    key: str,
    label: str,
    numbers: tuple[str, ...],
    *,
    buttons: str,
    following: Callable[[int], str],
    icons: Pair = (None, None),
    shortcuts: Pair = (None, None),
) -> int:
    """Draw the controls and return the number of the step, from 0.

    `key` is the URL parameter, `buttons` the beginning of both buttons' keys, and `following(number)` the label of Next at a step.
    """
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    with row:
        back, middle, forward = st.container(width="content"), st.container(width="content"), st.container(width="content")
    with middle:
        number = int(choice(key, label, numbers, "1", required=True, label_visibility="collapsed")) - 1
    back.button(
        t("Back"),
        key=f"{buttons}.back",
        icon=icons[0],
        disabled=number == 0,
        shortcut=shortcuts[0],
        on_click=_go,
        args=(key, numbers, number - 1),
    )
    forward.button(
        following(number),
        key=f"{buttons}.next",
        type="primary",
        icon=icons[1],
        disabled=number == len(numbers) - 1,
        shortcut=shortcuts[1],
        on_click=_go,
        args=(key, numbers, number + 1),
    )
    with row:
        _listen(key, f"{buttons}.back", f"{buttons}.next", arrows=any(shortcuts))
    return number


def _go(key: str, numbers: tuple[str, ...], number: int) -> None:
    st.session_state[key] = numbers[number]


# Streamlit answers a button with what the last complete run drew, and keeps one click for the next run. Of two quick steps one was lost. A
# selected number is state of the browser instead: it changes at once, and the next run receives the newest. Until the browser has loaded
# the script, the buttons and their shortcuts work without it. A text's cursor keys stay its own. Clicks are taken before React hears of them, and keys after that, on their way to the
# buttons' shortcuts, which listen on the document: groups of choices have their arrow keys.
STEP_KEYS = Path(__file__).with_name("step_keys.js").read_text("utf-8")
_step_keys = st.components.v2.component("elmoscope_steps", js=STEP_KEYS)


def _listen(numbers: str, back: str, forward: str, *, arrows: bool) -> None:
    """Let both buttons, and the arrow keys if `arrows`, press a number of a segmented control; all are named by their keys."""
    data = {"numbers": _css(numbers), "back": _css(back), "next": _css(forward), "arrows": arrows}
    _step_keys(key=f"{numbers}.steps", data=data, width="content", height="content")


def _css(key: str) -> str:
    """Return the class that Streamlit gives to the element with a key."""
    return "st-key-" + re.sub(r"[^\w-]", "-", key, flags=re.ASCII)
