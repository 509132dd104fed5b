"""Wait for the encoding of every token of a corpus, or continue without it."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

from core.common.i18n import t
from core.index.table import OccurrenceTable
from core.workspace import Workspace
from pages._cached import jobs, opened
from pages._cached.views import view
from pages._frame.markup import plain

R = TypeVar("R")


def every_token(over: Workspace, wait_s: float = jobs.AT_MOST_S) -> OccurrenceTable | None:
    """Return all tokens of the corpus after a short wait, or None while a job encodes them."""
    job = opened.table_job(over.corpus, over.names.model)
    with st.spinner(t("Reading all sentences…")):
        job.wait(wait_s)
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
    jobs.show_index_state(opened.table_job(corpus, model), lambda: opened.go_on(corpus, model))


def show_meanwhile(over: Workspace, meanwhile: str) -> None:
    """Show the progress on a page that can do without: `meanwhile` states what it does until then."""
    job = opened.table_job(over.corpus, over.names.model)
    if job.is_running:
        jobs.follow_index(job, meanwhile=meanwhile)
    elif job.error:
        st.warning(plain(job.error))
