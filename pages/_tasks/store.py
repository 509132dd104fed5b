"""Heads and answers, opened and computed once."""

import streamlit as st

from core.common.i18n import t
from core.tasks import answers
from core.tasks.answers import OpenTask, TaskAnswer
from core.tasks.results import FOLDER, Summary, read_results, summaries
from core.tasks.task import Example
from pages._cached.kept import KEPT, kept, version
from pages._cached.opened import model, vectors
from pages._frame.in_use import InUse


@kept(4, weighed=False)
def _opened(model_name: str, vectors_name: str, made: float) -> dict[str, OpenTask]:
    with st.spinner(t("Opening the heads…")):
        return answers.open_tasks(model(model_name), vectors(vectors_name))


def opened(in_use: InUse) -> dict[str, OpenTask]:
    """The tasks that have heads which fit what is in use; none where nothing was trained."""
    path = FOLDER / "results.json"
    return _opened(in_use.model, in_use.vectors, path.stat().st_mtime) if path.is_file() else {}


@kept(256)
def _said(task: str, model_name: str, vectors_name: str, example: Example, made: float) -> dict[str, TaskAnswer]:
    return answers.ask(_opened(model_name, vectors_name, made)[task], example, model(model_name), vectors(vectors_name))


def said(task: str, in_use: InUse, example: Example) -> dict[str, TaskAnswer]:
    """What each variant says of an example."""
    return _said(task, in_use.model, in_use.vectors, example, (FOLDER / "results.json").stat().st_mtime)


def mentions(in_use: InUse, text: str) -> Example:
    """A text with the mentions that its chains are made of."""
    made = (FOLDER / "results.json").stat().st_mtime
    key = (in_use.model, version(in_use.model, "model"), in_use.vectors, version(in_use.vectors, "vectors"), made, text)

    def read() -> Example:
        phrases = _opened(in_use.model, in_use.vectors, made)["chunks"]
        return answers.mentions_in(text, phrases, model(in_use.model), vectors(in_use.vectors))

    return KEPT.value("mentions", key, read, most=256)


def predicates(in_use: InUse, example: Example) -> list[int]:
    """The tokens of a sentence that the roles' heads take for predicates."""
    return answers.predicates(opened(in_use)["roles"], example, model(in_use.model), vectors(in_use.vectors))


def measured() -> dict[str, Summary]:
    """How good each task's heads are on texts they never saw."""
    return summaries(read_results())
