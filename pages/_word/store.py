"""What the pages about one word compute once: its way through the model."""

import streamlit as st

from core.analysis import memory
from core.analysis.memory import Memory
from core.analysis.walk import Walk, walk
from core.common.i18n import t
from pages._cached import opened
from pages._cached.kept import kept
from pages._word.other_text import varied_texts


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
