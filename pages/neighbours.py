"""Neighbours: what stands nearest to a word in two contexts (Peters et al. 2018, table 4), as lists or as clouds; GloVe's beside them."""

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse
from pages._widgets.inputs import sentence_pair


def lists(in_use: InUse) -> None:
    """Two lists beside GloVe's one."""
    question(t("What are its neighbors?"))
    lede(t("GloVe has one list of neighbors per spelling; {model} has one per sentence.", model=model_layers.in_use().called))
    first, second = sentence_pair()
    show("pages._neighbours.show", in_use, first, second)


def cloud(in_use: InUse) -> None:
    """GloVe's one vector of a word among its neighbors, beside ELMo's, one for every sentence."""
    question(t("One dot, or a cloud?"))
    lede(
        t(
            "<b>GloVe</b> has one vector per spelling; <b>{model}</b> has one per sentence: a cloud, with yours as stars.",
            model=model_layers.in_use().called,
        )
    )
    picture = st.container()  # on the first screen; the sentences below it
    first, second = sentence_pair()
    show("pages._neighbours.cloud", in_use, first, second, picture)


in_use = frame("pages/neighbours.py")
{"neighbours": lists, "cloud": cloud}[part()](in_use)
