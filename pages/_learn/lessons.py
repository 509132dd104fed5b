"""The texts of the lessons: questions, answers in one sentence, and exercises."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common.i18n import format_number, t
from core.common.significance import Paired
from pages._frame.choices import coded_choice, settle_choice
from pages._frame.markup import show_html


@dataclass(frozen=True, slots=True)
class Lesson:
    """The texts of a lesson: its name in the URL, its question, the sentence below it, and a question for a class."""

    name: str
    question: str
    lede: str
    exercise: str

    @property
    def module(self) -> str:
        """The name of the module that draws the lesson."""
        return f"pages._learn.{'anisotropy' if self.name == 'cone' else self.name}"


KEY = "lesson"  # of the choice, in the address too
SEMINAR = ("homonyms", "control", "before")  # lessons for those who know what a probe is


def lessons() -> tuple[Lesson, ...]:
    """Return all lessons, easy ones first."""
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
                "Which baselines should a paper on contextual vectors report? Find a word whose star is further left "
                "in the first row than in the static row: why?"
            ),
        ),
        Lesson(
            "homonyms",
            t("Are unrelated meanings easier to separate?"),
            t("River and money <i>banks</i> are unrelated, but a theater <i>stage</i> and a <i>stage</i> of growth are related."),
            t(
                "How many of the rightmost dots pair a noun with a verb, and how does that bias the comparison? "
                "Which three labels would you dispute?"
            ),
        ),
        Lesson(
            "control",
            t("Does the probe read or memorize?"),
            t("Random tags can only be memorized (Hewitt and Liang 2019); the accuracy beyond them is the probe’s <b>selectivity</b>."),
            t(
                "Layer 0 sees no context: where does its accuracy come from (see the dotted line)? Which rank would "
                "you report, and why not the most accurate?"
            ),
        ),
        Lesson(
            "before",
            t("Is the sense clearer before the word?"),
            t("Before the word, ELMo has read its whole context; layer 1 adds the word, spelled alike in every sense."),
            t(
                "Find a word that does worse before reading and look at its substitutes on Home: why? What about a "
                "word that starts its sentence?"
            ),
        ),
    )


def current() -> Lesson:
    """Return the lesson that the address names."""
    known = {lesson.name: lesson for lesson in lessons()}
    return known[settle_choice(KEY, known, next(iter(known)))]


def choose() -> None:
    """Draw the list of lessons, by their questions."""
    seminar = t("For a seminar")
    titles = {each.name: f"{seminar}: {each.question}" if each.name in SEMINAR else each.question for each in lessons()}
    coded_choice(KEY, t("Lesson"), titles, next(iter(titles)))


def exercise(lesson: Lesson) -> None:
    """Show the question for a class."""
    show_html('<div class="notice"><b>{}</b> {}</div>', t("For a class."), lesson.exercise)


def details(how: str) -> DeltaGenerator:
    """Show in a closed expander how the lesson was measured."""
    result = st.expander(t("Details"), icon=":material/info:", key="lesson.details")
    show_html('<p class="small">{}</p>', how, place=result)
    return result


def interval(difference: Paired) -> str:
    """Return a difference in points with its interval and its significance."""
    values = {"mean": format_number(100 * difference.mean, "+.1f"), "span": difference.span(), "certain": certainty(difference.verdict)}
    return t("{mean} points ({span}), {certain}", **values)


def certainty(decided: bool | int) -> str:
    """State whether a value is beyond chance."""
    return t("significant") if decided else t("not significant")
