"""The texts of the slides: questions, pages and the speaker's notes; and the steps between them."""

from dataclasses import dataclass

import streamlit as st

from core.common.i18n import t
from pages._export import record
from pages._frame.menu import HOME, door
from pages._widgets import steps

NUMBERS = ("1", "2", "3", "4", "5", "6", "7", "8", "9")
# A slide is laid out for 1280 by 720 pixels and grows with the screen: type by the root's, a chart, which is drawn in pixels, by --zoom.
STYLE = """
<style>
  .st-key-one_idea h1 {font-size: 2.5rem; line-height: 1.15; padding: 0 0 0 2.2rem;}
  .st-key-one_idea, .st-key-one_idea_foot, .st-key-one_idea .stVerticalBlock {gap: 0.5rem;}
  .st-key-one_idea .notice {font-size: 1.75rem; line-height: 1.35; margin: 0;}
  .st-key-slide_word-theme, .st-key-slide_word label {display: none;}
  .st-key-one_idea .said {font-size: 2.9rem; line-height: 1.45; margin: 0.5rem 0; overflow-wrap: anywhere;}
  .st-key-one_idea .stElementContainer:has(.stPlotlyChart) ~ .stElementContainer .said {font-size: 2rem; margin: 0;}
  .st-key-one_idea .said b {padding: 0.05rem 0.3rem; border-radius: 0.3rem; color: #1B1B1F;}
  .st-key-one_idea .said:nth-of-type(1) b {background: #FFD23F;}
  .st-key-one_idea .said:nth-of-type(2) b {background: #FF7AB6;}
  .st-key-one_idea .token {font-size: 2.5rem;}
  .st-key-one_idea .token span {font-size: 1.5rem !important;}
  .stMainBlockContainer {max-width: 100%; padding: 0.5rem 2rem 0.6rem 2rem;}
  .st-key-slides-close {position: fixed; top: 0.4rem; right: 1rem; width: auto; z-index: 999991;}
  .st-key-take {position: static;}
  .st-key-slides-close kbd, .st-key-slides-close span {color: inherit; opacity: 1;}
  [data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] {gap: 0.5rem;}
  [data-testid="stHeader"] {background: transparent; height: 2rem; min-height: 2rem;}
  .st-key-slide_picture {--zoom: tan(atan2(1rem, 16px));}
  .st-key-slide_picture .stElementContainer:has(.stPlotlyChart) {flex: 1 1 0 !important; min-height: 15rem; container-type: size;}
  .st-key-slide_picture .stElementContainer > :has(.stPlotlyChart), .st-key-slide_picture .stPlotlyChart {
    width: calc(100cqw / var(--zoom)) !important; height: calc(100cqh / var(--zoom)) !important; overflow: visible;}
  .st-key-slide_picture .js-plotly-plot {transform: scale(var(--zoom)); transform-origin: 0 0;}
  @media (min-width: 641px) {
    html {font-size: clamp(13px, min(1.25vw, 2.2222vh), 64px);}
    .st-key-learn_view {position: fixed; top: 0.4rem; right: 8.5rem; width: auto; z-index: 999991;}
    .stMainBlockContainer {min-height: 100dvh; display: flex; flex-direction: column;}
    .stMainBlockContainer :has(.st-key-slide_picture), .st-key-slide_picture {flex: 1 1 auto !important;}
  }
  @media (max-width: 640px) {
    html {font-size: 18px;}
    .stMainBlockContainer {padding: 2.4rem 1rem 0.4rem 1rem;}
    .st-key-one_idea h1 {font-size: 1.45rem; padding: 0;}
    .st-key-one_idea .notice {font-size: 1.15rem;}
    .st-key-one_idea .said, .st-key-one_idea .stElementContainer:has(.stPlotlyChart) ~ .stElementContainer .said {font-size: 1.25rem;}
    .st-key-one_idea .token {font-size: 1.2rem;}
    .st-key-one_idea .token span {font-size: 0.8rem !important;}
    .st-key-slide_picture {--zoom: 0.6;}
    .st-key-slide_picture .stElementContainer:has(.stPlotlyChart) {flex: none !important; height: 320px; overflow: clip;}
  }
</style>
"""


@dataclass(frozen=True, slots=True)
class Slide:
    """The texts of a slide. `slide_pictures` draws its picture."""

    title: str  # a question
    page: str  # where the whole of it is
    note: str  # for whoever speaks


def all_slides() -> tuple[Slide, ...]:
    """Return all slides in order, in the language of the interface."""
    return (
        Slide(
            t("Does one word have one meaning?"),
            "home",
            t("Read both sentences aloud and ask what the word means in each. Layer 0 reads only letters, so it sees no difference."),
        ),
        Slide(
            t("Where does GloVe put the word?"),
            "neighbors",
            t("GloVe learns one vector per spelling from nearby words, so all senses share it. Ask which words belong to which sense."),
        ),
        Slide(
            t("And ELMo?"),
            "home",
            t("ELMo reads the whole sentence first, so each occurrence has its own vector. The angle is true to scale."),
        ),
        Slide(
            t("Which layer separates the senses?"),
            "map",
            t(
                "Layer 0 sees only letters: same spelling, cosine 1. Layers 1 and 2 read the sentence. Ask which "
                "word will separate most. In this small model, some bars hardly fall."
            ),
        ),
        Slide(
            t("Which words decided the sense?"),
            "why",
            t(
                "Each word is removed once. The number is how much the chosen sense’s lead drops without it. Ask "
                "first: which word told you?"
            ),
        ),
        Slide(
            t("Does mixing layers help?"),
            "mix",
            t("Equal weights are only a start: each task learns one weight per layer and one scale, while ELMo stays fixed."),
        ),
        Slide(
            t("What does each direction read?"),
            "why",
            t(
                "Half of each vector has read the past, half the future. Bars: the chosen sense’s lead. Gray "
                "strokes: its lead without a sentence."
            ),
        ),
        Slide(
            t("What about a new word?"),
            "how",
            t(
                "Let the room invent a word. ELMo reads letters through windows, so any spelling gets a vector, good "
                "or not. Blue windows add, orange subtract."
            ),
        ),
        Slide(
            t("What is it good for?"),
            "classify",
            t("All were trained here on the same headlines. Word counts are a strong baseline; Results shows where context helps."),
        ),
    )


def close() -> None:
    """Offer the way back to the page before, else to Home, by a × and by Escape."""
    st.html(STYLE)
    if st.button(t("Close"), key="slides.close", icon=":material/close:", shortcut="escape", type="tertiary"):
        view, address = record.now().before or (HOME, {})
        file, parameters = door(view)
        st.switch_page(file, query_params=address | parameters)


def stepper() -> int:
    """Draw Back, the numbers of the slides, and Next, with arrow keys. Return the number from 0."""
    return steps.stepper("slide", t("Slide"), NUMBERS, buttons="slide", following=lambda number: t("Next"), shortcuts=("left", "right"))


def notes(number: int) -> None:
    """Show the speaker's notes in an expander."""
    with st.expander(t("Speaker’s notes"), icon=":material/speaker_notes:", key=f"slide.note.{number}"):
        st.markdown(all_slides()[number].note)
