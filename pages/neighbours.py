"""Neighbours: what stands nearest to a word in two contexts (Peters et al. 2018, table 4), as lists or as clouds; GloVe's beside them."""

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse
from pages._widgets.inputs import sentence_pair


def lists(in_use: InUse) -> None:
    """Two lists beside GloVe's one."""
    question(t("Who are its neighbours?"))
    lede(
        t(
            "The nearest vectors to a word show what a model takes it to mean. GloVe has one list for a spelling; {model} has one for every sentence.",
            model=model_layers.in_use().called,
        )
    )
    first, second = sentence_pair()
    show("pages._neighbours.show", in_use, first, second)


def cloud(in_use: InUse) -> None:
    """GloVe's one vector of a word among its neighbours, beside ELMo's, one for every sentence."""
    question(t("One dot, or a cloud?"))
    lede(
        t(
            "<b>GloVe</b> keeps one vector for a spelling, so all meanings of a word share its neighbours. <b>{model}</b> has one for every sentence "
            "the word stands in: a cloud, in which yours are the stars.",
            model=model_layers.in_use().called,
        )
    )
    picture = st.container()  # on the first screen; the sentences below it
    first, second = sentence_pair()
    show("pages._neighbours.cloud", in_use, first, second, picture)


in_use = frame("pages/neighbours.py")
{"neighbours": lists, "cloud": cloud}[part()](in_use)
