"""The Search part: a concordance with frequencies."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.common.limits import BOX
from core.corpus import search
from core.corpus.search import BY_SENSE, BY_SUBSTITUTES, LEMMA, PATTERN, WORD, Hits
from core.elmo.in_place import READ_AT_ONCE
from core.files import registry
from core.text import languages
from core.views.concordance import Concordance, ConcordanceRequest, HitLines, concordance, describe_limits, hits_of, searched, with_senses
from core.workspace import Workspace
from pages._cached import jobs
from pages._cached.kept import version
from pages._cached.progress import AT_MOST_S
from pages._cached.views import view
from pages._export.csv_file import csv_of
from pages._frame import question
from pages._frame.choices import coded_choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_errors
from pages._frame.server_jobs import ServerJob
from pages._texts import frequency, reading, store
from pages._texts.aligned import aligned
from pages._widgets import lists

SORTING = "sorted lines"  # a kind of jobs
TABLE, EXPORTED = 200, 100_000  # lines in the table, and in its file


def show(in_use: InUse) -> None:
    """Show the search box, the concordance and the frequencies."""
    workspace = store.workspace_over(in_use, store.own_texts())
    registry.resolve(workspace.corpus, "corpus")  # what is not there is said once
    _search(workspace)


@st.fragment
def _search(workspace: Workspace) -> None:
    with show_errors():
        corpus = workspace.encoded
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
        request = with_senses(workspace, request)
        if not _is_sorted(workspace, request):
            return
        with st.spinner(t("Searching…"), show_time=True):
            result = view(concordance, workspace, request)
        _show(workspace, request, result, bool(guessed))


def _is_sorted(workspace: Workspace, request: ConcordanceRequest) -> bool:
    """Return whether the lines can be shown now. A job encodes many lines that are to be sorted by sense, and the page shows its progress."""
    if request.order != BY_SUBSTITUTES:
        return True
    unsorted = replace(request, order=search.IN_TEXT)
    if len(hits_of(workspace, unsorted)) <= READ_AT_ONCE:
        return True
    _ = workspace.substitutes  # opened here, where the page may say that the model has none
    key = searched(workspace, request.documents).fingerprint, workspace.names.model, version(workspace.names.model, "model"), unsorted

    def work(job: ServerJob) -> Hits:
        with languages.reading(workspace.language):
            return hits_of(workspace, request, job.report)

    job = jobs.job(SORTING, key, work, failed=t("The lines could not be sorted. Try again."), most=16)
    job.wait(AT_MOST_S)
    if job.result is None:
        jobs.show_state(SORTING, key, _sentences_read, widget="corpus.sort", stopped=t("Stopped."), again=t("Sort again"))
    return job.result is not None


def _sentences_read(job: ServerJob, left: str) -> str:
    return t("Reading sentences: {done:,} of {total:,}, {left} left.", done=job.done, total=job.total, left=left)


def query_kind(key: str, place, usual: str = WORD) -> str:
    """Draw the choice of how a query is matched."""
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


def _show(workspace: Workspace, request: ConcordanceRequest, result: Concordance, guessed: bool) -> None:
    """Show the lines of a search, their frequencies, and their table."""
    corpus = searched(workspace, request.documents)
    hits = hits_of(workspace, request)
    notes = reading.write_notices(corpus, request.query, guessed, hits)
    if not result.n:
        notice(notes)
        return
    reading.show_facts(result)
    aligned(HitLines(workspace, request, hits), key="corpus.lines")
    picture, text = st.columns([3, 5], gap="large")
    with picture:
        frequency.show(result)
    with text:
        notice(notes)
        if limits := describe_limits(result):
            st.caption(plain(" ".join(limits)))
    columns = t("document"), t("sentence"), t("before"), t("found"), t("after")
    table = pd.DataFrame((line.as_row() for line in result.lines), columns=columns)
    label = t("Show as table") if result.n <= TABLE else t("Table of the first {n}", n=TABLE)
    lists.twin(table, name="concordance", label=label, key="corpus.table")
    if result.n > TABLE:
        st.download_button(
            t("Download all lines as CSV"),
            lambda: csv_of(pd.DataFrame((line.as_row() for line in search.lines(corpus, hits, 0, EXPORTED)), columns=columns)),
            "concordance.csv",
            "text/csv",
            key="corpus.all",
            icon=":material/download:",
            on_click="ignore",
        )
