"""Wait for the encoding of every token of a corpus, or continue without it."""

import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.engines import allennlp_setup
from core.index.table import OccurrenceTable
from core.workspace import Workspace
from pages._cached import cache, shared_jobs
from pages._cached.cache import view, workspace
from pages._frame import question
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_errors
from pages._frame.menu import page_link

R = TypeVar("R")


def every_token(over: Workspace) -> OccurrenceTable | None:
    """Return all tokens of the corpus after a short wait, or None while a job encodes them."""
    job = cache.table_job(over.corpus, over.names.model)
    with st.spinner(t("Reading all sentences…")):
        job.wait(shared_jobs.AT_MOST_S)
    return job.result


def view_when_read(compute: Callable[..., R | None], over: Workspace, request: Hashable, **options: Any) -> R:
    """Return the answer of a view; while the table it needs is being read, show how far that is and end the page."""
    result = view(compute, over, request, **options)
    if result is None:
        show_state(over)
        st.stop()
    return result


def show_state(over: Workspace) -> None:
    """Show the progress with Stop, or why the job ended and how to resume it."""
    corpus, model = over.corpus, over.names.model
    shared_jobs.show_index_state(cache.table_job(corpus, model), lambda: cache.go_on(corpus, model))


def show_meanwhile(over: Workspace, meanwhile: str) -> None:
    """Show the progress on a page that can do without: `meanwhile` states what it does until then."""
    job = cache.table_job(over.corpus, over.names.model)
    if job.is_running:
        shared_jobs.follow_index(job, meanwhile=meanwhile)
    elif job.error:
        st.warning(plain(job.error))


def say_if_transformer(in_use: InUse, line: str, view: str, label: str) -> bool:
    """Return whether the selected model is a transformer, which this page cannot show. State it in a line, and link to a view that can."""
    if model_layers.in_use().is_elmo:
        return False
    _ = workspace(in_use).model.encoder  # raises the error if it cannot be opened
    notice([line])
    page_link(view, label, icon=":material/arrow_forward:")
    return True


def compare_engines(in_use: InUse) -> None:
    """State the difference between AllenNLP's and Elmoscope's layers of the two sentences in the sidebar."""
    sentences = [list(tokens) for tokens in question.now().tokens if tokens]
    if not sentences or not allennlp_setup.is_ready():
        return
    with st.sidebar, show_errors():
        theirs = cache.by_allennlp(in_use.model, tuple(map(tuple, sentences)))
        started = time.perf_counter()
        ours = workspace(in_use).model.encoder.encode(sentences)
        milliseconds = (time.perf_counter() - started) * 1000
        largest = max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs.layers, strict=True))
        values = {"largest": largest, "theirs": theirs.seconds * 1000, "ours": milliseconds}
        text = t(
            "AllenNLP’s layers differ from Elmoscope’s by at most {largest:.1e}. It took {theirs:.0f} ms, Elmoscope {ours:.0f} ms.",
            **values,
        )
        st.caption(text)
