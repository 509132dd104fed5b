"""The target: the user's two sentences and the selected token of each, the same for every page.

The session and the URL hold the texts `a` and `b`, the positions `ai` and `bi` of the tokens, and `as`, the word that an ambiguous spelling
is read as (core.text.readings). The session alone holds `a.tapped` and `b.tapped`, the words that the user selected, which remain selected
while they are in their sentences, and `w`, the word of the first sentence, which pages without sentences follow. Tokens that the user did
not select are guessed from both sentences (core.text.target_word) when a sentence or the language changes.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.limits import limits
from core.common.markup import plain
from core.text import languages, readings
from core.text.corpora import list_words
from core.text.target_word import find_forms, find_target_words
from core.text.tokens import bare, find_word
from pages._frame import examples
from pages._frame.parameters import current_page, gone_through_history, read_parameter, restore_parameter, write_parameter

SIDES = ("a", "b")
KEY = "asked"  # the session's key of the last result of `settle`
REPLACED = "example.replaced"  # the session's key of the example that was selected before the current one
READ_AS, LONGEST = "as", 40  # the parameter of the chosen reading, and the maximum number of letters of a word
KEPT = (*SIDES, "ai", "bi", "a.tapped", "b.tapped", READ_AS, "w")  # keys of the session that Back restores
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class TargetPair:
    texts: tuple[str, str]
    tokens: tuple[tuple[str, ...], tuple[str, ...]]
    positions: tuple[int | None, int | None]  # None for a sentence without a token
    guesses: tuple[int | None, int | None]  # the target tokens if the user had selected none
    page: str  # the identity of the page of that run


def settle() -> TargetPair:
    """Determine the sentences and the selected tokens of this run, before any widget is drawn."""
    state = st.session_state
    before = state.get(KEY)
    page = current_page()
    by_address = before is None or before.page != page or gone_through_history()
    texts = tuple(text_of(key, by_address) for key in SIDES)
    code = languages.in_use().code
    try:
        tokens = tuple(tuple(tokens_of(text)) for text in texts)
    except ElmoscopeError:  # no analyzer: the page will say so where it reads the sentence
        tokens = ((), ())
    if by_address:
        forget = before is None or gone_through_history()
        in_url = read_parameter(READ_AS)
        usual = "" if forget else state.get(READ_AS, "")
        state[READ_AS] = (usual if in_url is None else in_url)[:LONGEST]
        for key, side_tokens in zip(SIDES, tokens, strict=True):
            label = read_parameter(f"{key}i")
            labels = token_labels(side_tokens)
            if label in labels:
                state[f"{key}i"] = labels.index(label)
                state[f"{key}.tapped"] = side_tokens[labels.index(label)]
            elif forget:
                state[f"{key}.tapped"] = None
    tapped = tuple(_tapped_at(key, side_tokens) for key, side_tokens in zip(SIDES, tokens, strict=True))
    guesses, positions = _guessed(tokens, code, (None, None)), _guessed(tokens, code, tapped)
    for key, side_tokens, position, guess in zip(SIDES, tokens, positions, guesses, strict=True):
        if side_tokens and state.get(f"{key}i", guess) != position:
            state[f"{key}i"] = position
    target_tokens = [side_tokens[k] for side_tokens, k in zip(tokens, positions, strict=True) if k is not None]
    possible = {reading for token in target_tokens for reading in readings_of(token)}
    write_parameter(READ_AS, state[READ_AS] if state.get(READ_AS) in possible else None)
    state["w"] = bare(target_tokens[0]).casefold() if target_tokens else examples.first_word()
    pair = next((word for word, both in examples.pairs().items() if both == texts), None)
    if state.get("example") != pair:
        state[REPLACED], state["example"] = state.get("example"), pair
    state[KEY] = result = TargetPair(texts, tokens, positions, guesses, page)
    if by_address and not gone_through_history():
        _complete_address(result)
    return result


def _complete_address(pair: TargetPair) -> None:
    """Write typed sentences and selected tokens into the address of a page that is opened, which may have no boxes for them."""
    sides = zip(SIDES, pair.texts, pair.tokens, pair.positions, pair.guesses, strict=True)
    for key, text, tokens, position, guess in sides:
        if text != default_text(key):
            restore_parameter(key, text, text)
        if position is not None and position != guess:
            restore_parameter(f"{key}i", position, token_labels(tokens)[position])


def now() -> TargetPair:
    """Return the result of `settle` for this run."""
    return st.session_state.get(KEY) or settle()


def word() -> str:
    """Return the target word of the first sentence, else of the second, else the first example's, in lower case."""
    now()
    return st.session_state["w"]


def follow(key: str, usual: str) -> None:
    """Set a page's word box, the widget `key`, to `usual` when the target changes. A word in the URL stays at first, and after Back."""
    state = st.session_state
    result = now()
    words = tuple(tokens[k].casefold() for tokens, k in zip(result.tokens, result.positions, strict=True) if k is not None)
    seen = state.get(f"{key}.followed")
    if seen != words and not ((seen is None or gone_through_history()) and read_parameter(key) is not None):
        state[key] = usual
    state[f"{key}.followed"] = words


def put(*, word: str = "", **texts: str) -> None:
    """Set the sentences `a` and `b` in a callback. Select `word` in them if it is given, else guess the target."""
    for key, text in texts.items():
        st.session_state[key] = text
        st.session_state[f"{key}.tapped"] = word or None
        places = find_word(tokens_of(text), word) if word else []
        if places:
            st.session_state[f"{key}i"] = places[0]


def place_of(tokens: list[str] | tuple[str, ...], word: str) -> int:
    """Return the position of a word in a sentence, in any of its forms, else of the most likely target."""
    if places := find_word(list(tokens), word):
        return places[0]
    return find_target_words(tokens, [word], languages.in_use())[0] or 0


def tap(key: str) -> None:
    tokens = now().tokens[SIDES.index(key)]
    position = st.session_state[f"{key}i"]
    if position in range(len(tokens)):
        st.session_state[f"{key}.tapped"] = tokens[position]


def readings_of(word: str) -> tuple[str, ...]:
    """Return the words that a spelling may be a form of, the likeliest first, or () if it is unambiguous."""
    return readings.readings(word, list_words(languages.in_use()))


def reading_of(tokens: tuple[str, ...], position: int) -> str:
    """Return the word that a token is read as: the user's choice, else the one that fits the sentence. Return "" if it is unambiguous."""
    chosen = st.session_state.get(READ_AS, "")
    return chosen if chosen in readings_of(tokens[position]) else readings.read_in(tokens, position)


def read_as(word: str) -> None:
    st.session_state[READ_AS] = word


def default_text(key: str) -> str:
    return examples.pairs().get(examples.first_word(), ("", ""))[SIDES.index(key)]


def text_of(key: str, by_address: bool) -> str:
    """Return a sentence as its box will show it: from the URL on a new page, after Back and without a box, else from the session."""
    text = read_parameter(key) if by_address or key not in st.session_state else None
    if text is None and not gone_through_history():
        text = st.session_state.get(key)
    return (default_text(key) if text is None else text)[: limits().max_text]


def tokens_of(text: str | None) -> list[str]:
    """Return the tokens of a typed sentence, cut to the number that the app reads."""
    return languages.tokenize(text or "")[: limits().max_words]


def token_labels(tokens: tuple[str, ...] | list[str], name: Callable[[str], str] | None = None) -> list[str]:
    """Return labels of tokens for buttons and the URL, or plain labels by `name`. Repeated tokens are numbered."""
    seen: Counter[str] = Counter()
    labels = []
    for token in tokens:
        seen[token] += 1
        labels.append((name or plain_label)(token) + (str(seen[token]).translate(_SUBSCRIPTS) if seen[token] > 1 else ""))
    return labels


def plain_label(token: str) -> str:
    """Return a token as plain text for a label that reads Markdown."""
    return plain(token, 30) or " "


def _tapped_at(key: str, tokens: tuple[str, ...]) -> int | None:
    """Return the position of the selected word: the clicked token, else the first with its spelling, else the first of its forms."""
    word, position = st.session_state.get(f"{key}.tapped"), st.session_state.get(f"{key}i")
    if not word:
        return None
    places = find_word(list(tokens), word) or find_forms(tokens, word, languages.in_use())
    if not places:
        st.session_state[f"{key}.tapped"] = None
        return None
    return position if position in places else places[0]


@lru_cache(maxsize=512)
def _guessed(tokens: tuple[tuple[str, ...], ...], code: str, tapped: tuple[int | None, ...]) -> tuple[int | None, int | None]:
    return find_target_words(*tokens, languages.get_language(code), tapped=tapped)
