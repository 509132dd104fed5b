"""The Next word page: a text, and the next and previous word, the surprisal of each word, or the effect of an edit.

For a transformer with a head for masked words, it shows what could replace a word.
"""

from itertools import chain

import streamlit as st

from core.analysis import expectation
from core.common.i18n import t
from core.common.markup import plain
from core.engines.masked import has_head
from core.views import next_words
from core.views.next_words import NextWordsRequest
from pages._cached import opened
from pages._cached.views import view, workspace
from pages._frame import language
from pages._frame.choices import coded_choice
from pages._frame.in_use import InUse
from pages._frame.parameters import read_parameter, write_parameter
from pages._predict import expected, passage, surprise
from pages._word import reading

PART = "predict_part"


def show(in_use: InUse) -> None:
    """Show the inputs, then a part of the page."""
    sentences = expectation.sentences_of(passage.ask_text())
    if not sentences:
        st.info(t("Type a few words, or choose an example."), icon=":material/edit:")
        return
    if unread := language.say_unread(chain.from_iterable(sentences)):
        st.caption(plain(unread, 400))
    model = opened.model(in_use.model)
    if not model.is_elmo and has_head(model.folder):
        expected.show_masked(in_use, sentences)
        return
    if reading.say_if_transformer(in_use, reading.EXPECTED):
        return
    read = view(next_words.read, workspace(in_use), NextWordsRequest(sentences=sentences))
    parts = {"next": t("Before and after"), "words": t("Word by word"), "edit": t("Two versions")}
    if PART not in st.session_state and read_parameter(PART) is None and read_parameter(passage.AT) is not None:
        write_parameter(PART, "words")  # a link to a word
    match coded_choice(PART, t("Part"), parts, "next", label_visibility="collapsed"):
        case "next":
            expected.show_next(in_use, read)
        case "words":
            surprise.show_words(in_use, read)
        case "edit":
            surprise.show_versions(in_use, read)
