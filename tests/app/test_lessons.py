"""The lessons by AppTest: each by its name in the address, in both languages, with its picture, its sentence, its exercise and its table."""

import shutil

import pytest
from streamlit.testing.v1 import AppTest

from core.common.config import ASSETS
from core.elmo.models import open_model
from core.index.tables import open_table
from pages._learn.lessons import lessons
from tests.app.visit import HANGUL, html_of, opened, tables

PAGE = "pages/lessons.py"
NAMES = [item.name for item in lessons()]


def said(page: AppTest) -> str:
    """What to notice, as it is on the page."""
    return next(block.proto.body for block in page.get("html") if "What to notice" in str(block.proto))


@pytest.mark.parametrize(("name", "language"), [*((name, "en") for name in NAMES), ("cone", "ko")])
def test_a_lesson_opens_by_its_name_with_all_that_a_lesson_has(name: str, language: str):
    page = opened(PAGE, lesson=name, lang=language)
    assert not page.exception and not page.error
    assert bool(HANGUL.search(page.title[0].value)) == (language == "ko")
    assert page.get("plotly_chart") and tables(page)
    assert ("For a class." if language == "en" else "수업에서.") in html_of(page)
    if language == "en":
        assert any(words in said(page) for words in ("significant", "not significant"))
        assert page.title[0].value == next(item.question for item in lessons() if item.name == name)


def test_a_lesson_that_is_not_known_is_the_first_one():
    page = opened(PAGE, lesson="<b>none</b>")
    assert not page.exception and page.title[0].value == lessons()[0].question




def test_a_threshold_that_is_moved_has_other_errors():
    page = opened(PAGE, lesson="apart")
    before = tables(page)[0]
    page.slider(key="apart_at").set_value(0.9).run()
    after = tables(page)[0]
    assert (after["missed"] > before["missed"]).all() and (after["false alarms"] <= before["false alarms"]).all()
    assert (after["AUC"] == before["AUC"]).all()  # which knows no threshold


def test_ones_own_texts_have_a_cone_and_the_lessons_on_senses_say_what_they_read_instead(tmp_path):
    places = ("river", "market", "harbour", "garden", "station", "bridge", "kitchen", "library", "castle")
    lines = [
        f"The {place} looked {look} to the visitors on {day}."
        for place in places
        for look in ("gray", "quiet", "small")
        for day in ("Monday", "Friday", "Sunday")
    ]
    (tmp_path / "own.txt").write_text("\n".join(lines), encoding="utf-8")
    own = str(tmp_path / "own.txt")
    open_table(own, open_model("elmo-mini"))  # read before: a page that waits for it is another test's
    page = opened(PAGE, corpus=own)
    assert not page.exception and not page.error and "two words of this corpus have a mean cosine" in said(page)
    other = opened(PAGE, corpus=own, lesson="apart")
    assert not other.exception and any("has no labeled senses" in item.value for item in other.caption)
    third = opened(PAGE, corpus=own, lesson="homonyms")
    assert not third.exception and any("This lesson uses sentences" in item.value for item in third.caption)
    (tmp_path / "own.txt").write_text("Birds sang.\nIt rained.\n", encoding="utf-8")
    assert any("Add text" in error.value for error in opened(PAGE, corpus=own).error)


def test_a_model_that_nobody_measured_says_how_to(tmp_path):
    shutil.copytree(ASSETS / "elmo-mini", tmp_path / "mine")
    (tmp_path / "mine" / "lessons.json").unlink()
    for name in ("control", "context", "before"):
        page = opened(PAGE, model=str(tmp_path / "mine"), lesson=name)
        assert not page.exception and "python -m core.lab lessons" in page.info[0].value


def test_a_word_that_is_chosen_is_a_star_in_every_row():
    page = opened(PAGE, lesson="context", context_word="bank")
    assert not page.exception and page.get("plotly_chart")[0].proto.spec.count('"#FFD23F"') == 6
    assert "compared with static vectors" in said(page)


