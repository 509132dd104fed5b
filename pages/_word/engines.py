"""AllenNLP compared with Elmoscope in the sidebar: the largest difference between their layers, and both times."""

import time

import numpy as np
import streamlit as st

from core.common.i18n import t
from core.engines import allennlp_engine
from pages._cached import opened
from pages._cached.views import workspace
from pages._frame import question
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors


def compare_engines(in_use: InUse) -> None:
    """State the difference between AllenNLP's and Elmoscope's layers of the two sentences in the sidebar."""
    sentences = [list(tokens) for tokens in question.now().tokens if tokens]
    if not sentences or not allennlp_engine.is_ready():
        return
    with st.sidebar, show_errors():
        theirs = opened.by_allennlp(in_use.model, tuple(map(tuple, sentences)))
        started = time.perf_counter()
        ours = workspace(in_use).model.encoder.encode(sentences)
        milliseconds = (time.perf_counter() - started) * 1000
        st.caption(
            t(
                "AllenNLP’s layers differ from Elmoscope’s by at most {largest:.1e}. It took {theirs:.0f} ms, Elmoscope {ours:.0f} ms.",
                largest=max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs.layers, strict=True)),
                theirs=theirs.seconds * 1000,
                ours=milliseconds,
            )
        )
