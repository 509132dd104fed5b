"""Test exported tables, HTML files and notebooks."""

import ast
import json
import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.io as pio
import pytest

from core import workspace
from core.common import i18n, markup
from core.common.config import ROOT
from core.common.errors import BadInput
from core.elmo import models
from core.elmo.weights import save_hdf5
from core.figures.maps import FAINT
from core.index import tables
from core.index.tables import open_table
from core.static import vectors
from core.text import corpora
from core.text.corpora import open_corpus
from core.text.languages import get_language
from pages._export.notebook_values import NOTEBOOKS, name_of, notebook
from pages._export.record import Taken
from pages._frame.in_use import OURS, InUse
from pages._frame.menu import list_views
from pages._widgets.downloads import LONG, html_of, html_of_view
from tests.app.visit import code_cells, opened_whole, rows_of, run_notebook
from tests.test_architecture import SHIPPED, name
from tests.tiny import write_two_texts


def test_no_cell_of_a_csv_file_begins_a_formula_or_a_row():
    quoted = {"=1+1": "'=1+1", "-1+cmd": "'-1+cmd", "\x00=1": "'\x00=1", "'s": "'s", "1-2": "1-2"}
    table = pd.DataFrame({cell: [cell] for cell in quoted} | {"cosine": [-0.5]})
    assert rows_of(table) == [[*quoted.values(), "cosine"], [*quoted.values(), "-0.5"]]
    for cell in ("a\r=1+1", "a\n=1+1", 'a",=1+1', "a\r\n=1+1"):
        assert [row[0].replace("\r\n", "\n") for row in rows_of(pd.DataFrame({"word": [cell]}))] == ["word", cell.replace("\r\n", "\n")]


def test_csv_is_written_in_one_place():
    assert [name(path) for path in SHIPPED if ".to_csv" in path.read_text("utf-8")] == ["core/files/formats.py"]


EMPTY = {"question": "Q?", "lede": "", "typed": (), "notices": (), "provenance": ()}
CELLS = {0.72345678: "0.7235", 1.0: "1", 0.0: "0", -0.05: "-0.05", 0.00000031: "3.1e-07", 1234.5: "1234.5"}
CELLS |= {np.nan: "", None: "", pd.NA: "", 7: "7", "0.50": "0.50", "<b>&": "&lt;b&gt;&amp;"}


def test_number_is_rounded_and_only_long_text_may_be_broken():
    def body(value: object) -> str:
        return html_of([], [(pd.DataFrame({"a": [value]}), "t")], **EMPTY).split("<tbody>\n<tr>")[1].split("</tr>")[0]

    assert {value: body(value) for value in CELLS} == {value: f"<td>{shown}</td>" for value, shown in CELLS.items()}
    assert body("x" * (LONG + 1)).startswith('<td class="long">') and body("x" * LONG).startswith("<td>")


EVIL = "<img src=x onerror=alert(1)>"


def test_html_file_contains_no_markup_of_a_view():
    import plotly.graph_objects as go

    figure = go.Figure(go.Scatter(x=[1], y=[1], text=[EVIL], hovertext=["</script><script>alert(1)</script>"], name=EVIL))
    table = pd.DataFrame({EVIL: [EVIL]})
    page = {"question": EVIL, "lede": EVIL, "typed": [(EVIL, EVIL)], "notices": [markup.html("About “{}” <b>7</b>.", EVIL)]}
    page, link = page | {"provenance": [(EVIL, EVIL)]}, f"https://a.example/?q={EVIL}"
    html = html_of([(figure, EVIL)], [(table, EVIL)], link, **page)
    assert "<b>7</b>" in html and EVIL not in html and "<script>alert" not in html and html.count("onerror=alert(1)&gt;") == 14


PAIR = {"a": "A robin sang <b>loudly</b>.", "b": "The robin & I."}
TYPED = {"app.py": PAIR, "pages/neighbors.py": PAIR, "pages/why.py": {"a": PAIR["a"]}}
TYPED |= {"pages/predict.py": {"ptext": "Once upon a rainy"}, "pages/classify.py": {"text_news-title": "Robins win the cup"}}


@pytest.mark.parametrize(("path", "address"), TYPED.items())
def test_html_file_begins_with_the_typed_texts_and_the_target_words(path, address):
    first = html_of_view(opened_whole(path, **address).session_state["_taken"]).split("<main>")[1].split("</dl>")[0]
    for text in address.values():
        assert str(markup.html("{}", text)) in first
    assert first.count("<h1>") == 1 and "<figure" not in first and "notice" not in first
    assert path != "app.py" or first.count("<dd>robin</dd>") == 2


LOCAL_HOSTS = "localhost:8501 LOCALHOST 127.0.0.1:8501 [::1]:8501 192.168.1.7:8501 10.0.0.3 0.0.0.0:8501 laptop:8501 laptop.local nlp.lan"


def test_html_file_links_only_to_public_addresses_and_names_no_local_host():
    for address in ("", "javascript:alert(1)", *(f"http://{host}/map?a=x" for host in LOCAL_HOSTS.split())):
        assert Taken("map", "Map", address=address).link() == "", address
    for address in ("https://elmoscope.example.org/map?a=x", "http://93.184.216.34:8501/"):
        assert Taken("map", "Map", address=address).link() == address
    taken = Taken("map", "Map", address="http://localhost:8501/map?a=A+robin.")
    html = html_of([], [], taken.link(), **EMPTY | {"provenance": [("View", taken.place())]})
    assert "localhost" not in html and "/map?a=A+robin." in html and "<a href" not in html.split("<main>")[1]


def test_file_waits_until_a_fragment_has_drawn_the_view():
    view = Taken("map", "Map", InUse("elmo-mini", "glove-mini", "sentences", OURS))
    with ThreadPoolExecutor() as pool:
        with view.drawing:
            html = pool.submit(html_of_view, view)
            with pytest.raises(TimeoutError):
                html.result(0.2)
            view.lede = "Drawn now."
        assert "Drawn now." in html.result(30)


OPENED = [
    (modules, name, lru_cache(getattr(modules[0], name)))
    for modules, name in (((models, workspace), "open_model"), ((vectors, workspace), "open_vectors"), ((models,), "open_language_model"))
]
TABLES = lru_cache(open_table)
CORPORA = lru_cache(lambda name, code: open_corpus(name, code and get_language(code)))  # a language has no hash
HOSTILE = 'The \'bank\' """ is\\ \n{shut} </script><script>alert(1)</script> \u2028 # 은행 🎉\x00'
VIEWS = [view for view in list_views() if name_of(view, {}) in NOTEBOOKS]


def cells(view: str, settings: dict | None = None, **told: str) -> list[dict]:
    return json.loads(notebook(view, settings or {}, **told))["cells"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch):
    """Return a function that runs a view's notebook. Models and corpora are opened once for all tests."""
    for modules, function, opened in OPENED:
        for module in modules:
            monkeypatch.setattr(module, function, opened)
    monkeypatch.setattr(corpora, "open_corpus", lambda name, language=None: CORPORA(name, language and language.code))

    def labeled_only(corpus, model, *, targets_only=False, report=None):
        """Return the small table. Other tests read every word of a corpus."""
        return TABLES(corpus, model, targets_only=True)

    for module in (tables, workspace):
        monkeypatch.setattr(module, "open_table", labeled_only)
    monkeypatch.setattr(pio.templates, "default", pio.templates.default)  # notebooks choose their own
    return lambda view, settings=None: run_notebook(tmp_path, notebook(view, settings or {}))


@pytest.mark.parametrize("lesson", ["cone", "apart", "homonyms", "control", "context", "before"])
def test_notebook_of_a_lesson_runs(lesson: str, run):
    assert run("lessons", {"lesson": lesson})


@pytest.mark.parametrize("view", VIEWS)
def test_notebook_of_a_view_is_valid_and_runs(view: str, run, tmp_path: Path):
    made = json.loads(notebook(view, {}, question="Why?", address="http://127.0.0.1:8501/x?a=b"))
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5) and made["metadata"]["kernelspec"]["language"] == "python"
    ids = [cell["id"] for cell in made["cells"]]
    assert len(set(ids)) == len(ids) and all(len(name) <= 64 for name in ids)
    for cell in made["cells"]:
        assert isinstance(cell["metadata"], dict) and "".join(cell["source"]).strip()
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None and len(cell["source"]) <= 24
    first = "".join(made["cells"][0]["source"])
    assert first.startswith("# Why?") and "http://127.0.0.1:8501/x?a=b" in first
    assert str(ROOT) not in json.dumps(made) and os.path.expanduser("~") not in json.dumps(made)
    first, second = write_two_texts(tmp_path)
    small = {"change": {"change.sides": [first, "", "", second, "", ""], "change.word": "bank"}}
    small |= {"collocates": {"collocate_order": "log_dice"}}
    small |= {"compare": {"compare.spaces": ["glove-mini", "sentences", "glove-mini", "sentences"]}}
    assert run(view, small.get(view))


def test_unknown_view_has_no_notebook():
    for view, settings in (("nowhere", {}), ("lessons", {"lesson": "nothing"})):
        with pytest.raises(BadInput, match="no notebook"):
            notebook(view, settings)


def test_typed_text_is_a_literal_in_the_code(run):
    settings = {"a": HOSTILE, "ai": 2, "b": "x = 1; raise SystemExit", "bi": 0}
    assert run("home", settings)["sentences"] == [(HOSTILE, 2, ""), ("x = 1; raise SystemExit", 0, "")]
    for view in VIEWS:
        every = dict.fromkeys(("a", "b", "spell", "ptext", "pother", "find.used", "text_news-title", "found.used", "map_word"), HOSTILE)
        with_text, without = (cells(view, given) for given in (every, {}))
        constant = [cell["source"] for cell in with_text[2:]]
        assert constant == [cell["source"] for cell in without[2:]]  # only the cell of given values holds what was typed
    assert "".join(cells("home", {}, question="<b>\n# x")[0]["source"]).split("\n\n")[0] == r"# \<b\> \# x"


def test_figures_are_labeled_in_the_readers_language():
    with i18n.within("ko"):
        assert "i18n.use('ko')" in "".join(code_cells(notebook("home", {})))


def test_notebooks_of_unusual_questions_run(run, tmp_path, capsys):
    """A form of a labeled word, words that the corpus lacks, spellings, a single sentence, and a model without a sense space."""
    result = run("map", {"a": "Both banks were shut.", "ai": 1, "b": "", "map_word": "banks"})
    assert result["word"] == "bank" and result["labeled"]
    assert not run("map", {"map_word": "zzzz"})["result"].points.words
    capsys.readouterr()
    run("search", {"find.used": "zzzz"})
    assert capsys.readouterr().out == "0 occurrences\n"
    assert run("how", {"step": "4", "spell": "mint minty", "spell_among": "300"})["words"] == ("mint", "minty")
    with pytest.raises(SystemExit, match="two sentences"):
        run("home", {"a": "We sat on the bank.", "b": ""})
    save_hdf5(models.open_model("elmo-mini").encoder.model, tmp_path)
    result = run("home", {"model": str(tmp_path), "a": "We sat on the bank.", "b": "The bank lent him money."})
    assert result["spaces"][-1] == "mix" and result["expected"] == ()


def test_notebooks_mark_the_senses_that_a_model_guessed(run, tmp_path):
    row = {"word": "bank", "lemma": "bank", "position": 1}
    rows = [row | {"tokens": ["The", "bank", "by", str(k)], "sense": ("money", "shore")[k % 2], "given": k < 8} for k in range(12)]
    corpus = tmp_path / "labels.jsonl"
    corpus.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    for view in ("map", "mix"):
        figure = run(view, {"corpus": str(corpus), "a": "The bank by me.", "ai": 1, "map_word": "bank"})["figure"]
        assert {trace.marker.opacity: len(trace.x) for trace in figure.data if trace.name == "money"} == {None: 4, FAINT: 2}


def test_every_download_has_a_literal_or_a_cleaned_name():
    """Check this because words and names of tasks and tables may contain any character."""
    safe_names = {"name", "path.name"}  # names of DURel's files, and of a file that the app wrote
    violations = []
    for path in SHIPPED:
        if ".download_button" not in (text := path.read_text("utf-8")):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".download_button") and len(node.args) > 2:
                file = node.args[2]
                if not (isinstance(file, ast.Constant) or ast.unparse(file).startswith("clean_name(") or ast.unparse(file) in safe_names):
                    violations.append(f"{name(path)}:{node.lineno}")
    assert violations == []
