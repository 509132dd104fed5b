"""Guess the machine: the same questions everywhere, no sentence asked about among those that vote, and a line that tells the score."""

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from core.common.errors import BadInput
from core.elmo.models import Model
from core.index.neighbors import Query, make_query
from core.index.tables import open_word
from core.senses import quiz
from core.text import corpora, languages
from core.text.corpora import labeled_of
from core.workspace import open_workspace

ENGLISH, KOREAN = languages.get_language("en"), languages.get_language("ko")


def query_of(model: Model, request: quiz.QuizQuestion) -> Query:
    return make_query(model.encoder, list(request.tokens), request.position)


def test_a_number_asks_the_same_everywhere_and_another_number_something_else():
    """Require the recorded questions, because people have shared the numbers of quizzes."""
    request = quiz.quiz(325, ENGLISH)
    assert [item.word for item in request] == ["program", "report", "card", "terminal", "address", "spring", "charm", "play"]
    assert request[1].text == "Reports of flooding are coming in from the coast."
    assert request[1].senses == ("tell the authorities", "written account", "sound of a gun") and request[1].label == "written account"
    assert not {item.word for item in request} & {item.word for item in quiz.quiz(326, ENGLISH)}
    assert quiz.quiz(325, ENGLISH) == request


def test_a_question_does_not_hang_on_the_order_of_the_sentences_or_on_the_other_words():
    sentences = labeled_of(ENGLISH, "jaguar")
    request = quiz.question(7, "jaguar", sentences)
    assert quiz.question(7, "jaguar", sentences[::-1]) == request != quiz.question(8, "jaguar", sentences)
    words = corpora.words_of(ENGLISH)
    order = quiz._shuffle(7, "word", words)
    assert [word for word in order if word != order[3]] == quiz._shuffle(7, "word", [w for w in words if w != order[3]])


@pytest.mark.parametrize("language", [ENGLISH, KOREAN], ids=["en", "ko"])
def test_a_quiz_has_eight_words_with_two_or_three_senses_of_which_one_is_the_label(language):
    for number in (0, 41, quiz.LAST):
        request = quiz.quiz(number, language)
        assert len({item.word for item in request}) == len(request) == quiz.QUESTIONS
        for item in request:
            assert 2 <= len(set(item.senses)) == len(item.senses) <= 3 and item.label in item.senses
            assert any(s.tokens == item.tokens and s.targets[0].sense == item.label for s in labeled_of(language, item.word))


@pytest.mark.parametrize("language", [ENGLISH, KOREAN], ids=["en", "ko"])
def test_two_of_eight_sentences_are_ones_that_the_bundled_model_misreads(language):
    hard = quiz.misread(language.code)
    for number in (0, 7, 41, 325, quiz.LAST):
        request = quiz.quiz(number, language)
        wrong = [item for item in request if item.text in hard.get(item.word, {})]
        assert len(wrong) == quiz.MISREAD and all(hard[item.word][item.text] in item.senses for item in wrong)


def test_the_bundled_model_errs_on_those_and_reads_the_others_as_they_are_labeled(model):
    space, hard = open_workspace(model).sense_space, quiz.misread("en")
    for request in quiz.quiz(12, ENGLISH):
        is_wrong = quiz.reading(model, request, space).sense != request.label
        assert is_wrong == (request.text in hard.get(request.word, {})), request.word


def test_a_word_without_two_senses_of_two_sentences_is_not_asked_about():
    sentences = labeled_of(ENGLISH, "jaguar")
    item = [s for s in sentences if s.targets[0].sense == sentences[0].targets[0].sense]
    other = next(s for s in sentences if s.targets[0].sense != sentences[0].targets[0].sense)
    assert quiz.question(1, "jaguar", item) is quiz.question(1, "jaguar", [*item, other]) is quiz.question(1, "jaguar", []) is None


def test_the_sentence_asked_about_neither_votes_nor_chooses_the_layer(model):
    """Whatever label its own row bears, the reading stays; and every row that votes is of another sentence and of a sense on offer."""
    for request in [
        item for item in quiz.quiz(325, ENGLISH) if item.word in ("play", "spring")
    ]:  # two of the bundled table's words: nothing is encoded but the question
        table, query = open_word(request.word, model), query_of(model, request)
        result = quiz.read(table, request, query)
        own = [int(r) for r in table.labeled_rows(request.word) if table.occurrence(int(r)).tokens == request.tokens]
        assert len(own) == 1
        table.sense = table.sense.copy()
        for sense in request.senses:
            table.sense[own] = table.senses.index(sense)
            assert quiz.read(table, request, query) == result
        assert {n.occurrence.tokens for n in result.nearest}.isdisjoint({request.tokens})
        assert {n.occurrence.lemma for n in result.nearest} == {request.word}
        assert {n.occurrence.sense for n in result.nearest} <= set(request.senses)
        counts = [sum(n.occurrence.sense == sense for n in result.nearest) for sense in request.senses]
        assert tuple(counts) == result.votes and sum(counts) == quiz.K and result.share == max(counts) / quiz.K
        assert counts[request.senses.index(result.sense)] == max(counts)
        assert result.layer in ("1", "2", "mix") and 0 < result.right <= result.others


def test_equal_votes_go_to_the_sense_of_the_nearest():
    cosines, labels = np.array([0.1, 0.9, 0.8, 0.2]), np.array([0, 1, 0, 1])
    sense, nearest = quiz.vote(cosines, labels, 3)
    assert sense == 1 and nearest.tolist() == [1, 2, 3, 0]
    cosines[1] = -np.inf  # nobody votes on themselves
    assert quiz.vote(cosines, labels, 3) == (0, pytest.approx([2, 3, 0]))


def test_a_word_that_the_table_does_not_hold_is_named(model):
    request = replace(quiz.quiz(325, ENGLISH)[3], word="zebra")
    with pytest.raises(BadInput, match="“zebra” lacks two labeled senses"):
        quiz.read(open_word("play", model), request, query_of(model, request))


def test_days_are_counted_from_a_fixed_one():
    assert quiz.number_of(quiz.FIRST_DAY) == 0 and quiz.number_of(date(2026, 11, 22)) == 325
    assert quiz.number_of(quiz.FIRST_DAY - timedelta(days=3)) == 0
    assert quiz.number_of(quiz.FIRST_DAY + timedelta(days=20_000)) < quiz.OTHERS <= quiz.LAST
    assert 0 <= quiz.today() < quiz.OTHERS


@pytest.mark.parametrize("text", ["", "-1", "3.5", "１２", "1e3", "100000", "000000", "<b>", "abc" * 40])
def test_what_is_no_number_of_a_quiz_is_reported(text):
    with pytest.raises(BadInput, match="There is no quiz “"):
        quiz.number_from(text)


def test_a_number_is_read_as_it_is_in_an_address():
    assert [quiz.number_from(text) for text in ("0", "7", "007", "99999")] == [0, 7, 7, 99_999]


def test_a_finished_quiz_is_one_line():
    hits = [True, True, False, True, True, True, False, True]
    message = quiz.line(325, hits, 7, "http://localhost/guess?quiz=325")
    assert message == "Guess the machine 325 · ■■□■■■□■ 6/8 · ELMo 7/8 · http://localhost/guess?quiz=325"
    assert quiz.line(3, hits, 8) == "Guess the machine 3 · ■■□■■■□■ 6/8 · ELMo 8/8"
