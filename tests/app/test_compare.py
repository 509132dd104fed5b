"""Test the Compare page: names of spaces, the opening word, and jobs that end while the page is drawn."""

import threading
from dataclasses import replace
from functools import wraps
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.common.config import ASSETS
from core.index.table import OccurrenceTable
from core.text import languages
from core.views import compare
from core.views.compare import find_form
from pages._cached import cache, shared_jobs
from pages._frame.jobs import QUEUE
from pages._models import compare as compare_page
from tests.app.visit import captions, forget, html_of, opened, opened_whole


def vectors(folder: Path, seed: int) -> Path:
    folder.mkdir()
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrs"]
    rows = np.random.default_rng(seed).normal(size=(len(words), 8)).round(4)
    path = folder / "vec.txt"
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True)))
    return path


def test_two_files_of_one_name_are_two_spaces_and_one_name_is_one(tmp_path):
    a, b = vectors(tmp_path / "a", 0), vectors(tmp_path / "b", 1)
    message = html_of(opened_whole("pages/compare.py", first=str(a), second=str(b)))
    assert "a/vec.txt and b/vec.txt share" in message and str(tmp_path) not in message
    assert "nearly every list is identical" not in message
    assert "Both sides are one space" in html_of(opened_whole("pages/compare.py", first=str(a), second=str(a)))


def test_sense_space_is_compared_and_the_target_word_shown():
    sides = {"first": "elmo-mini · senses", "second": "glove-mini"}
    page = opened_whole("pages/compare.py", a="The plant makes cars.", b="She watered the plant.", **sides)
    assert "of a word’s 10 neighbors" in html_of(page) and "elmo-mini · senses" in page.selectbox(key="second").options
    assert page.text_input(key="cmp_word").placeholder == "plant"


def test_compare_names_a_word_that_one_space_lacks():
    words = ("plant", "light")
    assert [find_form(word, words, languages.get_language("en")) for word in ("plants", "plant", "blorf")] == ["plant", "plant", ""]
    assert "“blorf” is not in both" in captions(opened_whole("pages/compare.py", a="The blorf barked.", b="A blorf ate it."))


@pytest.mark.parametrize("labeled", [True, False])
def test_compare_says_which_words_it_compares_while_others_are_read(monkeypatch, labeled):
    job = QUEUE.add("a visitor")

    def reading(sides):
        return (sides[0], replace(sides[1], every_token=False) if labeled else None), [(job, sides[1])]

    monkeypatch.setattr(compare_page, "readable", reading)
    page = opened_whole("pages/compare.py")
    job.leave()
    assert ("labeled words only" in page.get("progress")[0].proto.text) == labeled
    assert ("Comparison starts when all words are read." in html_of(page)) != labeled


def test_job_that_ends_while_the_page_is_drawn_is_complete(monkeypatch):
    read = QUEUE.add("a visitor")
    read.leave()
    runs = []

    def reading(sides):
        runs.append(sides)
        if first := len(runs) == 1:  # done once it was asked for
            read.result = cache.targets("sentences", "elmo-mini")
        return (sides[0], replace(sides[1], every_token=False)), [(read, sides[1])] if first else []

    monkeypatch.setattr(compare_page, "readable", reading)
    page = opened("pages/compare.py")
    assert len(runs) == 2 and "of a word’s 10 neighbors" in html_of(page)
    assert not any("Stopped" in item.value for item in page.info)


def test_measuring_two_models_can_be_stopped_and_continued(monkeypatch):
    begun, go = threading.Event(), threading.Event()
    of_space, model = compare._over_all_words, cache.model("elmo-mini")

    def slowly(*given):
        begun.set()
        go.wait(60)
        return of_space(*given)

    monkeypatch.setattr(compare, "_over_all_words", slowly)
    monkeypatch.setattr(shared_jobs, "MAX_WAIT_S", 0.1)
    monkeypatch.setattr(compare_page.cache, "model", lambda name: model if name == "elmo-mini" else replace(model, fingerprint="other"))
    monkeypatch.setattr(compare_page.cache, "open_claimed", lambda *_, **__: OccurrenceTable(ASSETS / "targets").basic)

    def script():
        from core.views.compare import SpaceName
        from pages._models.compare import show_models as show

        show(tuple(SpaceName(name, "2", "sentences") for name in ("elmo-mini", "another")))

    shared_jobs._jobs()[0].clear()
    page = AppTest.from_function(script, default_timeout=120).run()
    assert begun.wait(60)
    (job,) = shared_jobs._jobs()[0].values()
    assert "Measuring both models" in page.run().get("progress")[0].proto.text
    page.button(key="compare.stop").click().run()
    assert "Stopping" in page.get("progress")[0].proto.text
    go.set()
    job.wait(60)
    assert "results are kept" in page.run().info[0].value
    monkeypatch.setattr(shared_jobs, "MAX_WAIT_S", 120)
    page.button(key="compare.again").click().run()
    assert not page.error and not page.info
    (job,) = shared_jobs._jobs()[0].values()
    first, second = job.result
    assert first.shares.pop("senses") > first.shares["1"]  # of the other model no row is kept in its sense space
    assert first.shares == second.shares and first.shares["1"] > first.shares["0"] and 0 < first.chance < 1 and first.pace > 0


def test_invalid_usage_graph_is_refused_with_the_names_of_its_files():
    page = opened("pages/change.py")
    page.file_uploader[0].set_value([("bank.csv", b"hello", "text/csv"), ("my spring.csv", b"hello", "text/csv")]).run()
    page.button(key="change.take").click().run()
    assert [r"bank\.csv and my spring\.csv both hold uses" in item.value for item in page.error] == [True]
    next(button for button in page.button if button.label == r"Remove bank\.csv").click().run()
    page.button(key="change.take").click().run()
    assert [item.value.startswith(r"my spring\.csv, line 1") for item in page.error] == [True]


def test_page_opened_when_a_job_ends_caches_no_unfinished_answer(monkeypatch):
    cache.table_job("sentences", "elmo-mini").wait(60)
    forget("core.views.compare.compute")
    unready, compute = [None, None], compare.compute

    @wraps(compute)
    def computed(workspace, request):
        return unready.pop() if unready else compute(workspace, request)

    monkeypatch.setattr(compare, "compute", computed)
    for _ in range(2):  # a visitor, and the next one
        page = opened("pages/compare.py")
        assert not unready
        assert "of a word’s 10 neighbors" in html_of(page) and "Comparison starts" not in html_of(page)
