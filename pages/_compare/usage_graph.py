"""Word usage graphs on the page: DURel's files of what is shown, and a set of uses opened as the two sides."""

import tempfile
from pathlib import Path

import streamlit as st

from core.common.errors import BadInput, ElmoscopeError
from core.common.i18n import t
from core.common.limits import limits
from core.corpus import usage_graphs
from core.text.own_corpus import keep_upload
from core.views.change import WordChange, graph_files
from pages._frame.markup import plain

TSV = "text/tab-separated-values"


def downloads(result: WordChange) -> None:
    """uses.csv, clusters.csv and judgments.csv of the word."""
    with st.popover(t("Word usage graph"), icon=":material/download:", help=t("Files as DURel reads them.")):
        for name, text in graph_files(result).items():
            st.download_button(name, text.encode(), name, TSV, key=f"change.{name}", on_click="ignore")


def open_files(word: str, first: str, second: str) -> None:
    """Uses that were brought, as the two sides; the arguments are the keys of the inputs they fill."""
    if not limits().uploads:
        return
    with st.expander(t("Open a word usage graph"), key="change.open"):
        files = st.file_uploader(
            t("DURel’s uses.csv, and clusters.csv if there is one"), accept_multiple_files=True, type=["csv", "tsv"], key="change.files"
        )
        if not files or not st.button(t("Compare its two groupings"), key="change.take"):
            return
        try:
            lemma, *names = _keep_sides(files)
        except ElmoscopeError as error:
            st.error(plain(str(error)), icon=":material/error:")
            return
        st.session_state["change.filled"] = {word: lemma, first: names[0], second: names[1]}
        st.rerun()


def fill() -> None:
    """Put what was opened into the inputs, before they are drawn."""
    st.session_state.update(st.session_state.pop("change.filled", {}))


def _keep_sides(files) -> tuple[str, str, str]:
    """The lemma and its two groupings as corpora of one's own."""
    with tempfile.TemporaryDirectory(prefix="elmoscope-") as folder:
        paths = {}
        for file in files:
            path = keep_upload(file.name, file.getvalue(), Path(folder) / file.file_id).path
            head = path.read_text("utf-8", "replace").partition("\n")[0].split("\t")
            what = "clusters" if "cluster" in head else "uses"
            if what in paths:
                raise BadInput(t("{first} and {second} both hold {what}. Keep one.", first=paths[what].name, second=path.name, what=what))
            paths[what] = path
        if "uses" not in paths:
            raise BadInput(t("No uses.csv among these files: it has a column “context”. Add it."))
        return usage_graphs.keep_sides(paths["uses"], paths.get("clusters"))
