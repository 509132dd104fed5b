"""What is in question: the visitor's two sentences and the token meant in each, told anew before each page is drawn.

The session holds, and the address too: `a`, `b` the texts; `ai`, `bi` the positions of the tokens meant. The session alone:
`a.tapped`, `b.tapped` the word that was tapped (or taken from a list) there, which stays in question as long as it stands in
its sentence; `as` the word that a token is read as where two share its spelling (core.text.readings), in the address too; `w` the first
sentence's word, which pages without sentences follow. What was not tapped is guessed (core.text.word_in_question)
from both sentences whenever one of them, or the language they are read in, has changed.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common.errors import ElmoscopeError
from core.common.limits import limits
from core.common.markup import plain
from core.text import languages, readings
from core.text.labelled_words import list_words
from core.text.readings import WordInContext
from core.text.tokens import bare, find_word
from core.text.word_in_question import same_word, word_in_question
from pages._frame import examples
from pages._frame.links import write

SIDES = ("a", "b")
KEY = "asked"  # the session's, of what was settled last
READ_AS, LONGEST = "as", 40  # its key, and the letters of a word
KEPT = (*SIDES, "ai", "bi", "a.tapped", "b.tapped", READ_AS, "w")  # what a way back has to put back
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class InQuestion:
    """Both sentences as they are read, and what is in question in them."""

    texts: tuple[str, str]
    tokens: tuple[tuple[str, ...], tuple[str, ...]]
    positions: tuple[int | None, int | None]  # None in one without a token
    guesses: tuple[int | None, int | None]  # what would be in question had nothing been tapped
    language: str
    page: str  # that was drawn then


def settle() -> InQuestion:
    """Tell what is in question in this run, before any box is drawn; the same for every page."""
    state = st.session_state
    before = st.session_state.get(KEY)
    page = getattr(get_script_run_ctx(suppress_warning=True), "page_script_hash", "")
    by_address = before is None or before.page != page or gone_through_history()
    texts = tuple(text_of(key, by_address) for key in SIDES)
    code = languages.in_use().code
    try:
        tokens = tuple(tuple(tokens_of(text)) for text in texts)
    except ElmoscopeError:  # no analyzer: the page will say so where it reads the sentence
        tokens = ((), ())
    if by_address:
        state[READ_AS] = st.query_params.get(READ_AS, "" if before is None or gone_through_history() else state.get(READ_AS, ""))[:LONGEST]
        for key, of in zip(SIDES, tokens, strict=True):
            _taps_of_address(key, of, forget=before is None or gone_through_history())
    tapped = tuple(_tapped_at(key, of) for key, of in zip(SIDES, tokens, strict=True))
    guesses, positions = _guessed(tokens, code, (None, None)), _guessed(tokens, code, tapped)
    for key, of, position, guess in zip(SIDES, tokens, positions, guesses, strict=True):
        stored_position = state.get(f"{key}i", guess)
        if of and stored_position != position:
            state[f"{key}i"] = position
    possible = {reading for of, k in zip(tokens, positions, strict=True) if k is not None for reading in readings_of(of[k])}
    write(READ_AS, state[READ_AS] if state.get(READ_AS) in possible else None)
    in_question = InQuestion(texts, tokens, positions, guesses, code, page)
    words = [bare(of[k]).casefold() for of, k in zip(tokens, positions, strict=True) if k is not None]
    state["w"] = words[0] if words else examples.first_word()
    pair = next((word for word, both in examples.pairs().items() if both == texts), None)
    if state.get("example") != pair:
        state["example"] = pair
    state[KEY] = in_question
    return in_question


def now() -> InQuestion:
    """What was settled for this run."""
    return st.session_state[KEY] if KEY in st.session_state else settle()


def word() -> str:
    """The word in question, in small letters, whether it has labels or not: the first sentence's, else the second's."""
    now()
    return st.session_state["w"]


def follow(key: str, usual: str) -> None:
    """Let a page's own box of words, the widget `key`, turn to `usual` when other words are in question than when it was last drawn.

    A word that the address names stays where the box was not drawn yet, and after Back.
    """
    state = st.session_state
    result = now()
    words = tuple(of[k].casefold() for of, k in zip(result.tokens, result.positions, strict=True) if k is not None)
    seen = state.get(f"{key}.followed")
    if seen != words and not ((seen is None or gone_through_history()) and key in st.query_params):
        state[key] = usual
    state[f"{key}.followed"] = words


def put(*, word: str = "", **texts: str) -> None:
    """In a callback: make these the sentences, by `a` and `b`; `word` is in question in them, as if tapped, else it is guessed."""
    for key, text in texts.items():
        st.session_state[key], st.session_state[f"{key}.tapped"] = text, word or None
        places = find_word(tokens_of(text), word) if word else []
        if places:
            st.session_state[f"{key}i"] = places[0]


def place_of(tokens: list[str] | tuple[str, ...], word: str) -> int:
    """Where a word stands in a sentence, any of its forms; else the word most likely in question."""
    if places := find_word(list(tokens), word):
        return places[0]
    return word_in_question(tokens, [word], languages.in_use())[0] or 0


def tap(key: str) -> None:
    """In the callback of a sentence's tokens: the one that was tapped stays in question."""
    tokens, position = now().tokens[SIDES.index(key)], st.session_state[f"{key}i"]
    if position in range(len(tokens)):
        st.session_state[f"{key}.tapped"] = tokens[position]


def words() -> tuple[WordInContext, ...]:
    """The words in question of both sentences, in their sentences; fewer where one has none."""
    result = now()
    return tuple(WordInContext(of, k, reading_of(of, k)) for of, k in zip(result.tokens, result.positions, strict=True) if k is not None)


def readings_of(word: str) -> tuple[str, ...]:
    """The words that a spelling may be read as, the likeliest first; () where there is no doubt."""
    return readings.readings(word, list_words(languages.in_use()))


def reading_of(tokens: tuple[str, ...], position: int) -> str:
    """The word that a token is read as: what the reader chose, else what the sentence says; "" where its spelling is enough."""
    chosen = st.session_state.get(READ_AS, "")
    return chosen if chosen in readings_of(tokens[position]) else readings.read_in(tokens, position)


def read_as(word: str) -> None:
    """In a callback: read the token in question as this word."""
    st.session_state[READ_AS] = word


def gone_through_history() -> bool:
    """Whether Back or Forward asked for this run: what the address says is then what is shown."""
    return bool(getattr(get_script_run_ctx(suppress_warning=True), "is_history_navigation", False))


def default_text(key: str) -> str:
    """The text of a box that nobody has typed into yet."""
    return examples.pairs().get(examples.first_word(), ("", ""))[SIDES.index(key)]


def text_of(key: str, by_address: bool) -> str:
    """A sentence as its box will have it: of the address on a cold link, on another page, after Back and where no box is drawn, else the
    session's."""
    text = st.query_params.get(key) if by_address or key not in st.session_state else None
    if text is None and not gone_through_history():
        text = st.session_state.get(key)
    return (default_text(key) if text is None else text)[: limits().max_text]


def tokens_of(text: str | None) -> list[str]:
    """As many of a typed sentence's tokens as are read."""
    return languages.tokenize(text or "")[: limits().max_words]


def token_labels(tokens: tuple[str, ...] | list[str], name: Callable[[str], str] | None = None) -> list[str]:
    """What each token's button and the URL say, or by `name`: the token, numbered where it stands there again."""
    name = name or plain_label
    seen: Counter[str] = Counter()
    labels = []
    for token in tokens:
        seen[token] += 1
        labels.append(name(token) + (str(seen[token]).translate(_SUBSCRIPTS) if seen[token] > 1 else ""))
    return labels


def plain_label(token: str) -> str:
    """A token as plain text in a label that would read Markdown."""
    return plain(token, 30) or " "


def _taps_of_address(key: str, tokens: tuple[str, ...], *, forget: bool) -> None:
    """A token that the address names was tapped; `forget` what was tapped before, where it names none."""
    label = st.query_params.get(f"{key}i")
    labels = token_labels(tokens)
    if label in labels:
        st.session_state[f"{key}.tapped"] = tokens[labels.index(label)]
        st.session_state[f"{key}i"] = labels.index(label)
    elif forget:
        st.session_state[f"{key}.tapped"] = None


def _tapped_at(key: str, tokens: tuple[str, ...]) -> int | None:
    """Where a tapped word stands in its sentence: the token that was tapped, else the first of its spelling, else of its forms."""
    word, at = st.session_state.get(f"{key}.tapped"), st.session_state.get(f"{key}i")
    if not word:
        return None
    places = find_word(list(tokens), word)
    if not places:
        reads = languages.in_use()
        places = [k for k in range(len(tokens)) if same_word([word], 0, tokens, k, reads)]
    if not places:
        st.session_state[f"{key}.tapped"] = None
        return None
    return at if at in places else places[0]


@lru_cache(maxsize=512)
def _guessed(tokens: tuple[tuple[str, ...], ...], code: str, tapped: tuple[int | None, ...]) -> tuple[int | None, int | None]:
    return word_in_question(*tokens, languages.get_language(code), tapped=tapped)
