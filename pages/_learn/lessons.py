"""The texts of the lessons: questions, answers in one sentence, and exercises; and the choice between them."""

from dataclasses import dataclass

from core.common.i18n import t
from pages._frame.choices import coded_choice, settle_choice


@dataclass(frozen=True, slots=True)
class Lesson:
    """The texts of a lesson: its name in the URL, its question, the sentence below it, and a question for a class."""

    name: str
    question: str
    lede: str
    exercise: str


KEY = "lesson"  # of the choice, and of the URL parameter
SEMINAR = ("homonyms", "control", "before")  # lessons for users who know what a probe is


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
    """Return the lesson that the URL names."""
    by_name = {lesson.name: lesson for lesson in lessons()}
    return by_name[settle_choice(KEY, by_name, next(iter(by_name)))]


def choose() -> None:
    """Draw the list of lessons, by their questions."""
    seminar = t("For a seminar")
    titles = {item.name: f"{seminar}: {item.question}" if item.name in SEMINAR else item.question for item in lessons()}
    coded_choice(KEY, t("Lesson"), titles, next(iter(titles)))
