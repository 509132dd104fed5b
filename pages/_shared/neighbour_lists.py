"""The Neighbours page's three lists: GloVe's one and ELMo's two, each neighbour in its sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import figures, neighbours
from core.texts import t
from core.workbench import layer_weights
from pages._shared import lists, notices, store
from pages._shared.engines import compare_engines
from pages._shared.frame import notice
from pages._shared.in_use import InUse
from pages._shared.inputs import Choice, Chosen
from pages._shared.markup import plain
from pages._shared.progress import show_progress


def show(in_use: InUse, first: Chosen, second: Chosen, choice: Choice) -> None:
    """Lists, what to notice, table twin; the second engine's answer if it is chosen."""
    targets = store.targets(in_use.corpus, in_use.model)
    job = store.table_job(in_use.corpus, in_use.model)
    if job.running:
        show_progress(job)
    elif job.error:
        st.warning(plain(job.error))
    everything = job.result is not None
    weights = layer_weights(choice.layer, targets.meta["layers"], choice.weights or None)
    columns, tables, lists_found = st.columns(3, gap="large"), [], []
    with columns[0]:
        notices.glove_column(store.vectors(in_use.vectors), first, second, choice.k, tables)
    names = t("First sentence"), t("Second sentence")
    for column, chosen, name, colour in zip(columns[1:], (first, second), names, figures.OWN, strict=True):
        with column:
            if chosen.position is None:
                continue
            word = chosen.word[:24]
            title = (
                t("ELMo, “{word}” in the first sentence", word=word)
                if chosen is first
                else t("ELMo, “{word}” in the second sentence", word=word)
            )
            lists.heading(title, colour, chosen.readable[:140])
            words, found = _found_for(in_use, choice, chosen, weights, everything)
            if words is not None:
                lists.word_lines(words)
                tables.append(pd.DataFrame(words, columns=[t("word"), t("cosine"), t("note")]).assign(**{t("context"): name}))
                lists_found.append([w for w, _, _ in words])
            else:
                lists.keyword_lines(found, notices.senses_of(targets, chosen.word))
                tables.append(lists.neighbour_table(found, name))
                lists_found.append(found)
    if len(lists_found) == 2:
        notice(notices.about_neighbours(first, second, choice.layer, *lists_found))
    if tables:
        lists.twin(pd.concat(tables, ignore_index=True), name="neighbours", key="neighbours.table")
    compare_engines(in_use, [first, second])


def _found_for(in_use: InUse, choice: Choice, chosen: Chosen, weights: np.ndarray, everything: bool):
    """(lines, table) of one context."""
    if choice.among == "types" and everything:
        table = store.table_job(in_use.corpus, in_use.model).result
        types = neighbours.nearest_types(
            table, store.query_products(in_use.corpus, in_use.model, "types", chosen.tokens, chosen.position), weights, k=choice.k
        )
        return [(one.word, one.cosine, t("mean of {n}", n=one.occurrences)) for one in types], None
    kind = "all" if everything else "targets"
    table = store.table_job(in_use.corpus, in_use.model).result if everything else store.targets(in_use.corpus, in_use.model)
    among = choice.among if choice.among != "types" else neighbours.OTHER
    found = store.query_products(in_use.corpus, in_use.model, kind, chosen.tokens, chosen.position)
    return None, neighbours.nearest(table, found, weights, k=choice.k, which=among)
