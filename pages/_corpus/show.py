"""The Your corpus page's parts in order: what was brought, its plan, search with keywords in context."""

import hashlib
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t, tn
from core.common.limits import BOX, check_allowed
from core.common.markup import html
from core.elmo.language_model import Prediction
from core.figures.style import Figure, base
from core.files import own_names
from core.files.artifacts import plain_file_name
from core.text import own_corpus
from core.text.concordance import BY_LEFT, BY_RIGHT, BY_SUBSTITUTES, IN_TEXT, Concordance, Hits, Line
from core.text.own_corpus import KeptCorpus, Source
from core.text.readings import WordInContext
from core.text.sentences import written
from core.views import substitutes
from core.views.substitutes import SubstitutesRequest
from pages._cached.views import bench_of, view
from pages._corpus import reading, store
from pages._frame import question
from pages._frame.choices import BOUND, choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_html, shown_errors
from pages._widgets import lists
from pages._widgets.charts import draw

SHOWN, EXPORTED, BARS = 8, 5_000, 12
STAND = 3  # substitutes behind a find, where finds are sorted by them
BAR = "rgba(120,125,140,0.75)"


def show(in_use: InUse, way: str, given, column: str, lines: str) -> None:
    kept = _brought(way, given, column, lines)
    corpus = kept.name if kept else in_use.corpus
    opened = store.concordance(corpus)
    with shown_errors():
        reading.show_plan(in_use, corpus, opened.sentences, kept)
    _search(in_use.model, corpus, opened)


def _brought(way: str, given, column: str, lines: str) -> KeptCorpus | None:
    """What stands in the inputs, read and kept once; None while they are empty, or cannot be read (and the page says why)."""
    if not given or (isinstance(given, str) and not given.strip()):
        return None
    given_text = given if isinstance(given, str) else " ".join(file.file_id for file in given)
    key = hashlib.sha256(f"{way}\n{column}\n{lines}\n{given_text}".encode("utf-8", "ignore")).hexdigest()
    known, outcome = st.session_state.get("corpus.kept", ("", None))
    if known != key or (
        isinstance(outcome, KeptCorpus) and not own_names.is_kept(outcome.name)
    ):  # forgotten meanwhile, by whoever has it too
        try:
            with st.spinner(t("Reading texts…")):
                outcome = _read(way, given, column or None, lines)
        except ElmoscopeError as error:
            outcome = str(error)
        st.session_state["corpus.kept"] = key, outcome
    outcome = st.session_state["corpus.kept"][1]
    if isinstance(outcome, str):
        st.error(plain(outcome), icon=":material/error:")
        return None
    return outcome


def _read(way: str, given, column: str | None, lines: str) -> KeptCorpus:
    if way == "paste":
        return own_corpus.keep_text(given, t("Pasted text"), lines=lines)
    if way == "folder":
        return own_corpus.keep_files(own_corpus.files_in(given), text_column=column, lines=lines)
    check_allowed("uploads")
    with tempfile.TemporaryDirectory(prefix="elmoscope-") as folder:
        return own_corpus.keep_files([_as_file(file, Path(folder)) for file in given], text_column=column, lines=lines)


def _as_file(upload, folder: Path) -> Source:
    """An upload as a file in a folder of its own, by a name that can lead nowhere and marks up nothing."""
    path = folder / upload.file_id / re.sub(r"[^\w. -]", "_", plain_file_name(upload.name))
    path.parent.mkdir()
    path.write_bytes(upload.getvalue())
    return Source(upload.name, path)


@st.fragment
def _search(model_name: str, corpus: str, opened: Concordance) -> None:
    several = len(opened.documents) > 1
    places = st.columns([3, 5, 3, 2] if several else [4, 6, 3], vertical_alignment="bottom")
    query = text_box("find", t("Word or phrase"), "", BOX["query"], place=places[0], placeholder=t("Search these texts"))
    orders = {IN_TEXT: t("text order"), BY_LEFT: t("words before"), BY_RIGHT: t("words after"), BY_SUBSTITUTES: t("substitutes")}
    order = choice("find_order", t("Sort by"), orders, IN_TEXT, place=places[1])
    if several:
        st.session_state.docs = [name for name in st.session_state.get("docs") or [] if name in opened.documents]
        places[2].multiselect(t("Documents"), opened.documents, key="docs", persist_state="session", placeholder=t("all documents"))
    pattern = places[-1].toggle(
        t("Regular expression"), key="pattern", **BOUND, help=t("One pattern per whole word: bank(s|ed)? matches bank, banks, banked.")
    )
    with shown_errors():
        guessed = "" if (query or "").strip() else _first_word(opened)
        hits = opened.find(guessed or query, pattern=pattern and not guessed, documents=st.session_state.docs if several else None)
        named_by = ""
        if order == BY_SUBSTITUTES and len(hits):
            named_by = model_name
            with st.spinner(t("Reading substitutes…"), show_time=True):
                hits = store.by_substitutes(corpus, model_name, hits.first.tobytes(), opened, hits)
        _found(opened, guessed or query, bool(guessed), opened.ordered(hits, order), named_by)


def _first_word(opened: Concordance) -> str:
    """What is looked for before anything is typed: the word in question on other pages if it is there, else a common long one."""
    word = question.word()
    return word if word in opened.number else reading.common_word(opened.sentences)


def _found(opened: Concordance, query: str, guessed: bool, hits: Hits, named_by: str = "") -> None:
    """What a search found; by a model's name with what stands for each find."""
    facts = reading.noticed(opened, query, guessed, hits)
    if not len(hits):
        notice(facts)
        return
    lines = opened.lines(hits, EXPORTED)
    picture, text = st.columns([3, 5], gap="large")
    with picture:
        alt = (
            t("{n:,} occurrences by document.", n=len(hits))
            if len(opened.documents) > 1
            else t("{n:,} occurrences by tenth of the text.", n=len(hits))
        )
        draw(_bars(opened, hits), key="corpus.bars", alt=alt)
        notice(facts)
    with text:
        each = [()] * SHOWN
        if named_by:
            words = [WordInContext((*line.left, *line.words, *line.right), len(line.left)) for line in lines[:SHOWN]]
            each = [of.substitutes for of in view(substitutes.compute, bench_of(named_by), SubstitutesRequest(words=tuple(words)))]
        show_html("{}", [_line(line, len(opened.documents) > 1, of) for line, of in zip(lines, each, strict=False)])
        if len(hits) > SHOWN:
            st.caption(t("First {n} of {all:,}; more in the table.", n=SHOWN, all=len(hits)))
    columns = t("document"), t("sentence"), t("before"), t("found"), t("after")
    rows = [(line.document, line.sentence + 1, *_parts(line)) for line in lines]
    lists.twin(pd.DataFrame(rows, columns=columns), name="concordance", label=t("Show as table"), key="corpus.table")


def _parts(line: Line) -> tuple[str, ...]:
    """What stands before a find in its sentence, the find, and what follows, as written."""
    shown = written((*line.left, *line.words, *line.right), line.text)
    first, last = len(line.left), len(line.left) + len(line.words)
    return tuple("".join(part).strip() for part in (shown[:first], shown[first:last], shown[last:]))


def _line(line: Line, named: bool, substitutes: Sequence[Prediction] = ()) -> str:
    tokens = (*line.left, *line.words, *line.right)
    remark = _short(line.document) if named else ""
    words = ", ".join(answer.word for answer in substitutes[:STAND])
    after = html('<span class="small after">{}</span>', words) if words else ""
    return lists.keyword_line(tokens, len(line.left), remark, n_words=len(line.words), after=after, text=line.text)


def _short(name: str, most: int = 28) -> str:
    return name if len(name) <= most else f"{name[: most - 9]}…{name[-8:]}"


def _bars(opened: Concordance, hits: Hits) -> go.Figure:
    """Finds in each document, the most first; in a single one, in each tenth of it."""
    if len(opened.documents) > 1:
        ranked = sorted(opened.by_document(hits), key=lambda row: -row[1])[:BARS]
        names, counts = [_short(name, 20) for name, _, _ in ranked], [n for _, n, _ in ranked]
        lines = [
            tn(
                "{n:,} occurrence, {rate:.1f} per 1,000 tokens",
                "{n:,} occurrences, {rate:.1f} per 1,000 tokens",
                n,
                rate=1000 * n / max(1, size),
            )
            for _, n, size in ranked
        ]
        title = t("Occurrences by document")
    else:
        counts = opened.by_stretch(hits)
        names = [t("{a} to {b}%", a=10 * k, b=10 * k + 10) for k in range(len(counts))]
        lines = [tn("{n:,} occurrence", "{n:,} occurrences", n) for n in counts]
        title = t("Where in the text")
    figure = Figure().add_bar(
        x=counts,
        y=list(range(len(counts))),
        orientation="h",
        marker_color=BAR,
        text=[f"{n:,}" for n in counts],
        textposition="outside",
        cliponaxis=False,
        customdata=lines,
        hovertemplate="%{customdata}",
    )
    figure.update_yaxes(autorange="reversed", fixedrange=True, tickvals=list(range(len(names))), ticktext=names, automargin=True)
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, 1.2 * max(counts)])
    base(figure, height=26 * len(counts) + 52, key="corpus")
    return figure.update_layout(title={"text": title, "font": {"size": 14}, "x": 0}, margin_t=34, bargap=0.35)
