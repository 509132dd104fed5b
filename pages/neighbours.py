"""Neighbours: what stands nearest to a word in two contexts, beside GloVe's one list (Peters et al. 2018, table 4)."""

import numpy as np
import pandas as pd
import streamlit as st

from core import figures, neighbours
from core.workbench import layer_weights
from pages._shared import lists, notices, store
from pages._shared.engines import compare_engines
from pages._shared.frame import frame, lede, notice, shown_errors
from pages._shared.inputs import sentence_pair
from pages._shared.progress import show_progress

in_use = frame("Neighbours")
st.title("Who are its neighbours?")
lede(
    "The nearest vectors to a word show what a model takes it to mean. GloVe has one list for a spelling; ELMo has one for every sentence."
)
first, second = sentence_pair()
tools = st.columns([2, 4, 2], vertical_alignment="bottom")
layer = tools[0].segmented_control(
    "Layer", ["0", "1", "2", "mix"], default="2", key="nlayer", bind="query-params", persist_state="session",
    help="Layer 0 sees only the spelling. Layers 1 and 2 read the sentence. The mix weighs all three; set it on the Mix page.",
) or "2"
which = tools[1].segmented_control(
    "Look among", [neighbours.OTHER, neighbours.SAME, neighbours.ANY, "types"], default=neighbours.SAME, key="among",
    bind="query-params", persist_state="session",
    help="Same word: other sentences with this word. Other words: what could stand in its place. Types: one mean vector a spelling.",
) or neighbours.SAME
k = tools[2].slider("How many", 3, 30, 8, key="k", bind="query-params", persist_state="session")


def found_for(chosen, weights: np.ndarray, everything: bool):
    """(lines, table) of one context."""
    if which == "types" and everything:
        table = store.table_job(in_use.corpus, in_use.model).result
        types = neighbours.nearest_types(table, store.query_products(in_use.corpus, in_use.model, "types", chosen.tokens, chosen.position), weights, k=k)
        return [(t.word, t.cosine, f"mean of {t.occurrences}") for t in types], None
    kind = "all" if everything else "targets"
    table = store.table_job(in_use.corpus, in_use.model).result if everything else store.targets(in_use.corpus, in_use.model)
    among = which if which != "types" else neighbours.OTHER
    found = store.query_products(in_use.corpus, in_use.model, kind, chosen.tokens, chosen.position)
    return None, neighbours.nearest(table, found, weights, k=k, which=among)


with shown_errors():
    targets = store.targets(in_use.corpus, in_use.model)
    job = store.table_job(in_use.corpus, in_use.model)
    if job.running:
        show_progress(job)
    elif job.error:
        st.warning(job.error)
    everything = job.result is not None
    mix = ",".join(str(v) for v in st.session_state.get("s", (1 / 3, 1 / 3, 1 / 3)))
    weights = layer_weights(layer, targets.meta["layers"], mix)
    columns, tables, lists_found = st.columns(3, gap="large"), [], []
    with columns[0]:
        notices.glove_column(store.vectors(in_use.vectors), first, second, k, tables)
    for column, chosen, name, colour in zip(columns[1:], (first, second), ("First sentence", "Second sentence"), figures.OWN, strict=True):
        with column:
            if chosen.position is None:
                continue
            lists.heading(f"ELMo, “{chosen.word[:24]}” in the {name.lower()}", colour, chosen.readable[:140])
            words, found = found_for(chosen, weights, everything)
            if words is not None:
                lists.word_lines(words)
                tables.append(pd.DataFrame(words, columns=["word", "cosine", "note"]).assign(context=name))
                lists_found.append([w for w, _, _ in words])
            else:
                lists.keyword_lines(found, notices.senses_of(targets, chosen.word))
                tables.append(lists.neighbour_table(found, name))
                lists_found.append(found)
    if len(lists_found) == 2:
        notice(notices.about_neighbours(first, second, layer, *lists_found))
    if tables:
        lists.twin(pd.concat(tables, ignore_index=True), name="neighbours", key="neighbours.table")
    compare_engines(in_use, [first, second])
