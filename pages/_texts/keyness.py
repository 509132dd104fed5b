"""The Keywords part: words that are more frequent in one of two corpora."""

import streamlit as st

from core.common.i18n import t, tn
from core.common.markup import shorten
from core.corpus.measures import BONFERRONI, FDR, NONE
from core.files import registry
from core.files.user_names import corpus_title
from core.views.concordance import Keyness, KeynessRequest, keyness, reference_of
from core.views.sides import describe_shared
from pages._cached.views import view
from pages._frame.choices import coded_choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse, corpus_box
from pages._frame.markup import plain, show_errors
from pages._frame.parameters import bound
from pages._texts import store
from pages._widgets import lists

MOST, LONG, ROW = 100, 12, 35  # words of each corpus, rows in sight, pixels of a row
CERTAIN = 0.05  # p below which a keyword is more than chance


def show(in_use: InUse) -> None:
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
        correction = coded_choice("correction", t("Correction of p"), corrections, FDR, place=places[1])
        minimum = places[2].number_input(t("At least"), **bound("key_minimum"))
        request = KeynessRequest(against=against, minimum=int(minimum), correction=correction, most=MOST)
        with st.spinner(t("Counting…"), show_time=True):
            result = view(keyness, workspace, request)
        _show(result)


def _show(result: Keyness) -> None:
    table, middle = result.table(), len(result.first)
    visible = table[[t("word"), t("log-likelihood"), t("log ratio"), t("p, corrected")]]
    sides = visible[:middle], visible[middle:].assign(**{t("log ratio"): -visible[t("log ratio")][middle:]})
    for place, name, n, side in zip(st.columns(2, gap="large"), result.names, result.tokens, sides, strict=True):
        with place:
            called = plain(corpus_title(name, result.names))
            st.caption(tn("More often in **{name}** ({n:,} token)", "More often in **{name}** ({n:,} tokens)", n, name=called))
            lists.grid(side, height=min(LONG, len(side) + 1) * ROW + 3, column_config=_formats())
    notice(_write_notices(result))
    if result.shared:
        st.caption(plain(describe_shared(result.shared, result.reduced)))
    lists.twin(table, name="keywords", key="keyness.twin")


def _formats() -> dict:
    number = st.column_config.NumberColumn
    return {
        t("log-likelihood"): number(format="%.1f"),
        t("log ratio"): number(format="%.2f", help=t("1 is twice as often, 2 four times.")),
        t("p, corrected"): number(format="%.2g"),
    }


def _write_notices(result: Keyness) -> list[str]:
    certain = [word for word in (*result.first, *result.second) if word.p < CERTAIN]
    notes = []
    if result.first:
        words = "”, “".join(shorten(word.word) for word in result.first[:3])
        notes.append(t("Most characteristic here: “{words}”.", words=words))
    listed = len(result.first) + len(result.second)
    if not listed:
        return [t("No word to list. Lower the count, or add text.")]
    notes.append(
        t("{n:,} of {shown:,} listed differ beyond chance (p < 0.05, {all:,} tested).", n=len(certain), shown=listed, all=result.compared)
    )
    return notes
