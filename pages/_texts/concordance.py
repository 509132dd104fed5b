"""The Search part: a concordance with frequencies. The browser shows the visible lines and requests more when the user scrolls."""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from core.common.i18n import format_rate, t, tn
from core.common.limits import BOX
from core.common.markup import shorten
from core.corpus import concordance as kwic
from core.corpus.concordance import BY_SENSE, BY_SUBSTITUTES, commonest_beside
from core.corpus.encoded import EncodedCorpus
from core.corpus.measures import by_document
from core.corpus.search import LEMMA, PATTERN, WORD, Hits, similar
from core.elmo.substitutes import READ_AT_ONCE
from core.figures.measures import frequency_bars, frequency_columns
from core.figures.style import sense_color
from core.files import registry
from core.files.formats import encode_csv
from core.text import languages
from core.views.concordance import (
    Concordance,
    ConcordanceRequest,
    HitLines,
    concordance,
    describe_limits,
    hits_of,
    searched,
    tabulate_lines,
    with_senses,
)
from core.workspace import Workspace
from pages._cached import shared_jobs
from pages._cached.cache import version, view
from pages._export import record
from pages._frame import question
from pages._frame.choices import choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.jobs import Job
from pages._frame.markup import component, fragment, plain, show_html
from pages._texts import store
from pages._widgets import lists
from pages._widgets.charts import draw

FEW_TOKENS = 3_000
FORMS = 6  # forms of a query listed
SORTING = "sorted lines"  # a kind of jobs
TABLE, EXPORTED = 200, 100_000  # lines in the table, and in its file
SLICE, SLICE_OF_SUBSTITUTES = 90, 24  # lines sent at a time; where their substitutes are read first
MOST_LINES = 1_000_000  # of a concordance, because browsers limit the height of a page
LONGEST_SIDE = 240  # characters of each side of a line
CLOSED = ",.;:!?)’%”"  # signs that follow a word without a blank
_aligned = component("elmoscope_aligned", Path(__file__).with_name("aligned"))
BARS = 12
DOCUMENTS, DATES = "documents", "dates"


def show(in_use: InUse) -> None:
    workspace = store.workspace_over(in_use, store.own_texts())
    registry.resolve(workspace.corpus, "corpus")  # states a missing corpus once
    _search(workspace)


@fragment
def _search(workspace: Workspace) -> None:
    corpus = workspace.encoded
    several = len(corpus.documents) > 1
    places = st.columns([3, 4, 2, 2] if several else [3, 4, 2], vertical_alignment="bottom")
    usual = corpus.opening_word(question.word())
    query = text_box("find", t("Word or phrase"), "", BOX["query"], place=places[0], placeholder=usual)
    kind = query_kind("find_kind", places[1])
    orders = {
        kwic.IN_TEXT: t("text order"),
        **dict(zip(kwic.BY_LEFT, (t("1st word before"), t("2nd word before"), t("3rd word before")), strict=True)),
        **dict(zip(kwic.BY_RIGHT, (t("1st word after"), t("2nd word after"), t("3rd word after")), strict=True)),
        kwic.BY_SOURCE: t("document"),
        BY_SENSE: t("sense"),
        kwic.AT_RANDOM: t("random"),
        BY_SUBSTITUTES: t("substitutes"),
    }
    order = choice("find_order", t("Sort by"), orders, kwic.IN_TEXT, place=places[2], widget="selectbox")
    documents = ()
    if several:
        st.session_state.docs = [name for name in st.session_state.get("docs") or [] if name in corpus.documents]
        options = {"persist_state": "session", "placeholder": t("all documents")}
        documents = places[3].multiselect(t("Documents"), corpus.documents, key="docs", **options)
    guessed = "" if (query or "").strip() else usual
    options = {"kind": WORD if guessed else kind, "order": order, "documents": tuple(documents), "number": TABLE}
    request = ConcordanceRequest(query=guessed or query, **options)
    st.session_state.update({"find.used": request.query, "find.kind": request.kind})  # for the notebook
    request = with_senses(workspace, request)
    if not _is_sorted(workspace, request):
        return
    with st.spinner(t("Searching…"), show_time=True):
        result = view(concordance, workspace, request)
    _show(workspace, request, result, bool(guessed))


def _is_sorted(workspace: Workspace, request: ConcordanceRequest) -> bool:
    """Return whether the lines can be shown now.

    A job first computes the substitutes of many lines, and the page shows its progress.
    """
    if request.order != BY_SUBSTITUTES:
        return True
    unsorted = replace(request, order=kwic.IN_TEXT)
    if len(hits_of(workspace, unsorted)) <= READ_AT_ONCE:
        return True
    _ = workspace.substitutes  # opened here, where the page may say that the model has none
    names = workspace.names
    key = names.corpus, searched(workspace, request.documents).fingerprint, names.model, version(names.model, "model"), unsorted

    def work(job: Job) -> Hits:
        with languages.reading(workspace.language):
            return hits_of(workspace, request, job.report)

    options = {"failed": t("The lines could not be sorted. Try again."), "most": 16, "widget": "corpus.sort", "again": t("Sort again")}
    return shared_jobs.result_or_progress(SORTING, key, work, store.describe_sentences, **options) is not None


def query_kind(key: str, place, usual: str = WORD) -> str:
    titles = {WORD: t("words"), LEMMA: t("all forms"), PATTERN: t("regular expression")}
    about = t(
        "Words: bank* is every word that begins with bank; in a phrase, * is any word. All forms: go, went, gone. Regular expression: one pattern per word."
    )
    return choice(key, t("Search for"), titles, usual, place=place, help=about)


def _show(workspace: Workspace, request: ConcordanceRequest, result: Concordance, guessed: bool) -> None:
    corpus = searched(workspace, request.documents)
    hits = hits_of(workspace, request)
    notes = describe_hits(corpus, request.query, guessed, hits)
    if not result.n:
        notice(notes)
        return
    show_facts(result)
    draw_lines(HitLines(workspace, request, hits), key="corpus.lines")
    picture, text = st.columns([3, 5], gap="large")
    with picture:
        _show_frequency(result)
    with text:
        notice(notes)
        if limits := describe_limits(result):
            st.caption(plain(" ".join(limits)))
    label = t("Show as table") if result.n <= TABLE else t("Table of the first {n}", n=TABLE)
    lists.offer_table(result.table(), name="concordance", label=label, key="corpus.table")
    if result.n > TABLE:
        taken = record.now()

        def make() -> bytes:
            with taken.exported():
                return encode_csv(tabulate_lines(kwic.lines(corpus, hits, 0, EXPORTED)))

        lists.download(t("Download all lines as CSV"), make, "concordance.csv", "text/csv", key="corpus.all")


def draw_lines(hits: HitLines, *, key: str) -> None:
    """Draw the concordance. Call it within a fragment, so that a request for more lines runs nothing else."""
    search, _, number = str((st.session_state.get(key) or {}).get("at") or "").rpartition(":")
    n = len(hits)
    size = SLICE_OF_SUBSTITUTES if hits.by_substitutes else SLICE
    first = min(int(number), max(0, n - 1)) if search == hits.key and number.isdecimal() and len(number) < 10 else 0
    rows = [
        (line.before[-LONGEST_SIDE:], line.hit, line.after[:LONGEST_SIDE], source, sense_color(sense) if sense >= 0 else "")
        for line, source, sense in hits.lines(first, size)
    ]
    named = any(source for *_, source, _ in rows)
    data = {"id": hits.key, "n": min(n, MOST_LINES), "first": first, "slice": size, "lines": rows, "closed": CLOSED, "named": named}
    _aligned(key=key, data=data | {"label": t("Concordance"), "title": t("Whole sentence")}, on_at_change=lambda: None)


def _show_frequency(result: Concordance) -> None:
    """Draw the bars. The user chooses between documents and dates if the corpus has both."""
    by = DATES if result.dates and len(result.documents) < 2 else DOCUMENTS
    if result.dates and len(result.documents) > 1:
        by = choice("find_by", t("Frequency by"), {DOCUMENTS: t("document"), DATES: t("date")}, DATES)
    if by == DATES:
        figure = frequency_columns(result.dates)
        alt = t("{n:,} occurrences by date.", n=result.n)
    elif len(result.documents) > 1:
        ranked = sorted(result.documents, key=lambda part: -part[1])[:BARS]
        figure = frequency_bars(ranked, [shorten(name, 20, end=8) for name, _, _ in ranked], t("Occurrences by document"))
        alt = t("{n:,} occurrences by document.", n=result.n)
    else:
        names = [t("{a} to {b}%", a=10 * k, b=10 * k + 10) for k in range(len(result.stretches))]
        figure = frequency_bars(result.stretches, names, t("Where in the text"))
        alt = t("{n:,} occurrences by tenth of the text.", n=result.n)
    draw(figure, key="corpus.bars", alt=alt)


def show_facts(result: Concordance) -> None:
    """Show the frequency, the dispersion and the forms of the hits in one line."""
    figures = [tn("{n:,} occurrence", "{n:,} occurrences", result.n), t("{rate} per million", rate=format_rate(result.per_million))]
    over = t("documents") if len(result.documents) > 1 else t("tenths of the text")
    figures.append(t("dispersion DP {value:.2f} over {parts}", value=result.deviation, parts=over))
    if len(result.forms) > 1:
        forms = ", ".join(f"{shorten(form)} {n:,}" for form, n in result.forms[:FORMS])
        figures.append(forms + (", …" if len(result.forms) > FORMS else ""))
    show_html('<p class="small">{}</p>', " · ".join(figures))


def describe_hits(corpus: EncodedCorpus, query: str, guessed: bool, hits: Hits) -> list[str]:
    query_text = shorten(query.strip())
    total = len(corpus)
    if not len(hits):
        spellings = ", ".join(f"“{word}”" for word in similar(corpus, query))
        lines = [t("“{word}” does not occur.", word=query_text)]
        return [*lines, t("Similar spellings: {words}.", words=spellings)] if spellings else lines
    rates = sorted(((1000 * n / max(1, size), name) for name, n, size in by_document(corpus, hits)), reverse=True)
    values = {"word": query_text, "n": len(hits), "rate": format_rate(1e6 * len(hits) / total), "tokens": total}
    lines = [t("“{word}” occurs {n:,} times ({rate} per million tokens).", **values)]
    if len(hits) == 1:
        lines = [tn("“{word}” is the only token.", "“{word}” occurs once in {tokens:,} tokens.", total, **values)]
    if len(rates) > 1:
        values = {"n": sum(rate > 0 for rate, _ in rates), "all": len(rates), "name": shorten(rates[0][1])}
        is_densest = rates[0][0] > rates[1][0]
        everywhere = t("In {n:,} of {all:,} documents.", **values)
        lines.append(t("In {n:,} of {all:,} documents, densest in {name}.", **values) if is_densest else everywhere)
    for step in (-1, 1):
        words, n = commonest_beside(corpus, hits, step) or ([], 0)
        values = {"other": "”, “".join(map(shorten, words)), "n": n}
        if n > 1:
            before = t("Most often before “{other}” ({n:,}).", **values)
            lines.append(t("Most often after “{other}” ({n:,}).", **values) if step < 0 else before)
    if guessed:
        lines.append(t("Example: “{word}”.", word=query_text))
    if total < FEW_TOKENS:
        lines.append(tn("{n:,} token is few: expect chance neighbors.", "{n:,} tokens are few: expect chance neighbors.", total))
    return lines
