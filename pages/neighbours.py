"""Neighbours: what stands nearest to a word in two contexts, beside GloVe's one list (Peters et al. 2018, table 4)."""

import streamlit as st

from pages._shared.frame import frame, lede, show
from pages._shared.inputs import Choice, sentence_pair

in_use = frame("Neighbours")
st.title("Who are its neighbours?")
lede(
    "The nearest vectors to a word show what a model takes it to mean. GloVe has one list for a spelling; ELMo has one for every sentence."
)
first, second = sentence_pair()
tools = st.columns([2, 4, 2], vertical_alignment="bottom")
layer = (
    tools[0].segmented_control(
        "Layer",
        ["0", "1", "2", "mix"],
        default="2",
        key="nlayer",
        bind="query-params",
        persist_state="session",
        help="Layer 0 sees only the spelling. Layers 1 and 2 read the sentence. The mix weighs all three; set it on the Mix page.",
    )
    or "2"
)
which = (
    tools[1].segmented_control(
        "Look among",
        ["other words", "same word", "any word", "types"],
        default="same word",
        key="among",
        bind="query-params",
        persist_state="session",
        help="Same word: other sentences with this word. Other words: what could stand in its place. Types: one mean vector a spelling.",
    )
    or "same word"
)
k = tools[2].slider("How many", 3, 30, 8, key="k", bind="query-params", persist_state="session")
weights = ""
if layer == "mix":
    weights = st.text_input(
        "Weights of layers 0, 1, 2",
        "1,1,1",
        key="s",
        bind="query-params",
        persist_state="session",
        help="Any three numbers; the Mix page sets them with sliders.",
    )
show("neighbour_lists", in_use, first, second, Choice(layer, weights, which, k))
