"""The Memory page: one sentence before and after another user's text, with AllenNLP's memory and without."""

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis.memory import Memory, remember
from core.common.i18n import t
from core.common.markup import shorten
from core.engines import allennlp_engine
from core.figures.memory import halves_figure, layers_figure, settling_figure
from pages._cached.views import about, bench, of
from pages._frame.choices import choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._how.memory_notices import describe_encoder, describe_likeness, describe_neighbors, describe_settling, describe_words
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import Chosen
from pages._word import of_elmo_alone
from pages._word.other_text import varied_texts

ROUNDS = 6  # times the other text is read


@st.fragment
def show(in_use: InUse, chosen: Chosen, other: list[list[str]]) -> None:
    with show_errors():  # inside: an error in a fragment does not reach its caller
        if not of_elmo_alone.is_another(in_use, of_elmo_alone.MEMORY):
            _page(in_use, chosen, other)


def _page(in_use: InUse, chosen: Chosen, other: list[list[str]]) -> None:
    over = bench(about(in_use, chosen.in_context))
    layers = [str(k) for k in range(over.layers.n)]
    left, right = st.columns(2, gap="large")
    with right.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(t("**Each direction** at layer"), width="content")
        layer = int(choice("layer", t("Layer"), layers, layers[-1], required=True, label_visibility="collapsed"))
    texts = (tuple(map(tuple, other)), tuple(map(tuple, varied_texts(other))))
    memory = of("model.encoder", remember, over, chosen.tokens, *texts, ROUNDS, meanwhile=t("Reading…"))
    drifted, bold = memory.drifted, chosen.position
    with left:
        st.markdown(t("**Each word** after the other text"))
        stateless = 1 - memory.stateless.whole.max(axis=0)
        least = int(drifted.whole[layer].argmax())
        values = {"layer": layer, "word": shorten(chosen.tokens[least]), "cosine": 1 - float(drifted.whole[layer, least])}
        alt = t("Cosine of each word to a fresh start. Lowest at layer {layer}: “{word}”, {cosine:.3f}.", **values)
        draw(layers_figure(1 - drifted.whole, chosen.tokens, stateless=stateless, bold=bold), key="state.1", alt=alt)
        _caption(describe_words(memory, chosen, layer)[:1] + describe_likeness(over.targets, memory, chosen, layer))
    with right:
        halves = halves_figure(drifted.forward[layer], drifted.backward[layer], chosen.tokens, bold=bold)
        alt = t("Drift of each word’s forward and backward half at layer {layer}.", layer=layer)
        draw(halves, key="state.2", alt=alt)
        _caption(describe_words(memory, chosen, layer)[1:])
    st.markdown(t("**Does it settle** at layer {layer}? {n} readings, other text in between", layer=layer, n=ROUNDS + 1))
    same, varied = memory.same.from_previous(layer), memory.varied.from_previous(layer)
    ours = np.full(ROUNDS, float(memory.stateless.whole[layer].mean()))
    values = {"first": float(same[0]), "last": float(same[-1]), "n": ROUNDS}
    alt = t("Drift over {n} readings of the same text: {first:.4f} at first, {last:.4f} at last.", **values)
    draw(settling_figure(same, varied, ours), key="state.3", alt=alt)
    _caption(describe_settling(memory, layer))
    notice([*describe_neighbors(over.targets, memory, chosen, layer), *describe_encoder(memory)])
    show_html('<p class="small">{}</p>', _how_checked())
    lists.twin(_table(memory, chosen), name="state", key="state.table")


def _caption(lines: list[str]) -> None:
    """What a picture's numbers say, below it."""
    if lines:
        show_html('<p class="small">{}</p>', " ".join(lines))


def _how_checked() -> str:
    checked = t("Computed by our encoder, matching AllenNLP’s and bilm-tf’s published vectors to 0.00001.")
    ready = t("To compare with AllenNLP, choose its engine under “In use”.")
    return f"{checked} {ready}" if allennlp_engine.is_ready() else checked


def _table(memory: Memory, chosen: Chosen) -> pd.DataFrame:
    words = [
        {
            t("what"): t("word"),
            t("number"): k + 1,
            t("word"): token,
            t("layer"): layer,
            t("cosine to a fresh start"): round(1 - float(memory.drifted.whole[layer, k]), 5),
            t("forward drift"): round(float(memory.drifted.forward[layer, k]), 5),
            t("backward drift"): round(float(memory.drifted.backward[layer, k]), 5),
            t("our cosine"): round(1 - float(memory.stateless.whole[layer, k]), 5),
        }
        for k, token in enumerate(chosen.tokens)
        for layer in range(len(memory.fresh[0]))
    ]
    times = [
        {
            t("what"): name,
            t("number"): k + 2,
            t("layer"): layer,
            t("drift from previous"): round(float(before), 6),
            t("drift from fresh start"): round(float(fresh), 6),
        }
        for name, stream in ((t("same text"), memory.same), (t("different texts"), memory.varied))
        for layer in range(len(memory.fresh[0]))
        for k, (before, fresh) in enumerate(zip(stream.from_previous(layer), stream.from_fresh(layer), strict=True))
    ]
    return pd.DataFrame([*words, *times])
