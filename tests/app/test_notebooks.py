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
from core.index.sense_space import WEIGHTS, SenseIndex
from core.index.tables import open_table
from core.senses.separation import sense_report_of
from core.static import vectors
from core.text import corpora
from pages._export import notebook_values
from pages._export.notebook_values import VIEWS, notebook
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


def test_the_neighbors_notebook_finds_what_the_page_lists(run):
    settings = {"a": "He lit a match.", "ai": 3, "b": "We won the match.", "bi": 3, "nlayer": "1", "k": 5}
    namespace = run("neighbors", settings)
    model = OPENED[models, "open_model"]("elmo-mini")
    table = TABLES("sentences", model, targets_only=True)
    for tokens, rows in zip((["He", "lit", "a", "match", "."], ["We", "won", "the", "match", "."]), namespace["tables"], strict=True):
        query = neighbors.make_query(model.encoder, tokens, 3)
        expected = table.nearest(query, np.eye(3)[1], k=5, which=neighbors.SAME)
        assert [(n.occurrence.sentence, round(n.cosine, 4)) for n in expected] == list(zip(rows["sentence"], rows["cosine"], strict=True))


def test_the_neighbors_notebook_finds_them_in_the_sense_space(run):
    namespace = run("neighbors", {"a": "He lit a match.", "ai": 3, "b": "We won the match.", "bi": 3, "nlayer": "senses", "k": 5})
    model = OPENED[models, "open_model"]("elmo-mini")
    index = SenseIndex(TABLES("sentences", model, targets_only=True), workspace.open_workspace(model).sense_space)
    query = neighbors.make_query(model.encoder, ["He", "lit", "a", "match", "."], 3)
    expected = index.nearest(query, WEIGHTS, k=5, which=neighbors.SAME)
    rows = namespace["tables"][0]
    assert [(n.occurrence.sentence, round(n.cosine, 4)) for n in expected] == list(zip(rows["sentence"], rows["cosine"], strict=True))


def test_the_mix_notebook_normalizes_the_layers_where_the_page_does(run):
    settings = {"a": "He lit a match.", "ai": 3, "b": "We won the match.", "bi": 3, "w1": 1.0}
    plain, normalized = run("mix", settings), run("mix", settings | {"norm": True})
    table, weights = TABLES("sentences", OPENED[models, "open_model"]("elmo-mini"), targets_only=True), normalized["weights"]
    query = normalized["workspace"].queries(normalized["words"])[0]
    products = neighbors.normalized_products(table.rows, neighbors.products(table.rows, query))
    expected = table.nearest(products, weights, k=20, which=neighbors.SAME)
    assert [n.cosine for n in normalized["result"].neighbors[0]] == [n.cosine for n in expected]
    assert [n.cosine for n in plain["result"].neighbors[0]] != [n.cosine for n in expected]
    assert normalized["result"].report.one_nn == sense_report_of(table, "match", weights, normalized=True).one_nn


def test_the_home_notebook_sees_one_spelling_at_layer_0_and_two_meanings_above(run):
    cosines = run("home")["result"].cosines
    assert math.isclose(cosines["0"], 1, abs_tol=1e-5) and cosines["2"] < 0.9


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


UNLABELED = {"a": "The heron stood in the reeds .", "ai": 1, "b": "A heron is drawn on the stamp .", "bi": 1, "w": "heron"}


def test_the_notebooks_of_a_word_that_nobody_labeled_are_about_that_word(run):
    drawn = run("map", UNLABELED | {"view": "1", "around": "between"})
    assert drawn["word"] == "heron" and not drawn["labeled"] and len(drawn["result"].points) > 10
    stars = [trace for trace in drawn["map_around"]().data if trace.marker.symbol == "star"]
    assert [star.text[0] for star in stars] == ["yours, 1", "yours, 2"] and drawn["result"].plan == "between"
    nearest = int(np.argmax(drawn["leans"][0]))
    query = drawn["workspace"].queries(drawn["words"])[0].layers[1]
    point = drawn["result"].points.layers[nearest, 1]
    cosine = point @ query / np.linalg.norm(point) / np.linalg.norm(query)
    assert math.isclose(cosine, drawn["leans"][0][nearest], abs_tol=1e-5)
    alone = run("map", UNLABELED | {"a": "", "map_word": "heron"})  # one sentence, a star of its own
    assert len(alone["words"]) == 1 == len(alone["leans"])

    edited = run("why", UNLABELED)
    assert edited["path"].lemma == "" and edited["path"].senses == ("first", "second")
    assert (edited["path"].read[0], edited["path"].read[-1]) == ("first", "second")


def test_the_map_notebook_follows_a_form_of_a_labeled_word(run):
    result = run("map", {"a": "Both banks were shut.", "ai": 1, "b": "", "w": "banks"})
    assert result["word"] == "bank" and result["labeled"]


def test_the_map_notebook_draws_the_sense_space_where_the_page_does(run):
    drawn = run("map", {"view": "senses", "map_word": "bank"})["layout"]
    assert drawn.names[-1] == "senses" and drawn.coordinates[-1].shape == (len(drawn.rows), 2)


def test_the_map_notebook_lays_a_word_out_as_the_page_does(run):
    assert run("map", {"map_word": "bank", "layout": "pca"})["layout"].plan == "pca"
    drawn = run("map", {"map_word": "bank", "layout": "poles"})["layout"]
    assert len(drawn.ends) == 2 and len(drawn.views) == 4
