"""What the pages about one word compute once: its way through the model, its neighbours by sense."""

import streamlit as st

from core.analysis import memory
from core.analysis.memory import Memory
from core.analysis.walk import Walk, walk
from core.common.i18n import t
from core.senses import cloud
from pages._cached import opened
from pages._cached.kept import kept
from pages._word.other_text import varied_texts


@kept(128)
def static_side(corpus: str, model: str, vectors: str, lemma: str) -> tuple[list[cloud.Placed], cloud.HeldOut]:
    """A word's 50 static neighbours with their senses, and how far these can be trusted."""
    static = opened.vectors(vectors)
    found = cloud.profiles(opened.targets(corpus, model), lemma, static)
    return cloud.static_neighbours(found, static, lemma), cloud.held_out(found, static)


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
