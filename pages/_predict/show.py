"""The Next word page: a text, what may follow and precede it, how surprising each word was, and what an edit changes; of a transformer
with a head for masked words, what could stand in a word's place."""

import streamlit as st

from core.analysis import expectation
from core.common.i18n import t
from core.engines.masked import has_head
from core.views import next_words
from core.views.next_words import NextWordsRequest
from pages._cached import opened
from pages._cached.views import bench, view
from pages._frame.in_use import InUse
from pages._predict import edits, expected, masked, surprise
from pages._predict.passage import typed
from pages._word import of_elmo_alone


def show(in_use: InUse) -> None:
    """Inputs, then the three parts, each with what to notice."""
    sentences = expectation.sentences_of(typed())
    if not sentences:
        st.info(t("Type a few words, or choose an example."), icon=":material/edit:")
        return
    model = opened.model(in_use.model)
    if not model.is_elmo and has_head(model.folder):
        masked.show(in_use, sentences)
        return
    if of_elmo_alone.is_another(in_use, of_elmo_alone.EXPECTED):
        return
    read = view(next_words.read, bench(in_use), NextWordsRequest(sentences=sentences))
    expected.show(in_use, read)
    surprise.show(in_use, read)
    edits.show(in_use, read)
