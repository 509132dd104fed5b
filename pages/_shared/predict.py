"""The Next word page: a text, what may follow and precede it, how surprising each word was, and what an edit changes."""

from __future__ import annotations

import streamlit as st

from core.elmo import expectation
from core.texts import t
from pages._shared import generate, positions, predict_store, versions
from pages._shared.in_use import InUse
from pages._shared.predict_text import text_box


def show(in_use: InUse) -> None:
    """Inputs, then the three parts, each with what to notice."""
    sentences = expectation.sentences_of(text_box())
    if not sentences:
        st.info(t("There is no word in this text yet. Type a few, or take one of the examples above."), icon=":material/edit:")
        return
    read = predict_store.reading(in_use.model, sentences)
    generate.show(in_use, read)
    positions.show(in_use, read)
    versions.show(in_use, read)
