"""Offer the sentences of the additional labeled words if the selected sentences have few of a word."""

import streamlit as st

from core.common.i18n import t
from core.common.markup import shorten
from core.text.labeled_words import further_sentences
from pages._cached.kept import keep
from pages._frame.in_use import InUse
from pages._frame.markup import plain


def offer(in_use: InUse, *words: str, key: str) -> None:
    """Show for which words there are more sentences, with a button that selects them."""
    corpus = in_use.corpus
    more = keep("further sentences", [("corpus", corpus)], words, lambda: further_sentences(corpus, words), most=256)
    if not more.counts:
        return
    counted = ", ".join(f"{plain(shorten(word))} ({n})" for word, n in more.counts.items())
    message = t("More labeled sentences: {words}. Reading them takes 1 to 2 minutes, once (300 MB).", words=counted)
    place = st.container(horizontal=True, vertical_alignment="center", key=f"{key}.more")
    place.caption(message)
    label = t("Search all {n} labeled words", n=more.n_words)
    place.button(label, icon=":material/library_add:", key=f"{key}.more.take", on_click=_take, args=(more.corpus,))


def _take(corpus: str) -> None:
    st.session_state.corpus = corpus
