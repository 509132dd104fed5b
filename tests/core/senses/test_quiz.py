"""Guess the machine: the same questions everywhere, no sentence asked about among those that vote, and a line that tells the score."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from core.common.errors import BadInput
from core.index.rows import make_query
from core.index.tables import open_word
from core.senses import evidence, quiz
from core.text import corpora, languages
from core.text.corpora import labeled_of

ENGLISH, KOREAN = languages.get_language("en"), languages.get_language("ko")


def test_questions_of_a_number_are_the_recorded_ones_whatever_the_order_and_the_other_words():
    """Require the recorded questions, because people have shared the numbers of quizzes."""
    questions = quiz.quiz(325, ENGLISH)
    assert [item.word for item in questions] == ["program", "report", "card", "terminal", "address", "spring", "charm", "play"]
    assert questions[1].senses == ("tell the authorities", "written account", "sound of a gun") and questions[1].label == "written account"
    sentences = labeled_of(ENGLISH, "jaguar")
    question = quiz.question(7, "jaguar", sentences)
    assert quiz.question(7, "jaguar", sentences[::-1]) == question != quiz.question(8, "jaguar", sentences)
    words = corpora.words_of(ENGLISH)
    order = quiz._shuffle(7, "word", words)
    assert [word for word in order if word != order[3]] == quiz._shuffle(7, "word", [w for w in words if w != order[3]])
    alike = [s for s in sentences if s.targets[0].sense == sentences[0].targets[0].sense]
    other = next(s for s in sentences if s not in alike)
    assert quiz.question(1, "jaguar", alike) is quiz.question(1, "jaguar", [*alike, other]) is None  # two senses have two sentences each


@pytest.mark.parametrize("language", [ENGLISH, KOREAN], ids=["en", "ko"])
def test_a_quiz_has_eight_words_with_two_or_three_senses_and_two_sentences_that_the_model_misreads(language):
    hard = quiz.misread(language.code)
    for number in (0, 7, 41, 325, quiz.LAST):
        questions = quiz.quiz(number, language)
        assert len({item.word for item in questions}) == len(questions) == quiz.QUESTIONS
        for item in questions:
            assert 2 <= len(set(item.senses)) == len(item.senses) <= 3 and item.label in item.senses
            assert any(s.tokens == item.tokens and s.targets[0].sense == item.label for s in labeled_of(language, item.word))
        wrong = [item for item in questions if item.text in hard.get(item.word, {})]
        assert len(wrong) == quiz.MISREAD and all(hard[item.word][item.text] in item.senses for item in wrong)


def test_the_bundled_model_errs_on_those_and_reads_the_others_as_they_are_labeled(model, space):
    hard = quiz.misread("en")
    for item in quiz.quiz(12, ENGLISH):
        is_wrong = quiz.reading(model, item, space).sense != item.label
        assert is_wrong == (item.text in hard.get(item.word, {})), item.word


def test_the_sentence_asked_about_neither_votes_nor_chooses_the_layer(model):
    questions = {item.word: item for item in quiz.quiz(325, ENGLISH)}
    for word in ("play", "spring"):  # of the bundled table's words: nothing is encoded but the question
        item, table = questions[word], open_word(word, model)
        query = make_query(model.encoder, list(item.tokens), item.position)
        result = quiz.read(table, item, query)
        (own,) = (int(r) for r in table.labeled_rows(word) if table.occurrence(int(r)).tokens == item.tokens)
        table.sense = table.sense.copy()
        for sense in item.senses:
            table.sense[own] = table.senses.index(sense)
            assert quiz.read(table, item, query) == result
        near = [n.occurrence for n in result.nearest]
        assert all(o.tokens != item.tokens and o.lemma == word and o.sense in item.senses for o in near)
        counts = [sum(o.sense == sense for o in near) for sense in item.senses]
        assert tuple(counts) == result.votes and sum(counts) == evidence.K and result.share == max(counts) / evidence.K
        assert counts[item.senses.index(result.sense)] == max(counts) and 0 < result.right <= result.others
        with pytest.raises(BadInput, match="“zebra” lacks two labeled senses"):
            quiz.read(table, replace(item, word="zebra"), query)


def test_equal_votes_go_to_the_sense_of_the_nearest():
    cosines, labels = np.array([0.1, 0.9, 0.8, 0.2]), np.array([0, 1, 0, 1])
    sense, nearest = quiz.vote(cosines, labels, 3)
    assert sense == 1 and nearest.tolist() == [1, 2, 3, 0]
    cosines[1] = -np.inf  # nobody votes on themselves
    assert quiz.vote(cosines, labels, 3) == (0, pytest.approx([2, 3, 0]))


def test_days_are_counted_from_a_fixed_one_and_a_finished_quiz_is_one_line():
    assert quiz.number_of(quiz.FIRST_DAY) == 0 and quiz.number_of(date(2026, 11, 22)) == 325
    assert quiz.number_of(quiz.FIRST_DAY - timedelta(days=3)) == 0
    assert quiz.number_of(quiz.FIRST_DAY + timedelta(days=20_000)) < quiz.OTHERS <= quiz.LAST
    hits = [True, True, False, True, True, True, False, True]
    assert quiz.line(325, hits, 7, "http://a/guess") == "Guess the machine 325 · ■■□■■■□■ 6/8 · ELMo 7/8 · http://a/guess"


@pytest.mark.parametrize("text", ["", "-1", "3.5", "１２", "1e3", "100000", "000000", "<b>", "abc" * 40])
def test_numbers_of_a_quiz_are_read_and_others_reported(text):
    assert [quiz.number_from(number) for number in ("0", "7", "007", "99999")] == [0, 7, 7, 99_999]
    with pytest.raises(BadInput, match="There is no quiz “"):
        quiz.number_from(text)
