"""What the page says: of an answer, of how ELMo came to its reading, and of a finished quiz."""

from collections.abc import Sequence

from core.common.i18n import t
from core.figures.style import layer_title
from core.senses.quiz import QuizQuestion, QuizReading


def asking(quiz_question: QuizQuestion) -> list[str]:
    """Before an answer: what is asked for, and what guessing would give."""
    return [
        t(
            "Asked is what ELMo reads: the sense of the labelled sentences that it places nearest to this “{word}”. You may know better.",
            word=quiz_question.word,
        ),
        t("Guessing would be right once in {n}.", n=len(quiz_question.senses)),
    ]


def answered(quiz_question: QuizQuestion, reading: QuizReading, answer: str) -> list[str]:
    """After an answer: whether it is ELMo's reading; and whether ELMo's is the label's."""
    values = {"yours": answer, "read": reading.sense, "label": quiz_question.label}
    if answer == reading.sense:
        mine = t("<b>A point:</b> ELMo reads “{read}”, as you thought.", **values)
    else:
        mine = t("<b>No point:</b> you thought “{yours}”, ELMo reads “{read}”.", **values)
    if reading.sense == quiz_question.label:
        return [mine, t("The label says the same, so ELMo is right.")]
    if answer == quiz_question.label:
        return [mine, t("The label says “{label}”: ELMo is wrong here, and you read the sentence rightly.", **values)]
    return [mine, t("The label says “{label}”: ELMo is wrong here.", **values)]


def how(quiz_question: QuizQuestion, reading: QuizReading) -> list[str]:
    """How ELMo came to its reading, and how far it can be believed: both counted on sentences other than this."""
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
        t("Of the {n} labelled sentences nearest to this one, {votes} mean “{sense}” ({layer}).", **values),
        t("The same vote reads {right} of the other {others} sentences with “{word}” as they are labelled.", **values),
        t("The cosines are of what is left of each vector once the mean of all that “{word}” has is taken off.", **values),
    ]


def finished(quiz_questions: Sequence[QuizQuestion], readings: Sequence[QuizReading], answers: Sequence[str]) -> list[str]:
    """A finished quiz: both against the labels, and what guessing would have given."""
    n = len(quiz_questions)
    mine = sum(answer == quiz_question.label for quiz_question, answer in zip(quiz_questions, answers, strict=True))
    right = sum(reading.sense == quiz_question.label for quiz_question, reading in zip(quiz_questions, readings, strict=True))
    values = {"n": n, "mine": mine, "right": right, "chance": sum(1 / len(quiz_question.senses) for quiz_question in quiz_questions)}
    if mine == right:
        both = t("Against the labels you are level: {right} of {n} each.", **values)
    elif mine > right:
        both = t("Against the labels you are ahead: you chose the right sense in {mine} of {n}, ELMo read it in {right}.", **values)
    else:
        both = t("Against the labels ELMo is ahead: it read the right sense in {right} of {n}, you chose it in {mine}.", **values)
    return [both, t("Guessing would have given {chance:.1f} points.", **values)]
