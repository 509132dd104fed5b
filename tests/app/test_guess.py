"""Guess the machine by AppTest: a whole quiz with both scores apart, addresses right and wrong, what the page says."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.common.errors import CorruptArtifact
from core.elmo.models import open_model
from core.index import tables
from core.index.neighbors import make_query
from core.senses import quiz
from core.senses.quiz import QuizQuestion, QuizReading
from core.text import languages
from core.workspace import open_workspace
from pages._learn import quiz_game
from tests.app.visit import html_of, offered, opened, written

ENGLISH = languages.get_language("en")


def plain(page: AppTest) -> str:
    return re.sub("<[^>]*>", "", " ".join(html.proto.body for html in page.get("html")))


def pressed(page: AppTest, key: str) -> AppTest:
    return page.button(key=key).click().run()


def read(request: QuizQuestion) -> QuizReading:
    model = open_model(ENGLISH.model)
    query = make_query(model.encoder, list(request.tokens), request.position)
    return quiz.read(tables.open_word(request.word, model), request, query, open_workspace(model).sense_space)


def test_a_quiz_counts_points_for_elmo_s_readings_and_elmo_s_own_for_the_labels_apart():
    number = 77_777  # of no day
    request = quiz.quiz(number, ENGLISH)
    readings = [read(item) for item in request]
    labels = [item.label for item in request]
    page = opened("pages/guess.py", quiz=str(number))
    assert f"Quiz {number}" in html_of(page)
    hits = right = followed = 0
    for k, (item, result) in enumerate(zip(request, readings, strict=True)):
        assert f"Question {k + 1} of 8" in plain(page) and item.text in plain(page)
        buttons = [page.button(key=f"guess.choose.{number}.{k}.{n}").label for n in range(len(item.senses))]
        assert [label.split("**")[1] for label in buttons] == list(item.senses) and all("**: " in label for label in buttons)
        choice = item.senses[k % len(item.senses)]
        page = pressed(page, f"guess.choose.{number}.{k}.{item.senses.index(choice)}")
        hits, right = hits + (choice == result.sense), right + (result.sense == labels[k])
        followed += choice == labels[k]
        message = plain(page)
        assert f"Your points: {hits} of {k + 1}" in message and f"ELMo right: {right} of {k + 1}" in message
        assert ("1 point:" in message) == (choice == result.sense) and ("and is right" in message) == (result.sense == labels[k])
        assert "ELMo also expects here:" in message and "(the sense space)" in message
        assert f"{max(result.votes)} of the {sum(result.votes)} nearest labeled sentences mean “{result.sense}”" in message
        page = pressed(page, f"guess.next.{number}.{k}")
    assert page.subheader[0].value == f"You matched ELMo in {hits} of 8" and not page.exception
    standing = "You beat ELMo" if followed > right else "ELMo beats you" if right > followed else "You tie"
    assert standing in plain(page)
    assert offered(page)[0]["label"].tolist() == labels
    assert offered(page)[0]["ELMo’s choice"].tolist() == [result.sense for result in readings]
    page = pressed(page, "guess.again")
    assert "Question 1 of 8" in plain(page) and "Your points: 0 of 0" in plain(page)


def test_the_first_paint_reads_one_word_and_no_other(monkeypatch):
    read_words = []
    made = tables._built
    monkeypatch.setattr(tables, "_built", lambda sentences, *rest: read_words.append(sentences) or made(sentences, *rest))
    number = next(n for n in range(400, 500) if all(len(word.senses) == 3 for word in quiz.quiz(n, ENGLISH)[:2]))
    request = quiz.quiz(number, ENGLISH)
    page = opened("pages/guess.py", quiz=str(number))
    assert len(read_words) <= 1 and all(item.targets[0].lemma == request[0].word for some in read_words for item in some)
    pressed(page, f"guess.choose.{number}.0.0")
    assert {item.targets[0].lemma for some in read_words for item in some} <= {request[0].word, request[1].word}


@pytest.mark.parametrize("given", ["-1", "100000", "<img src=x onerror=alert(1)>"])
def test_an_address_without_such_a_quiz_says_so_and_shows_the_day_s(given: str):
    page = opened("pages/guess.py", quiz=given)
    assert not page.exception and not page.error
    message = page.warning[0].value
    assert message.startswith("There is no quiz “") and not re.search(r"(?<!\\)<", message)
    assert f"Quiz of the day: {quiz.today()}" in html_of(page)
    page = pressed(page, f"guess.choose.{quiz.today()}.0.0")
    assert "Your points:" in html_of(page)




def test_a_language_without_labeled_words_is_told_so(monkeypatch):
    monkeypatch.setattr(quiz, "quiz", lambda *_: ())
    page = opened("pages/guess.py", quiz="31313")
    assert "No words with two labeled senses in English" in page.error[0].value


def test_a_model_s_files_that_are_damaged_leave_the_question_standing(monkeypatch):
    def damaged(*_, **__):
        raise CorruptArtifact("The table is damaged.")

    monkeypatch.setattr(tables, "_built", damaged)
    monkeypatch.setattr(tables, "bundled_targets", lambda *_: None)
    page = opened("pages/guess.py", quiz="31314")
    assert "The table is damaged" in page.error[0].value and quiz.quiz(31_314, ENGLISH)[0].text in plain(page)






