"""Quizzes: their questions, what a model reads in each, and what a visitor has played: which is on, what was chosen, the streak."""

import random

import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import t
from core.senses import quiz
from core.senses.quiz import Game, QuizQuestion, QuizReading
from core.text import languages
from core.views.levels import judge
from pages._cached.kept import keep
from pages._cached.views import bench
from pages._frame.in_use import InUse
from pages._frame.question import gone_through_history

ADDRESS = "quiz"  # the number's name in the address; the day's own is not written there
NUMBER, SEEN, GAMES, HITS = "guess.number", "guess.seen", "guess.games", "guess.hits"  # in the session


def number() -> tuple[int, BadInput | None]:
    """The number of the quiz that is on, and what is wrong with the address where it names none.

    What the address newly says counts before what was played last, and that before the quiz of the day.
    """
    state = st.session_state
    given = st.query_params.get(ADDRESS)
    fault = None
    if NUMBER not in state or gone_through_history() or (given is not None and given != state.get(SEEN)):
        state[NUMBER] = quiz.today()
        if given is not None:
            try:
                state[NUMBER] = quiz.number_from(given)
            except BadInput as wrong:
                fault = wrong
    elif given is None and state.get(SEEN) is None and state[NUMBER] < quiz.OTHERS and _untouched():
        state[NUMBER] = quiz.today()  # a new day
    if fault is None:
        _write(state[NUMBER])
    return state[NUMBER], fault


def game(number: int, model: str, language: str) -> Game:
    """The visitor's game of that quiz; under another model it is another game."""
    games = st.session_state.setdefault(GAMES, {})
    return games.setdefault((number, model, language), Game(number))


def other() -> None:
    """In a button's callback: a quiz of no day, drawn at random."""
    _write(random.randrange(quiz.OTHERS, quiz.LAST + 1))


def of_today() -> None:
    """In a button's callback: the quiz of the day."""
    _write(quiz.today())


def streak(key: tuple, hits: list[bool]) -> tuple[int, int]:
    """How many answers on end, over all quizzes of this visit, were what ELMo read; and the most that ever were.

    `hits` are those of the quiz `key` so far.
    """
    first_hits = st.session_state.setdefault(HITS, {})
    for k, hit in enumerate(hits):
        first_hits.setdefault((*key, k), hit)  # the first answer counts, in the order given
    now = most = 0
    for hit in first_hits.values():
        now = now + 1 if hit else 0
        most = max(most, now)
    return now, most


def _write(number: int) -> None:
    st.session_state[NUMBER] = number
    if number == quiz.today():
        if ADDRESS in st.query_params:
            del st.query_params[ADDRESS]
        st.session_state[SEEN] = None
    else:
        st.query_params[ADDRESS] = st.session_state[SEEN] = str(number)


def _untouched() -> bool:
    """Whether nothing of the quiz that is on was answered yet."""
    games = st.session_state.get(GAMES, {})
    return not any(game.answers for (number, *_), game in games.items() if number == st.session_state[NUMBER])


def questions(number: int, code: str) -> tuple[QuizQuestion, ...]:
    """The questions of a number in a language; without any model."""
    language = languages.get_language(code)
    reads = (("corpus", language.sentences), ("corpus", language.more_sentences))
    return keep("quiz", reads, (number, code), lambda: quiz.quiz(number, language), most=32)


def reading(in_use: InUse, question: QuizQuestion) -> QuizReading:
    """What the model reads: it reads the word's own sentences and no others, once; from then on they are on disk."""
    over = bench(in_use)
    space = judge(over).sense_space
    options = {"most": 1024, "meanwhile": t("ELMo is reading…")}
    return keep("quiz readings", over.reads("model"), question, lambda: quiz.reading(over.model, question, space), **options)
