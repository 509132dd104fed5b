"""The user's two sentences and the token meant in each: the same on every page, kept for the session and in the URL."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import streamlit as st

from core.languages import tokenize
from core.limits import limits
from core.markup import plain
from core.text import JOINER, find_word, join_tokens
from core.texts import t
from pages._shared import examples
from pages._shared.teaching import folded

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class Chosen:
    """One sentence with its token in question; `position` is None where there is no sentence."""

    text: str
    tokens: tuple[str, ...]
    position: int | None

    @property
    def word(self) -> str:
        return self.tokens[self.position] if self.position is not None else ""

    @property
    def readable(self) -> str:
        return join_tokens(list(self.tokens))


@dataclass(frozen=True, slots=True)
class Choice:
    """What the Neighbours page was asked for."""

    layer: str
    weights: str  # of the mix, "a,b,c"
    among: str  # same word, other words, any word, types
    k: int


def guess_position(tokens: list[str], other: list[str], last: str) -> int | None:
    """The token likely meant: the word last in question, else the longest one both sentences share, else the longest."""
    if not tokens:
        return None
    if found := find_word(tokens, last):
        return found[0]
    shared = [token for token in tokens if _telling(token) and find_word(other, token)]
    return tokens.index(max(shared or tokens, key=len))


def _telling(token: str) -> bool:
    """Long enough to be no particle or article; a word of another script may have one letter."""
    return len(token) > 3 or (not token.isascii() and token.isalpha() and token[0] != JOINER)


def sentence_pair(*, stacked: bool = False) -> tuple[Chosen, Chosen]:
    """Two text boxes, the tokens of each to tap, and examples; shared by all pages."""
    with folded(t("The two sentences")):
        _examples()
        columns = [st.container(), st.container()] if stacked else st.columns(2, gap="medium")
        first = sentence(columns[0], "a", "b", 0, t("First sentence"), t("Word in question, first sentence"))
        return first, sentence(columns[1], "b", "a", 1, t("Second sentence"), t("Word in question, second sentence"))


def first_sentence() -> Chosen:
    """The first of the two alone, for pages that look at one sentence; `position` is None where it is empty."""
    with folded(t("The sentence")):
        _examples()
        return sentence(st.container(), "a", "b", 0, t("First sentence"), t("Word in question, first sentence"))


def _examples() -> None:
    st.pills(
        t("Examples"),
        list(examples.pairs()),
        key="example",
        on_change=_take_example,
        label_visibility="collapsed",
        format_func=lambda word: f":material/format_quote: {word}",
    )


def _take_example() -> None:
    word = st.session_state.example
    if word:
        st.session_state.a, st.session_state.b = pair = examples.pairs()[word]
        st.session_state.w = word
        for key, text in zip(("ai", "bi"), pair, strict=True):
            st.session_state[key] = guess_position(tokenize(text), [], word)


def sentence(place, key: str, other: str, number: int, label: str, label_of_word: str) -> Chosen:
    """One text box and its tokens under the session's and the URL's `key`; `other` is the key of the pair's other sentence."""
    word = examples.first_word()
    pair = examples.pairs().get(word, ("", ""))
    default = pair[number]
    with place:
        text = st.text_input(
            label,
            default,
            key=key,
            bind="query-params",
            persist_state="session",
            max_chars=limits().max_text,
            on_change=_text_changed,
            args=(key, other),
            placeholder=t("Type a sentence with the word you want to look at"),
        )
        tokens, index = _tokens(text), f"{key}i"
        if len(tokens) == limits().max_words < len(tokenize(text)):
            st.caption(t("Only the first {n} words of this sentence are read. Shorten it, or cut it in two.", n=len(tokens)))
        if not tokens:
            st.info(t("Type a sentence here, or take one of the examples above."), icon=":material/edit:")
            return Chosen(text or "", (), None)
        # A cold link's own choice comes through the binding; only where there is none, or a stale one, is it guessed.
        given = index in st.session_state or index in st.query_params
        if not given or st.session_state.get(index, 0) not in range(len(tokens)):
            other_text = st.session_state.get(other) or pair[1 - number]
            st.session_state[index] = guess_position(tokens, tokenize(other_text), st.session_state.get("w", word))
        position = st.pills(
            label_of_word,
            range(len(tokens)),
            key=index,
            bind="query-params",
            persist_state="session",
            format_func=token_labels(tokens).__getitem__,
            label_visibility="collapsed",
            on_change=_token_tapped,
            args=(key, index),
        )
        if position is None:  # tapped off: keep the last one in question
            position = guess_position(tokens, [], st.session_state.get("w", word))
        return Chosen(text, tuple(tokens), position)


def _text_changed(key: str, other: str) -> None:
    tokens = _tokens(st.session_state[key])
    st.session_state[f"{key}i"] = guess_position(
        tokens, tokenize(st.session_state.get(other) or ""), st.session_state.get("w", examples.first_word())
    )
    st.session_state.example = None


def _tokens(text: str | None) -> list[str]:
    """As many of a typed sentence's tokens as are read."""
    return tokenize(text or "")[: limits().max_words]


def _token_tapped(key: str, index: str) -> None:
    tokens, position = tokenize(st.session_state[key] or ""), st.session_state[index]
    if position is not None and position < len(tokens):
        st.session_state.w = tokens[position].casefold()


def token_labels(tokens: list[str]) -> list[str]:
    """What each token's button and the URL say: the token, numbered where it stands there again."""
    seen: Counter[str] = Counter()
    labels = []
    for token in tokens:
        seen[token] += 1
        labels.append(plain_label(token) + (str(seen[token]).translate(_SUBSCRIPTS) if seen[token] > 1 else ""))
    return labels


def plain_label(token: str) -> str:
    """A token as plain text in a label that would read Markdown."""
    return plain(token, 30) or " "
