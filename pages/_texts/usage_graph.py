"""Word usage graphs: download the files of DURel, or open them as the two sides."""

import streamlit as st

from core.common import notes
from core.common.errors import BadInput, ElmoscopeError
from core.common.i18n import t
from core.common.limits import limits
from core.corpus import usage_graphs
from core.text.own_corpus import Source, is_quick
from core.views.change import WordChange, graph_files
from pages._cached import jobs
from pages._frame.jobs import Job
from pages._frame.markup import plain
from pages._frame.uploads import Upload, upload_box, uploads

NOTES = "change.notes"  # the key of the session's notes on rows that were left out of the last files
_REQUESTED = "change.asked"  # the key of the numbers of the files that the user wants to compare
TSV = "text/tab-separated-values"


def downloads(result: WordChange) -> None:
    """Offer uses.csv, clusters.csv and judgments.csv of the word."""
    with st.popover(t("Word usage graph"), icon=":material/download:", help=t("Files as DURel reads them.")):
        for name, text in graph_files(result).items():
            st.download_button(name, text.encode(), name, TSV, key=f"change.{name}", on_click="ignore")


def open_files(word: str, first: str, second: str) -> None:
    """Open the user's files as the two sides. The arguments are the keys of the inputs to fill."""
    if not limits().uploads:
        return
    with st.expander(t("Open a word usage graph"), key="change.open", expanded=bool(uploads("change.files"))):
        for text in st.session_state.get(NOTES, ()) if uploads("change.files") else ():
            st.caption(plain(text))
        label = t("DURel’s uses.csv, and clusters.csv if there is one (or .xlsx)")
        files = upload_box("change.files", label, limits().max_file_mb, several=True)
        numbers = tuple(file.number for file in files)
        if files and st.button(t("Compare its two groupings"), key="change.take"):
            st.session_state[_REQUESTED] = numbers
        if not files or st.session_state.get(_REQUESTED) != numbers:
            return
        try:
            outcome = _read(files, numbers)
        except ElmoscopeError as error:
            del st.session_state[_REQUESTED]
            st.error(plain(str(error)), icon=":material/error:")
            return
        if outcome is None:
            return
        del st.session_state[_REQUESTED]
        (lemma, *names), st.session_state[NOTES] = outcome
        st.session_state["change.filled"] = {word: lemma, first: names[0], second: names[1]}
        st.rerun()


def fill() -> None:
    """Fill the inputs with the opened files. Call this before the inputs are drawn."""
    st.session_state.update(st.session_state.pop("change.filled", {}))


def _read(files: list[Upload], numbers: tuple[int, ...]) -> tuple[tuple[str, str, str], list[str]] | None:
    """Read the files, in a job if that may take long. Return None while the job runs and the page shows its progress."""
    sources = [Source(file.name, file.path) for file in files]
    if is_quick(sources):
        return _keep_sides(files)

    def work(job: Job) -> tuple[tuple[str, str, str], list[str]]:
        with job.watch_reading(sum(file.path.stat().st_size for file in files)):
            return _keep_sides(files)

    return jobs.read_in_job("usage graph", numbers, work, failed=t("Reading these files failed. Try others."))


def _keep_sides(files: list[Upload]) -> tuple[tuple[str, str, str], list[str]]:
    """Store the two groupings as corpora. Return the lemma and the names of the corpora, and notes on rows that were left out."""
    paths = {}
    for file in files:
        what = "clusters" if usage_graphs.is_clusters(file.path) else "uses"
        if what in paths:
            raise BadInput(t("{first} and {second} both hold {what}. Keep one.", first=paths[what].name, second=file.path.name, what=what))
        paths[what] = file.path
    if "uses" not in paths:
        raise BadInput(t("No uses.csv among these files: it has a column “context”. Add it."))
    with notes.collecting() as collected:
        sides = usage_graphs.keep_sides(paths["uses"], paths.get("clusters"))
    return sides, list(collected.values())
