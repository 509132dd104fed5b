"""The Map page: choose a word and a layer, see its dots, read the measures."""

from __future__ import annotations

import streamlit as st

from core import figures, workbench
from core.errors import BadInput
from pages._shared import atlas, lists, notices, store
from pages._shared.frame import InUse, notice
from pages._shared.inputs import sentence_pair


def show(in_use: InUse) -> None:
    """Inputs, maps, what to notice, measures, table twins."""
    table = store.targets(in_use.corpus, in_use.model)
    row = st.columns([2, 3], vertical_alignment="bottom")
    if not table.lemmas:
        raise BadInput(
            f"“{in_use.corpus}” has no sense-labelled words to draw. Choose “sentences” under In use, or a JSONL file with senses."
        )
    words = [*table.lemmas, workbench.ALL_WORDS]
    guess = notices.lemma_of(table, st.session_state.get("w", "bank")) or table.lemmas[0]
    atlas.follow_word(guess)
    word = (
        row[0].selectbox(
            "Word",
            words,
            index=words.index("bank") if "bank" in words else 0,
            key="map_word",
            bind="query-params",
            persist_state="session",
        )
        or guess
    )
    view = (
        row[1].segmented_control(
            "Layer",
            ["all layers", "0", "1", "2", "mix"],
            default="all layers",
            key="view",
            bind="query-params",
            persist_state="session",
        )
        or "all layers"
    )
    with st.expander("Put your own sentences on the map", icon=":material/star:", expanded=False, key="map.own"):
        chosen = sentence_pair()
    maps = store.maps(in_use.corpus, in_use.model, word)
    rows = workbench.map_rows(table, word)
    stars = atlas.stars(in_use, word, maps, rows, chosen)
    atlas.maps_row(in_use, word, view, maps, rows, stars)
    scores = atlas.scores(in_use, word)
    notice(atlas.about_scores(word, scores, stars, table))
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("**How often is the nearest sentence one with the same meaning?**")
        st.plotly_chart(atlas.score_figure(scores), key="map.scores", config=figures.CONFIG)
    with right:
        st.caption(
            f"Measured in the full space of the vectors, not on the map. {len(rows)} labelled sentences, leaving each one out in turn. "
            f"Maps: {maps.method}, seed {maps.config.seed}, all layers aligned; on average a dot moves {sum(maps.displacement) / max(1, len(maps.displacement)):.0%} of the map's "
            "width from one layer to the next. Near dots are alike; how far apart two distant groups are means little."
        )
        lists.twin(atlas.score_table(scores, maps), name=f"measures-{word}", label="The measures as a table", key="map.measures")
    occurrences = [table.occurrence(int(r)) for r in rows]
    lists.twin(
        atlas.point_table(occurrences, maps), name=f"map-{word}", label=f"All {len(rows)} dots as a table", key="map.points"
    )
