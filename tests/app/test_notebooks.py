"""Notebooks: sound as files, every view has one, and their code runs from top to bottom to the numbers that the page shows."""

import ast
import json
import math
import os
import runpy
from functools import lru_cache
from pathlib import Path

import numpy as np
import plotly.io as pio
import pytest

from core import workspace
from core.common import i18n
from core.common.errors import BadInput
from core.elmo import models
from core.index import neighbors, tables
from core.index.sense_index import WEIGHTS, SenseIndex
from core.index.tables import open_table
from core.senses.reports import sense_report_of
from core.static import vectors
from core.text import corpora
from pages._export import notebook_values
from pages._export.notebook_file import notebook
from pages._export.notebook_values import VIEWS
from pages._frame.menu import list_views
from tests.app.visit import code_cells

LESSONS = ("cone", "apart", "homonyms", "control", "context", "before")
ROOT = Path(__file__).resolve().parents[2]
SMALL = {"compare": {"second": "glove-mini", "first": "glove-mini"}}  # what takes long, made short


def keep_corpora(open_corpus):
    """Each corpus opened once in each language, which has no hash."""
    kept = {}

    def opened(name, language=None):
        key = name, language and language.code
        if key not in kept:
            kept[key] = open_corpus(name, language)
        return kept[key]

    return opened


OPENED = {
    (module, name): lru_cache(getattr(module, name))
    for module, name in ((models, "open_model"), (vectors, "open_vectors"), (models, "open_language_model"))
} | {(corpora, "open_corpus"): keep_corpora(corpora.open_corpus)}
TABLES = lru_cache(open_table)
HOSTILE = 'The \'bank\' """ is\\ \n{shut} </script><script>alert(1)</script> \u2028 # 은행 🎉\x00'


def cells(view: str, settings: dict | None = None, **told: str) -> list[dict]:
    return json.loads(notebook(view, settings or {}, **told))["cells"]


def code_of(view: str, settings: dict) -> str:
    return "\n\n".join(code_cells(notebook(view, settings)))


@pytest.fixture
def run(tmp_path: Path, monkeypatch):
    """Runs a view's notebook as Jupyter would, cell after cell in one namespace, and gives that; models are opened once for all."""
    for (module, name), opened in OPENED.items():
        monkeypatch.setattr(module, name, opened)

    def labeled_only(
        corpus, model, *, targets_only=False, report=None
    ):  # reading every word of the corpus is what `open_table` is tested for
        return TABLES(corpus, model, targets_only=True)

    monkeypatch.setattr(tables, "open_table", labeled_only)
    for name, opened in (("open_model", OPENED[models, "open_model"]), ("open_vectors", OPENED[vectors, "open_vectors"])):
        monkeypatch.setattr(workspace, name, opened)
    monkeypatch.setattr(workspace, "open_table", labeled_only)

    monkeypatch.setattr(pio.templates, "default", pio.templates.default)  # notebooks choose their own

    def run(view: str, settings: dict | None = None) -> dict:
        file = tmp_path / f"{view}.py"
        file.write_text(code_of(view, settings or {}), encoding="utf-8")
        return runpy.run_path(str(file))

    return run


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_notebook_of_a_lesson_runs_from_top_to_bottom(lesson: str, run):
    assert all(1 <= len(cell["source"]) <= 24 for cell in cells("lessons", {"lesson": lesson}) if cell["cell_type"] == "code")
    assert run("lessons", {"lesson": lesson})
    with pytest.raises(BadInput, match="no notebook"):
        notebook("lessons", {"lesson": "nothing"})


@pytest.mark.parametrize("view", VIEWS)
def test_a_notebook_is_sound_and_its_code_runs_from_top_to_bottom(view: str, run):
    message = json.loads(notebook(view, {}, question="Why?", address="http://127.0.0.1:8501/x?a=b"))
    assert (message["nbformat"], message["nbformat_minor"]) == (4, 5) and message["metadata"]["kernelspec"]["language"] == "python"
    ids = [cell["id"] for cell in message["cells"]]
    assert len(set(ids)) == len(ids) and all(len(name) <= 64 for name in ids)
    for cell in message["cells"]:
        assert isinstance(cell["metadata"], dict) and "".join(cell["source"]).strip()
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            ast.parse("".join(cell["source"]))
            assert 1 <= len(cell["source"]) <= 24
    first = "".join(message["cells"][0]["source"])
    assert first.startswith("# Why?") and "http://127.0.0.1:8501/x?a=b" in first
    assert str(ROOT) not in json.dumps(message) and os.path.expanduser("~") not in json.dumps(message)
    assert run(view, SMALL.get(view))


def test_the_notebook_of_any_spelling_runs(run):
    assert run("how", {"step": "4", "spell": "mint minty", "spell_among": "300"})["words"] == ("mint", "minty")


def test_a_notebook_is_that_of_a_page_and_any_other_is_refused():
    assert set(VIEWS) <= set(list_views())
    with pytest.raises(BadInput, match="no notebook"):
        notebook("nowhere", {})


def test_a_notebook_looks_at_the_word_that_the_page_guesses():
    crane = {"a": "Two herons fished beside the crane at dawn.", "b": "Cranes lifted the heavy beams."}
    assert notebook_values.pair(crane) == [(crane["a"], 5, ""), (crane["b"], 0, "")] and notebook_values.word(crane) == "crane"
    assert notebook_values.sentence(crane | {"ai": 1}) == (crane["a"], 1) and notebook_values.word(crane | {"w": "herons"}) == "herons"
    assert len(notebook_values.pair({})) == 2 and notebook_values.pair({"a": "", "b": " "}) == []










def test_text_gets_into_the_code_as_itself_and_nothing_else(run):
    settings = {"a": HOSTILE, "ai": 2, "b": "x = 1; raise SystemExit", "bi": 0}
    assert run("home", settings)["sentences"] == [(HOSTILE, 2, ""), ("x = 1; raise SystemExit", 0, "")]
    for view in VIEWS:
        every = dict.fromkeys(("a", "b", "spell", "ptext", "pother", "find", "other", "text_news-title", "found_word", "map_word"), HOSTILE)
        with_text, without = (cells(view, given) for given in (every, {}))
        constant = [cell["source"] for cell in with_text[2:]]
        assert constant == [cell["source"] for cell in without[2:]]  # only the cell of given values holds what was typed
    assert "".join(cells("home", {}, question="<b>\n# x")[0]["source"]).split("\n\n")[0] == r"# \<b\> \# x"


def test_a_word_that_was_not_chosen_is_the_one_last_looked_at():
    code = code_of("why", {"a": "The old bank was shut.", "ai": None, "w": "bank"})
    assert "('The old bank was shut.', 2, '')" in code


def test_figures_are_labeled_in_the_readers_language():
    i18n.use("ko")
    try:
        assert "i18n.use('ko')" in code_of("home", {})
    finally:
        i18n.use(None)






def test_the_map_notebook_follows_a_form_of_a_labeled_word(run):
    result = run("map", {"a": "Both banks were shut.", "ai": 1, "b": "", "w": "banks"})
    assert result["word"] == "bank" and result["labeled"]




