"""Learn: slides, lessons and a quiz."""

import streamlit as st

from core.common.i18n import t
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse
from pages._learn.slides import all_slides, choose_lesson, close, current_lesson, notes, stepper


def lessons(in_use: InUse) -> None:
    """Show the lessons, each with its baseline, its control and its interval."""
    lesson = current_lesson()
    question(lesson.question)
    lede(lesson.lede)
    choose_lesson()
    show("pages._learn.lesson_show", in_use, lesson)


def slides(in_use: InUse) -> None:
    """Show the slides, in large type that fills the screen, with the speaker's notes."""
    close()
    slide, foot = st.container(key="one_idea", gap="small"), st.container(key="one_idea_foot", gap="small")
    with foot:
        number = stepper()
        notes(number)
    with slide:
        question(all_slides()[number].title)
        show("pages._learn.slide_show", in_use, number)


def guess(in_use: InUse) -> None:
    """Show the quiz: eight sentences, and the sense that ELMo reads in each. The quiz of the day is the same for everybody."""
    question(t("Which sense does ELMo choose?"))
    lede(t("In each of 8 sentences, guess the sense <b>ELMo</b> chooses, right or wrong: a match is a point."))
    show("pages._learn.quiz_show", in_use)


in_use = frame("pages/learn.py")
{"slides": slides, "lessons": lessons, "guess": guess}[part()](in_use)
