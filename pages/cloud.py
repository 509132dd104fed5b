"""One dot, a cloud: GloVe's one vector of a word among its neighbours, beside ELMo's, one for every sentence."""

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from pages._frame.frame import frame, lede, question, show
from pages._widgets.inputs import sentence_pair

in_use = frame("pages/cloud.py")
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
show("pages._cloud.show", in_use, first, second, picture)
