"""The inputs of Senses: the word, the layer and the number of groups, and what to do about a word with too few sentences."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import plain, shorten
from core.common.model_layers import SENSES
from core.files import registry
from core.index.table import OccurrenceTable
from core.senses import clusters
from core.text import languages
from core.text.corpora import list_words_in, sentences_of
from core.text.normalization import fold_case
from core.views import induction
from core.workspace import Workspace
from pages._cached import cache
from pages._cached.cache import workspace
from pages._frame import examples, question
from pages._frame.choices import layer_choice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._frame.menu import page_link
from pages._frame.parameters import bound, gone_through_history, read_parameter
from pages._widgets import lists
from pages._widgets.inputs import word_search

AUTO = "auto"
WORD, CORPUS = "found_word", "found.corpus"  # in the session: the box, and the corpus that it was last drawn for


@dataclass(frozen=True, slots=True)
class WordChoice:
    """The values of the inputs. The workspace includes the word's additional sentences."""

    over: Workspace
    word: str
    layer: str
    number: int | None


def choose(in_use: InUse, place, *, groups: bool = True) -> WordChoice | None:
    """Draw the inputs in `place` and return them. Return None after stating why there is nothing to show, or during the encoding."""
    over = workspace(in_use)
    if (table := _table(over)) is None:
        return None
    words = induction.words_of(over, table)
    with place:
        word, layer, number = _inputs(over, table, words, groups=groups)
    word = st.session_state["found.used"] = induction.lemma_of(over, word)  # for the notebook
    if (table := _table(over, word)) is None:
        return None
    rows = induction.rows_of(table, word)
    if len(rows) < clusters.FEWEST:
        _show_few(table, word, rows)
        return None
    return WordChoice(over, word, layer, None if number == AUTO else int(number))


def _table(over: Workspace, word: str = "") -> OccurrenceTable | None:
    """Return the table that has the word: the labeled sentences, else every token.

    Return None while a job encodes it, and show the progress.
    """
    if not sentences_of(over.corpus):
        registry.resolve(over.corpus, "corpus")  # states a wrong path at once
    table = induction.labeled_with(over, word)
    if table is None and (table := cache.wait_for_tokens(over)) is None:
        cache.show_reading(over)
    return table


def _inputs(over: Workspace, table: OccurrenceTable, words: list[str], *, groups: bool) -> tuple[str, str, str]:
    usual = _usual(over, table)
    labeled = list_words_in(over.corpus)
    offered = list(dict.fromkeys([usual, *sorted({*labeled, *table.lemmas}), *words]))
    about = t("Any word in at least 10 sentences of your corpus.")
    word = word_search(st.container(), WORD, offered, usual, labeled=labeled, help=about)
    places = st.columns([4, 5], vertical_alignment="bottom")
    spaces, default, about = model_layers.in_use().reading, model_layers.in_use().top, None
    if over.sense_space is not None:
        spaces, default, about = (SENSES, *spaces), SENSES, t("Sense space: layer 1 + topic + substitutes.")
    layer = layer_choice("found_layer", spaces, default, place=places[0], help=about)
    named = fold_case((word or "").strip()) or usual
    if not groups:
        return named, layer, AUTO
    numbers = [AUTO, "1", *map(str, clusters.NUMBERS)]
    options = {"format_func": lambda n: t("auto") if n == AUTO else n, "help": t("auto: suggested from the vectors.")}
    return named, layer, places[1].select_slider(t("Number of groups"), numbers, value=AUTO, **bound("found_k"), **options)


def _usual(over: Workspace, table: OccurrenceTable) -> str:
    """Return the word that the page opens with: the target word, or the page's example if the user has typed nothing.

    For the user's corpus, if the target is an example's word or too rare, it is the most ambiguous word of the corpus. After a change of the
    corpus the box turns to that word, unless the chosen word occurs there too.
    """
    usual = table.lemma_of(question.word()) or question.word()
    state = st.session_state
    is_custom = not sentences_of(over.corpus)
    if not is_custom and state.get("example") == examples.first_word():  # its groups match its senses
        usual = languages.in_use().examples.get("grouped", usual)
    if is_custom and (state.get("example") or len(induction.rows_of(table, usual)) < clusters.FEWEST):
        usual = induction.opening_word(over, table) or usual
    before = state.get(CORPUS)
    state[CORPUS] = over.corpus
    if before not in (None, over.corpus) and not gone_through_history():
        chosen = read_parameter(WORD)
        if chosen is None or len(induction.rows_of(table, chosen)) < clusters.FEWEST:
            state[WORD] = usual
    return usual


def _show_few(table: OccurrenceTable, word: str, rows: np.ndarray) -> None:
    """State how rare a word is, show its sentences, and state what to do."""
    values = {"word": plain(shorten(word)), "n": len(rows), "least": clusters.FEWEST}
    why = t("Occurrences of “{word}” in this corpus: {n:,}; groups need {least}. Choose another word, or add text.", **values)
    st.info(why, icon=":material/search_off:")
    if results := [table.occurrence(int(row)) for row in rows]:
        show_html("{}", [lists.keyword_line(o.tokens, o.position, "", text=o.text) for o in results])
    with st.container(horizontal=True, gap="small"):
        page_link("texts", t("Add text"), icon=":material/menu_book:", width="content")
        page_link("map", t("Any word’s map"), icon=":material/scatter_plot:", width="content")
