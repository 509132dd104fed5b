"""The Map page: the picture first, beside it a word, a layer and a layout; below what was measured and where the model fails."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.analysis.word_maps import ALL_WORDS
from core.common import model_layers
from core.common.i18n import t
from core.common.model_layers import SENSES
from core.index.table import OccurrenceTable
from core.text.composed import folded
from core.text.labelled_words import parts
from core.text.tokens import bare
from core.views import layouts
from core.views.layouts import POLES, Layout, LayoutRequest
from core.workbench import Bench
from pages._cached import opened, progress
from pages._cached.views import bench, view
from pages._frame.choices import layer_name
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.language import foreign
from pages._map import around, drawing, every_word, layout, measures, ranking
from pages._widgets import lists
from pages._widgets.inputs import Chosen, sentence_pair
from pages._widgets.word_search import word_search
from pages._word import atlas


def show(in_use: InUse) -> None:
    """Inputs, maps, what to notice, lists, measures, ranking, table twins."""
    picture = st.container()  # stands first; what it shows depends on the sentences below it
    with st.expander(t("Your two sentences"), icon=":material/star:", expanded=False, key="map.own"):
        chosen = sentence_pair(notices=picture)
    request = tuple(item for item in chosen if item.position is not None)
    over = bench(in_use)
    about = opened.about(in_use, *(item.looked_up for item in request))
    table = opened.targets(about.corpus, about.model)
    with picture:
        with st.container(key="picture_first"):  # on a phone what is chosen stands below what is seen
            chosen_by = st.columns([3, 1], gap="medium", vertical_alignment="bottom")
            place = st.container()
        word = _word(in_use, table, request, chosen_by[0])
        in_use = in_use if word == ALL_WORDS else opened.about(about, word or "")  # the map of all words is the bundled ones'
        table = opened.targets(in_use.corpus, in_use.model)
        word = word and (table.lemma_of(word) or word)
        labelled = bool(table.lemmas) and word in (*table.lemmas, ALL_WORDS)
        result = None
        if labelled:
            result = _labelled(in_use, table, word, chosen, place, chosen_by[1])
        elif word:
            _around(in_use, over, word, request, place, chosen_by[1])
        else:
            place.info(t("Type two sentences below to start."), icon=":material/edit:")
    if result:
        _measures(in_use, word, st.session_state.get("view") or model_layers.in_use().top, result)


def _word(in_use: InUse, table: OccurrenceTable, chosens: tuple[Chosen, ...], place) -> str | None:
    """Which word is drawn: those of the reader's sentences first, then the labelled ones, or the commonest of a corpus without labels."""
    lemmas = [item.lemma_in(table) for item in chosens]
    own = [lemma or bare(item.word).casefold() for lemma, item in zip(lemmas, chosens, strict=True)]
    known = opened.labelled_words(in_use.corpus)
    labelled = [*dict.fromkeys([*table.lemmas, *known])]
    others = [ALL_WORDS, *sorted(labelled)] if labelled else around.frequent_words(table, opened.table_key(table))
    words = list(dict.fromkeys([*own, *others]))
    if not words:
        return None
    unread = foreign(*own)  # of other letters: all sentences would be searched in vain for them
    usual = [*(name for name in own if name not in unread), *table.lemmas, *words][0]
    result = word_search(
        place,
        "map_word",
        words,
        usual,
        known=known,
        titles={ALL_WORDS: _all_words(in_use)},
        told=every_word.known(in_use),
        help=t("Search by word or theme; unlabeled words work too."),
    )
    return result if result in words else folded(result)


def _all_words(in_use: InUse) -> str:
    """What the map of all words is called: of a language's own sentences it shows the words whose table is bundled."""
    if not opened.labelled_words(in_use.corpus):
        return t("all words")
    return t("all {n} bundled words", n=len(opened.targets(parts(in_use.corpus)[0], in_use.model).lemmas))


def _labelled(in_use: InUse, table: OccurrenceTable, word: str, chosen: tuple[Chosen, Chosen], left, right) -> Layout:
    """The map of a labelled word, its dots coloured by meaning."""
    asked = [item.lemma_in(table) for item in chosen if item.position is not None]
    own = next((lemma for lemma in asked if lemma), None)
    # On the map of all words the one in question wears its senses' colours among the grey others.
    lemma = word if word != ALL_WORDS else own
    with right, _more("layout"):
        plan = layout.choose()
    with left:
        ends = layout.ends(in_use, lemma or table.lemmas[0]) if plan == POLES else ()
        placed = atlas.placed(in_use, word, chosen)
        request = LayoutRequest(
            word=word,
            contexts=tuple(item.in_context for item in placed.values()),
            plan=plan,
            ends=ends,
            senses=st.session_state.get("view") == SENSES and drawing.offers_senses(in_use, word, plan),
        )
        with st.spinner(t("Drawing the map…")):
            result = view(layouts.compute, bench(in_use), request)
        drawing.show(in_use, drawing.Shown(word, lemma, table, result, placed))
    return result


def _around(in_use: InUse, over: Bench, word: str, chosens: tuple[Chosen, ...], left, right) -> None:
    """The map of a word without labels, which needs every token."""
    drawn = chosens if any(bare(item.word).casefold() == word for item in chosens) else ()
    with right, _more("around"):
        plan = around.choose_plan(len(drawn))
    with left:
        job = opened.table_job(over.corpus, over.names.model)
        with st.spinner(t("Reading all sentences…")):
            job.wait(progress.AT_MOST_S)
        if job.result is None:
            notice([t("“{word}” has no labels, so all sentences are read first, once.", word=word)])
            progress.show_state(job, lambda: opened.go_on(over.corpus, over.names.model))
            return
        around.show(in_use, over, word, drawn, plan)


def _more(key: str):
    return st.popover(t("Layout"), icon=":material/tune:", key=f"map.more.{key}", width="stretch")


def _measures(in_use: InUse, word: str, space: str, of: Layout) -> None:
    """What was measured in the full space, and where the model fails: worked out when opened."""
    with measures.show(word, of) if of.reports else st.container():
        _twin(in_use, word, of)
    everything = st.expander(
        t("Which words are inconclusive?"), icon=":material/format_list_numbered:", key="map.all", on_change="rerun", bind="query-params"
    )
    if everything.open:
        with everything:
            ranking.show(replace(in_use, corpus=parts(in_use.corpus)[0]), word, space)
            if every_word.offered(in_use):
                every_word.show(in_use, word, space if space in model_layers.in_use().spaces else "mix")


def _twin(in_use: InUse, word: str, of: Layout) -> None:
    """Every dot with its places in the layout on screen."""
    dots = atlas.dots(in_use.corpus, in_use.model, word)
    facts = {t("word"): dots.words, t("sense"): dots.senses, t("sentence"): dots.sentences}
    for name, coordinates in zip(of.names, of.coordinates, strict=True):
        layer = layer_name(name)
        facts[t("x, layer {layer}", layer=layer)] = coordinates[:, 0].round(3)
        facts[t("y, layer {layer}", layer=layer)] = coordinates[:, 1].round(3)
        if coordinates.shape[1] == 3:
            facts[t("z, layer {layer}", layer=layer)] = coordinates[:, 2].round(3)
    label = t("Table of {n:,} dots", n=len(dots.words))
    lists.twin(pd.DataFrame(facts), name=f"map-{word}", label=label, key="map.points")
