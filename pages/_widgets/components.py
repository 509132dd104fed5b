"""Widgets that react to every pixel of a drag in the browser, in the page itself and in its colors.

Each is a script that uses the shared `instrument.js`, with a style. The server sends data and texts as JSON. A small second component sends
what the server has computed since.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from pages._frame.markup import component
from pages._frame.parameters import bound

SHARED = (Path(__file__).parent / "instrument.js").read_text("utf-8")
LIMIT = 6.0  # raw scores go from -6 to 6
STRIP = 420  # pixels of the strip in which the sliders of many layers are scrolled
MAX_PRESSES = 100  # presses counted in one run
Pair = tuple[str | None, str | None]  # for the buttons Back and Next
NONE: Pair = (None, None)
Label = Callable[[int], str]

_told = component("elmoscope_told", Path(__file__).with_name("tell"), html="<span></span>")
_gestures = component("elmoscope_gestures", Path(__file__).with_name("gestures"))
# Streamlit merges the clicks before a run begins into one. Here the browser counts the clicks and sends the number. Until the browser has
# loaded the script, the button works without it.
_presses = component("elmoscope_presses", Path(__file__).with_name("presses"))
# Streamlit answers a button with the last complete run, and stores one click for the next run, so the first of two quick steps was lost. A
# selected number is state of the browser: it changes at once, and the next run receives the newest. The buttons and their shortcuts work
# before the browser has loaded the script. The script handles clicks before React. It handles keys after React and before the shortcuts of
# the buttons, which listen on the document, because the cursor keys of texts and of groups of choices have their own use.
_step_keys = component("elmoscope_steps", Path(__file__).with_name("step_keys"))


def make_component(name: str, folder: Path, *parts: str) -> Callable[..., Any]:
    """Return the component of `name`.js and .css in a folder, after the scripts of its `parts`. It draws into `name`.html or a `div`."""
    read = {end: "".join((folder / f"{part}.{end}").read_text("utf-8") for part in (*parts, name)) for end in ("js", "css")}
    markup_file = folder / f"{name}.html"
    html = markup_file.read_text("utf-8") if markup_file.is_file() else f'<div class="{name}"></div>'
    return st.components.v2.component(f"elmoscope_{name}", html=html, css=read["css"], js=SHARED + read["js"])


map_widget = make_component("map", Path(__file__).parents[1] / "_map", "live")


def get_settings(key: str) -> dict:
    """Return the last settings that the widget `key` sent, or {} for any other value."""
    result = (st.session_state.get(key) or {}).get("set")
    return result if isinstance(result, dict) else {}


def sequence(key: str) -> int | None:
    """Return the number of the widget's last message, which is sent back to it."""
    number = get_settings(key).get("seq")
    return number if isinstance(number, int) else None


def send(name: str, data: dict) -> None:
    _told(key=f"{name}.told", data=data | {"instrument": name}, height=1)


def hide(name: str, *keys: str) -> None:
    """Hide Streamlit's own controls while a widget replaces them. They hold the values, and so does the URL."""
    # Without an element next to the style, Streamlit would not remove the style together with the widget.
    st.html(f"<style>{', '.join(f'.st-key-{key}' for key in (*keys, f'{name}-told'))} {{display: none;}}</style><i hidden></i>")


def listen_to_gestures() -> None:
    """Install the listener. Call this once on every page, after its charts."""
    _gestures(key="gestures", width="content", height="content")


def counted_button(label: str, key: str, on_press: Callable[[int], object], *, place=st, **options: Any) -> None:
    """Draw a button whose every click counts. `on_press` receives the number of clicks since its last call."""
    place.button(label, key=key, on_click=on_press, args=(1,), **options)
    counter = f"presses.{key}"
    _presses(key=counter, data={"button": _css(key)}, on_presses_change=partial(_take_presses, counter, on_press), height=1)


def _take_presses(counter: str, on_press: Callable[[int], object]) -> None:
    number = (st.session_state.get(counter) or {}).get("presses")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        return
    seen = st.session_state.get(f"{counter}.seen", 0)
    st.session_state[f"{counter}.seen"] = number
    on_press(min(MAX_PRESSES, number - seen if number > seen else number))  # a browser that was loaded again counts from 1


def presets(n_layers: int) -> dict[str, tuple[str, list[float]]]:
    """Return presets by code: titles, and a raw score for each layer. The scores of a rising mix give evenly rising weights."""
    numbers = np.arange(n_layers)
    layers = model_layers.in_use()
    result = {str(k): (layers.title(str(k)), np.where(numbers == k, LIMIT, -LIMIT).tolist()) for k in numbers}
    if n_layers > model_layers.FEW:
        even = np.log(numbers + 1.0)
        rising = (even - even.mean()).round(1).tolist()
        result["last"] = (t("last four"), np.where(numbers >= n_layers - 4, LIMIT, -LIMIT).tolist())
        result["rising"] = (t("rising"), rising)
        result["falling"] = (t("falling"), rising[::-1])
    result["average"] = (t("average"), [0.0] * n_layers)
    return result


def slider_keys() -> list[str]:
    """Return the keys of the raw scores in the session and the URL, for the sliders of the selected model."""
    return [f"w{k}" for k in range(model_layers.in_use().n)]


def sliders(n_layers: int, *, moved: Callable[[], None] | None = None) -> tuple[np.ndarray, float]:
    """Draw the sliders. Return the weights (L,), which Neighbors uses too, and the scale. Call `moved` when a weight changes."""
    from scipy.special import softmax  # not at the top: Home need not wait for it

    place = st.container() if n_layers <= model_layers.FEW else st.container(height=STRIP)
    layers = model_layers.in_use()
    raw = [place.slider(layers.weight_name(str(k)), -LIMIT, LIMIT, 0.0, 0.1, **bound(f"w{k}", on_change=moved)) for k in range(n_layers)]
    gamma = st.slider(t("γ (scale)"), **bound("gamma"))
    weights = softmax(raw)
    st.session_state["s"] = ",".join(f"{v:.3g}" for v in weights)  # the Neighbors page's mix
    return weights, gamma


def stepper(
    key: str, label: str, numbers: Sequence[str], *, buttons: str, following: Label, icons: Pair = NONE, shortcuts: Pair = NONE
) -> int:
    """Draw a stepper of the URL parameter `key` and return its number from 0. `buttons` begins its keys, `following` labels Next."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    back, middle, forward = (row.container(width="content") for _ in range(3))
    with middle:
        options = {"default": "1", "required": True, "label_visibility": "collapsed"}
        number = int(st.segmented_control(label, numbers, **bound(key), **options) or "1") - 1

    def go(target: int) -> None:
        st.session_state[key] = numbers[target]

    sides = (back, t("Back"), "back", number - 1, "secondary"), (forward, following(number), "next", number + 1, "primary")
    for (place, text, name, target, kind), icon, shortcut in zip(sides, icons, shortcuts, strict=True):
        options = {"icon": icon, "shortcut": shortcut, "type": kind, "disabled": target not in range(len(numbers))}
        place.button(text, key=f"{buttons}.{name}", on_click=go, args=(target,), **options)
    with row:
        data = {"numbers": _css(key), "back": _css(f"{buttons}.back"), "next": _css(f"{buttons}.next"), "arrows": any(shortcuts)}
        _step_keys(key=f"{key}.steps", data=data, width="content", height="content")
    return number


def _css(key: str) -> str:
    """Return the class that Streamlit gives to the element with a key."""
    return "st-key-" + re.sub(r"[^\w-]", "-", key, flags=re.ASCII)
