"""Test the lessons and the quiz."""

import re
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from core.common.config import ASSETS
from core.index import tables as index_tables
from core.index.rows import make_query
from core.senses import quiz
from core.senses.quiz import QuizQuestion, QuizReading
from core.text import languages
from core.workspace import open_workspace
from pages._frame import examples
from pages._learn.slides import all_lessons
from tests.app.visit import html_of, offered, opened, opened_whole, text_of

PAGE = "pages/lessons.py"


def test_unknown_lesson_opens_the_first_one():
    assert opened(PAGE, lesson="<b>none</b>").title[0].value == all_lessons()[0].question


def test_lessons_of_an_unmeasured_model_name_the_command(tmp_path):
    shutil.copytree(ASSETS / "elmo-mini", tmp_path / "mine")
    (tmp_path / "mine" / "lessons.json").unlink()
    for name in ("control", "context", "before"):
        assert "python -m core.lab lessons" in opened(PAGE, model=str(tmp_path / "mine"), lesson=name).info[0].value


ENGLISH = languages.get_language("en")


def pressed(page: AppTest, key: str) -> AppTest:
    return page.button(key=key).click().run()


def test_quiz_counts_points_of_the_user_and_of_elmo():
    number = 77_777  # of no day
    workspace = open_workspace(ENGLISH.model)

    def read(item: QuizQuestion) -> QuizReading:
        query = make_query(workspace.model.encoder, list(item.tokens), item.position)
        return quiz.read(index_tables.open_word(item.word, workspace.model), item, query, workspace.sense_space)

    request = quiz.quiz(number, ENGLISH)
    readings, labels = [read(item) for item in request], [item.label for item in request]
    page = opened("pages/guess.py", quiz=str(number))
    hits = right = followed = 0
    for k, (item, result) in enumerate(zip(request, readings, strict=True)):
        assert f"Question {k + 1} of 8" in text_of(page) and item.text in text_of(page)
        choice = item.senses[k % len(item.senses)]
        page = pressed(page, f"guess.choose.{number}.{k}.{item.senses.index(choice)}")
        hits, right = hits + (choice == result.sense), right + (result.sense == labels[k])
        followed += choice == labels[k]
        message = text_of(page)
        assert f"Your points: {hits} of {k + 1}" in message and f"ELMo right: {right} of {k + 1}" in message
        assert ("1 point:" in message) == (choice == result.sense) and ("and is right" in message) == (result.sense == labels[k])
        assert f"{max(result.votes)} of the {sum(result.votes)} nearest labeled sentences mean “{result.sense}”" in message
        page = pressed(page, f"guess.next.{number}.{k}")
    assert page.subheader[0].value == f"You matched ELMo in {hits} of 8"
    standing = "You beat ELMo" if followed > right else "ELMo beats you" if right > followed else "You tie"
    assert standing in text_of(page)
    assert offered(page)[0]["ELMo’s choice"].tolist() == [result.sense for result in readings]
    assert "Your points: 0 of 0" in text_of(pressed(page, "guess.again"))


@pytest.mark.parametrize("given", ["-1", "100000", "<img src=x onerror=alert(1)>"])
def test_unknown_quiz_opens_the_quiz_of_the_day(given: str):
    page = opened_whole("pages/guess.py", quiz=given)
    message = page.warning[0].value
    assert message.startswith("There is no quiz “") and not re.search(r"(?<!\\)<", message)
    assert f"Quiz of the day: {quiz.today()}" in html_of(page)


def test_quiz_without_labeled_words_says_so(monkeypatch):
    monkeypatch.setattr(quiz, "quiz", lambda *_: ())
    assert "No words with two labeled senses in English" in opened("pages/guess.py", quiz="90001").error[0].value


def test_no_slide_opens_where_the_model_is_wrong():
    for number in range(1, 10):  # the snapshots have the English slides
        assert "틀" not in "".join(m.value for m in opened_whole("pages/slides.py", lang="ko", slide=str(number)).warning), number
    assert next(e.shows for e in examples.decided() if e.word == examples.first_word()) != "wrong"
