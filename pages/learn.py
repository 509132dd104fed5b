"""Learn: slides, lessons and a quiz."""

import streamlit as st

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse
from pages._learn.lessons import choose, current
from pages._learn.slides import all_slides, close, notes, stepper


def lessons(in_use: InUse) -> None:
    """Six questions of a course, each with its baseline, its control and its interval."""
    lesson = current()
    question(lesson.question)
    lede(lesson.lede)
    choose()
    show(lesson.module, in_use, lesson)


def slides(in_use: InUse) -> None:
    """The app's pictures one idea a screen, in large type that fills the screen, with notes for whoever speaks."""
    close()
    slide, foot = st.container(key="one_idea", gap="small"), st.container(key="one_idea_foot", gap="small")
    with foot:
        number = stepper()
        notes(number)
    with slide:
        question(all_slides()[number].title)
        show("pages._learn.slide_show", in_use, number)


def guess(in_use: InUse) -> None:
    """Eight sentences, the sense that ELMo reads in each, you against it; a quiz a day, the same for everybody."""
    question(t("Which sense does ELMo choose?"))
    lede(t("In each of 8 sentences, guess the sense <b>ELMo</b> chooses, right or wrong: a match is a point."))
    show("pages._learn.quiz_show", in_use)


in_use = frame("pages/learn.py")
{"slides": slides, "lessons": lessons, "guess": guess}[part()](in_use)
