"""The inputs for the user's two sentences and the selected token of each, shared by all pages."""

import random
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from unicodedata import category

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common.i18n import say, t, tn
from core.common.limits import limits
from core.common.markup import plain
from core.text.corpora import Labeled
from core.text.languages import tokenize
from core.text.readings import Chosen
from core.text.tokens import bare
from pages._export import record
from pages._frame import examples, language, question
from pages._frame.choices import text_box
from pages._frame.markup import component
from pages._frame.parameters import bound, gone_through_history, read_parameter, readable, write_parameter
from pages._frame.question import follow

T = TypeVar("T")
ALL = "all"
EMPTY = MappingProxyType({})


def offer_examples(items: Sequence[T], key: str, take: Callable[[T], object], *, place: Any = st, **options: Any) -> None:
    """Draw examples as pills. Call `take` with the one that the user chooses. `options` are those of st.pills."""

    def changed() -> None:
        if (chosen := st.session_state[key]) is not None:
            take(chosen)

    place.pills(t("Examples"), items, key=key, on_change=changed, **{"label_visibility": "collapsed"} | options)


def sentence_pair(*, live: str | bool = False, notices=None) -> tuple[Chosen, Chosen]:
    """Draw two text boxes, tokens and examples. `live` ("50ms") sends a text that long after a key; `notices` is never folded."""
    _examples()
    columns = st.columns(2, gap="medium")
    first = sentence(columns[0], "a", t("First sentence"), t("Word, first sentence"), live=live)
    second = sentence(columns[1], "b", t("Second sentence"), t("Word, second sentence"), live=live)
    _readings(first, second)
    if not live:  # on those pages the verdict states it
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


def _readings(*chosen: Chosen) -> None:
    """State which word an ambiguous spelling is read as, with a button for the other word."""
    by_spelling = {item.in_context.spelling: item for item in reversed(chosen) if item.position is not None}
    for spelling, item in reversed(by_spelling.items()):
        if not (possible := question.readings_of(item.word)):
            continue
        current = item.read_as if item.read_as in possible else possible[0]
        word = plain(spelling)
        with st.container(horizontal=True, vertical_alignment="center", key=f"reading.{spelling}"):
            for reading in (reading for reading in possible if reading != current):
                if current == spelling:
                    message = t("“{word}” is read as its own word.", word=word)
                    label = t("Read as a form of “{base}”", base=plain(reading))
                else:
                    message = t("“{word}” is read as a form of “{base}”.", word=word, base=plain(current))
                    label = t("Read as its own word")
                st.caption(message, width="content")
                st.button(label, key=f"reading.{spelling}.{reading}", on_click=question.read_as, args=(reading,), type="tertiary")


def _examples() -> None:
    def put(word: str) -> None:
        is_typed = any(st.session_state.get(key) != text for key, text in zip(question.SIDES, question.now().texts, strict=True))
        if is_typed and word == st.session_state.get(question.REPLACED):
            return  # not a click: the text was sent before the browser knew that this example is no longer selected
        a, b = examples.pairs()[word]
        question.put(a=a, b=b)

    offer_examples(list(examples.pairs()), "example", put, format_func=lambda word: f":material/format_quote: {word}")


def sentence(place, key: str, label: str, label_of_word: str, *, live: str | bool = False) -> Chosen:
    """Draw a text box and its tokens under a key of the session and the URL."""
    number = question.SIDES.index(key)
    with place:
        text = text_box(key, label, question.default_text(key), limits().max_text, place=place, placeholder=t("Type a sentence"), live=live)
        result = question.now()
        if (text or "") != result.texts[number] and get_script_run_ctx().fragment_ids_this_run:
            st.rerun()  # positions are those of the last complete run
        tokens = result.tokens[number] if text == result.texts[number] else tuple(question.tokens_of(text))
        if len(tokens) == limits().max_words < len(tokenize(text)):
            st.caption(t("Only the first {n} words are read.", n=len(tokens)))
        if not tokens:
            st.info(t("Type a sentence, or pick an example."), icon=":material/edit:")
            return Chosen(text or "", (), None)
        # The default is the guess, so that the address leaves it out, and Back and a link without it select it again.
        selected = result.guesses[number], result.positions[number]
        is_word = [not all(category(sign).startswith("P") for sign in bare(token)) for token in tokens]
        offered = [k for k in range(len(tokens)) if k in selected or is_word[k]]
        options = bound(f"{key}i", default=result.guesses[number], required=True, on_change=question.tap, args=(key,))
        labels = question.token_labels(tokens)
        position = st.pills(label_of_word, offered, format_func=labels.__getitem__, label_visibility="collapsed", **options)
        if unread := language.say_unread(tokens):
            st.caption(plain(unread, 400))
        place = position if position is not None else result.positions[number]
        record.now().note("typed", (label_of_word, bare(tokens[place])), f"{key}i")
        return Chosen(text, tokens, place, question.reading_of(tokens, place))


PAUSE_MS = 350
# A text area sends its value on Ctrl + Enter, which is pressed here once a composed character (Korean, Japanese, Chinese) is complete.
# The timer outlives the component: a run that ends while the user types draws it again, and the text typed since has to be sent.
_as_you_type = component("as_you_type", Path(__file__).with_name("as_you_type"), html="<span></span>")


def as_you_type(label: str) -> None:
    """Let the text area of that label send its value as one types."""
    _as_you_type(data={"label": label, "pause": PAUSE_MS}, key=f"as_you_type.{label}", height=1)
    st.html('<style>[data-testid="InputInstructions"] {display: none;}</style>')


def word_search(
    place, key: str, words: Sequence[str], usual: str, *, labeled: Mapping[str, Labeled], help: str, separability=EMPTY, titles=EMPTY
) -> str:
    """Draw the box for a word, and return the selected or typed word. The word is `usual` again when the target changes.

    `labeled` has the themes and numbers of senses of words, `separability` their measured separation (0 to 1), `titles` special titles.
    """
    state = st.session_state
    in_url = read_parameter(key)
    follow(key, usual)
    if in_url is not None and (key not in state or gone_through_history() or in_url != state.get(f"{key}.seen", usual)):
        state[key] = in_url
    if not state.get(key):
        state[key] = usual
    with place:
        row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
        theme = ALL
        if labeled:
            names = {theme: say(theme) for item in labeled.values() for theme in item.themes}
            names = {ALL: t("all themes")} | dict(sorted(names.items(), key=itemgetter(1)))
            theme = row.selectbox(t("Theme"), list(names), format_func=names.get, key=f"{key}.theme", persist_state="session", width=180)
        visible = [word for word in words if theme == ALL or (word in labeled and theme in labeled[word].themes)]
        chosen = state[key]
        options = list(dict.fromkeys([*([] if chosen in visible else [chosen]), *visible]))
        look = {"help": help, "format_func": lambda word: titles.get(word) or _line(word, labeled, separability)}
        result = row.selectbox(t("Word"), options, key=key, persist_state="session", accept_new_options=True, **look)
        candidates = [word for word in visible if word in labeled and word != chosen]

        def surprise() -> None:
            st.session_state[key] = random.choice(candidates)

        options = {"icon": ":material/casino:", "disabled": not candidates, "help": t("A random labeled word")}
        row.button(t("Surprise me"), key=f"{key}.surprise", on_click=surprise, **options)
    result = readable(result or "").strip() or usual
    write_parameter(key, None if result == usual else result)
    return result


def _line(word: str, labeled: Mapping[str, Labeled], facts: Mapping[str, float]) -> str:
    """Return the text that the box searches, such as "python · 2 meanings · 93% · animals, computing"."""
    if (item := labeled.get(word)) is None:
        return word
    share = [f"{facts[word]:.0%}"] if word in facts else []
    return " · ".join([word, tn("{n} meaning", "{n} meanings", item.senses), *share, ", ".join(map(say, item.themes))])
