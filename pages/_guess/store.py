"""What is kept of quizzes: the questions of a number, and what a model reads in each. A word's sentences are read when it is asked about."""

import streamlit as st

from core.common.i18n import t
from core.index.tables import open_word
from core.senses import quiz
from core.senses.quiz import Asked, Reading
from core.text import languages
from pages._cached import opened
from pages._cached.kept import kept
from pages._word import verdict


@kept(32, corpus="corpus", more="corpus")
def _questions(number: int, code: str, corpus: str, more: str) -> tuple[Asked, ...]:
    return quiz.quiz(number, languages.named(code))


def questions(number: int, code: str) -> tuple[Asked, ...]:
    """The questions of a number in a language; without any model."""
    language = languages.named(code)
    return _questions(number, code, language.sentences, language.more_sentences)


@kept(1024)
def reading(model_name: str, asked: Asked) -> Reading:
    """What the model reads: it reads the word's own sentences and no others, once; from then on they are on disk."""
    model = opened.model(model_name)
    with st.spinner(t("ELMo is reading…")):
        query = opened.query(model_name, asked.tokens, asked.position)
        return quiz.read(open_word(asked.word, model), asked, query, verdict.space_of(model_name))
