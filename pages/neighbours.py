"""Neighbours: what stands nearest to a word in two contexts, beside GloVe's one list (Peters et al. 2018, table 4)."""

import streamlit as st

from core.texts import t
from pages._shared.frame import frame, lede, question, show
from pages._shared.inputs import Choice, sentence_pair

in_use = frame("pages/neighbours.py")
question(t("Who are its neighbours?"))
lede(
    t(
        "The nearest vectors to a word show what a model takes it to mean. GloVe has one list for a spelling; ELMo has one for every sentence."
    )
)
first, second = sentence_pair()
tools = st.columns([2, 4, 2], vertical_alignment="bottom")
layer = (
    tools[0].segmented_control(
        t("Layer"),
        ["0", "1", "2", "mix"],
        format_func=lambda name: t("mix") if name == "mix" else name,
        default="2",
        key="nlayer",
        bind="query-params",
        persist_state="session",
        help=t(
            "Layer 0 sees only the spelling. Layers 1 and 2 read the sentence. The mix weighs all three; set it on the Mix page."
        ),
    )
    or "2"
)
among = {"other words": t("other words"), "same word": t("same word"), "any word": t("any word"), "types": t("types")}
which = (
    tools[1].segmented_control(
        t("Look among"),
        list(among),
        format_func=among.get,
        default="same word",
        key="among",
        bind="query-params",
        persist_state="session",
        help=t(
            "Same word: other sentences with this word. Other words: what could stand in its place. Types: one mean vector a spelling."
        ),
    )
    or "same word"
)
k = tools[2].slider(t("How many"), 3, 30, 8, key="k", bind="query-params", persist_state="session")
weights = ""
if layer == "mix":
    weights = st.text_input(
        t("Weights of layers 0, 1, 2"),
        "1,1,1",
        key="s",
        bind="query-params",
        persist_state="session",
        help=t("Any three numbers; the Mix page sets them with sliders."),
    )
show("neighbour_lists", in_use, first, second, Choice(layer, weights, which, k))
