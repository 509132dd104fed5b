"""The layer-mix laboratory: one fragment, so that a slider redraws itself and nothing else."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from core import figures, neighbours, workbench
from core.elmo.mix import mixed
from core.figures.style import layer_title
from core.markup import plain
from core.texts import t
from pages._shared import lists, notices, store
from pages._shared.charts import draw, weight_bars
from pages._shared.frame import notice
from pages._shared.in_use import InUse
from pages._shared.inputs import Chosen
from pages._shared.markup import shown_errors
from pages._shared.mix_sliders import sliders

PRESETS = {  # raw scores before the softmax
    "layer 0 only": (6.0, -6.0, -6.0),
    "layer 1 only": (-6.0, 6.0, -6.0),
    "layer 2 only": (-6.0, -6.0, 6.0),
    "average": (0.0, 0.0, 0.0),
}
KEYS = ("w0", "w1", "w2")


def preset_titles() -> dict[str, str]:
    """The names of PRESETS in the reader's language."""
    return {
        "layer 0 only": t("layer 0 only"),
        "layer 1 only": t("layer 1 only"),
        "layer 2 only": t("layer 2 only"),
        "average": t("average"),
    }


def _take_preset() -> None:
    if st.session_state.preset:
        for key, value in zip(KEYS, PRESETS[st.session_state.preset], strict=True):
            st.session_state[key] = value


def _moved() -> None:
    st.session_state.preset = None


@st.fragment
def show(in_use: InUse, first: Chosen, second: Chosen) -> None:
    with shown_errors():  # inside: an error in a fragment does not reach its caller
        _lab(in_use, first, second)


def _lab(in_use: InUse, first: Chosen, second: Chosen) -> None:
    table = store.targets(in_use.corpus, in_use.model)
    controls, shown = st.columns([2, 3], gap="large")
    with controls:
        weights, gamma = _controls()
    with shown:
        _bars(weights)
        _norm(in_use, first, weights, gamma)
    word = notices.lemma_of(table, first.word)
    _neighbours(in_use, table, [c for c in (first, second) if c.tokens], weights)
    if word is None:
        shown = escape(first.word)
        if table.lemmas:
            told = t(
                "“{word}” has no labelled sentences, so there is no map or sense accuracy for it. Words that have: {words}.",
                word=shown, words=", ".join(table.lemmas),
            )  # fmt: skip
        else:
            told = t("The sentences in use carry no sense labels, so there is no map or sense accuracy for “{word}”.", word=shown)
        notice([told])
        return
    _senses_and_map(in_use, table, word, first, weights)


def _controls() -> tuple[np.ndarray, float]:
    st.pills(t("Presets"), list(PRESETS), format_func=preset_titles().get, key="preset", on_change=_take_preset)
    return sliders(len(KEYS), moved=_moved)


def _bars(weights: np.ndarray) -> None:
    st.markdown(t("**s = softmax(w)**: the shares of the layers, together 100 %"))
    weight_bars(weights, key="mix.bars")


def _norm(in_use: InUse, chosen: Chosen, weights: np.ndarray, gamma: float) -> None:
    query = store.query(in_use.model, chosen.tokens, chosen.position)
    length = float(np.linalg.norm(mixed(query.layers, weights)))
    left, right = st.columns(2)
    left.metric(
        t("Length of “{word}”", word=plain(chosen.word, 20)),
        f"{gamma * length:.2f}",
        help=t("The vector's norm: γ times the norm of the weighed sum."),
    )
    right.caption(
        t(
            "γ = {gamma:.1f} makes every vector {gamma:.1f} times as long ({gamma:.1f} × {length:.2f}). It is in the numerator and the "
            "denominator of a cosine alike, so it cancels: the lists below never change with γ. A task needs it to set ELMo's size against its other inputs.",
            gamma=gamma,
            length=length,
        )
    )


def _neighbours(in_use: InUse, table, chosen: list[Chosen], weights: np.ndarray) -> None:
    for number, (column, one, colour) in enumerate(zip(st.columns(2, gap="large"), chosen, figures.OWN, strict=False)):
        with column:
            word = one.word[:24]
            title = (
                t("Nearest to “{word}” in the second sentence", word=word)
                if number
                else t("Nearest to “{word}” in the first sentence", word=word)
            )
            lists.heading(title, colour, one.readable[:140])
            found = store.query_products(in_use.corpus, in_use.model, "targets", one.tokens, one.position)
            same = neighbours.nearest(table, found, weights, k=6, which=neighbours.SAME)
            lists.keyword_lines(same or neighbours.nearest(table, found, weights, k=6), notices.senses_of(table, one.word))


def _senses_and_map(in_use: InUse, table, word: str, chosen: Chosen, weights: np.ndarray) -> None:
    rows = workbench.map_rows(table, word)
    report = store.sense_scores(in_use.corpus, in_use.model, word, tuple(weights.round(4)))
    flat = store.followed(in_use.corpus, in_use.model, word, tuple(weights.round(3)))
    left, right = st.columns([3, 2], gap="large")
    with left:
        lists.heading(
            t("“{word}” under this mix", word=word),
            figures.LAYER_COLOURS["mix"],
            t("the Map page's layers, mixed, and laid out anew by UMAP from there"),
        )
        occurrences = [table.occurrence(int(r)) for r in rows]
        senses = notices.senses_of(table, word)
        hovers = [figures.mark(o.tokens, o.position) for o in occurrences]
        figure = figures.map_figure(
            flat, [o.sense for o in occurrences], hovers, rows.tolist(), senses, layer="mix", key=f"mix.{word}", height=400
        )
        alt = t("A map of {n} sentences with “{word}” under this mix, coloured by meaning.", n=len(rows), word=word)
        draw(figure, key="mix.map", alt=alt)
    with right:
        st.metric(
            t("Nearest sentence has the same meaning"),
            f"{report.one_nn:.0%}",
            help=t("1-NN accuracy over this word's labelled sentences, each left out in turn."),
        )
        alone = {str(k): store.sense_scores(in_use.corpus, in_use.model, word, tuple(np.eye(3)[k])).one_nn for k in range(3)}
        named = ", ".join(f"{layer_title(name)} {value:.0%}" for name, value in (alone | {"mix": report.one_nn}).items())
        draw(
            figures.accuracy_lines({"1-NN": alone | {"mix": report.one_nn}}, null=report.null_mean, majority=None),
            key="mix.scores",
            alt=t(
                "Bars of how often the nearest sentence has the same meaning: {named}; chance is {chance:.0%}.",
                named=named,
                chance=report.null_mean,
            ),
        )
    notice(_about(word, report, alone))
    table_twin = pd.DataFrame(
        [{t("layer"): k, t("1-NN accuracy"): round(v, 4)} for k, v in (alone | {t("this mix"): report.one_nn}).items()]
    )
    lists.twin(table_twin, name=f"mix-{word}", key="mix.table")


def _about(word: str, report, alone: dict[str, float]) -> list[str]:
    best = max(alone, key=alone.get)
    told = {"word": escape(word), "layer": best, "alone": alone[best]}
    if report.one_nn > alone[best] + 1e-9:
        return [
            t(
                "This mix tells the senses of “{word}” apart better ({mix:.0%}) than any layer alone (best: layer {layer}, {alone:.0%}).",
                mix=report.one_nn,
                **told,
            )
        ]
    if report.one_nn < alone[best] - 1e-9:
        return [
            t(
                "Layer {layer} alone does better for “{word}” ({alone:.0%}) than this mix ({mix:.0%}). Give it more weight and see.",
                mix=report.one_nn,
                **told,
            )
        ]
    return [t("This mix does as well for “{word}” as the best single layer, layer {layer} ({alone:.0%}).", **told)]
