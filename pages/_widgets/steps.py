"""Back, the numbers, next: the way through pages that go on step by step, the step's number in the address."""

from collections.abc import Callable

import streamlit as st

from core.common.i18n import t
from pages._frame.choices import choice
from pages._widgets import step_keys

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
    """The step's number from 0, chosen among `numbers` or by a button.

    `key` is the number's in the session and in the address, `buttons` is what both buttons' keys begin with, and
    `following(number)` is what the button next says at a step.
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
        step_keys.listen(key, f"{buttons}.back", f"{buttons}.next", arrows=any(shortcuts))
    return number


def _go(key: str, numbers: tuple[str, ...], number: int) -> None:
    st.session_state[key] = numbers[number]
