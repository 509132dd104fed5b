"""What the Your corpus page opens and measures once."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core import library, workbench
from core.concordance import Concordance
from core.corpus import Sentence
from core.library import Pace, Plan
from pages._shared import store
from pages._shared.kept import kept

MEASURED_FOR_S = 600  # a machine's speed changes with what else it does


@kept(4)
def concordance(corpus: str) -> Concordance:
    return Concordance(workbench.open_corpus(corpus), unnamed=Path(corpus).name)


@kept(32)
def plan(corpus: str, model_name: str, _sentences: list[Sentence]) -> Plan:
    """What reading a corpus takes with a model; `corpus` tells the sentences apart, which are not hashed."""
    encoder = store.model(model_name).encoder
    return library.plan(_sentences, encoder.n_layers, encoder.dim)


@st.cache_data(max_entries=4, ttl=MEASURED_FOR_S, show_spinner=False)
def pace(model_name: str, _sentences: list[Sentence]) -> Pace:
    """How fast this machine reads with a model, whatever the corpus."""
    return library.measured_pace(store.model(model_name).encoder, _sentences)
