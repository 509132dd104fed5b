"""Draw a lesson: its figure, what to notice, the question for a class, how it was measured, and its tables."""

import streamlit as st

from core.common.i18n import t
from core.common.markup import code, command
from core.evaluation.lessons import read
from pages._cached import opened
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import fragment, plain, show_html
from pages._learn import live_lessons, stored_lessons
from pages._learn.lessons import Lesson
from pages._widgets import lists
from pages._widgets.charts import draw

LIVE = {"cone": live_lessons.compare_random_pairs, "apart": live_lessons.find_threshold, "homonyms": live_lessons.compare_relations}
STORED = {"context": stored_lessons.compare_contexts, "before": stored_lessons.read_before, "control": stored_lessons.probe_random_tags}


@fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    """Draw the controls and the results of a lesson."""
    name = lesson.name
    picture = st.container()
    if name in LIVE:
        page = LIVE[name](in_use)
    elif (measured := _find_measurements(in_use.model, name)) is not None:
        page = STORED[name](measured)
    else:
        return
    with picture:
        draw(page.figure, key=f"lesson.{name}", alt=page.alt)
        if page.caption:
            show_html('<p class="small">{}</p>', page.caption)
    notice(list(page.notices))
    page.draw_more()
    show_html('<div class="notice"><b>{}</b> {}</div>', t("For a class."), lesson.exercise)
    with st.expander(t("Details"), icon=":material/info:", key="lesson.details"):
        show_html('<p class="small">{}</p>', page.method)
        page.draw_details()
    lists.twin(page.table, name=name, label=page.table_label, key=f"lesson.{name}.table")
    if page.by_word is not None:
        lists.twin(page.by_word, name=f"{name}-words", label=t("By word"), key=f"lesson.{name}.words")


def _find_measurements(model_name: str, part: str) -> dict | None:
    """Return the measurements stored with the model for a lesson. Return None if it has none, and state what to do."""
    model = opened.model(model_name)
    result = read(model.folder, model.fingerprint).get(part)
    if result is None:
        offered = command("python", "-m", "core", "evaluate", "lessons", options=[("model", model.name)])
        st.info(t("Not computed for {model} yet. In a terminal (minutes): {command}", model=plain(model.name), command=code(offered)))
        notice([t("No measurements of this model yet.")])
    return result
