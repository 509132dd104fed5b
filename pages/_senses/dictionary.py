"""The likeliest WordNet sense of each group, if WordNet's data are here. It is marked as a guess."""

import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import html, plain
from core.figures.style import sense_color
from core.views import induction
from core.views.induction import Induction
from core.workspace import Workspace
from pages._frame.choices import BOUND
from pages._frame.markup import show_html
from pages._widgets import lists

LISTED = 3  # senses of each group, the likeliest first


def show(over: Workspace, found: Induction, names: list[str]) -> None:
    """Show on request a line for each group, or what is missing and how to get it."""
    if not st.toggle(t("WordNet glosses"), key="found_glosses", **BOUND, help=t("Needs the package wn and a WordNet on this machine.")):
        return
    try:
        beside = induction.glosses(over, found)
    except ElmoscopeError as error:
        st.info(plain(str(error)), icon=":material/menu_book:")
        return
    kinds = {"n": t("noun"), "v": t("verb"), "a": t("adjective"), "s": t("adjective"), "r": t("adverb")}  # as WordNets name them
    for k, name in enumerate(names):
        first, *others = beside.likeliest(k, LISTED)
        lists.heading(name, sense_color(k))
        further = [html("<div>{} <i>{}</i></div>", sense.gloss, kinds.get(sense.pos, sense.pos)) for sense in others]
        kind = kinds.get(first.pos, first.pos)
        show_html('<div class="meanings"><div><b>{}</b> <i>{}</i></div><div class="small">{}</div></div>', first.gloss, kind, further)
    st.caption(t("A guess by the words of glosses and sentences ({lexicon}): the likeliest in bold.", lexicon=beside.lexicon))
