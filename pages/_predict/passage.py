"""The text of Next word: its box and examples, and the versions for Undo."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.expectation import is_version
from core.common.i18n import t
from core.common.limits import limits
from pages._frame import examples, question
from pages._frame.choices import text_box
from pages._frame.parameters import bound, read_parameter
from pages._widgets.components import counted_button
from pages._widgets.inputs import as_you_type, offer_examples

TEXT, OTHER, AT, EARLIER, ENDED, EXAMPLE = "ptext", "pother", "pat", "predict.earlier", "predict.ended", "predict.example"
# The position that the page chose, with its text, and the last target, with its word.
CHOSEN, SHOWN = "predict.chosen", "predict.shown"
KEPT = 100  # earlier versions to go back to
# The current text, the texts before clicks or Undo that the browser may still hold, and whether the box reported a change in this run.
# A click that is made before the browser has the new text sends an old one, which the user did not type.
NOW, BEFORE, CHANGED = "predict.now", "predict.before", "predict.changed"


def ask_text() -> str:
    if st.session_state.pop(CHANGED, False):
        _forget_earlier()
    items = examples.predict()
    names = {
        "open": t("An open end"),
        "cat": t("A cat"),
        "beginning": t("No beginning"),
        "path": t("Garden path"),
        "surprise": t("A word that surprises"),
        "agreement": t("Agreement"),
    }
    labels = [f":material/format_quote: {names.get(item.kind, item.text)}" for item in items]
    offer_examples(range(len(items)), EXAMPLE, _take_example, format_func=labels.__getitem__)
    columns = st.columns([8, 2.5], vertical_alignment="bottom", gap="medium")
    label = t("Your text")
    options = {"height": 80, "placeholder": t("Type a few words"), "on_change": lambda: st.session_state.update({CHANGED: True})}
    text = text_box(TEXT, label, items[0].text, limits().max_text, place=columns[0], **options)
    options = {"icon": ":material/undo:", "disabled": not st.session_state.get(EARLIER), "help": t("Undo the last tap or draw.")}
    counted_button(t("Undo"), "predict.undo", undo, place=columns[-1], width="stretch", **options)
    as_you_type(label)
    st.session_state[NOW] = text or ""
    _fit_other(st.session_state[NOW])
    return st.session_state[NOW]


def ask_word(tokens: Sequence[str]) -> int | None:
    labels = question.token_labels(tokens)
    return st.pills(t("Word in question"), range(len(tokens)), **bound(AT), format_func=labels.__getitem__, label_visibility="collapsed")


def put(text: str, *, version: str | None = None, ended: str | None = None, position: int | None = None) -> None:
    """Set the text in a callback, with Undo. Do nothing if the text would be too long."""
    before = _text()
    _trust_place()
    if len(text) > limits().max_text:
        text = before
        ended = "full"
    if text != before:
        st.session_state[EARLIER] = [*st.session_state.get(EARLIER, []), before][-KEPT:]
        st.session_state[EXAMPLE] = None
    _replace(before, text)
    if version is not None:
        st.session_state[OTHER] = version
    if position is not None:
        st.session_state[AT] = position
    st.session_state[ENDED] = ended


def undo(steps: int = 1) -> None:
    before = _text()
    _trust_place()
    if earlier := st.session_state.get(EARLIER):
        left = earlier[: max(0, len(earlier) - steps)]
        _replace(before, earlier[len(left)])
        st.session_state[EARLIER], st.session_state[ENDED] = left, None


def _fit_other(text: str) -> None:
    """Keep the text to compare with only next to its own example, or a version of it."""
    items = examples.predict()
    if OTHER not in st.session_state and read_parameter(OTHER) is None:
        st.session_state[OTHER] = next((item.other for item in items if item.text == text), "")
    elif (version := st.session_state.get(OTHER)) and version in {item.other for item in items} and not is_version(text, version):
        st.session_state[OTHER] = ""


def _trust_place() -> None:
    """Keep the selected position through an insertion, a draw or Undo, whichever word is there."""
    st.session_state[CHOSEN] = st.session_state[SHOWN] = None


def _text() -> str:
    """Return the text that a callback starts from. Typing clears Undo."""
    if st.session_state.pop(CHANGED, False):
        if st.session_state[TEXT] in st.session_state.get(BEFORE, ()):
            return st.session_state[NOW]
        _forget_earlier()
    else:
        st.session_state[BEFORE] = ()  # the browser has the new one
    return st.session_state[TEXT]


def _replace(before: str, text: str) -> None:
    st.session_state[BEFORE] = (*st.session_state.get(BEFORE, ()), before)[-KEPT:]
    st.session_state[NOW] = st.session_state[TEXT] = text


def _forget_earlier() -> None:
    """Clear Undo, because it would lose what the user typed."""
    st.session_state[EARLIER], st.session_state[ENDED], st.session_state[EXAMPLE] = [], None, None
    st.session_state[BEFORE] = ()


def _take_example(number: int) -> None:
    example = examples.predict()[number]
    put(example.text, version=example.other, position=example.at)
    st.session_state[EXAMPLE] = number
