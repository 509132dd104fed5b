"""Everything opened or computed once and shared: the only place with caches. What is cached is never changed.

Keys are names and fingerprints, sizes are bounded. Heavy jobs (the index of all tokens) run in one background thread
per job, so that no page waits for them.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import numpy as np
import streamlit as st

from core import projection, workbench
from core.errors import ElmoscopeError
from core.neighbours import Products, Query, make_query, products
from core.occurrences import OccurrenceTable
from core.projection import FrozenMaps
from core.static import StaticVectors
from core.workbench import Model

WARM_UP_AFTER_S = 30.0


@st.cache_resource(max_entries=3, show_spinner="Opening the model…")
def model(name: str) -> Model:
    return workbench.open_model(name)


@st.cache_resource(max_entries=3, show_spinner="Opening the vectors…")
def vectors(name: str) -> StaticVectors:
    return workbench.open_vectors(name)


@st.cache_resource(max_entries=3, show_spinner="Opening the labelled sentences…")
def targets(corpus: str, model_name: str) -> OccurrenceTable:
    """The labelled tokens alone: a small table, there at once for the bundled model."""
    return workbench.open_table(corpus, model(model_name), targets_only=True)


@st.cache_resource(max_entries=128, show_spinner="Fitting the map…")
def maps(corpus: str, model_name: str, word: str) -> FrozenMaps:
    return workbench.open_maps(targets(corpus, model_name), word, fit=True)


@dataclass
class Job:
    """A background job: how far, how fast, and what came of it."""

    done: int = 0
    total: int = 1
    speed: float = 0.0
    result: object = None
    error: str | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def running(self) -> bool:
        return self.result is None and self.error is None


@st.cache_resource(max_entries=3, show_spinner=False)
def table_job(corpus: str, model_name: str) -> Job:
    """The table of every token of a corpus, built (once, then kept on disk) beside the running pages."""
    job, opened = Job(), model(model_name)

    def report(done: int, total: int, speed: float) -> None:
        job.done, job.total, job.speed = done, total, speed

    def work() -> None:
        try:
            job.result = workbench.open_table(corpus, opened, report=report)
        except ElmoscopeError as error:
            job.error = str(error)
        except Exception:  # a page must hear of it, whatever it was
            job.error = "The index could not be built. The labelled sentences are searched instead."
            raise

    threading.Thread(target=work, name="index", daemon=True).start()
    return job


@st.cache_resource(max_entries=256, show_spinner=False)
def query(model_name: str, tokens: tuple[str, ...], position: int) -> Query:
    return make_query(model(model_name).encoder, list(tokens), position)


@st.cache_resource(max_entries=64, show_spinner=False)
def query_products(corpus: str, model_name: str, kind: str, tokens: tuple[str, ...], position: int) -> Products:
    """Layer products of a query with a table's rows; `kind` is 'targets', 'all' or 'types'."""
    found = query(model_name, tokens, position)
    if kind == "targets":
        return products(targets(corpus, model_name).rows, found)
    table = table_job(corpus, model_name).result
    return products(table.types if kind == "types" else table.rows, found)


@st.cache_data(max_entries=512, show_spinner=False)
def sense_scores(corpus: str, model_name: str, word: str, weights: tuple[float, ...]):
    """Sense measures of a word (or of all) in the full space, for one mix."""
    return workbench.sense_report_of(targets(corpus, model_name), word, np.array(weights))


@st.cache_resource(max_entries=1, show_spinner=False)
def warm_up() -> threading.Timer:
    """Import and compile UMAP in the background, so that the first fitted map does not wait for it.

    It begins when the first screens have long been painted: compiling takes seconds of the processor they need.
    """
    timer = threading.Timer(WARM_UP_AFTER_S, projection.warm_up)
    timer.name, timer.daemon = "warm-up", True
    timer.start()
    return timer
