"""What the Flip page is asked: the order of the edits, the layer, a labelled word, and the guess."""

from __future__ import annotations

from html import escape

import streamlit as st

from core import editing
from core.languages import tokenize
from core.text import join_tokens
from core.texts import t
from pages._shared import notices
from pages._shared.flip_says import NEVER
from pages._shared.frame import notice
from pages._shared.inputs import Chosen


def choices() -> tuple[str, str]:
    """The order of the edits, and the layer."""
    row = st.columns([3, 2], vertical_alignment="bottom")
    orders = dict(
        zip(editing.ORDERS, (t("left to right"), t("nearest the word first"), t("greedy: what moves most")), strict=True)
    )
    order = row[0].segmented_control(
        t("Order of the edits"), list(orders), default=editing.LEFT_TO_RIGHT, format_func=orders.get, key="order", bind="query-params", persist_state="session",
        help=t("Greedy tries every edit that is left and takes the one that moves the meaning most, until it flips: few edits, though not proven the fewest."),
    ) or editing.LEFT_TO_RIGHT  # fmt: skip
    layer = row[1].segmented_control(
        t("Layer"), ["1", "2", "mix"], format_func=lambda name: t("mix") if name == "mix" else name, default="2", key="flip_layer", bind="query-params", persist_state="session",
        help=t("Layer 0 sees only the spelling, so editing the context never moves it. The mix weighs all three layers equally."),
    ) or "2"  # fmt: skip
    return order, layer


def labelled_lemma(table, first: Chosen, second: Chosen) -> str | None:
    """The labelled word both sentences have; else what to do is said, and None."""
    if first.position is None or second.position is None:
        return None
    lemmas = [notices.lemma_of(table, c.word) for c in (first, second)]
    if lemmas[0] and lemmas[0] == lemmas[1]:
        return lemmas[0]
    words = {"first": escape(first.word[:40]), "second": escape(second.word[:40])}
    if first.word.casefold() != second.word.casefold():
        said = t(
            "The word in question is “{first}” in one sentence and “{second}” in the other. Tap the same word in both, or take two labelled sentences.",
            **words,
        )
    else:
        said = t(
            "“{first}” has no labelled meanings here, so none can be read. Tap another word, or take two labelled sentences.",
            **words,
        )
    notice([said])
    st.selectbox(
        t("A word with labelled senses"), table.lemmas, index=None, key="flip_word", placeholder=t("Choose a word"), on_change=_take_labelled, args=(table,)
    )  # fmt: skip
    return None


def asked_guess(path: list, of: tuple) -> tuple[int | None, bool]:
    """The user's guess (NEVER, or an edit's number; None if there is none) and whether the answer is to be shown."""
    if st.session_state.get("flip_of", of) != of:  # another path: a new guess, the answer hidden again
        st.session_state.reveal, st.session_state.guess = False, None
    st.session_state.flip_of = of
    options = [*range(1, len(path)), NEVER]
    if st.session_state.get("guess") not in (None, *options):
        st.session_state.guess = None
    guess = st.selectbox(
        t("At which edit does the meaning flip?"), options, index=None, key="guess", bind="query-params", persist_state="session",
        placeholder=t("Your guess"), format_func=lambda k: t("edit {k}", k=k) if k else t("it never flips"),
    )  # fmt: skip
    return guess, st.toggle(t("Reveal"), key="reveal", bind="query-params", persist_state="session")


def _take_labelled(table) -> None:
    """Put a sentence of the first and one of the second meaning of the chosen word where the user's two sentences are."""
    if not (lemma := st.session_state.flip_word):
        return
    rows = table.labelled_rows(lemma)
    codes = list(dict.fromkeys(table.sense[rows].tolist()))
    for key, code in zip("ab", (codes * 2)[:2], strict=True):
        found = table.occurrence(int(rows[table.sense[rows] == code][0 if len(codes) > 1 or key == "a" else -1]))
        st.session_state[key] = join_tokens(list(found.tokens))
        word = found.tokens[found.position]
        tokens = tokenize(st.session_state[key])
        st.session_state[f"{key}i"] = tokens.index(word) if word in tokens else 0
    st.session_state.w, st.session_state.example = lemma, None
