"""The texts of the slides and the lessons, and the choice between them. Nothing heavy is imported here."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.common.i18n import t
from pages._export import record
from pages._frame.menu import HOME, page_address
from pages._widgets import components

WORD, SPELLING, HEADLINE = "word", "spelling", "headline"  # kinds of a slide's control
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
    return (
        Slide(
            "sentences",
            t("Does one word have one meaning?"),
            "home",
            t("Read both sentences aloud and ask what the word means in each. Layer 0 reads only letters, so it sees no difference."),
        ),
        Slide(
            "static",
            t("Where does GloVe put the word?"),
            "neighbors",
            t("GloVe learns one vector per spelling from nearby words, so all senses share it. Ask which words belong to which sense."),
        ),
        Slide(
            "angle",
            t("And ELMo?"),
            "home",
            t("ELMo reads the whole sentence first, so each occurrence has its own vector. The angle is true to scale."),
        ),
        Slide(
            "layers",
            t("Which layer separates the senses?"),
            "map",
            t(
                "Layer 0 sees only letters: same spelling, cosine 1. Layers 1 and 2 read the sentence. Ask which word will separate most. In this small model, some bars hardly fall."
            ),
        ),
        Slide(
            "influence",
            t("Which words decided the sense?"),
            "why",
            t(
                "Each word is removed once. The number is how much the chosen sense’s lead drops without it. Ask first: which word told you?"
            ),
            one_sentence=True,
            needs_senses=True,
        ),
        Slide(
            "mix",
            t("Does mixing layers help?"),
            "mix",
            t("Equal weights are only a start: each task learns one weight per layer and one scale, while ELMo stays fixed."),
            needs_senses=True,
        ),
        Slide(
            "halves",
            t("What does each direction read?"),
            "why",
            t(
                "Half of each vector has read the past, half the future. Bars: the chosen sense’s lead. Gray strokes: its lead without a sentence."
            ),
            one_sentence=True,
            needs_senses=True,
        ),
        Slide(
            "spelling",
            t("What about a new word?"),
            "how",
            t(
                "Let the room invent a word. ELMo reads letters through windows, so any spelling gets a vector, good or not. Blue windows add, orange subtract."
            ),
            control=SPELLING,
        ),
        Slide(
            "headline",
            t("What is it good for?"),
            "classify",
            t("All were trained here on the same headlines. Word counts are a strong baseline; Results shows where context helps."),
            control=HEADLINE,
        ),
    )


def close() -> None:
    """Offer the way back to the page before, else to Home, by a × and by Escape."""
    st.html(STYLE)
    if st.button(t("Close"), key="slides.close", icon=":material/close:", shortcut="escape", type="tertiary"):
        view, address = record.now().before or (HOME, {})
        file, parameters = page_address(view)
        st.switch_page(file, query_params=address | parameters)


def stepper() -> int:
    """Draw Back, the numbers of the slides, and Next, with arrow keys. Return the number from 0."""
    numbers = tuple(str(k) for k in range(1, len(all_slides()) + 1))
    return components.stepper(
        "slide", t("Slide"), numbers, buttons="slide", following=lambda number: t("Next"), shortcuts=("left", "right")
    )


def notes(number: int) -> None:
    with st.expander(t("Speaker’s notes"), icon=":material/speaker_notes:", key=f"slide.note.{number}"):
        st.markdown(all_slides()[number].note)


@dataclass(frozen=True, slots=True)
class Lesson:
    """The texts of a lesson: its name in the URL, its question, the sentence below it, and a question for a class."""

    name: str
    question: str
    lede: str
    exercise: str


SEMINAR = ("homonyms", "control", "before")  # lessons for users who know what a probe is


def all_lessons() -> tuple[Lesson, ...]:
    return (
        Lesson(
            "cone",
            t("How similar are two unrelated words?"),
            t("Even random words have a cosine above 0 on average, so compare every cosine with theirs (Ethayarajh 2019)."),
            t(
                "A paper infers one meaning of <i>bank</i> from a cosine of 0.6. Which two numbers does it lack, and why is k chosen on other words?"
            ),
        ),
        Lesson(
            "apart",
            t("Can one threshold separate senses?"),
            t("For a single pair, what counts is how far the two <b>distributions</b> overlap."),
            t("Find the threshold with equal errors at the top layer. Does it suit another layer, and every word? Try three words."),
        ),
        Lesson(
            "context",
            t("Does context separate the senses?"),
            t("Nearby words alone, in any order, or an untrained network may separate senses, too."),
            t(
                "Which baselines should a paper on contextual vectors report? Find a word whose star is further left in the first row than in the static row: why?"
            ),
        ),
        Lesson(
            "homonyms",
            t("Are unrelated meanings easier to separate?"),
            t("River and money <i>banks</i> are unrelated, but a theater <i>stage</i> and a <i>stage</i> of growth are related."),
            t(
                "How many of the rightmost dots pair a noun with a verb, and how does that bias the comparison? Which three labels would you dispute?"
            ),
        ),
        Lesson(
            "control",
            t("Does the probe read or memorize?"),
            t("Random tags can only be memorized (Hewitt and Liang 2019); the accuracy beyond them is the probe’s <b>selectivity</b>."),
            t(
                "Layer 0 sees no context: where does its accuracy come from (see the dotted line)? Which rank would you report, and why not the most accurate?"
            ),
        ),
        Lesson(
            "before",
            t("Is the sense clearer before the word?"),
            t("Before the word, ELMo has read its whole context; layer 1 adds the word, spelled alike in every sense."),
            t(
                "Find a word that does worse before reading and look at its substitutes on Home: why? What about a word that starts its sentence?"
            ),
        ),
    )
