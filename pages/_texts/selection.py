"""The Texts part: the size of the user's texts, the cost of an index, and the button that builds it for every page."""

import streamlit as st

from core.common.i18n import tn
from core.files import own_names, registry
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors
from pages._texts import reading, store


def show(in_use: InUse) -> None:
    """Show the size of the user's texts, the cost of their index, and which texts the pages use."""
    texts = store.own_texts()
    corpus = store.workspace_over(in_use, texts).corpus
    registry.resolve(corpus, "corpus")  # what is not there is said once
    use = st.container()
    reading.offer_deletion(corpus)
    with show_errors():
        reading.show_plan(in_use, corpus, texts)
        with use:
            reading.show_use(in_use, corpus)
        n = store.plan(corpus, in_use.model).sentences
        if corpus == in_use.corpus:
            notice([tn("Every page uses this {n:,} sentence.", "Every page uses these {n:,} sentences.", n)])
        else:
            used = own_names.title_of(in_use.corpus)
            notice(
                [
                    tn(
                        "This page searches {n:,} sentence, the others {used}.",
                        "This page searches {n:,} sentences, the others {used}.",
                        n,
                        used=used,
                    )
                ]
            )
