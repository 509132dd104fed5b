"""The user's two sentences and the token meant in each: the same on every page, kept for the session and in the URL."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import streamlit as st

from core.text import find_word, join_tokens, tokenize

EXAMPLES = {
    "bank": ("We sat on the grassy bank and watched the boats go by.", "The bank refused to lend him any more money."),
    "play": ("The children play football in the park after school.", "The play opens at the theatre on Friday with a new cast."),
    "spring": ("The flowers come up in spring when the days grow warm.", "The old mattress had a broken spring that creaked."),
    "bass": ("He caught a huge bass in the lake before breakfast.", "She plays the bass in a jazz band with two guitarists."),
    "cell": ("The prisoner paced up and down his cell all night.", "Under the microscope we saw the cell divide in two."),
    "match": ("He struck a match and lit the candle on the table.", "Our team won the match with a goal in the last minute."),
    "light": ("The light of the lamp fell across her desk.", "The suitcase was so light that a child could carry it."),
    "right": ("Turn right at the church and you will see the station.", "You were right, and I was wrong about the answer."),
}
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MAX_CHARACTERS = 2000
MAX_TOKENS_TO_CLICK = 120


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
    shared = [t for t in tokens if len(t) > 3 and find_word(other, t)]
    return tokens.index(max(shared or tokens, key=len))


def sentence_pair(*, stacked: bool = False) -> tuple[Chosen, Chosen]:
    """Two text boxes, the tokens of each to tap, and examples; shared by all pages."""
    _examples()
    columns = [st.container(), st.container()] if stacked else st.columns(2, gap="medium")
    return _sentence(columns[0], "a", "b", "First sentence", 0), _sentence(columns[1], "b", "a", "Second sentence", 1)


def _examples() -> None:
    st.pills(
        "Examples",
        list(EXAMPLES),
        key="example",
        on_change=_take_example,
        label_visibility="collapsed",
        format_func=lambda word: f":material/format_quote: {word}",
    )


def _take_example() -> None:
    word = st.session_state.example
    if word:
        st.session_state.a, st.session_state.b = EXAMPLES[word]
        st.session_state.w = word
        for key, text in zip(("ai", "bi"), EXAMPLES[word], strict=True):
            st.session_state[key] = guess_position(tokenize(text), [], word)


def _sentence(place, key: str, other: str, label: str, number: int) -> Chosen:
    default = EXAMPLES["bank"][number]
    with place:
        text = st.text_input(
            label,
            default,
            key=key,
            bind="query-params",
            persist_state="session",
            max_chars=MAX_CHARACTERS,
            on_change=_text_changed,
            args=(key, other),
            placeholder="Type a sentence with the word you want to look at",
        )
        tokens = tokenize(text or "")[:MAX_TOKENS_TO_CLICK]
        index = f"{key}i"
        if not tokens:
            st.info("Type a sentence here, or take one of the examples above.", icon=":material/edit:")
            return Chosen(text or "", (), None)
        # A cold link's own choice comes through the binding; only where there is none, or a stale one, is it guessed.
        given = index in st.session_state or index in st.query_params
        if not given or st.session_state.get(index, 0) not in range(len(tokens)):
            other_text = st.session_state.get(other) or EXAMPLES["bank"][1 - number]
            st.session_state[index] = guess_position(tokens, tokenize(other_text), st.session_state.get("w", "bank"))
        position = st.pills(
            f"Word in question, {label.lower()}",
            range(len(tokens)),
            key=index,
            bind="query-params",
            persist_state="session",
            format_func=_labels(tokens).__getitem__,
            label_visibility="collapsed",
            on_change=_token_tapped,
            args=(key, index),
        )
        if position is None:  # tapped off: keep the last one in question
            position = guess_position(tokens, [], st.session_state.get("w", "bank"))
        return Chosen(text, tuple(tokens), position)


def _text_changed(key: str, other: str) -> None:
    tokens = tokenize(st.session_state[key] or "")[:MAX_TOKENS_TO_CLICK]
    st.session_state[f"{key}i"] = guess_position(
        tokens, tokenize(st.session_state.get(other) or ""), st.session_state.get("w", "bank")
    )
    st.session_state.example = None


def _token_tapped(key: str, index: str) -> None:
    tokens, position = tokenize(st.session_state[key] or ""), st.session_state[index]
    if position is not None and position < len(tokens):
        st.session_state.w = tokens[position].casefold()


def _labels(tokens: list[str]) -> list[str]:
    """What each token's button and the URL say: the token, numbered where it stands there again."""
    seen: Counter[str] = Counter()
    labels = []
    for token in tokens:
        seen[token] += 1
        labels.append(_escape(token) + (str(seen[token]).translate(_SUBSCRIPTS) if seen[token] > 1 else ""))
    return labels


def _escape(token: str) -> str:
    """A token as plain text in a label that would read Markdown."""
    token = token if len(token) <= 30 else token[:29] + "…"
    return "".join(f"\\{c}" if c in r"\`*_{}[]()#+-.!|:$~<>^" else c for c in token) or " "
