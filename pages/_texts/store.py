"""What is measured of a corpus once, and which corpus the parts look at."""

import streamlit as st

from core.common import i18n
from core.elmo.models import Model
from core.files import own_names
from core.index.index_plan import Pace, Plan, measure_pace, plan_for
from core.index.sense_space import substitutes_of
from core.text.corpora import open_corpus
from core.text.scripts import say_unread
from core.workbench import Bench
from pages._cached import opened
from pages._cached.kept import keep
from pages._cached.views import bench
from pages._frame.in_use import InUse

MEASURED_FOR_S = 600  # a machine's speed changes with what else it does
SEARCHED = "corpus.searched"  # texts that were brought, and are not yet in use on every page


def bench_over(in_use: InUse) -> Bench:
    """What is in use, over the texts brought last where they are here."""
    brought = st.session_state.get(SEARCHED)
    return bench(in_use).over(brought) if brought and own_names.is_kept(brought) else bench(in_use)


def plan(corpus: str, model_name: str) -> Plan:
    """What reading a corpus takes with a model."""
    reads = (("corpus", corpus), ("model", model_name))
    model = opened.model(model_name)
    return keep("plan", reads, None, lambda: plan_for(open_corpus(corpus, model.language), model), most=32)


def unread(in_use: InUse, corpus: str) -> str:
    """How many of a corpus's tokens the model's language has no letters for, in words; "" where none is."""
    reads = (("corpus", corpus), ("model", in_use.model))
    over = bench(in_use).over(corpus)
    return keep("unread", reads, i18n.language(), lambda: say_unread(over.encoded.counts, over.language), most=32)


def pace(model_name: str, corpus: str) -> Pace:
    """How fast this visitor's device reads with a model, whatever the corpus."""
    model = opened.model(model_name)
    return _pace(model.fingerprint, str(model.encoder.device), model, corpus)


@st.cache_data(max_entries=4, ttl=MEASURED_FOR_S, show_spinner=False)
def _pace(fingerprint: str, device: str, _model: Model, _corpus: str) -> Pace:
    return measure_pace(_model.encoder, open_corpus(_corpus, _model.language), substitutes_of(_model))
