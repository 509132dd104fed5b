"""What visitors would wait for. Before the server answers, what Home needs: torch, the bundled model, its vectors, a verdict. Half a minute
after the first page, what is compiled, and the longest openings of other pages.

In a thread beside the first visit it takes longer, and the visit with it: Python runs one thread at a time, so that each of the page's
hundred files and each line of its script waited for an import. Who comes sooner is connected, and answered once it is open.
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
EXPIRES_EVERY_S = 300.0
WARNS = "streamlit.runtime.scriptrunner_utils.script_run_context"  # of what is computed before a visitor asks
PAGE = ("pages._home.door", "pages._home.show", "pages._widgets.downloads", "pages._widgets.gestures")


@asynccontextmanager
async def opening_ahead(_server: object) -> AsyncIterator[None]:
    """The server's life."""
    logging.getLogger(WARNS).setLevel(logging.ERROR)
    await asyncio.to_thread(open_home)
    expiry = asyncio.create_task(_expire())
    yield
    expiry.cancel()


async def _expire() -> None:
    """Delete visitors' texts whose time is over, now and again; also those that an earlier run of the server has left."""
    while True:
        with suppress(OSError):
            await asyncio.to_thread(VISITS.expire)
        await asyncio.sleep(EXPIRES_EVERY_S)


def open_home() -> None:
    """Open all that Home needs for its first example."""
    from core.elmo.models import BUNDLED_MODEL
    from core.views import pair, substitutes
    from pages._cached.views import bench_of, view
    from pages._frame import examples

    for name in PAGE:
        import_module(name)
    with suppress(ElmoscopeError):  # who opens the page is told
        over = bench_of(BUNDLED_MODEL)
        words = over.words(*examples.pairs(over.language)[examples.first_word(over.language)])
        view(pair.compute, over, pair.PairRequest(first=words[0], second=words[1]))
        _ = over.vectors
        view(substitutes.compute, over, substitutes.SubstitutesRequest(words=words))
    gc.freeze()  # `warm_up` says why


@st.cache_resource(max_entries=1, show_spinner=False)
def warm_up() -> threading.Timer:
    """Compile and open the rest in the background, once the first screens have long been painted: it takes seconds of the processor they need.

    When Python collects garbage, it looks through every object of every library: a quarter of a second, in which no page moves. What is
    loaded by now stays loaded, so it is set apart (gc.freeze).
    """
    gc.freeze()
    timer = threading.Timer(WARM_UP_AFTER_S, open_rest)
    timer.name, timer.daemon = "warm-up", True
    timer.start()
    return timer


def open_rest() -> None:
    """UMAP and the products of halves, compiled; then what Senses, Compare and the first lesson open with: a second or two each."""
    from core.analysis.maps import compile_layout
    from core.elmo.models import BUNDLED_MODEL
    from core.evaluation.anisotropy import of_table
    from core.index import float16_products
    from core.views import compare, induction
    from pages._cached.opened import table_job
    from pages._cached.views import bench_of, of, view

    float16_products.warm_up()
    compile_layout()
    with suppress(ElmoscopeError):  # who opens the page is told
        over = bench_of(BUNDLED_MODEL)
        of("targets", of_table, over, most=4)
        view(induction.compute, over, induction.opening(over))
        job = table_job(over.corpus, BUNDLED_MODEL)
        job.wait(600)
        if job.result is not None:
            view(compare.compute, over, compare.opening(over), most=16)
    gc.freeze()
