"""Where a word stands in few of the sentences in use: how many more there are among those of the further labeled words, a click away."""

import streamlit as st

from core.common.i18n import t
from core.common.markup import shorten
from core.text.labelled_words import further_with, list_words_in, with_all
from core.text.tokens import bare
from pages._cached.kept import keep
from pages._frame.in_use import InUse
from pages._frame.markup import plain


def offer(in_use: InUse, *words: str, key: str) -> None:
    """A sentence for the words of which there are more, and the button that takes all those sentences into use; else nothing."""
    words = tuple(dict.fromkeys(bare(word).casefold() for word in words))
    more = {word: n for word in words if word and (n := _further(in_use.corpus, word))}
    if not more:
        return
    counted = ", ".join(f"{plain(shorten(word))} ({n})" for word, n in more.items())
    message = t("More labeled sentences: {words}. Reading them takes 1 to 2 minutes, once (300 MB).", words=counted)
    place = st.container(horizontal=True, vertical_alignment="center", key=f"{key}.more")
    place.caption(message)
    label = t("Search all {n} labeled words", n=len(list_words_in(in_use.corpus)))
    place.button(label, icon=":material/library_add:", key=f"{key}.more.take", on_click=_take, args=(with_all(in_use.corpus),))


def _further(corpus: str, word: str) -> int:
    return keep("further sentences", [("corpus", corpus)], word, lambda: further_with(corpus, word), most=256)


def _take(corpus: str) -> None:
    st.session_state.corpus = corpus
