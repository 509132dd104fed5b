"""Home while the user types, and the preparation of slow work before users need it.

Sentences, verdict and picture are one fragment, so that a key runs nothing else.

Before the server answers, it opens what Home needs: torch, the bundled model, its vectors and a verdict. Half a minute after the first
page, it compiles functions and opens the slowest parts of other pages. Home is not prepared in a thread during the first visit, because
Python runs one thread at a time: every file and every line of the page would wait for the imports. Users who come earlier are connected,
and answered when the preparation is done.
"""

import asyncio
import gc
import logging
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.files.quotas import VISITS
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._frame.parameters import restore_again
from pages._frame.question import settle
from pages._widgets.inputs import sentence_pair

TOOK = "home.took"  # the session's key of the seconds that the last complete answer took
RESTS = (25, 50, 75, 100)  # ms
STYLE = "<style>\n" + (Path(__file__).parent / "home.css").read_text("utf-8") + "</style>"
WARM_UP_AFTER_S = 30.0
EXPIRY_INTERVAL_S = 300.0
WARNS = "streamlit.runtime.scriptrunner_utils.script_run_context"  # a logger that warns of computations outside a page
PAGE = ("pages._frame.frame", "pages._home.live", "pages._home.show", "pages._widgets.downloads", "pages._widgets.components")


def rest(took: float) -> str:
    """Return how long after a key a text is sent.

    Every key has an answer where answers are fast, and quick keys share one where they are slow.
    """
    return f"{min(RESTS, key=lambda ms: abs(ms - 1000 * took / 8))}ms"


def show(in_use: InUse) -> None:
    st.html(STYLE)
    _answer(in_use)
    import_module("pages._home.show").offer_html_file(in_use)


@st.fragment
def _answer(in_use: InUse) -> None:
    began = time.perf_counter()
    if get_script_run_ctx().fragment_ids_this_run:  # a fragment's run, in which the frame has not determined the target
        restore_again()
        settle()
    with show_errors(), st.container(key="home_answer"):  # inside: an error in a fragment does not reach its caller
        first, second = sentence_pair(live=rest(st.session_state.get(TOOK, 1.0)))
        chips, place = st.container(key="home_expected"), st.container(key="home_verdict")
        if first.tokens and second.tokens:
            # Imported only now: title and inputs are there before torch is loaded.
            import_module("pages._home.show").show(in_use, first, second, chips, place)
        else:
            show_html('<p class="verdict"><b>{}</b></p>', t("Type two sentences"), place=place)
    if get_script_run_ctx().fragment_ids_this_run:  # the page's own first run opens models, which no key does
        st.session_state[TOOK] = time.perf_counter() - began


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
    from core.elmo.models import BUNDLED_MODEL
    from core.senses.densities import densities_of
    from core.views import pair, substitutes
    from pages._cached.cache import view, workspace_of
    from pages._frame import examples

    for name in PAGE:
        import_module(name)
    with suppress(ElmoscopeError):  # the page shows the error
        over = workspace_of(BUNDLED_MODEL)
        words = over.words(*examples.pairs()[examples.first_word()])
        view(pair.compute, over, pair.PairRequest(first=words[0], second=words[1]))
        densities_of(over, labeled=True)
        _ = over.vectors
        view(substitutes.compute, over, substitutes.SubstitutesRequest(words=words))
    gc.freeze()  # see `warm_up`


@st.cache_resource(max_entries=1, show_spinner=False)
def warm_up() -> threading.Timer:
    """Start a timer that opens the rest after the first pages.

    Objects loaded so far are excluded from garbage collection, which stops all pages (gc.freeze).
    """
    gc.freeze()
    timer = threading.Timer(WARM_UP_AFTER_S, open_rest)
    timer.name, timer.daemon = "warm-up", True
    timer.start()
    return timer


def open_rest() -> None:
    """Compile UMAP and the float16 products, then compute the opening views of Senses, Compare and the first lesson."""
    from core.analysis.aligned_umap import compile_layout
    from core.elmo.models import BUNDLED_MODEL
    from core.index import rows
    from core.senses.cosines import of_table
    from core.views import compare, induction
    from pages._cached.cache import table_job, view, view_part, workspace_of

    rows.warm_up()
    compile_layout()
    with suppress(ElmoscopeError):  # the page shows the error
        over = workspace_of(BUNDLED_MODEL)
        view_part("targets", of_table, over, most=4)
        view(induction.compute, over, induction.InductionRequest(word=over.language.examples["grouped"]))
        job = table_job(over.corpus, BUNDLED_MODEL)
        job.wait(600)
        if job.result is not None:
            top = compare.SpaceName(BUNDLED_MODEL, over.layers.top, over.corpus)
            view(compare.compute, over, compare.CompareRequest(first=compare.SpaceName(over.language.vectors), second=top), most=16)
    gc.freeze()
