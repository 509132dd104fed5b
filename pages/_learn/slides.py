"""The slides and the lessons, with their texts from slides.json, and the choice between them. Nothing heavy is imported here."""

import json
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.common.i18n import say, t
from core.common.markup import Markup
from pages._export import record
from pages._frame.menu import HOME, page_address

WORD, SPELLING, HEADLINE = "word", "spelling", "headline"  # kinds of a slide's control
TEXTS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))  # in English
STYLE = f"<style>\n{Path(__file__).with_suffix('.css').read_text('utf-8')}</style>"


@dataclass(frozen=True, slots=True)
class Slide:
    """A slide: its texts, the page that shows more, and its subject. `slide_show.DRAW` has its picture by name."""

    name: str
    title: str  # a question
    page: str
    note: str  # for the speaker
    control: str = WORD
    one_sentence: bool = False  # the picture is about one sentence, not two
    needs_senses: bool = False  # labeled senses of the word


def all_slides() -> tuple[Slide, ...]:
    return tuple(Slide(**item | {"title": say(item["title"]), "note": say(item["note"])}) for item in TEXTS["slides"])


def close() -> None:
    """Offer the way back to the page before, else to Home, by a × and by Escape."""
    st.html(STYLE)
    if st.button(t("Close"), key="slides.close", icon=":material/close:", shortcut="escape", type="tertiary"):
        view, address = record.now().before or (HOME, {})
        file, parameters = page_address(view)
        st.switch_page(file, query_params=address | parameters)


@dataclass(frozen=True, slots=True)
class Lesson:
    """The texts of a lesson: its name in the URL, its question, the sentence below it, and a question for a class."""

    name: str
    question: str
    lede: str
    exercise: str


SEMINAR = ("homonyms", "control", "before")  # lessons for users who know what a probe is


def all_lessons() -> tuple[Lesson, ...]:
    """Return all lessons. Their texts are HTML."""
    fields = ("question", "lede", "exercise")
    return tuple(Lesson(item["name"], *(Markup(say(item[field])) for field in fields)) for item in TEXTS["lessons"])  # noqa: S704
