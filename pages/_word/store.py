"""What the pages about one word compute once: its way through the model, its influences."""

from collections.abc import Iterable

import numpy as np
import streamlit as st

from core.analysis import memory
from core.analysis.memory import Memory
from core.analysis.walk import Walk, walk
from core.common.i18n import t
from core.senses import influence
from pages._cached import opened
from pages._cached.kept import kept
from pages._word.other_text import varied_texts


@kept(64)
def influences(
    corpus: str, model_name: str, tokens: tuple[str, ...], position: int, how: str, swap: str, weights: tuple[float, ...]
) -> influence.Influence:
    """Every variant of a sentence beside the senses of its word; the same sentence, where it is labelled, is left out of them."""
    known = None
    mix = np.array(weights)
    table = opened.targets(corpus, model_name) if opened.is_labelled(corpus) else None
    if table is not None and (lemma := table.lemma_of(tokens[position])):
        rows = np.array([r for r in table.labelled_rows(lemma) if table.occurrence(r).tokens != tokens], int)
        known = influence.centroids(table.rows.take(rows), [table.senses[k] for k in table.sense[rows]], mix)
    return influence.influence(opened.model(model_name).encoder, tokens, position, known, how=how, swap=swap, weights=mix)


@kept(64)
def pulls(
    model_name: str, one: tuple[tuple[str, ...], int], other: tuple[tuple[str, ...], int], how: str, swap: str, weights: tuple[float, ...]
) -> influence.Influence:
    """Every variant of a sentence beside the word's vector in it and that of another sentence's word; both as (tokens, position)."""
    known = influence.pair(encoded(model_name, (one, other)), np.array(weights), ("this sentence", "the other"))
    return influence.influence(opened.model(model_name).encoder, *one, known, how=how, swap=swap, weights=np.array(weights))


def encoded(model: str, sentences: Iterable[tuple[tuple[str, ...], int]]) -> np.ndarray:
    """(S, L, D) of the word in question in each (tokens, position), as they would be stored."""
    return np.stack([query.layers for query in opened.queries(model, sentences)])


@kept(64)
def walked(model_name: str, tokens: tuple[str, ...], position: int) -> Walk:
    """One token's way from its characters to its vector."""
    return walk(opened.model(model_name).encoder, list(tokens), position)


@kept(64)
def remembered(model_name: str, tokens: tuple[str, ...], other: tuple[tuple[str, ...], ...], rounds: int) -> Memory:
    """A sentence as carried-over states see it after another text, read `rounds` times."""
    between = [list(sentence) for sentence in other]
    with st.spinner(t("Reading…")):
        return memory.remember(opened.model(model_name).encoder, list(tokens), between, varied_texts(between), rounds)
