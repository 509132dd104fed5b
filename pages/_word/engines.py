"""AllenNLP beside Elmoscope: the same sentences and weights through both engines, their difference and their times."""

import time

import numpy as np
import streamlit as st

from core.common.i18n import t
from core.engines import allennlp_engine
from pages._cached import opened
from pages._cached.views import bench
from pages._frame.in_use import OURS, THEIRS, InUse
from pages._frame.markup import show_errors
from pages._widgets.inputs import Chosen


def compare_engines(in_use: InUse, chosen: list[Chosen]) -> None:
    """With AllenNLP chosen as engine: its layers of these sentences beside ours."""
    if in_use.engine != THEIRS or not allennlp_engine.is_ready():
        return
    with st.container(border=True), show_errors():
        st.markdown(t("**Two engines, one answer?**"))
        sentences = [list(c.tokens) for c in chosen if c.tokens]
        theirs = opened.by_allennlp(in_use.model, tuple(map(tuple, sentences)))
        started = time.perf_counter()
        ours = bench(in_use).model.encoder.encode(sentences)
        seconds = time.perf_counter() - started
        largest = max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs.layers, strict=True))
        for column, (label, value) in zip(
            st.columns(3),
            (
                (t("Largest difference"), f"{largest:.1e}"),
                (OURS, t("{n:.0f} ms", n=seconds * 1000)),
                (THEIRS, t("{n:.0f} ms", n=theirs.seconds * 1000)),
            ),
            strict=True,
        ):
            column.metric(label, value)
        st.caption(
            t(
                "Same weights and sentences, {n} tokens, all layers. AllenNLP also took {seconds:.1f} s to load.",
                n=sum(map(len, sentences)),
                seconds=theirs.load_seconds,
            )
        )
