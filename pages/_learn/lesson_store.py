"""The shared parts of lessons: their labeled sentences, the measurements stored with the model, and the choice of a word."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.word_maps import ALL_WORDS
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import code, command
from core.evaluation import lessons, relations
from core.workspace import Workspace
from pages._cached import opened
from pages._cached.views import workspace
from pages._frame.choices import BOUND
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_errors
from pages._widgets import lists


def labeled(in_use: InUse) -> Workspace:
    """Return the selected corpus if it is labeled, else that of the model's language. Show a notice in that case."""
    over = workspace(in_use)
    if over.is_labeled and len(over.targets.labeled_rows()):
        return over
    own = over.language.sentences
    if not own:
        raise BadInput(t("This lesson needs sense-labeled sentences. Choose some under “Model and data”."))
    values = {"corpus": plain(in_use.corpus), "own": plain(own)}
    st.caption(t("{corpus} has no labeled senses, so this lesson uses {own}.", **values))
    return workspace(replace(in_use, corpus=own))


def own(in_use: InUse) -> Workspace:
    """Return the labeled sentences of the model's language. Show a notice if another corpus is selected."""
    language = workspace(in_use).language
    if not language.sentences or not relations.read(language.code):
        raise BadInput(t("Sense relations are not labeled in this language. Choose another model under “Model and data”."))
    if in_use.corpus != language.sentences:
        st.caption(t("This lesson uses {own}, the language’s labeled sentences.", own=plain(language.sentences)))
    return workspace(replace(in_use, corpus=language.sentences))


def get_part(model_name: str, part: str) -> dict | None:
    """Return the measurements of the model for a lesson. Return None without any, and state what to do."""
    model = opened.model(model_name)
    result = lessons.read(model.folder, model.fingerprint).get(part)
    if result is None:
        offered = command("python", "-m", "core", "evaluate", "lessons", options=[("model", model.name)])
        st.info(t("Not computed for {model} yet. In a terminal (minutes): {command}", model=plain(model.name), command=code(offered)))
        notice([t("No measurements of this model yet.")])
    return result


def draw_kept(model_name: str, part: str, draw: Callable[[dict], None]) -> None:
    """Draw the measurements of the model for a lesson. It runs in a fragment, whose errors do not reach the caller."""
    with show_errors():
        if result := get_part(model_name, part):
            draw(result)


def word_of(words: Iterable[str], key: str, place: DeltaGenerator, **options) -> str:
    """Draw the choice of one of the lesson's words, or all."""
    titles = {ALL_WORDS: t("all words")} | {word: word for word in words}
    return place.selectbox(t("Word"), list(titles), format_func=titles.get, key=key, **options, **BOUND) or ALL_WORDS


def show_by_word(measured: Mapping, titles: Mapping[str, tuple[str, str]], key: str) -> None:
    """Show the 1-NN accuracy of each word for each kind of vectors, in an expander."""
    shares = {title: measured["one_nn"][name] for name, (title, _) in titles.items()}
    rows = [{t("word"): word} | {title: round(of[k], 3) for title, of in shares.items()} for k, word in enumerate(measured["words"])]
    lists.twin(pd.DataFrame(rows), name=f"{key}-words", label=t("By word"), key=f"lesson.{key}.words")
