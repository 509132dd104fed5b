"""The Map page: choose a word, a layout and a layer, see its dots, read the measures, see where it fails."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import workbench
from core.errors import BadInput
from core.texts import t
from pages._shared import atlas, examples, lists, map_drawing, map_layout, map_ranking, map_scores, notices, store
from pages._shared.in_use import InUse
from pages._shared.inputs import sentence_pair


def show(in_use: InUse) -> None:
    """Inputs, maps, what to notice, lists, measures, ranking, table twins."""
    table = store.targets(in_use.corpus, in_use.model)
    if not table.lemmas:
        raise BadInput(
            t(
                "“{corpus}” has no sense-labelled words to draw. Choose “sentences” under In use, or a JSONL file with senses.",
                corpus=in_use.corpus,
            )
        )
    row = st.columns([2, 3], vertical_alignment="bottom")
    guess = notices.lemma_of(table, st.session_state.get("w", examples.first_word())) or table.lemmas[0]
    atlas.follow_word(guess)
    with row[0]:
        word = _word([*table.lemmas, workbench.ALL_WORDS]) or guess
    with row[1]:
        view = _layer()
    plan = map_layout.choose()
    maps, rows = store.maps(in_use.corpus, in_use.model, word), workbench.map_rows(table, word)
    # On the map of all words the one in question wears its senses' colours among the grey others.
    lemma = word if word != workbench.ALL_WORDS else notices.lemma_of(table, st.session_state.get("w", examples.first_word()))
    laid = map_layout.laid(in_use, word, plan, maps, lemma or guess)
    with st.expander(t("Put your own sentences on the map"), icon=":material/star:", expanded=False, key="map.own"):
        chosen = sentence_pair()
    stars = map_layout.stars(in_use, word, laid, maps, rows, chosen)
    scores = map_scores.of(in_use, word)
    shown = map_drawing.Shown(
        word, view, lemma, table, rows, laid, stars, atlas.placed(in_use, word, chosen), map_scores.noticed(word, scores, stars)
    )
    map_drawing.show(in_use, shown)
    map_scores.show(in_use, word, scores, maps, laid, len(rows))
    _twin(in_use, word, laid)
    map_ranking.show(in_use, word, view)


def _word(words: list[str]) -> str | None:
    return st.selectbox(
        t("Word"),
        words,
        format_func=lambda one: t("all words") if one == workbench.ALL_WORDS else one,
        index=words.index(first) if (first := examples.first_word()) in words else 0,
        key="map_word",
        bind="query-params",
        persist_state="session",
    )


def _layer() -> str:
    return (
        st.segmented_control(
            t("Layer"),
            ["all layers", "0", "1", "2", "mix"],
            format_func=lambda name: {"all layers": t("all layers"), "mix": t("mix")}.get(name, name),
            default="all layers",
            key="view",
            bind="query-params",
            persist_state="session",
        )
        or "all layers"
    )


def _twin(in_use: InUse, word: str, laid: map_layout.Laid) -> None:
    """Every dot with its places in the layout on screen."""
    dots = atlas.dots(in_use.corpus, in_use.model, word)
    facts = {t("word"): dots.words, t("sense"): dots.senses, t("sentence"): dots.sentences}
    for name, coordinates in zip(laid.names, laid.coordinates, strict=True):
        layer = t("mix") if name == "mix" else name
        facts[t("x, layer {layer}", layer=layer)] = coordinates[:, 0].round(3)
        facts[t("y, layer {layer}", layer=layer)] = coordinates[:, 1].round(3)
        if coordinates.shape[1] == 3:
            facts[t("z, layer {layer}", layer=layer)] = coordinates[:, 2].round(3)
    label = t("All {n} dots as a table", n=len(dots.words))
    lists.twin(pd.DataFrame(facts), name=f"map-{word}", label=label, key="map.points")
