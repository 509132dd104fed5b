"""The parts of lessons: what a lesson shows, its labeled sentences, the choice of a word, and sentences about intervals."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.word_maps import ALL_WORDS
from core.common.errors import BadInput
from core.common.i18n import format_number, t
from core.common.significance import Paired
from core.evaluation import relations
from core.workspace import Workspace
from pages._cached.views import workspace
from pages._frame.in_use import InUse
from pages._frame.markup import plain
from pages._frame.parameters import bound


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPage:
    """The results of a lesson, which `lesson_show` draws in this order."""

    figure: go.Figure
    alt: str  # describes the figure
    caption: str = ""  # below the figure
    notices: Sequence[str]
    draw_more: Callable[[], None] = lambda: None  # below the notices
    method: str  # how the numbers were measured
    draw_details: Callable[[], None] = lambda: None  # below the method
    table: pd.DataFrame
    table_label: str = ""
    by_word: pd.DataFrame | None = None  # a row for each word


def open_labeled(in_use: InUse) -> Workspace:
    """Return the selected corpus if it is labeled, else that of the model's language. Show a notice in that case."""
    over = workspace(in_use)
    if over.is_labeled and len(over.targets.labeled_rows()):
        return over
    bundled = over.language.sentences
    if not bundled:
        raise BadInput(t("This lesson needs sense-labeled sentences. Choose some under “Model and data”."))
    st.caption(t("{corpus} has no labeled senses, so this lesson uses {own}.", corpus=plain(in_use.corpus), own=plain(bundled)))
    return workspace(replace(in_use, corpus=bundled))


def open_relations(in_use: InUse) -> Workspace:
    """Return the labeled sentences of the model's language. Show a notice if another corpus is selected."""
    language = workspace(in_use).language
    if not language.sentences or not relations.read(language.code):
        raise BadInput(t("Sense relations are not labeled in this language. Choose another model under “Model and data”."))
    if in_use.corpus != language.sentences:
        st.caption(t("This lesson uses {own}, the language’s labeled sentences.", own=plain(language.sentences)))
    return workspace(replace(in_use, corpus=language.sentences))


def choose_word(words: Iterable[str], key: str, place: DeltaGenerator, **options) -> str:
    """Draw the choice of one of the lesson's words, or all."""
    titles = {ALL_WORDS: t("all words")} | {word: word for word in words}
    return place.selectbox(t("Word"), list(titles), format_func=titles.get, **bound(key, **options)) or ALL_WORDS


def format_interval(difference: Paired) -> str:
    """Return a difference in points with its interval and its significance."""
    values = {"mean": format_number(100 * difference.mean, "+.1f"), "span": difference.span(), "certain": certainty(difference.verdict)}
    return t("{mean} points ({span}), {certain}", **values)


def certainty(decided: bool | int) -> str:
    """State whether a value is beyond chance."""
    return t("significant") if decided else t("not significant")
