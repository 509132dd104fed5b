"""Another user's text: what was read between two encodings of one's own sentence."""

import streamlit as st

from core.common.i18n import t
from core.common.limits import limits
from core.text.languages import tokenize
from core.text.tokens import split_sentences
from pages._frame import examples
from pages._frame.choices import text_box
from pages._widgets.as_you_type import as_you_type

MAX_TOKENS = 80


def other_text() -> list[list[str]]:
    """A text box with examples -> token lists of its sentences, at most MAX_TOKENS tokens in all; [] where it is empty."""
    names = _names()
    known = examples.other()
    st.pills(
        t("Another user’s text"),
        list(known),
        key="other_example",
        on_change=_take_example,
        format_func=lambda name: names.get(name, name),
        help=t("Read between two encodings of your sentence, as on a shared server."),
    )
    label = t("Text in between")
    text = text_box(
        "other",
        label,
        next(iter(known.values())),
        limits().max_passage,
        height=80,
        label_visibility="collapsed",
        placeholder=t("Type any text"),
    )
    as_you_type(label)
    sentences = []
    left = MAX_TOKENS
    for sentence in split_sentences(text or ""):
        if (tokens := tokenize(sentence)[:left]) and left:
            sentences.append(tokens)
            left -= len(tokens)
    if not left:
        st.caption(t("Only the first {n} words are read.", n=MAX_TOKENS))
    return sentences


def varied_texts(but: list[list[str]]) -> list[list[str]]:
    """The sentences of all examples minus those that are read already: another text for every time."""
    every = [tokenize(sentence) for text in examples.other().values() for sentence in split_sentences(text)]
    return [tokens for tokens in every if tokens not in but]


def _take_example() -> None:
    if name := st.session_state.other_example:
        st.session_state.other = examples.other()[name]


def _names() -> dict[str, str]:
    return {
        "court": t("a court"),
        "kitchen": t("a kitchen"),
        "football": t("football"),
        "hospital": t("a hospital"),
        "chat": t("a chat"),
        "history": t("history"),
        "river": t("similar to yours"),
    }
