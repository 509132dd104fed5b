"""Test the lessons and the quiz."""

import re
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from core.common.config import ASSETS
from core.common.errors import CorruptArtifact
from core.index import tables as index_tables
from core.index.rows import make_query
from core.senses import quiz
from core.senses.quiz import QuizQuestion, QuizReading
from core.text import languages
from core.workspace import Workspace, open_workspace
from pages._learn.slides import all_lessons
from tests.app.visit import html_of, offered, opened, opened_whole, tables, text_of

PAGE = "pages/lessons.py"


def test_unknown_lesson_opens_the_first_one():
    page = opened(PAGE, lesson="<b>none</b>")
    assert page.title[0].value == all_lessons()[0].question


def test_threshold_changes_the_errors_and_not_the_auc():
    page = opened(PAGE, lesson="apart")
    before = tables(page)[0]
    page.slider(key="apart_at").set_value(0.9).run()
    after = tables(page)[0]
    assert (after["missed"] > before["missed"]).all() and (after["false alarms"] <= before["false alarms"]).all()
    assert (after["AUC"] == before["AUC"]).all()  # which knows no threshold


def test_lessons_of_an_unmeasured_model_name_the_command(tmp_path):
    shutil.copytree(ASSETS / "elmo-mini", tmp_path / "mine")
    (tmp_path / "mine" / "lessons.json").unlink()
    for name in ("control", "context", "before"):
        page = opened(PAGE, model=str(tmp_path / "mine"), lesson=name)
        assert "python -m core.lab lessons" in page.info[0].value


def test_chosen_word_is_a_star_in_every_row():
    page = opened(PAGE, lesson="context", context_word="bank")
    assert page.get("plotly_chart")[0].proto.spec.count('"#FFD23F"') == 6
    assert "compared with static vectors" in html_of(page)


ENGLISH = languages.get_language("en")


def pressed(page: AppTest, key: str) -> AppTest:
    return page.button(key=key).click().run()


def read(workspace: Workspace, request: QuizQuestion) -> QuizReading:
    query = make_query(workspace.model.encoder, list(request.tokens), request.position)
    return quiz.read(index_tables.open_word(request.word, workspace.model), request, query, workspace.sense_space)


def test_quiz_counts_points_of_the_user_and_of_elmo():
    number = 77_777  # of no day
    request = quiz.quiz(number, ENGLISH)
    workspace = open_workspace(ENGLISH.model)
    readings = [read(workspace, item) for item in request]
    labels = [item.label for item in request]
    page = opened("pages/guess.py", quiz=str(number))
    assert f"Quiz {number}" in html_of(page)
    hits = right = followed = 0
    for k, (item, result) in enumerate(zip(request, readings, strict=True)):
        assert f"Question {k + 1} of 8" in text_of(page) and item.text in text_of(page)
        buttons = [page.button(key=f"guess.choose.{number}.{k}.{n}").label for n in range(len(item.senses))]
        assert [label.split("**")[1] for label in buttons] == list(item.senses) and all("**: " in label for label in buttons)
        choice = item.senses[k % len(item.senses)]
        page = pressed(page, f"guess.choose.{number}.{k}.{item.senses.index(choice)}")
        hits, right = hits + (choice == result.sense), right + (result.sense == labels[k])
        followed += choice == labels[k]
        message = text_of(page)
        assert f"Your points: {hits} of {k + 1}" in message and f"ELMo right: {right} of {k + 1}" in message
        assert ("1 point:" in message) == (choice == result.sense) and ("and is right" in message) == (result.sense == labels[k])
        assert "ELMo also expects here:" in message and "(the sense space)" in message
        assert f"{max(result.votes)} of the {sum(result.votes)} nearest labeled sentences mean “{result.sense}”" in message
        page = pressed(page, f"guess.next.{number}.{k}")
    assert page.subheader[0].value == f"You matched ELMo in {hits} of 8"
    standing = "You beat ELMo" if followed > right else "ELMo beats you" if right > followed else "You tie"
    assert standing in text_of(page)
    assert offered(page)[0]["label"].tolist() == labels
    assert offered(page)[0]["ELMo’s choice"].tolist() == [result.sense for result in readings]
    page = pressed(page, "guess.again")
    assert "Question 1 of 8" in text_of(page) and "Your points: 0 of 0" in text_of(page)


@pytest.mark.parametrize("given", ["-1", "100000", "<img src=x onerror=alert(1)>"])
def test_unknown_quiz_opens_the_quiz_of_the_day(given: str):
    page = opened_whole("pages/guess.py", quiz=given)
    message = page.warning[0].value
    assert message.startswith("There is no quiz “") and not re.search(r"(?<!\\)<", message)
    assert f"Quiz of the day: {quiz.today()}" in html_of(page)
    page = pressed(page, f"guess.choose.{quiz.today()}.0.0")
    assert "Your points:" in html_of(page)


def test_quiz_without_labeled_words_says_so(monkeypatch):
    monkeypatch.setattr(quiz, "quiz", lambda *_: ())
    page = opened("pages/guess.py", quiz="90001")
    assert "No words with two labeled senses in English" in page.error[0].value


def test_quiz_with_damaged_files_keeps_its_question(monkeypatch):
    def damaged(*_, **__):
        raise CorruptArtifact("The table is damaged.")

    monkeypatch.setattr(index_tables, "_built", damaged)
    monkeypatch.setattr(index_tables, "bundled_targets", lambda *_: None)
    page = opened("pages/guess.py", quiz="31314")
    assert "The table is damaged" in page.error[0].value and quiz.quiz(31_314, ENGLISH)[0].text in text_of(page)
