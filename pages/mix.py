"""Mix: set the layer weights; neighbors, sense accuracy and map follow (Peters et al. 2018, eq. 1)."""

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.model_layers import subscript
from pages._frame.frame import frame, lede, question, show
from pages._widgets.inputs import sentence_pair

in_use = frame("pages/mix.py")
question(t("Which layers matter?"))
layers = model_layers.in_use()
terms = [f"s{subscript(k)}·h{subscript(k)}" for k in range(layers.n)]
values = {"model": layers.called, "sum": " + ".join(terms if layers.few else [*terms[:2], "…", terms[-1]])}
lede(t("{model} gives a task one vector per word, <b>γ · ({sum})</b>: set the layer weights s and the scale γ.", **values))
notices = st.container()
with st.expander(t("Your two sentences"), icon=":material/edit:", expanded=False, key="mix.own"):
    first, second = sentence_pair(notices=notices)
show("pages._map.mix", in_use, first, second)
