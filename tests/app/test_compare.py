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
from pages._frame import examples
from pages._frame.jobs import QUEUE
from pages._home import live
from pages._models import compare as compare_page
from tests.app.visit import forget, html_of, opened, opened_whole, tables

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in "lmnrs"]


def vectors(folder: Path, seed: int) -> Path:
    folder.mkdir()
    rows = np.random.default_rng(seed).normal(size=(len(WORDS), 8))
    path = folder / "vec.txt"
    path.write_text("".join(f"{word} {' '.join(f'{x:.4f}' for x in row)}\n" for word, row in zip(WORDS, rows, strict=True)))
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
    offered = list(next(g for g in page.get("button_group") if g.key == "cmp_example").options)
    meant = set(examples.pairs()) | set(OccurrenceTable(ASSETS / "targets").basic.lemmas)
    assert len(meant & set(offered)) >= 4, offered


def test_compare_names_a_word_that_one_space_lacks():
    words = ("plant", "light")
    assert [find_form(word, words, languages.get_language("en")) for word in ("plants", "plant", "blorf")] == ["plant", "plant", ""]
    page = opened("pages/compare.py", a="The blorf barked.", b="A blorf ate it.")
    assert "“blorf” is not in both" in " ".join(item.value for item in page.caption) and not page.error


@pytest.mark.parametrize("labeled", [True, False])
def test_compare_says_which_words_it_compares_while_others_are_read(monkeypatch, labeled):
    job = QUEUE.add("a visitor")

    def reading(sides):
        return (sides[0], replace(sides[1], every_token=False) if labeled else None), [(job, sides[1])]

    monkeypatch.setattr(compare_page, "readable", reading)
    page = opened("pages/compare.py")
    job.leave()
    assert not page.error
    message = page.get("progress")[0].proto.text
    assert ("labeled words only" in message) == labeled
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
    of_space = compare._over_all_words

    def slowly(*given):
        begun.set()
        go.wait(60)
        return of_space(*given)

    monkeypatch.setattr(compare, "_over_all_words", slowly)
    monkeypatch.setattr(shared_jobs, "MAX_WAIT_S", 0.1)
    model = cache.model("elmo-mini")
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
    page.run()
    assert "Measuring both models" in page.get("progress")[0].proto.text
    page.button(key="compare.stop").click().run()
    assert "Stopping" in page.get("progress")[0].proto.text
    go.set()
    job.wait(60)
    assert job.why_ended == "stopped"
    page.run()
    assert "results are kept" in page.info[0].value
    monkeypatch.setattr(shared_jobs, "MAX_WAIT_S", 120)
    page.button(key="compare.again").click().run()
    assert not page.error and not page.info
    (job,) = shared_jobs._jobs()[0].values()
    first, second = job.result
    assert first.shares.pop("senses") > first.shares["1"]  # of the other model no row is kept in its sense space
    assert first.shares == second.shares and first.shares["1"] > first.shares["0"] and 0 < first.chance < 1 and first.pace > 0


def test_bundled_measures_of_models_are_a_table():
    def script():
        from pages._models.compare import show_measured

        show_measured()

    page = AppTest.from_function(script, default_timeout=120).run()
    table = tables(page)[0]
    assert set(table["model"]) == {"elmo-mini", "all-MiniLM-L6-v2"} and len(table) == 2 * table["measure"].nunique() >= 8
    assert ((table["at that layer"] > table["chance"]) & (table["at that layer"] <= 1)).all()
    assert "Training: 1000 sentences" in page.caption[0].value


def test_invalid_usage_graph_is_refused_with_the_names_of_its_files():
    page = opened("pages/change.py")
    (box,) = page.file_uploader
    box.set_value([("bank.csv", b"hello", "text/csv"), ("my spring.csv", b"hello", "text/csv")]).run()
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


def test_warm_up_caches_no_unfinished_answer(monkeypatch):
    forget("core.views.compare.compute")
    unfinished = QUEUE.add()
    unfinished.leave()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.analysis.aligned_umap.compile_layout", lambda: None)
        patch.setattr("core.index.rows.warm_up", lambda: None)
        patch.setattr(cache, "table_job", lambda *_, **__: unfinished)
        live.open_rest()
    assert "of a word’s 10 neighbors" in html_of(opened("pages/compare.py"))
