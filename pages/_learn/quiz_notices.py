"""Sentences about an answer, about ELMo's reading, and about a finished quiz."""

from collections.abc import Sequence

from core.common.i18n import t
from core.figures.style import layer_title
from core.senses.quiz import QuizQuestion, QuizReading


def asking(quiz_question: QuizQuestion) -> list[str]:
    """State the task before an answer, and the score of guessing."""
    return [
        t("ELMo chooses the sense of the labeled sentences nearest to this “{word}”.", word=quiz_question.word),
        t("Chance: 1 in {n}.", n=len(quiz_question.senses)),
    ]


def answered(quiz_question: QuizQuestion, reading: QuizReading, answer: str) -> list[str]:
    """Write, after an answer, whether it is ELMo's reading, and whether ELMo's is the label's: one sentence."""
    values = {"read": reading.sense, "label": quiz_question.label}
    is_right = reading.sense == quiz_question.label
    if answer == reading.sense:
        if is_right:
            return [t("<b>1 point:</b> ELMo also chose “{read}”, and is right.", **values)]
        return [t("<b>1 point:</b> ELMo also chose “{read}”, but the label is “{label}”.", **values)]
    if is_right:
        return [t("<b>0 points:</b> ELMo chose “{read}”, and is right.", **values)]
    if answer == quiz_question.label:
        return [t("<b>0 points:</b> ELMo chose “{read}”, and is wrong; you are right.", **values)]
    return [t("<b>0 points:</b> ELMo chose “{read}”; the label is “{label}”.", **values)]


def how(quiz_question: QuizQuestion, reading: QuizReading) -> list[str]:
    """State how ELMo came to its reading, and how reliable it is. Both are counted on other sentences."""
    values = {
        "votes": max(reading.votes),
        "n": sum(reading.votes),
        "sense": reading.sense,
        "layer": layer_title(reading.layer),
        "word": quiz_question.word,
        "right": reading.right,
        "others": reading.others,
    }
    return [
        t("{votes} of the {n} nearest labeled sentences mean “{sense}” ({layer}).", **values),
        t("The vote is right in {right} of the other {others} sentences.", **values),
        t("Cosines: after subtracting the mean of “{word}”.", **values),
    ]


def summarize(quiz_questions: Sequence[QuizQuestion], readings: Sequence[QuizReading], answers: Sequence[str]) -> list[str]:
    """Compare both scores of a finished quiz with the labels and with guessing."""
    n = len(quiz_questions)
    mine = sum(answer == quiz_question.label for quiz_question, answer in zip(quiz_questions, answers, strict=True))
    right = sum(reading.sense == quiz_question.label for quiz_question, reading in zip(quiz_questions, readings, strict=True))
    values = {"n": n, "mine": mine, "right": right, "chance": sum(1 / len(quiz_question.senses) for quiz_question in quiz_questions)}
    if mine == right:
        both = t("You tie with ELMo: {right} of {n} right.", **values)
    elif mine > right:
        both = t("You beat ELMo: {mine} of {n} right, ELMo {right}.", **values)
    else:
        both = t("ELMo beats you: {right} of {n} right, you {mine}.", **values)
    return [both, t("Chance: {chance:.1f} points.", **values)]
