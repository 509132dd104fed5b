"""A slide below its question: the picture, its control, and a link to the complete page."""

import streamlit as st

from core.common.i18n import t
from core.common.limits import BOX
from core.text.readings import TwoContexts, WordInContext
from core.text.tokens import join_tokens
from pages._cached.views import about
from pages._export import record
from pages._frame import examples
from pages._frame.choices import text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.menu import page_link
from pages._frame.question import token_labels
from pages._learn import slide_pictures, slide_words
from pages._learn.slides import all_slides

SPELLING, HEADLINES = 7, 8  # slides, by their number from 0
TEXTS, INFLUENCE, OF_SENSES = (
    (SPELLING, HEADLINES),
    (4, 6),
    (4, 5, 6),
)  # whose control is a text; about one sentence; about labeled senses


def show(in_use: InUse, number: int) -> None:
    """Show a slide below its question: picture, sentence, control, the speaker's notes, and the link to the page."""
    slide = all_slides()[number]
    place = st.container(gap="small")
    draw = slide_pictures.DRAW[number]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        chosen = _control(number, in_use)
        link = st.container(width="content")
    with place:
        with st.container(key="slide_picture", gap="small", vertical_alignment="center"):
            shown = chosen if number in TEXTS else slide_words.pick(in_use, chosen, of_senses=number in OF_SENSES)
            used = in_use if isinstance(shown, str) else about(in_use, WordInContext((shown.word,), 0))
            line = draw(used, shown)
        notice([line])
    for key, label, text in () if isinstance(shown, str) else _sentences(number, shown):
        record.now().note("typed", (label, text), key)
    page_link(slide.page, t("Open full page"), place=link, icon=":material/open_in_full:", query_params=_address(number, shown))


def _sentences(number: int, shown: TwoContexts) -> list[tuple[str, str, str]]:
    """Return the slide's sentences for its file: a key, a label and the text of each."""
    if number in INFLUENCE:
        return [("a", t("Sentence"), join_tokens(list(shown.single.tokens)))]
    return [("a", t("First sentence"), shown.texts[0]), ("b", t("Second sentence"), shown.texts[1])][: len(shown.texts)]


def _control(number: int, in_use: InUse) -> str:
    """Draw the slide's control: a word or a text."""
    if number == SPELLING:
        label = t("Invent a word")
        usual = examples.invented()
        text = text_box("slide_invented", label, usual, BOX["invented"], label_visibility="collapsed", placeholder=label)
        return text.strip() or usual
    if number == HEADLINES:
        label, usual = t("Today’s headline"), examples.headline()
        text = text_box("slide_headline", label, usual, BOX["headline"], label_visibility="collapsed", placeholder=label)
        return text.strip() or usual
    return slide_words.choose(in_use)


def _address(number: int, shown: str | TwoContexts) -> dict[str, str]:
    """Return the URL parameters of the page that show the same."""
    if isinstance(shown, str):
        return {"step": "4", "spell": shown} if number == SPELLING else {"text_news-title": shown}
    values = {"map_word": shown.word}
    placed = (
        [(join_tokens(list(shown.single.tokens)), shown.single)] if number in INFLUENCE else zip(shown.texts, shown.sentences, strict=True)
    )
    for key, (text, word) in zip("ab", placed, strict=False):
        values |= {key: text, f"{key}i": token_labels(word.tokens)[word.position]}
    return values
