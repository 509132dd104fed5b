"""What the Your corpus page opens and measures once."""

from pathlib import Path

import streamlit as st

from core.elmo import in_place
from core.index.index_plan import Pace, Plan, index_plan, measured_pace
from core.text.concordance import Concordance, Hits
from core.text.corpora import open_corpus
from core.text.sentences import Sentence
from pages._cached import opened
from pages._cached.kept import kept
from pages._cached.views import bench_of

MEASURED_FOR_S = 600  # a machine's speed changes with what else it does


@kept(4)
def concordance(corpus: str) -> Concordance:
    return Concordance(open_corpus(corpus), unnamed=Path(corpus).name)


@kept(16)
def by_substitutes(corpus: str, model_name: str, first: bytes, _concordance: Concordance, _hits: Hits) -> Hits:
    """The finds of a search in a corpus, that begin at `first`, sorted by what stands for each."""
    return in_place.by_substitutes(bench_of(model_name).substitutes, _concordance, _hits)


@kept(32)
def plan(corpus: str, model_name: str, _sentences: list[Sentence]) -> Plan:
    """What reading a corpus takes with a model; `corpus` tells the sentences apart, which are not hashed."""
    encoder = opened.model(model_name).encoder
    return index_plan(_sentences, encoder.n_layers, encoder.dim)


@st.cache_data(max_entries=4, ttl=MEASURED_FOR_S, show_spinner=False)
def pace(model_name: str, _sentences: list[Sentence]) -> Pace:
    """How fast this machine reads with a model, whatever the corpus."""
    return measured_pace(opened.model(model_name).encoder, _sentences)
