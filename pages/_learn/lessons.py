"""The lessons' questions, answers in a sentence, and exercises, in the reader's language."""

from dataclasses import dataclass

from core.common.i18n import t
from core.common.significance import Paired
from pages._frame.choices import coded_choice
from pages._frame.markup import show_html


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson: its name in the address, its label, its question, the sentence under it, and a question for a class."""

    name: str
    label: str
    question: str
    lede: str
    exercise: str

    @property
    def module(self) -> str:
        """That which draws it."""
        return f"pages._learn.{'anisotropy' if self.name == 'cone' else self.name}"


def lessons() -> tuple[Lesson, ...]:
    return (
        Lesson(
            "cone",
            t("Crowded in a cone"),
            t("How alike are two words that have nothing in common?"),
            t(
                "Vectors of a language model crowd in a cone: two random words have a cosine well above 0 (Ethayarajh 2019). "
                "So a cosine means little until it is held against theirs."
            ),
            t(
                "A paper says that two sentences with <i>bank</i> have a cosine of 0.6 and so mean much the same. Which two numbers of this page would "
                "you ask it for? And why is the number k of directions chosen on other words than those it is measured on?"
            ),
        ),
        Lesson(
            "apart",
            t("Distributions, not means"),
            t("Can one cosine tell you whether two sentences mean the same?"),
            t(
                "On average two sentences of one sense are nearer than two of two senses. What matters for a single pair is how far the two "
                "<b>distributions</b> overlap: move the threshold and see what it decides wrongly."
            ),
            t(
                "Find the threshold at which both errors are equal at the top layer. Would you use the same threshold at another layer, and for every word? "
                "Look at three words before you answer."
            ),
        ),
        Lesson(
            "homonyms",
            t("Homonyms and relatives"),
            t("Are two unrelated meanings easier to tell apart than two related ones?"),
            t(
                "A river's <i>bank</i> and a money <i>bank</i> have nothing in common; a theatre's <i>stage</i> and a <i>stage</i> of growth have. One would think that "
                "homonyms are told apart better than metaphors: here is how often a pair of one sense is nearer than a pair of two."
            ),
            t(
                "How many of the dots farthest to the right are a noun and a verb, and what does that do to a comparison of kinds? Choose three pairs whose marking you would dispute: "
                "what would another judge's markings do to the intervals?"
            ),
        ),
        Lesson(
            "control",
            t("Control task"),
            t("Does the probe read it off, or has it learned it by heart?"),
            t(
                "A probe that finds a tag in a vector may only have learned which word has which. So give every word a random tag (Hewitt and Liang 2019): "
                "what it gets right of those it has learned by heart. The difference is its <b>selectivity</b>."
            ),
            t(
                "Layer 0 knows no sentence. Where then does its accuracy on the tags come from, and what does the dotted line add to that? "
                "Which rank would you report, and why not the one with the highest accuracy?"
            ),
        ),
        Lesson(
            "context",
            t("Is it context?"),
            t("Is it context that tells the senses apart?"),
            t(
                "A layer that tells senses apart need not have understood a sentence: the words around may do, in any order, or even a network that learned "
                "nothing. Each is taken away here, one at a time, on the same sentences."
            ),
            t(
                "Which of the baselines would you demand of a paper that says its vectors understand context? Choose a word whose star lies further left in the first "
                "row than in that of the static vectors, and read its sentences on the Map page: why?"
            ),
        ),
        Lesson(
            "before",
            t("Before the word"),
            t("Does ELMo know the sense better before it reads the word?"),
            t(
                "Its two language models have read all but the word when they reach it, and expect words in its place. "
                "Layer 1 has read the word, too, which is the same whatever it means."
            ),
            t(
                "Choose a word that is told apart worse before it is read, and look at its substitutes on the page “What decided it”: why? "
                "What would you expect of a word that begins its sentence?"
            ),
        ),
    )


def choose() -> Lesson:
    """The lesson in the address, chosen above its question."""
    result = {lesson.name: lesson for lesson in lessons()}
    titles = {name: value.label for name, value in result.items()}
    return result[coded_choice("lesson", t("Lesson"), titles, "cone", label_visibility="collapsed")]


def exercise(lesson: Lesson) -> None:
    """The question for a class, under the pictures."""
    show_html('<div class="notice"><b>{}</b> {}</div>', t("For a class."), lesson.exercise)


def interval(difference: Paired) -> str:
    """A difference in points, with its interval and whether it is more than chance."""
    values = {"mean": f"{100 * difference.mean:+.1f}", "span": difference.span(), "certain": certainty(difference.verdict)}
    return t("{mean} points ({span}), {certain}", **values)


def certainty(decided: bool | int) -> str:
    """Whether a figure is more than chance."""
    return t("by more than chance") if decided else t("not shown to be more than chance")
