"""All labeled words at once: measured in a job that can be stopped, then kept, drawn and listed; and the sentences that few pages search."""

from pathlib import Path

import pytest

from core.text.labeled_words import further_with
from pages._cached import jobs
from pages._frame.jobs import Job
from pages._map import every_word
from tests.app.visit import opened_whole, tables

ROOT = Path(__file__).parents[2]


def _measuring() -> list[Job]:
    return [job for (kind, _), job in jobs._jobs()[0].items() if kind == every_word.JOB]


@pytest.fixture
def few_words(monkeypatch, tmp_path):
    """ "virus" stands for the hundreds of further words, which take minutes."""
    monkeypatch.setattr(every_word, "with_all", lambda corpus: "sentences+virus")
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path))
    jobs._jobs()[0].clear()
    yield
    for job in _measuring():
        job.stop()
        job.wait(60)
    jobs._jobs()[0].clear()


def test_all_words_are_measured_beside_the_page_and_then_drawn(few_words):
    page = opened_whole("pages/map.py", **{"map.all": "true"})
    page.button(key="map.every").click().run()
    (job,) = _measuring()
    job.wait(240)
    assert job.error is None and job.result.is_file()
    page.run()
    assert not page.exception and "map.every" not in {button.key for button in page.button}
    listed = [frame for frame in tables(page) if "above chance" in frame.columns and "virus" in set(frame["word"])]
    assert listed and len(listed[0]) > 50


def test_measuring_is_stopped_where_it_is_asked_to(few_words):
    page = opened_whole("pages/map.py", **{"map.all": "true"})
    page.button(key="map.every").click().run()
    (job,) = _measuring()
    if job.is_running:
        job.stop()
    job.wait(120)
    assert not job.is_running and (job.why_ended == "stopped" or job.result)
    page.run()
    assert not page.exception and not page.error


def test_a_rare_word_is_offered_the_sentences_of_all_words_with_how_many_have_it():
    n = further_with("sentences", "zebra")
    assert n == further_with("sentences", "ZEBRA".casefold()) and further_with("sentences+more-words", "zebra") == 0
    page = opened_whole("pages/neighbors.py", a="A zebra drank at the pool.", b="The zebra on the poster was green.")
    offered = [button for button in page.button if button.key == "neighbors.more.take"]
    assert bool(offered) == (n > 0)
    if offered:
        assert f"zebra ({n})" in " ".join(item.value for item in page.caption)


def test_those_sentences_are_a_choice_under_in_use():
    page = opened_whole("pages/how.py")
    box = page.selectbox(key="corpus")
    assert "sentences+more-words" in box.options and "more-words" not in box.options
