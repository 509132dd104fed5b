"""AllenNLP beside Elmoscope: the same sentences and weights through both engines, their difference and their times."""

from __future__ import annotations

import time

import numpy as np
import streamlit as st

from core import workbench
from core.elmo import allennlp
from pages._shared import store
from pages._shared.frame import THEIRS, InUse, shown_errors
from pages._shared.inputs import Chosen


@st.cache_resource(max_entries=1, show_spinner="Starting AllenNLP…")
def _engine() -> allennlp.AllenNLPEngine:
    return allennlp.AllenNLPEngine()


def compare_engines(in_use: InUse, chosen: list[Chosen]) -> None:
    """With AllenNLP chosen as engine: its layers of these sentences beside ours."""
    if in_use.engine != THEIRS or not allennlp.is_ready():
        return
    with st.container(border=True), shown_errors():
        st.markdown("**Two engines, one answer?**")
        sentences = [list(c.tokens) for c in chosen if c.tokens]
        theirs = _ask(in_use.model, tuple(map(tuple, sentences)))
        started = time.perf_counter()
        ours = store.model(in_use.model).encoder.encode(sentences)
        seconds = time.perf_counter() - started
        largest = max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs.layers, strict=True))
        for column, (label, value) in zip(
            st.columns(3),
            (
                ("Largest difference of any number", f"{largest:.1e}"),
                ("Elmoscope", f"{seconds * 1000:.0f} ms"),
                ("AllenNLP 2.10.1", f"{theirs.seconds * 1000:.0f} ms"),
            ),
            strict=True,
        ):
            column.metric(label, value)
        st.caption(
            f"Same weights, same sentences, {sum(map(len, sentences))} tokens in all layers; both without state from sentence to sentence. "
            f"AllenNLP needed {theirs.load_seconds:.1f} s more to read the weights, Elmoscope had them open."
        )


@st.cache_data(max_entries=64, show_spinner="AllenNLP is computing…")
def _ask(model_name: str, sentences: tuple[tuple[str, ...], ...]) -> allennlp.EngineResult:
    options, weights = workbench.allennlp_files(store.model(model_name))
    return _engine().embed([list(s) for s in sentences], options, weights, timeout_s=120.0)
