"""Cache what pages open and compute, for all users: models, vectors, tables and the results of core's views.

A file can change under the same name, so a key holds the contents of what is read, not only names. Opened objects are never changed, and the
caches are bounded. Heavy jobs, such as an index of every token, run in threads, a limited number at once (pages._frame.jobs), so that no page
waits for them.
"""

import functools
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterable
from contextlib import nullcontext
from operator import attrgetter
from typing import Any, ParamSpec, TypeVar

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common import i18n
from core.common.i18n import t
from core.corpus.encoded import EncodedCorpus, open_encoded, unread_bytes
from core.elmo.models import Model, allennlp_files, open_model
from core.engines import allennlp_setup
from core.engines.allennlp_engine import AllenNLPEngine, EngineResult
from core.files import registry
from core.index.table import OccurrenceTable
from core.index.tables import content_of, open_claimed, takes_long
from core.static.formats import PACKED
from core.static.vectors import StaticVectors, open_vectors
from core.text import languages
from core.text.languages import Language
from core.workspace import Names, Opener, Workspace
from pages._cached import shared_jobs
from pages._frame import question
from pages._frame.in_use import VECTORS_NOTED, InUse, selected_device
from pages._frame.jobs import Job
from pages._frame.markup import plain, show_errors

P = ParamSpec("P")
R = TypeVar("R")
Reads = Iterable[tuple[str, str]]  # kinds and names
KEPT_TABLES = 3  # tables of every token that are open at a time, and tables of labeled tokens
ENCODING, VECTORS = "encoded corpus", "vectors of a file"  # kinds of jobs
MOST_READ = 4_000_000  # bytes of a file that a page reads without a job, which takes a second or two
READS = {"model": ("model",), "targets": ("model", "corpus")}  # inputs by part of a workspace
_RUN = threading.local()  # for each thread that runs a page: the run, and the cached values of its names


def keep(maker: str, reads: Reads, key: Hashable, make: Callable[[], R], *, most: int, weighed: bool = True, meanwhile: str = "") -> R:
    """Return the cached result of `make` for a key and the contents of `reads` (kinds and names). Show `meanwhile` while it is computed."""

    def work() -> R:
        with st.spinner(meanwhile) if meanwhile else nullcontext():
            return make()

    versions = tuple((name, version(name, kind)) for kind, name in reads)
    return memo.value(maker, (versions, key), work, most=most, weighed=weighed)


def within_run(function: Callable[P, R]) -> Callable[P, R]:
    """Cache a function within one run of a page, for names whose files would be looked up each time."""

    @functools.wraps(function)
    def found(*args: P.args, **kwargs: P.kwargs) -> R:
        run = get_script_run_ctx(suppress_warning=True)
        if run is None:
            return function(*args, **kwargs)
        if getattr(_RUN, "cursors", None) is not run.cursors:  # Streamlit makes new cursors for every run
            _RUN.cursors = run.cursors
            _RUN.values = {}
        key = function, args, tuple(kwargs.items()), languages.in_use().code
        if key not in _RUN.values:
            _RUN.values[key] = function(*args, **kwargs)
        return _RUN.values[key]

    return found


version = within_run(content_of)  # the fingerprint of the contents of a name, in this run


def model(name: str) -> Model:
    """Return a model on the user's device. Results differ between devices only by rounding, so caches ignore the device."""
    device = selected_device()
    options = {"most": 3, "weighed": False, "meanwhile": t("Opening the model…")}
    return keep("model", [("model", name)], device, lambda: open_model(name, device=device), **options)


def language(model_name: str) -> Language:
    """Return the language of a model. The model's folder names it, so the model need not be opened."""
    return keep("language", [("model", model_name)], None, lambda: languages.of_model(registry.resolve(model_name, "model")), most=8)


def vectors(name: str) -> StaticVectors:
    """Return the static vectors of that name. A job reads a large file: the page shows its progress and stops there."""
    path = registry.place_of(name, "vectors")
    if path is not None and path.is_file() and (path.suffix.lower() in PACKED or path.stat().st_size > MOST_READ):

        def work(job: Job) -> StaticVectors:
            with job.watch_reading(path.stat().st_size):
                return open_vectors(name)

        key = (name, version(name, "vectors"))
        failed = t("Reading these vectors failed. Choose others.")
        opened = shared_jobs.read_files(VECTORS, key, work, failed=failed, widget="vectors", most=KEPT_TABLES)
        if opened is None:
            st.stop()
    else:
        options = {"most": 3, "weighed": False, "meanwhile": t("Opening the vectors…")}
        opened = keep("vectors", [("vectors", name)], None, lambda: open_vectors(name), **options)
    if get_script_run_ctx(suppress_warning=True):
        _show_notes(name, opened)
    return opened


@within_run
def _show_notes(name: str, opened: StaticVectors) -> None:
    """Show how a file differs from its format. From the next run on, the sidebar shows it."""
    VECTORS_NOTED.put(name, opened.file_properties)
    for note in opened.notes:
        st.caption(plain(note))


def targets(corpus: str, model_name: str) -> OccurrenceTable:
    """Return the table of labeled tokens, or of all for a corpus without labels. While a job encodes them, show it and end the run."""
    labeled = is_labeled(corpus)
    if labeled and not takes_long(corpus):
        return _labeled(corpus, model_name)
    job = table_job(corpus, model_name, targets_only=labeled)
    if job.result is None:
        shared_jobs.wait_for(job, lambda: go_on(corpus, model_name, targets_only=labeled), is_labeled=labeled)
    return job.result


def _labeled(corpus: str, model_name: str) -> OccurrenceTable:
    bar = None  # drawn at the first report: most runs read nothing

    def report(done: int, total: int, speed: float) -> None:
        nonlocal bar
        if bar is None:
            bar = st.empty()
        left = shared_jobs.duration((total - done) / speed) if speed else "…"
        bar.progress(min(1.0, done / max(1, total)), text=shared_jobs.describe_labeled(done, total, left))

    def read() -> OccurrenceTable:
        table = open_claimed(corpus, model(model_name), report, targets_only=True)
        if bar is not None:
            bar.empty()
        return table

    reads = (("corpus", corpus), ("model", model_name))
    return keep("labeled", reads, None, read, most=KEPT_TABLES, weighed=False, meanwhile=t("Opening labeled sentences…"))


def table_job(corpus: str, model_name: str, *, targets_only: bool = False) -> Job:
    """Return the job that builds the table of every token of a corpus, or of the labeled ones alone, on disk. Start it if needed."""
    opened = model(model_name)
    kind, key = _key(corpus, model_name, targets_only)
    failed = t("Reading these sentences failed. Press Continue to try again.")

    def work(job: Job) -> OccurrenceTable:
        return open_claimed(corpus, opened, job.report, targets_only=targets_only)

    return shared_jobs.job(kind, key, work, failed=failed, most=KEPT_TABLES)


def find_table_job(corpus: str, model_name: str) -> Job | None:
    """Return the job of `table_job`, or None if nobody has started it."""
    return shared_jobs.find_job(*_key(corpus, model_name))


def _key(corpus: str, model_name: str, targets_only: bool = False) -> tuple[str, tuple]:
    what = corpus, model_name, version(corpus, "corpus"), version(model_name, "model")
    return "labeled tokens" if targets_only else "every token", what


def encoded(corpus: str, language: Language) -> EncodedCorpus:
    """Return a corpus as word numbers. While a job reads a large file for the first time, show its progress and end the run."""
    if unread_bytes(corpus, language) < MOST_READ:
        options = {"most": 4, "weighed": False, "meanwhile": t("Reading texts…")}
        return keep(ENCODING, [("corpus", corpus)], language.code, lambda: open_encoded(corpus, language), **options)

    def work(job: Job) -> EncodedCorpus:
        return open_encoded(corpus, language, report=job.report)

    key = corpus, language.code, version(corpus, "corpus")
    texts = {"failed": t("Reading this corpus failed."), "stopped": t("Reading stopped."), "again": t("Read again")}
    options = {"widget": "encoded", "most": KEPT_TABLES}
    if (result := shared_jobs.result_or_progress(ENCODING, key, work, shared_jobs.describe_reading, **texts, **options)) is None:
        st.stop()
    return result


def go_on(corpus: str, model_name: str, *, targets_only: bool = False) -> Job:
    """Resume a job that was stopped or failed."""
    shared_jobs.resume(*_key(corpus, model_name, targets_only))
    return table_job(corpus, model_name, targets_only=targets_only)


class PageOpener(Opener):
    """The opener of every workspace of a page. Its keys hold the contents of files, which can change under the same name."""

    version = staticmethod(version)
    model = staticmethod(model)
    language = staticmethod(language)
    vectors = staticmethod(vectors)
    targets = staticmethod(targets)
    encoded = staticmethod(encoded)

    @staticmethod
    def every_token(corpus: str, model_name: str) -> OccurrenceTable | None:
        """Return the table of every token, or None while a job encodes it."""
        return table_job(corpus, model_name).result


OPENER = PageOpener()
is_labeled = OPENER.is_labeled
memo = OPENER.memo  # of workspaces and pages


@st.cache_resource(max_entries=1, show_spinner=False)
def _allennlp() -> AllenNLPEngine:
    with st.spinner(t("Starting AllenNLP…")):
        return AllenNLPEngine()


def by_allennlp(model_name: str, sentences: tuple[tuple[str, ...], ...]) -> EngineResult:
    """Return the layers of sentences, computed by AllenNLP's engine."""

    def compute() -> EngineResult:
        return _allennlp().embed([list(s) for s in sentences], *allennlp_files(model(model_name)), timeout_s=120.0)

    return keep("allennlp", [("model", model_name)], sentences, compute, most=64, meanwhile=t("AllenNLP is computing…"))


def workspace(in_use: InUse) -> Workspace:
    return Workspace(Names(model=in_use.model, vectors=in_use.vectors, corpus=in_use.corpus), OPENER)


def workspace_of(model_name: str, vectors_name: str = "") -> Workspace:
    """Return the workspace of a model with the data of its language, or with other vectors."""
    return Workspace(Names(model=model_name, vectors=vectors_name), OPENER)


def view(compute: Callable[..., R], over: Workspace, request: Hashable, *arguments: Any, most: int = 64, **options: Any) -> R:
    """Return the cached result of a view.

    Its module's READS names what it depends on besides the request and the language of the interface, in which a result may name decades.
    `options` are those of `keep`.
    """
    reads = [*over.reads(*sys.modules[compute.__module__].READS), *getattr(request, "reads", ())]
    key = request, i18n.language()
    return keep(_maker(compute), reads, key, lambda: compute(over, request, *arguments), most=most, **options)


def view_part(part: str, compute: Callable[..., R], over: Workspace, *request: Hashable, most: int = 64, **options: Any) -> R:
    """Return the cached result of `compute(part, *request)`; `part` is an attribute path of the workspace, such as "model.encoder"."""
    reads = over.reads(*READS[part.partition(".")[0]])
    return keep(_maker(compute), reads, request, lambda: compute(attrgetter(part)(over), *request), most=most, **options)


def _maker(compute: Callable) -> str:
    return f"{compute.__module__}.{compute.__qualname__}"


def view_when_read(compute: Callable[..., R | None], over: Workspace, request: Hashable, **options: Any) -> R:
    """Return the answer of a view. While the table it needs is being read, show the progress and end the page."""
    result = view(compute, over, request, **options)
    if result is None:
        show_reading(over)
        st.stop()
    return result


def wait_for_tokens(over: Workspace) -> OccurrenceTable | None:
    """Return all tokens of the corpus after a short wait, or None while a job encodes them."""
    job = table_job(over.corpus, over.names.model)
    with st.spinner(t("Reading all sentences…")):
        job.wait(shared_jobs.MAX_WAIT_S)
    return job.result


def show_reading(over: Workspace) -> None:
    """Show the progress of the table of every token with Stop, or why the job ended and how to resume it."""
    corpus = over.corpus
    model_name = over.names.model
    shared_jobs.show_index_state(table_job(corpus, model_name), lambda: go_on(corpus, model_name))


def show_meanwhile(over: Workspace, meanwhile: str) -> None:
    """Show the progress on a page that works without the table; `meanwhile` states what it shows until then."""
    job = table_job(over.corpus, over.names.model)
    if job.is_running:
        shared_jobs.follow_index(job, meanwhile=meanwhile)
    elif job.error:
        st.warning(plain(job.error))


def compare_engines(in_use: InUse) -> None:
    """State the difference between AllenNLP's and Elmoscope's layers of the two sentences in the sidebar."""
    sentences = tuple(tokens for tokens in question.now().tokens if tokens)
    if not sentences or not allennlp_setup.is_ready():
        return
    with st.sidebar, show_errors():
        theirs = by_allennlp(in_use.model, sentences)
        started = time.perf_counter()
        ours = workspace(in_use).model.encoder.encode([list(tokens) for tokens in sentences])
        values = {"theirs": theirs.seconds * 1000, "ours": (time.perf_counter() - started) * 1000}
        values["largest"] = max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs.layers, strict=True))
        text = t(
            "AllenNLP’s layers differ from Elmoscope’s by at most {largest:.1e}. It took {theirs:.0f} ms, Elmoscope {ours:.0f} ms.",
            **values,
        )
        st.caption(text)
