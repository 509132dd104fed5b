"""The page, the notebook and the command give one answer: the verdict, of words of every kind."""

import re
import runpy

import pytest
from streamlit.testing.v1 import AppTest

from core import workspace
from core.elmo import models
from core.elmo.models import open_model
from core.index.tables import open_table
from core.text.tokens import join_tokens
from pages._export.html_file import html_of_view
from pages._export.notebook_file import notebook
from pages._widgets.downloads import provenance
from tests.app.visit import code_cells, opened_whole

OTHERS = {  # without labels, and spelled like another word
    "thimble": ("She pushed the needle with a thimble.", "He drank a thimble of rum."),
    "gutter": ("Leaves blocked the gutter of the roof.", "The gutter press printed every rumor."),
    "wound": ("The nurse cleaned the wound on his arm.", "A deep wound takes weeks to heal."),
    "leaves": ("The leaves turned red in autumn.", "The train leaves at noon."),
}


def pairs() -> dict[str, tuple[str, str]]:
    """Return four words of each kind with two sentences: basic, other labeled ones, and others."""
    table = open_table("sentences", open_model("elmo-mini"), targets_only=True)
    basic = table.basic.lemmas
    chosen = {}
    for word in (*basic[::12][:4], *sorted({*table.lemmas}.difference(basic))[::100][:4]):
        rows = [int(row) for row in table.labeled_rows(word) if table.words[table.word[row]] == word]
        chosen[word] = tuple(join_tokens(list(table.occurrence(row).tokens)) for row in (rows[0], rows[-1]))
    return chosen | OTHERS


@pytest.fixture(scope="module")
def home() -> AppTest:
    return opened_whole("app.py")


def verdict_on(page: AppTest) -> str:
    return next(e.proto.body for e in page.get("html") if 'class="verdict"' in e.proto.body)


def test_page_notebook_and_command_give_the_same_verdict(home, answer, monkeypatch, tmp_path):
    model = open_model("elmo-mini")
    for module in (models, workspace):
        monkeypatch.setattr(module, "open_model", lambda *_, **__: model)  # once, not sixty times
    cells = {}
    for word, (a, b) in pairs().items():
        home.text_input(key="a").set_value(a)
        home.text_input(key="b").set_value(b).run()
        said = verdict_on(home)
        settings = {key: home.session_state[key] for key in ("a", "b", "ai", "bi")}
        request = [str(home.session_state["asked"].tokens[k][settings[key]]) for k, key in enumerate(("ai", "bi"))]
        if word not in request[0].casefold():  # another word of the sentences is guessed: the command is asked for that one
            word = request[0]
        command = answer("verdict", "--word", word, "--sentence", a, "--sentence", b)
        title = {"one meaning": "One meaning", "two meanings": "Two meanings", "too close to call": "Too close to call"}[command["says"]]
        assert title in said, (word, said, command)
        if command["says"] != "too close to call":
            assert f"Right for {command['right_of_100']} of 100 such pairs." in said, (word, said, command)
        source = code_cells(notebook("home", settings))
        last = next(k for k, cell in enumerate(source) if "pair.compute" in cell)
        cells[word] = source[: last + 1], command
    for word, (source, command) in cells.items():
        (file := tmp_path / "home.py").write_text("\n\n".join(source), encoding="utf-8")
        verdict = runpy.run_path(str(file))["verdict"]
        assert (verdict.says, verdict.right_of_100, verdict.layer) == tuple(command[key] for key in ("says", "right_of_100", "layer")), word
        assert round(verdict.probability, 4) == pytest.approx(command["probability"], abs=2e-4), word


def test_the_file_of_a_view_holds_the_verdict(home):
    home.text_input(key="a").set_value("The virus spread through the village.")
    home.text_input(key="b").set_value("A virus wiped the files from her laptop.").run()
    title = re.search("<b>(.*?)</b>", verdict_on(home)).group(1)
    assert "<i>germ</i>" in title and f"<b>{title}</b>" in html_of_view(home.session_state["_taken"], provenance)








WORDS = [
    ("He wore a Polish hat.", "Use the polish on it."),
    ("The python swallowed a rat.", "He wrote it in Python."),
]


@pytest.mark.parametrize("chosen", ["", "0", "mix"])
def test_the_layer_stays_from_word_to_word_and_from_page_to_page(chosen):
    page = opened_whole("app.py", **({"layer": chosen} if chosen else {}))
    for a, b in WORDS:
        page.text_input(key="a").set_value(a)
        page.text_input(key="b").set_value(b).run()
        assert not page.exception and page.session_state["layer"] == (chosen or None), (a, b)
    for path, key, usual in (("pages/map.py", "view", ""), ("pages/neighbors.py", "nlayer", "1"), ("app.py", "layer", None)):
        page.switch_page(path).run()
        if chosen or usual != "":  # Map opens in the sense space where a word has one
            assert page.session_state[key] == (chosen or usual), path




@pytest.mark.parametrize("path", ["app.py", "pages/map.py"])
def test_a_spelling_that_two_words_share_says_which_is_read_and_offers_the_other(path):
    wound = {"a": "The nurse cleaned the wound on his arm.", "ai": "wound", "b": "A deep wound takes weeks to heal.", "bi": "wound"}
    page = opened_whole(path, **wound)
    assert any("“wound” is read as its own word" in item.value for item in page.caption)
    page.button(key="reading.wound.wind").click().run()
    assert not page.exception and page.query_params["as"] == "wind"
    assert any("“wound” is read as a form of “wind”" in item.value for item in page.caption)
    again = opened_whole(path, **wound, **{"as": "wind"})
    assert any("“wound” is read as a form of “wind”" in item.value for item in again.caption)
    if path == "app.py":
        assert any(f"<i>{sense}</i>" in verdict_on(again) for sense in ("moving air", "turn or twist round"))  # of “wind”
    if path == "pages/map.py":
        assert again.session_state["map_word"] == "wind"
