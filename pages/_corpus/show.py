"""The Search part in order: what was brought, its lines, how often and where, then what reading it on every page takes."""

import hashlib
from contextlib import nullcontext
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.limits import BOX, check_allowed
from core.common.turns import TooManyJobs
from core.corpus import search
from core.corpus.search import BY_SENSE, BY_SUBSTITUTES, LEMMA, PATTERN, WORD, Hits
from core.elmo.in_place import READ_AT_ONCE
from core.files import own_names, registry
from core.text import languages, own_corpus
from core.text.own_corpus import KeptCorpus, Source
from core.views.concordance import Concordance, ConcordanceRequest, HitLines, concordance, describe_limits, hits_of, searched, with_senses
from core.workbench import Bench
from pages._cached import jobs
from pages._cached.kept import version
from pages._cached.progress import AT_MOST_S
from pages._cached.views import view
from pages._corpus import frequency, reading, store
from pages._corpus.aligned import aligned
from pages._corpus.inputs import Brought
from pages._frame import question
from pages._frame.choices import coded_choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_errors
from pages._frame.server_jobs import ServerJob
from pages._widgets import lists

READING, SORTING = "own texts", "sorted lines"  # kinds of jobs
QUICK_CHARACTERS = 200_000  # of a pasted text: a second
TABLE, EXPORTED = 200, 100_000  # lines in the table, and in its file


def show(in_use: InUse, brought: Brought) -> None:
    kept = _keep(brought)
    st.session_state[store.SEARCHED] = kept.name if kept else None
    bench = store.bench_over(in_use)
    registry.resolve(bench.corpus, "corpus")  # what is not there is said once
    use = st.container()
    reading.offer_deletion(bench.corpus)
    _search(bench)
    with show_errors():
        reading.show_plan(in_use, bench.corpus, kept)
        with use:
            reading.show_use(in_use, bench.corpus)


def _keep(brought: Brought) -> KeptCorpus | None:
    """What the inputs hold, read and kept once; None while they are empty, or cannot be read (and the page says why)."""
    given = brought.given
    if not given or (isinstance(given, str) and not given.strip()):
        return None
    given_text = given if isinstance(given, str) else " ".join(str(file.number) for file in given)
    parts = (brought.way, brought.text_column, brought.date_column, brought.lines, given_text)
    key = hashlib.sha256("\n".join(parts).encode("utf-8", "ignore")).hexdigest()
    known, outcome = st.session_state.get("corpus.kept", ("", None))
    if known != key or (
        isinstance(outcome, KeptCorpus) and not own_names.is_kept(outcome.name)
    ):  # forgotten meanwhile, by whoever has it too
        try:
            outcome = _outcome(brought, key)
        except TooManyJobs as error:  # may be otherwise in a moment
            st.error(plain(str(error)), icon=":material/error:")
            return None
        except ElmoscopeError as error:
            outcome = str(error)
        if outcome is None:
            st.stop()
        st.session_state["corpus.kept"] = key, outcome
    outcome = st.session_state["corpus.kept"][1]
    if isinstance(outcome, str):
        st.error(plain(outcome), icon=":material/error:")
        return None
    return outcome


def _outcome(brought: Brought, key: str) -> KeptCorpus | None:
    """Read what was brought, beside the page where that may take long; None while it is read, and the page shows how far it is."""
    if brought.way == "files":
        check_allowed("uploads")
        sources = [Source(file.name, file.path) for file in brought.given]
    else:
        sources = own_corpus.files_in(brought.given) if brought.way == "folder" else []
    is_quick = len(brought.given) < QUICK_CHARACTERS if brought.way == "paste" else own_corpus.is_quick(sources)
    if is_quick:
        with st.spinner(t("Reading texts…")):
            return _read(brought, sources)
    return jobs.reading(READING, key, lambda job: _read(brought, sources, job), failed=t("Reading these texts failed. Try other files."))


def _read(brought: Brought, sources: list[Source], job: ServerJob | None = None) -> KeptCorpus:
    report = job.report if job else None
    columns = {"text_column": brought.text_column or None, "date_column": brought.date_column or None}
    if brought.way == "paste":
        with job.watching(len(brought.given)) if job else nullcontext():
            return own_corpus.keep_text(brought.given, t("Pasted text"), lines=brought.lines)
    return own_corpus.keep_files(sources, lines=brought.lines, **columns, report=report)


@st.fragment
def _search(bench: Bench) -> None:
    with show_errors():
        corpus = bench.encoded
        several = len(corpus.documents) > 1
        places = st.columns([3, 4, 2, 2] if several else [3, 4, 2], vertical_alignment="bottom")
        query = text_box("find", t("Word or phrase"), "", BOX["query"], place=places[0], placeholder=t("Search these texts"))
        kind = query_kind("find_kind", places[1])
        order = coded_choice("find_order", t("Sort by"), _orders(), search.IN_TEXT, place=places[2], in_box=True)
        documents = ()
        if several:
            st.session_state.docs = [name for name in st.session_state.get("docs") or [] if name in corpus.documents]
            documents = places[3].multiselect(
                t("Documents"), corpus.documents, key="docs", persist_state="session", placeholder=t("all documents")
            )
        guessed = "" if (query or "").strip() else corpus.opening_word(question.word())
        request = ConcordanceRequest(
            query=guessed or query, kind=WORD if guessed else kind, order=order, documents=tuple(documents), number=TABLE
        )
        request = with_senses(bench, request)
        if not _is_sorted(bench, request):
            return
        with st.spinner(t("Searching…"), show_time=True):
            result = view(concordance, bench, request)
        _show(bench, request, result, bool(guessed))


def _is_sorted(bench: Bench, request: ConcordanceRequest) -> bool:
    """Whether the lines can be shown now: a model that reads many of them to sort them takes a turn, and the page shows how far it is."""
    if request.order != BY_SUBSTITUTES:
        return True
    unsorted = replace(request, order=search.IN_TEXT)
    if len(hits_of(bench, unsorted)) <= READ_AT_ONCE:
        return True
    _ = bench.substitutes  # opened here, where the page may say that the model has none
    key = searched(bench, request.documents).fingerprint, bench.names.model, version(bench.names.model, "model"), unsorted

    def work(job: ServerJob) -> Hits:
        with languages.reading(bench.language):
            return hits_of(bench, request, job.report)

    job = jobs.job(SORTING, key, work, failed=t("The lines could not be sorted. Try again."), most=16)
    job.wait(AT_MOST_S)
    if job.result is None:
        jobs.show_state(SORTING, key, _sentences_read, widget="corpus.sort", stopped=t("Stopped."), again=t("Sort again"))
    return job.result is not None


def _sentences_read(job: ServerJob, left: str) -> str:
    return t("Reading sentences: {done:,} of {total:,}, {left} left.", done=job.done, total=job.total, left=left)


def query_kind(key: str, place, usual: str = WORD) -> str:
    """How a query is read."""
    if st.query_params.pop("pattern", "") == "true":  # an older link
        st.session_state.setdefault(key, PATTERN)
    return coded_choice(
        key,
        t("Search for"),
        {WORD: t("words"), LEMMA: t("all forms"), PATTERN: t("regular expression")},
        usual,
        place=place,
        help=t(
            "Words: bank* is every word that begins with bank; within a phrase, * is any word. All forms: go, went, gone. Regular expression: one pattern per word."
        ),
    )


def _orders() -> dict[str, str]:
    left = {by: name for by, name in zip(search.BY_LEFT, (t("1st word before"), t("2nd word before"), t("3rd word before")), strict=True)}
    right = {by: name for by, name in zip(search.BY_RIGHT, (t("1st word after"), t("2nd word after"), t("3rd word after")), strict=True)}
    others = {search.BY_SOURCE: t("document"), BY_SENSE: t("sense"), search.AT_RANDOM: t("random"), BY_SUBSTITUTES: t("substitutes")}
    return {search.IN_TEXT: t("text order")} | left | right | others


def _show(bench: Bench, request: ConcordanceRequest, result: Concordance, guessed: bool) -> None:
    """The lines of a search, what is known of them, and their table."""
    corpus = searched(bench, request.documents)
    hits = hits_of(bench, request)
    facts = reading.write_notices(corpus, request.query, guessed, hits)
    if not result.n:
        notice(facts)
        return
    reading.show_facts(result)
    aligned(HitLines(bench, request, hits), key="corpus.lines")
    picture, text = st.columns([3, 5], gap="large")
    with picture:
        frequency.show(result)
    with text:
        notice(facts)
        if limits := describe_limits(result):
            st.caption(plain(" ".join(limits)))
    columns = t("document"), t("sentence"), t("before"), t("found"), t("after")
    table = pd.DataFrame((line.as_row() for line in result.lines), columns=columns)
    label = t("Show as table") if result.n <= TABLE else t("Table of the first {n}", n=TABLE)
    lists.twin(table, name="concordance", label=label, key="corpus.table")
    if result.n > TABLE:
        st.download_button(
            t("Download all lines as CSV"),
            lambda: lists.csv_of(pd.DataFrame((line.as_row() for line in search.lines(corpus, hits, 0, EXPORTED)), columns=columns)),
            "concordance.csv",
            "text/csv",
            key="corpus.all",
            icon=":material/download:",
            on_click="ignore",
        )
