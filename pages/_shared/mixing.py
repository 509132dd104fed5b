"""The layer-mix laboratory: one fragment, so that a slider redraws itself and nothing else."""

from __future__ import annotations

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from core import figures, neighbours, projection, workbench
from core.elmo.mix import mixed, softmax
from pages._shared import lists, notices, store
from pages._shared.frame import InUse, notice, shown_errors
from pages._shared.inputs import Chosen

PRESETS = {  # raw scores before the softmax
    "layer 0 only": (6.0, -6.0, -6.0),
    "layer 1 only": (-6.0, 6.0, -6.0),
    "layer 2 only": (-6.0, -6.0, 6.0),
    "average": (0.0, 0.0, 0.0),
}
KEYS = ("w0", "w1", "w2")


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
        st.info(
            f"“{escape(first.word)}” has no labelled sentences, so there is no map or sense accuracy for it. Words that have: {', '.join(table.lemmas)}."
        )
        return
    _senses_and_map(in_use, table, word, first, weights)


def _controls() -> tuple[np.ndarray, float]:
    st.pills("Presets", list(PRESETS), key="preset", on_change=_take_preset)
    raw = [
        st.slider(
            f"w{'₀₁₂'[k]}, layer {k}",
            -6.0,
            6.0,
            0.0,
            0.1,
            key=key,
            bind="query-params",
            persist_state="session",
            on_change=_moved,
        )
        for k, key in enumerate(KEYS)
    ]
    gamma = st.slider("γ, the scale of the whole", 0.1, 5.0, 1.0, 0.1, key="gamma", bind="query-params", persist_state="session")
    weights = softmax(raw)
    st.session_state["s"] = ",".join(f"{v:.3g}" for v in weights)  # the Neighbours page's mix
    return weights, gamma


def _bars(weights: np.ndarray) -> None:
    st.markdown("**s = softmax(w)**: the shares of the layers, together 100 %")
    st.plotly_chart(figures.weight_bars(weights), key="mix.bars", config=figures.CONFIG)


def _norm(in_use: InUse, chosen: Chosen, weights: np.ndarray, gamma: float) -> None:
    query = store.query(in_use.model, chosen.tokens, chosen.position)
    length = float(np.linalg.norm(mixed(query.layers, weights)))
    left, right = st.columns(2)
    left.metric(
        f"Length of “{chosen.word[:20]}”", f"{gamma * length:.2f}", help="The vector's norm: γ times the norm of the weighed sum."
    )
    right.caption(
        f"γ = {gamma:.1f} makes every vector {gamma:.1f} times as long ({gamma:.1f} × {length:.2f}). It is in the numerator and the "
        "denominator of a cosine alike, so it cancels: the lists below never change with γ. A task needs it to set ELMo's size against its other inputs."
    )


def _neighbours(in_use: InUse, table, chosen: list[Chosen], weights: np.ndarray) -> None:
    for column, one, colour, name in zip(st.columns(2, gap="large"), chosen, figures.OWN, ("first", "second"), strict=False):
        with column:
            lists.heading(f"Nearest to “{one.word[:24]}” in the {name} sentence", colour, one.readable[:140])
            found = store.query_products(in_use.corpus, in_use.model, "targets", one.tokens, one.position)
            same = neighbours.nearest(table, found, weights, k=6, which=neighbours.SAME)
            lists.keyword_lines(same or neighbours.nearest(table, found, weights, k=6), notices.senses_of(table, one.word))


def _senses_and_map(in_use: InUse, table, word: str, chosen: Chosen, weights: np.ndarray) -> None:
    rows = workbench.map_rows(table, word)
    report = store.sense_scores(in_use.corpus, in_use.model, word, tuple(weights.round(4)))
    layers = table.rows.take(rows)
    maps = store.maps(in_use.corpus, in_use.model, word)
    fixed = maps.coordinates[maps.names.index("mix")]
    flat = projection.procrustes(projection.pca(mixed(layers.transpose(1, 0, 2), weights)), fixed)
    left, right = st.columns([3, 2], gap="large")
    with left:
        lists.heading(
            f"“{word}” under this mix",
            figures.LAYER_COLOURS["mix"],
            "principal components of the mixed vectors, turned to fit the Map page",
        )
        occurrences = [table.occurrence(int(r)) for r in rows]
        senses = notices.senses_of(table, word)
        hovers = [figures.mark(o.tokens, o.position) for o in occurrences]
        figure = figures.map_figure(
            flat, [o.sense for o in occurrences], hovers, rows.tolist(), senses, layer="mix", key=f"mix.{word}", height=400
        )
        st.plotly_chart(figure, key="mix.map", config=figures.CONFIG)
    with right:
        st.metric(
            "Nearest sentence has the same meaning",
            f"{report.one_nn:.0%}",
            help="1-NN accuracy over this word's labelled sentences, each left out in turn.",
        )
        alone = {str(k): store.sense_scores(in_use.corpus, in_use.model, word, tuple(np.eye(3)[k])).one_nn for k in range(3)}
        st.plotly_chart(
            figures.accuracy_lines({"1-NN": alone | {"mix": report.one_nn}}, null=report.null_mean, majority=None),
            key="mix.scores",
            config=figures.CONFIG,
        )
    notice(_about(word, report, alone))
    table_twin = pd.DataFrame(
        [{"layer": k, "1-NN accuracy": round(v, 4)} for k, v in (alone | {"this mix": report.one_nn}).items()]
    )
    lists.twin(table_twin, name=f"mix-{word}", key="mix.table")


def _about(word: str, report, alone: dict[str, float]) -> list[str]:
    best = max(alone, key=alone.get)
    shown = escape(word)
    if report.one_nn > alone[best] + 1e-9:
        return [
            f"This mix tells the senses of “{shown}” apart better ({report.one_nn:.0%}) than any layer alone (best: layer {best}, {alone[best]:.0%})."
        ]
    if report.one_nn < alone[best] - 1e-9:
        return [
            f"Layer {best} alone does better for “{shown}” ({alone[best]:.0%}) than this mix ({report.one_nn:.0%}). Give it more weight and see."
        ]
    return [f"This mix does as well for “{shown}” as the best single layer, layer {best} ({alone[best]:.0%})."]
