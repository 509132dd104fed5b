"""The quiz without its drawing: the quiz in the URL, the user's games and streaks, a model's readings, and sentences about both."""

import random
from collections.abc import Sequence

import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import t
from core.figures.style import layer_title
from core.senses import quiz
from core.senses.quiz import Game, QuizQuestion, QuizReading
from core.text import languages
from pages._cached.kept import keep
from pages._cached.views import workspace
from pages._frame.in_use import InUse
from pages._frame.parameters import gone_through_history, read_parameter, write_parameter

ADDRESS = "quiz"  # the parameter of the number, unless it is the quiz of the day
NUMBER, SEEN, GAMES, HITS = "guess.number", f"{ADDRESS}.seen", "guess.games", "guess.hits"  # keys of the session


def current_number() -> tuple[int, BadInput | None]:
    """Return the number of the current quiz, and the error in the URL if it names none.

    A new number in the URL comes first, then the quiz played last, then the quiz of the day.
    """
    state = st.session_state
    in_url = read_parameter(ADDRESS)
    error = None
    if NUMBER not in state or gone_through_history() or (in_url is not None and in_url != state.get(SEEN)):
        state[NUMBER] = quiz.today()
        if in_url is not None:
            try:
                state[NUMBER] = quiz.number_from(in_url)
            except BadInput as wrong:
                error = wrong
    elif in_url is None and state.get(SEEN) is None and state[NUMBER] < quiz.OTHERS and _untouched():
        state[NUMBER] = quiz.today()  # a new day
    if error is None:
        _write(state[NUMBER])
    return state[NUMBER], error


def find_game(number: int, model: str, language: str) -> Game:
    """Return the user's game of a quiz. Each model has its own."""
    games = st.session_state.setdefault(GAMES, {})
    return games.setdefault((number, model, language), Game(number))


def start_other() -> None:
    """Start a random quiz. This is a callback."""
    _write(random.randrange(quiz.OTHERS, quiz.LAST + 1))


def start_today() -> None:
    """Start the quiz of the day. This is a callback."""
    _write(quiz.today())


def count_streak(key: tuple, hits: list[bool]) -> tuple[int, int]:
    """Return the current and the longest streak of correct guesses over all quizzes of this visit.

    `hits` are those of the quiz `key` so far.
    """
    first_hits = st.session_state.setdefault(HITS, {})
    for k, hit in enumerate(hits):
        first_hits.setdefault((*key, k), hit)  # the first answer counts, in the order given
    current = longest = 0
    for hit in first_hits.values():
        current = current + 1 if hit else 0
        longest = max(longest, current)
    return current, longest


def _write(number: int) -> None:
    st.session_state[NUMBER] = number
    write_parameter(ADDRESS, None if number == quiz.today() else str(number))


def _untouched() -> bool:
    """Return whether the current quiz has no answer yet."""
    games = st.session_state.get(GAMES, {})
    return not any(game.answers for (number, *_), game in games.items() if number == st.session_state[NUMBER])


def questions(number: int, code: str) -> tuple[QuizQuestion, ...]:
    """Return the questions of a quiz in a language. This needs no model."""
    language = languages.get_language(code)
    return keep("quiz", [("corpus", language.sentences)], (number, code), lambda: quiz.quiz(number, language), most=32)


def read_question(in_use: InUse, question: QuizQuestion) -> QuizReading:
    """Return the model's reading of a question. The sentences of the word are encoded once and stored on disk."""
    over = workspace(in_use)
    space = over.sense_space
    options = {"most": 1024, "meanwhile": t("ELMo is reading…")}
    return keep("quiz readings", over.reads("model"), question, lambda: quiz.reading(over.model, question, space), **options)


def describe_task(quiz_question: QuizQuestion) -> list[str]:
    """State the task before an answer, and the score of guessing."""
    return [
        t("ELMo chooses the sense of the labeled sentences nearest to this “{word}”.", word=quiz_question.word),
        t("Chance: 1 in {n}.", n=len(quiz_question.senses)),
    ]


def describe_answer(quiz_question: QuizQuestion, reading: QuizReading, answer: str) -> list[str]:
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


def describe_votes(quiz_question: QuizQuestion, reading: QuizReading) -> list[str]:
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


def compare_scores(quiz_questions: Sequence[QuizQuestion], readings: Sequence[QuizReading], answers: Sequence[str]) -> list[str]:
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
