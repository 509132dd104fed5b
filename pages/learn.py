"""Learn: slides, lessons and a quiz."""

import streamlit as st

from core.common.i18n import t
from pages._frame.choices import choice, settle_choice
from pages._frame.frame import frame, lede, part, question, show
from pages._frame.in_use import InUse
from pages._learn.slides import SEMINAR, all_lessons, all_slides, close
from pages._widgets.components import stepper


def lessons(in_use: InUse) -> None:
    """Show the lessons, each with its baseline, its control and its interval."""
    by_name = {lesson.name: lesson for lesson in all_lessons()}
    usual = next(iter(by_name))
    lesson = by_name[settle_choice("lesson", by_name, usual)]
    question(lesson.question)
    lede(lesson.lede)
    seminar = t("For a seminar")
    titles = {name: f"{seminar}: {item.question}" if name in SEMINAR else item.question for name, item in by_name.items()}
    choice("lesson", t("Lesson"), titles, usual)
    show("pages._learn.lesson_show", in_use, lesson)


def slides(in_use: InUse) -> None:
    """Show the slides, in large type that fills the screen, with the speaker's notes."""
    close()
    slide, foot = st.container(key="one_idea", gap="small"), st.container(key="one_idea_foot", gap="small")
    items = all_slides()
    with foot:
        numbers = [str(k) for k in range(1, len(items) + 1)]
        number = stepper("slide", t("Slide"), numbers, buttons="slide", following=lambda number: t("Next"), shortcuts=("left", "right"))
        with st.expander(t("Speaker’s notes"), icon=":material/speaker_notes:", key=f"slide.note.{number}"):
            st.markdown(items[number].note)
    with slide:
        question(items[number].title)
        show("pages._learn.slide_show", in_use, number)


def guess(in_use: InUse) -> None:
    """Show the quiz: eight sentences, and the sense that ELMo reads in each. The quiz of the day is the same for everybody."""
    question(t("Which sense does ELMo choose?"))
    lede(t("In each of 8 sentences, guess the sense <b>ELMo</b> chooses, right or wrong: a match is a point."))
    show("pages._learn.quiz_show", in_use)


in_use = frame("pages/learn.py")
{"slides": slides, "lessons": lessons, "guess": guess}[part()](in_use)
