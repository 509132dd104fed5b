"""A slide below its question: the picture, the one control, and the way to the whole page with what is shown."""

from __future__ import annotations

import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import BOX
from core.text.languages import tokenize
from pages._frame import examples, teaching
from pages._frame.choices import choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.question import place_of, token_labels
from pages._teach import pictures
from pages._teach.pictures import example_of
from pages._teach.words import slide_named

HEADLINE, INVENTED = "Giants beat Jets in the rain", "unfriendlyish"
SPELLING, HEADLINES, INFLUENCE = 7, 8, (4, 6)  # slides, by their number from 0, whose control is no word of two sentences


def show(in_use: InUse, number: int) -> None:
    """A slide below its question: picture, sentence, control, and for whoever speaks the notes and the whole page."""
    slide, place = slide_named(number), st.container(gap="small")
    draw = pictures.DRAW[number]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        picked = _control(number)
        st.page_link(
            slide.page, label=t("Open the full page"), icon=":material/open_in_full:", query_params=_address(number, picked)
        )
    with place:
        with st.container(key="slide_picture", gap="small", vertical_alignment="center"):
            said = draw(in_use, picked)
        notice([said])


def _control(number: int) -> str:
    """The slide's one control: a word of the examples, a sentence of the page of influence, or a text."""
    if number == SPELLING:
        label = t("Invent a word")
        text = text_box("slide_invented", label, INVENTED, BOX["invented"], label_visibility="collapsed", placeholder=label)
        return text.strip() or INVENTED
    if number == HEADLINES:
        label = t("A headline of today")
        text = text_box("slide_headline", label, HEADLINE, BOX["headline"], label_visibility="collapsed", placeholder=label)
        return text.strip() or HEADLINE
    of_influence = number in INFLUENCE
    words = [e.word for e in examples.decided()] if of_influence else list(examples.pairs())
    if not words:
        raise BadInput(t("There are no example sentences in this language. Choose another model under “In use”."))
    return choice("slide_sentence" if of_influence else "slide_word", t("Word"), words, words[0], label_visibility="collapsed")


def _address(number: int, picked: str) -> dict[str, str]:
    """What the slide shows, as the full page's address has it."""
    kept = {"teach": "true"} if teaching.is_on() else {}
    if number == SPELLING:
        return kept | {"spell": picked}
    if number == HEADLINES:
        return kept | {"text_news-title": picked}
    told = {"map_word": picked}
    for key, text in zip("ab", [example_of(picked).text] if number in INFLUENCE else examples.pairs()[picked], strict=False):
        tokens = tokenize(text)
        told |= {key: text, f"{key}i": token_labels(tokens)[place_of(tokens, picked)]}
    return kept | told
