"""The inputs for the user's two sentences and the selected token of each, shared by all pages."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from unicodedata import category

import streamlit as st

from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import plain
from core.text.languages import tokenize
from core.text.readings import Chosen
from core.text.tokens import bare
from pages._export import record
from pages._frame import examples, language, question
from pages._frame.choices import BOUND, text_box

T = TypeVar("T")


def offer_examples(items: Sequence[T], key: str, take: Callable[[T], object], *, place: Any = st, **options: Any) -> None:
    """Draw examples as pills. Call `take` with the one that the user chooses. `options` are those of st.pills."""

    def changed() -> None:
        if (chosen := st.session_state[key]) is not None:
            take(chosen)

    place.pills(t("Examples"), items, key=key, on_change=changed, **{"label_visibility": "collapsed"} | options)


def sentence_pair(*, live: str | bool = False, notices=None) -> tuple[Chosen, Chosen]:
    """Draw two text boxes, the tokens of each, and examples. With `live` ("50ms"), a text is sent that long after a key.

    `notices` is the container for messages that must be visible when the boxes are folded.
    """
    _examples()
    columns = st.columns(2, gap="medium")
    first = sentence(columns[0], "a", t("First sentence"), t("Word, first sentence"), live=live)
    second = sentence(columns[1], "b", t("Second sentence"), t("Word, second sentence"), live=live)
    _readings(first, second)
    if not live:  # there the verdict says it
        with notices or st.container():
            _foreign(first, second)
    return first, second


def first_sentence() -> Chosen:
    """Draw the first sentence alone, for pages about one sentence. Its `position` is None if it is empty."""
    _examples()
    chosen = sentence(st.container(), "a", t("First sentence"), t("Word, first sentence"))
    _foreign(chosen)
    return chosen


def _foreign(*chosen: Chosen) -> None:
    for word in language.foreign(*(item.word for item in chosen))[:1]:
        st.info(plain(language.say_foreign(word)), icon=":material/translate:")
        language.offer_its_language(word, "inputs.read")


def _words_among(tokens: tuple[str, ...], meant: tuple[int | None, ...]) -> list[int]:
    """Return the positions of the tokens with a chip: punctuation has none, unless it is meant."""
    return [k for k, token in enumerate(tokens) if k in meant or not all(category(sign).startswith("P") for sign in bare(token))]


def _readings(*chosen: Chosen) -> None:
    """State which word an ambiguous spelling is read as, with a button for the other word."""
    shown = {item.in_context.spelling: item for item in reversed(chosen) if item.position is not None}
    for spelling, item in reversed(shown.items()):
        possible = question.readings_of(item.word)
        if not possible:
            continue
        now = item.read_as if item.read_as in possible else possible[0]
        with st.container(horizontal=True, vertical_alignment="center", key=f"reading.{spelling}"):
            for other in possible:
                if other != now:
                    _reading(spelling, now, other)


def _reading(spelling: str, now: str, other: str) -> None:
    word, base = plain(spelling), plain(other if now == spelling else now)
    if now == spelling:
        message = t("“{word}” is read as its own word.", word=word)
        label = t("Read as a form of “{base}”", base=base)
    else:
        message, label = t("“{word}” is read as a form of “{base}”.", word=word, base=base), t("Read as its own word")
    st.caption(message, width="content")
    st.button(label, key=f"reading.{spelling}.{other}", on_click=question.read_as, args=(other,), type="tertiary")


def _examples() -> None:
    def put(word: str) -> None:
        a, b = examples.pairs()[word]
        question.put(a=a, b=b)

    offer_examples(list(examples.pairs()), "example", put, format_func=lambda word: f":material/format_quote: {word}")


def sentence(place, key: str, label: str, label_of_word: str, *, live: str | bool = False) -> Chosen:
    """Draw a text box and its tokens under a key of the session and the URL."""
    number = question.SIDES.index(key)
    with place:
        text = text_box(key, label, question.default_text(key), limits().max_text, place=place, placeholder=t("Type a sentence"), live=live)
        result = question.now()
        tokens = result.tokens[number] if text == result.texts[number] else tuple(question.tokens_of(text))
        if len(tokens) == limits().max_words < len(tokenize(text)):
            st.caption(t("Only the first {n} words are read.", n=len(tokens)))
        if not tokens:
            st.info(t("Type a sentence, or pick an example."), icon=":material/edit:")
            return Chosen(text or "", (), None)
        # Left out of the address where it is the guess, which Back and a link without it then come to again.
        position = st.pills(
            label_of_word,
            _words_among(tokens, (result.guesses[number], result.positions[number])),
            default=result.guesses[number],
            required=True,
            key=f"{key}i",
            **BOUND,
            format_func=question.token_labels(tokens).__getitem__,
            label_visibility="collapsed",
            on_change=question.tap,
            args=(key,),
        )
        if unread := language.say_unread(tokens):
            st.caption(plain(unread, 400))
        place = position if position is not None else result.positions[number]
        record.now().note("typed", (label_of_word, bare(tokens[place])), f"{key}i")
        return Chosen(text, tokens, place, question.reading_of(tokens, place))
