"""The Collocates part: words near a word, ranked by association, by sense, with their lines; and the Keywords part."""

import streamlit as st

from core.common import markup
from core.common.i18n import t, tn
from core.common.limits import BOX
from core.common.markup import CITED, shorten
from core.corpus import search
from core.corpus.concordance import CLEAR_Z
from core.corpus.measures import BONFERRONI, FDR, NONE
from core.files import registry
from core.files.user_names import corpus_title
from core.text import languages
from core.views.concordance import (
    BY_DICE,
    BY_LIKELIHOOD,
    GROUPS,
    LABELS,
    Collocates,
    CollocatesRequest,
    HitLines,
    Keyness,
    KeynessRequest,
    SenseColumn,
    collocates,
    hits_of,
    keyness,
    reference_of,
)
from core.views.sides import describe_shared
from core.workspace import Workspace
from pages._cached.cache import view
from pages._frame.choices import choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse, corpus_box
from pages._frame.markup import fragment, plain, show_errors
from pages._frame.parameters import bound
from pages._texts import store
from pages._texts.concordance import describe_hits, draw_lines, query_kind
from pages._widgets import lists

MOST, LONG = 200, 14  # collocates listed; rows of the table in sight
ROW = 35  # pixels of a row in a table
COLUMNS = 4  # senses side by side
TELLING = 0.5  # z from which a word is listed for a sense
KEYWORDS, IN_SIGHT = 100, 12  # keywords of each corpus, and rows in sight
CERTAIN = 0.05  # p below which a keyword is more than chance


def show(in_use: InUse) -> None:
    _show_part(store.workspace_over(in_use, store.own_texts()))


@fragment
def _show_part(workspace: Workspace) -> None:
    corpus = workspace.encoded
    places = st.columns([8, 2], vertical_alignment="bottom")
    usual = corpus.opening_word(languages.in_use().examples.get("collocates", ""))
    query = text_box("find", t("Word or phrase"), "", BOX["query"], place=places[0], placeholder=usual)
    guessed = "" if (query or "").strip() else usual
    named = {LABELS: t("labels"), GROUPS: t("groups found"), "": t("no")}
    with places[1].popover(t("More"), icon=":material/tune:", width="stretch"):
        kind = query_kind("collocate_kind", st, search.LEMMA)
        senses = choice("by_sense", t("By sense"), named, LABELS, widget="selectbox")
        window = st.slider(t("Window, words each side"), **bound("window"))
        minimum = st.number_input(t("Together at least"), **bound("minimum"))
        order = choice("collocate_order", t("Sort by"), {BY_DICE: t("logDice"), BY_LIKELIHOOD: t("log-likelihood")}, BY_DICE)
        grammar = st.toggle(t("Function words"), **bound("grammar"))
    options = {"window": window, "minimum": int(minimum), "most": MOST, "order": order, "senses": senses, "grammar": grammar}
    request = CollocatesRequest(query=guessed or query, kind=kind, **options)
    st.session_state["find.used"] = request.query  # for the notebook
    with st.spinner(t("Counting…"), show_time=True):
        result = view(collocates, workspace, request)
    _show(workspace, request, result, bool(guessed), corpus)


def _show(workspace: Workspace, request: CollocatesRequest, result: Collocates, guessed: bool, corpus) -> None:
    if not result.n:
        notice(describe_hits(corpus, request.query, guessed, hits_of(workspace, request.lines())))
        return
    chosen, sense = _show_columns(result)
    table = result.table()
    number = st.column_config.NumberColumn
    about = t("At most 14; an occurrence counts a word near it once.")
    columns = {t("logDice"): number(format="%.2f", help=about), t("log-likelihood"): number(format="%.1f")}
    look = {"height": min(LONG, len(table) + 1) * ROW + 3, "column_config": columns}
    event = lists.grid(table, key="collocates.table", on_select="rerun", selection_mode="single-row", **look)
    if not chosen and (rows := lists.read_selection(event, len(result.items))):
        chosen = result.items[rows[0]].word
    notice(_write_notices(request, result, guessed))
    _show_lines(workspace, request, chosen, sense)
    lists.offer_table(table, name="collocates", key="collocates.twin")


def _show_columns(result: Collocates) -> tuple[str, str]:
    """Draw a column of characteristic words for each sense. Return the word that the user clicked, and its sense."""
    columns = [column for column in result.senses if column.words and column.words[0].z >= TELLING][:8]
    pressed = "", ""
    for start in range(0, len(columns), COLUMNS):
        for place, column in zip(st.columns(min(COLUMNS, len(columns))), columns[start : start + COLUMNS], strict=False):
            with place:
                word = _show_sense(column)
            pressed = (word, column.sense) if word else pressed
    return pressed


def _show_sense(column: SenseColumn) -> str:
    words = [word for word in column.words if word.z >= TELLING][:10]
    rows = [{t("word"): word.word, "z": round(word.z, 1), t("here"): word.n, t("elsewhere"): word.elsewhere} for word in words]
    st.caption(tn("**{sense}**, {n:,} occurrence", "**{sense}**, {n:,} occurrences", column.n, sense=markup.plain(column.sense, CITED)))
    look = {"height": min(6, len(rows) + 1) * ROW + 3, "column_config": {"z": st.column_config.NumberColumn(format="%.1f")}}
    event = lists.grid(rows, key=f"collocates.sense.{column.sense}", on_select="rerun", selection_mode="single-row", **look)
    picked = lists.read_selection(event, len(words))
    return words[picked[0]].word if picked else ""


def _show_lines(workspace: Workspace, request: CollocatesRequest, word: str, sense: str) -> None:
    if not word:
        st.caption(t("Select a row to read its lines."))
        return
    wanted = request.lines(near=word, window=request.window, sense=sense, senses=request.senses or LABELS)
    hits = hits_of(workspace, wanted)
    values = {"word": markup.plain(word, CITED), "query": markup.plain(request.query, CITED)}
    st.caption(tn("{n:,} line with “{word}” near “{query}”", "{n:,} lines with “{word}” near “{query}”", len(hits), **values))
    draw_lines(HitLines(workspace, wanted, hits), key="collocates.lines")


def _write_notices(request: CollocatesRequest, result: Collocates, guessed: bool) -> list[str]:
    query = shorten(request.query)
    notes = [t("Example: “{word}”.", word=query)] if guessed else []
    firsts = [(column.sense, column.words[0]) for column in result.senses if column.words and not column.words[0].elsewhere]
    if firsts:
        clear = [(sense, first) for sense, first in firsts if first.z >= CLEAR_Z]
        parts = "; ".join(f"“{shorten(first.word)}” ({shorten(sense)})" for sense, first in (clear or firsts)[:4])
        by_chance = t("Near only one sense, though each may be chance: {words}.", words=parts)
        notes.append(t("Near only one sense: {words}.", words=parts) if clear else by_chance)
    if result.items:
        best = result.items[0]
        values = {"word": shorten(best.word), "query": query, "n": best.together, "all": best.frequency}
        notes.append(t("Occurrences of “{word}” near “{query}”: {n:,} of {all:,}.", **values))
    else:
        values = {"query": query, "n": request.minimum}
        notes.append(t("No word occurs {n} times or more near “{query}”. Lower the minimum, or widen the window.", **values))
    return [*notes[-1:], *notes[:-1]] if guessed else notes  # the box is empty, so the first one names the word


def show_keywords(in_use: InUse) -> None:
    workspace = store.workspace_over(in_use, store.own_texts())
    with show_errors():
        usual = reference_of(workspace)
        names = [name for name in registry.available("corpus") if name != workspace.corpus]
        if in_use.corpus != workspace.corpus:
            names.insert(0, in_use.corpus)
        places = st.columns([4, 4, 2], vertical_alignment="bottom")
        names = [usual, *(name for name in dict.fromkeys(names) if name != usual)]
        against = corpus_box("against", t("Compare with"), names, usual, place=places[0])
        corrections = {FDR: t("false discoveries"), BONFERRONI: t("Bonferroni"), NONE: t("none")}
        correction = choice("correction", t("Correction of p"), corrections, FDR, place=places[1])
        minimum = places[2].number_input(t("At least"), **bound("key_minimum"))
        request = KeynessRequest(against=against, minimum=int(minimum), correction=correction, most=KEYWORDS)
        with st.spinner(t("Counting…"), show_time=True):
            result = view(keyness, workspace, request)
        _draw_keywords(result)


def _draw_keywords(result: Keyness) -> None:
    table = result.table()
    middle = len(result.first)
    visible = table[[t("word"), t("log-likelihood"), t("log ratio"), result.p_title]]
    sides = visible[:middle], visible[middle:].assign(**{t("log ratio"): -visible[t("log ratio")][middle:]})
    number = st.column_config.NumberColumn
    formats = {
        t("log-likelihood"): number(format="%.1f"),
        t("log ratio"): number(format="%.2f", help=t("1 is twice as often, 2 four times.")),
        result.p_title: number(format="%.2g"),
    }
    for place, name, n, side in zip(st.columns(2, gap="large"), result.names, result.tokens, sides, strict=True):
        with place:
            called = plain(corpus_title(name, result.names))
            st.caption(tn("More often in **{name}** ({n:,} token)", "More often in **{name}** ({n:,} tokens)", n, name=called))
            lists.grid(side, height=min(IN_SIGHT, len(side) + 1) * ROW + 3, column_config=formats)
    notice(_describe_keywords(result))
    if result.shared:
        st.caption(plain(describe_shared(result.shared, result.reduced)))
    lists.offer_table(table, name="keywords", key="keyness.twin")


def _describe_keywords(result: Keyness) -> list[str]:
    listed = (*result.first, *result.second)
    notes = []
    if not listed:
        return [t("No word to list. Lower the count, or add text.")]
    if words := "”, “".join(shorten(word.word) for word in result.first[:3]):
        notes = [t("Most characteristic here: “{words}”.", words=words)]
    values = {"n": sum(word.p < CERTAIN for word in listed), "shown": len(listed), "all": result.compared}
    return [*notes, t("{n:,} of {shown:,} listed differ beyond chance (p < 0.05, {all:,} tested).", **values)]
