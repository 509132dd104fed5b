"""The Search part in order: what was brought, its lines, how often and where, then what reading it on every page takes."""

import hashlib
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.limits import BOX, check_allowed
from core.corpus import search
from core.corpus.search import BY_SENSE, BY_SUBSTITUTES, LEMMA, PATTERN, WORD, Hits, Line
from core.figures.style import sense_colour
from core.files import own_names
from core.files.artifacts import plain_file_name
from core.text import own_corpus
from core.text.own_corpus import KeptCorpus, Source
from core.text.readings import WordInContext
from core.views import substitutes
from core.views.concordance import GROUPS, LABELS, Concordance, ConcordanceRequest, concordance, hits_of, senses_of
from core.views.substitutes import SubstitutesRequest
from core.workbench import Bench
from pages._cached.views import view
from pages._corpus import frequency, reading, store
from pages._corpus.aligned import SLICE, aligned
from pages._corpus.inputs import Brought
from pages._frame import question
from pages._frame.choices import coded_choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, shown_errors
from pages._widgets import lists

TABLE, EXPORTED = 200, 100_000  # lines in the table, and in its file
STAND = 3  # substitutes behind a hit, where hits are sorted by them
READ_AT_ONCE = 24  # lines whose substitutes are read at a time


def show(in_use: InUse, brought: Brought) -> None:
    kept = _kept(brought)
    st.session_state[store.SEARCHED] = kept.name if kept else None
    bench = store.bench_over(in_use)
    _search(bench)
    with shown_errors():
        reading.show_plan(in_use, bench.corpus, kept)


def _kept(brought: Brought) -> KeptCorpus | None:
    """What stands in the inputs, read and kept once; None while they are empty, or cannot be read (and the page says why)."""
    given = brought.given
    if not given or (isinstance(given, str) and not given.strip()):
        return None
    given_text = given if isinstance(given, str) else " ".join(file.file_id for file in given)
    parts = (brought.way, brought.text_column, brought.date_column, brought.lines, given_text)
    key = hashlib.sha256("\n".join(parts).encode("utf-8", "ignore")).hexdigest()
    known, outcome = st.session_state.get("corpus.kept", ("", None))
    if known != key or (
        isinstance(outcome, KeptCorpus) and not own_names.is_kept(outcome.name)
    ):  # forgotten meanwhile, by whoever has it too
        try:
            with st.spinner(t("Reading texts…")):
                outcome = _read(brought)
        except ElmoscopeError as error:
            outcome = str(error)
        st.session_state["corpus.kept"] = key, outcome
    outcome = st.session_state["corpus.kept"][1]
    if isinstance(outcome, str):
        st.error(plain(outcome), icon=":material/error:")
        return None
    return outcome


def _read(brought: Brought) -> KeptCorpus:
    given, columns = brought.given, {"text_column": brought.text_column or None, "date_column": brought.date_column or None}
    if brought.way == "paste":
        return own_corpus.keep_text(given, t("Pasted text"), lines=brought.lines)
    if brought.way == "folder":
        return own_corpus.keep_files(own_corpus.files_in(given), lines=brought.lines, **columns)
    check_allowed("uploads")
    with tempfile.TemporaryDirectory(prefix="elmoscope-") as folder:
        return own_corpus.keep_files([_as_file(file, Path(folder)) for file in given], lines=brought.lines, **columns)


def _as_file(upload, folder: Path) -> Source:
    """An upload as a file in a folder of its own, by a name that can lead nowhere and marks up nothing."""
    path = folder / upload.file_id / re.sub(r"[^\w. -]", "_", plain_file_name(upload.name))
    path.parent.mkdir()
    path.write_bytes(upload.getvalue())
    return Source(upload.name, path)


@st.fragment
def _search(bench: Bench) -> None:
    with shown_errors():
        corpus = bench.encoded
        several = len(corpus.documents) > 1
        places = st.columns([3, 3, 2, 2] if several else [3, 3, 2], vertical_alignment="bottom")
        query = text_box("find", t("Word or phrase"), "", BOX["query"], place=places[0], placeholder=t("Search these texts"))
        kind = query_kind("find_kind", places[1])
        order = coded_choice("find_order", t("Sort by"), _orders(), search.IN_TEXT, place=places[2], in_box=True)
        documents = ()
        if several:
            st.session_state.docs = [name for name in st.session_state.get("docs") or [] if name in corpus.documents]
            documents = places[3].multiselect(
                t("Documents"), corpus.documents, key="docs", persist_state="session", placeholder=t("all documents")
            )
        guessed = "" if (query or "").strip() else _first_word(bench)
        request = ConcordanceRequest(
            query=guessed or query, kind=WORD if guessed else kind, order=order, documents=tuple(documents), number=TABLE
        )
        request = with_senses(bench, request)
        with st.spinner(t("Searching…"), show_time=True):
            result = view(concordance, bench, request)
        _show(bench, request, result, bool(guessed))


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
            "Words: bank* is every word that begins so, * any word. All forms: go, went, gone. Regular expression: one pattern per word."
        ),
    )


def with_senses(bench: Bench, request: ConcordanceRequest) -> ConcordanceRequest:
    """Sorted by sense: by labels where the hits have any, else by the groups that the model finds."""
    if request.order != BY_SENSE:
        return request
    corpus = bench.encoded
    hits = search.find(corpus, request.query, kind=request.kind, documents=request.documents)
    return replace(request, senses=LABELS if (search.label_of(corpus, hits) >= 0).any() else GROUPS)


def _orders() -> dict[str, str]:
    left = {by: name for by, name in zip(search.BY_LEFT, (t("1st word before"), t("2nd word before"), t("3rd word before")), strict=True)}
    right = {by: name for by, name in zip(search.BY_RIGHT, (t("1st word after"), t("2nd word after"), t("3rd word after")), strict=True)}
    others = {search.BY_SOURCE: t("document"), BY_SENSE: t("sense"), search.AT_RANDOM: t("random"), BY_SUBSTITUTES: t("substitutes")}
    return {search.IN_TEXT: t("text order")} | left | right | others


def _first_word(bench: Bench) -> str:
    """What is looked for before anything is typed: the word in question on other pages if it is there, else a common long one."""
    word = question.word()
    return word if word in bench.encoded.number else reading.common_word(bench.encoded)


def _show(bench: Bench, request: ConcordanceRequest, result: Concordance, guessed: bool) -> None:
    """The lines of a search, what is known of them, and their table."""
    corpus = bench.encoded
    hits = hits_of(bench, request)
    facts = reading.noticed(corpus, request.query, guessed, hits)
    if not result.n:
        notice(facts)
        return
    reading.show_facts(result)
    show_lines(bench, request, hits, key="corpus.lines")
    picture, text = st.columns([3, 5], gap="large")
    with picture:
        frequency.show(result)
    with text:
        notice(facts)
    columns = t("document"), t("sentence"), t("before"), t("found"), t("after")
    table = pd.DataFrame(map(_cells, result.lines), columns=columns)
    label = t("Show as table") if result.n <= TABLE else t("Table of the first {n}", n=TABLE)
    lists.twin(table, name="concordance", label=label, key="corpus.table")
    if result.n > TABLE:
        st.download_button(
            t("Download all lines as CSV"),
            lambda: lists.csv_of(pd.DataFrame(map(_cells, search.lines(corpus, hits, 0, EXPORTED)), columns=columns)),
            "concordance.csv",
            "text/csv",
            key="corpus.all",
            icon=":material/download:",
            on_click="ignore",
        )


def show_lines(bench: Bench, request: ConcordanceRequest, hits: Hits, *, key: str) -> None:
    """Hits in the order of their request, aligned, with their documents and senses."""
    corpus = bench.encoded
    several = len(corpus.documents) > 1
    senses: list[str] = []
    groups = np.empty(0, int)
    if request.order == BY_SENSE and request.senses == GROUPS:
        groups, senses = senses_of(bench, request.query, hits, GROUPS)
    else:
        senses = [corpus.senses[k] for k in np.unique(search.label_of(corpus, hits)) if k >= 0]
    stand = request.order == BY_SUBSTITUTES
    ident = hashlib.sha256(f"{corpus.fingerprint} {request}".encode("utf-8", "ignore")).hexdigest()[:16]
    expected: dict[int, str] = {}

    def lines(first: int, number: int) -> Sequence[Line]:
        result = search.lines(corpus, hits, first, number)
        if stand:
            words = tuple(WordInContext((*line.left, *line.words, *line.right), len(line.left)) for line in result)
            answers = view(substitutes.compute, bench, SubstitutesRequest(words=words)) if words else ()
            expected.update({first + k: ", ".join(a.word for a in of.substitutes[:STAND]) for k, of in enumerate(answers)})
        return result

    def remark(k: int, line: Line) -> tuple[str, str]:
        sense = (senses[groups[k]] if groups[k] >= 0 else None) if len(groups) else line.sense
        source = expected.get(k) or " · ".join(filter(None, [line.document if several else "", line.date or "", sense or ""]))
        return source, sense_colour(senses.index(sense)) if sense in senses else ""

    aligned(lines, len(hits), ident, key=key, remarks=remark, size=READ_AT_ONCE if stand else SLICE)


def _cells(line: Line) -> tuple:
    return line.document, line.sentence + 1, line.before, line.hit, line.after
