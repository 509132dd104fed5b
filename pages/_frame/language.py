"""The selected language: of the interface, of the texts, and of the model, vectors and examples."""

from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common import i18n, model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import shorten
from core.files import registry
from core.text import languages
from core.text.languages import Language
from core.text.tokens import bare
from pages._frame import examples
from pages._frame.choices import LAYERS
from pages._frame.markup import component
from pages._frame.parameters import gone_through_history, read_parameter, write_parameter

READS = "reads"  # the session's key of the language that text is read as: the model's
WORDS = ("map_word", "found_word")  # keys of a chosen word, which the other language has not
TAPPED = ("example", "decided.example", "predict.example", "spell_example")


def follow() -> None:
    """Make the user's language known to fragments, which run in separate threads."""
    i18n.follow(_chosen)
    languages.follow(partial(_read_session, READS))
    model_layers.follow(partial(_read_session, LAYERS))
    code = read_parameter("lang") or i18n.ENGLISH
    if gone_through_history() and code in languages.codes() and code != _code():  # that of the entry gone to
        switch(code)


def choose() -> Language:
    """Draw the choice of a language and return the language whose model is used. Its code is a URL parameter."""
    codes = languages.codes()
    names = {code: languages.get_language(code).name for code in codes}
    options = {"persist_state": "session", "format_func": names.get, "label_visibility": "collapsed", "on_change": _changed}
    chosen = st.selectbox("Language, 언어", codes, index=codes.index(_code()), key="lang", **options)
    write_parameter("lang", None if chosen == i18n.ENGLISH else chosen)
    return _content(chosen)


def read_as(model: str) -> None:
    """Read texts in the language of a model, or in English if the model cannot be opened. The page states that error."""
    try:
        st.session_state[READS] = languages.of_model(registry.resolve(model, "model")).code
    except ElmoscopeError:
        st.session_state[READS] = i18n.ENGLISH


def say_if_missing(content: Language) -> None:
    """Show a message if the selected language lacks a model, its texts, or a font."""
    code = _code()
    name = languages.get_language(code).name
    _check_font(name)
    if file := i18n.damaged(code):
        st.warning(t("Cannot read the {language} texts ({name}). Reinstall, or fix the file.", language=name, name=file))
    if content.code != code:
        st.info(t("No {language} model yet: text is read as English.", language=name))


def has_model(content: Language) -> bool:
    return own("model", content) == content.model


def foreign(*words: str) -> list[str]:
    """Return the words with letters that the selected language does not use."""
    reads = languages.in_use()
    return [word for word in dict.fromkeys(map(bare, words)) if any(map(str.isalpha, word)) and not reads.writes(word)]


def say_unread(tokens: Iterable[str]) -> str:
    """State how many tokens of a text have letters that the selected language does not use. Return "" for zero."""
    return languages.say_unread(Counter(tokens), languages.in_use())


def say_foreign(word: str) -> str:
    return t("“{word}” is not in {language} letters.", word=shorten(word), language=languages.in_use().name)


def offer_its_language(word: str, key: str) -> None:
    """Draw a button for each other language that uses the word's letters and has a model here."""
    for candidate in languages.match_script(word):
        if candidate.code != languages.in_use().code and has_model(candidate):
            label = t("Read as {language}", language=candidate.name)
            if st.button(label, key=f"{key}.{candidate.code}", icon=":material/translate:", on_click=switch, args=(candidate.code,)):
                st.rerun()  # the complete page, in that language


def switch(code: str) -> None:
    st.session_state.lang = code
    _changed()


def _chosen() -> str | None:
    """Return the language that the user chose, or None in a thread without a user."""
    return None if get_script_run_ctx(suppress_warning=True) is None else st.session_state.get("lang") or read_parameter("lang")


def _read_session(key: str) -> Any:
    return None if get_script_run_ctx(suppress_warning=True) is None else st.session_state.get(key)


def _code() -> str:
    code = _chosen()
    return code if code in languages.codes() else i18n.ENGLISH


def _content(code: str) -> Language:
    """Return the language of a code if its model is on this machine, else English."""
    item = languages.get_language(code)
    return item if has_model(item) else languages.get_language(i18n.ENGLISH)


def _changed() -> None:
    """Select the model, vectors, sentences and examples of the language. Keep what the user typed."""
    old = languages.in_use()
    new = _content(_code())
    state = st.session_state
    if old == new:
        return
    for kind in ("model", "vectors", "corpus"):
        state[kind] = own(kind, new)
    example_texts = examples.every_text()
    state[READS] = new.code
    state.update({key: examples.first_word() for key in WORDS if key in state})
    state.update({key: None for key in TAPPED if key in state})
    for key, text in examples.initial_texts().items():
        if str(state.get(key) or "") in example_texts:
            state[key] = text
            if key in ("a", "b"):  # the target word is guessed again
                state[f"{key}.tapped"] = None
            if key == "ptext":
                state.pat = examples.predict()[0].at


def own(kind: str, content: Language) -> str:
    """Return the model, vectors or sentences of a language, or the English ones if it has none on this machine."""
    field = "sentences" if kind == "corpus" else kind
    try:
        registry.resolve(getattr(content, field), kind)
    except ElmoscopeError:
        content = languages.get_language(i18n.ENGLISH)
    return getattr(content, field)


# A browser without a Hangul font draws the same box for every letter, also in charts and saved pictures. The check draws two letters of the
# language's name. If they look alike, a message appears in English, because the language itself would be unreadable.
_letters = component("letters", Path(__file__).with_name("fonts"))


def _check_font(name: str) -> None:
    """Show a message if the browser cannot draw the language named `name`. A name in ASCII needs no check."""
    letters = list(dict.fromkeys(sign for sign in name if sign.isalpha() and not sign.isascii()))[:2]
    if len(letters) == 2:
        _letters(data={"letters": letters}, key="letters")
