"""Prepare slow work before users need it, and delete expired texts.

Before the server answers, it opens what Home needs: torch, the bundled model, its vectors and a verdict. Half a minute after the first
page, it compiles functions and opens the slowest parts of other pages.

Home is not prepared in a thread during the first visit, because Python runs one thread at a time. Every file and every line of the page
would wait for the imports. Users who come earlier are connected, and answered when the preparation is done.
"""

import asyncio
import gc
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module

import streamlit as st

from core.common.errors import ElmoscopeError
from core.files.quotas import VISITS

WARM_UP_AFTER_S = 30.0
EXPIRY_INTERVAL_S = 300.0
WARNS = "streamlit.runtime.scriptrunner_utils.script_run_context"  # a logger that warns of computations outside a page
PAGE = ("pages._frame.frame", "pages._home.live", "pages._home.show", "pages._widgets.downloads", "pages._widgets.components")


@asynccontextmanager
async def open_ahead(_server: object) -> AsyncIterator[None]:
    """Open Home before the server answers, and delete expired texts while it runs."""
    logging.getLogger(WARNS).setLevel(logging.ERROR)
    await asyncio.to_thread(open_home)
    expiry = asyncio.create_task(_expire())
    yield
    expiry.cancel()


async def _expire() -> None:
    """Delete expired texts of users at regular intervals, including those of an earlier run of the server."""
    while True:
        with suppress(OSError):
            await asyncio.to_thread(VISITS.expire)
        await asyncio.sleep(EXPIRY_INTERVAL_S)


def open_home() -> None:
    """Open everything that Home needs for its first example."""
    from core.elmo.models import BUNDLED_MODEL
    from core.views import pair, substitutes
    from pages._cached.views import view, workspace_of
    from pages._frame import examples

    for name in PAGE:
        import_module(name)
    with suppress(ElmoscopeError):  # the page shows the error
        over = workspace_of(BUNDLED_MODEL)
        words = over.words(*examples.pairs(over.language)[examples.first_word(over.language)])
        view(pair.compute, over, pair.PairRequest(first=words[0], second=words[1]))
        _ = over.vectors
        view(substitutes.compute, over, substitutes.SubstitutesRequest(words=words))
    gc.freeze()  # see `warm_up`


@st.cache_resource(max_entries=1, show_spinner=False)
def warm_up() -> threading.Timer:
    """Start a timer that compiles and opens the rest, after the first pages, which need the processor themselves.

    Garbage collection visits every object of every library, and stops all pages for a quarter of a second. The objects loaded so far stay
    in memory, so they are excluded (gc.freeze).
    """
    gc.freeze()
    timer = threading.Timer(WARM_UP_AFTER_S, open_rest)
    timer.name, timer.daemon = "warm-up", True
    timer.start()
    return timer


def open_rest() -> None:
    """Compile UMAP and the float16 products, then compute the opening views of Senses, Compare and the first lesson."""
    from core.analysis.maps import compile_layout
    from core.elmo.models import BUNDLED_MODEL
    from core.evaluation.anisotropy import of_table
    from core.index import rows
    from core.views import compare, induction
    from pages._cached.opened import table_job
    from pages._cached.views import of, view, workspace_of

    rows.warm_up()
    compile_layout()
    with suppress(ElmoscopeError):  # the page shows the error
        over = workspace_of(BUNDLED_MODEL)
        of("targets", of_table, over, most=4)
        view(induction.compute, over, induction.opening(over))
        job = table_job(over.corpus, BUNDLED_MODEL)
        job.wait(600)
        if job.result is not None:
            view(compare.compute, over, compare.opening(over), most=16)
    gc.freeze()
