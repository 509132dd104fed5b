"""Test that page, notebook and command give one result."""

import json
import re
from dataclasses import replace

import pytest
from scipy.special import softmax
from streamlit.testing.v1 import AppTest

from core import workspace
from core.cli import wire
from core.common.config import MINI
from core.common.limits import limits
from core.corpus import label_files
from core.corpus.spread import Labels
from core.elmo import models
from core.elmo.models import open_model
from core.text.languages import get_language
from core.views import compare, induction, sides
from core.views.compare import CompareRequest, space_named
from core.views.induction import InductionRequest
from core.workspace import Names, Workspace
from pages._export.notebook_values import notebook
from pages._widgets import downloads
from pages._widgets.downloads import html_of_view
from tests.app.visit import captions, html_of, opened_whole, run_notebook, tables, verdict_of
from tests.tiny import differences, write_dated_text, write_two_texts

PAIRS = (
    ("We moored the boat at the bank.", "The bank raised its rates again."),
    ("An otter swam in the harbor.", "The otter cracked a shell."),
    ("The nurse cleaned the wound on his arm.", "She wound the clock."),
)
SENTENCES = [[{"text": text} for text in pair] for pair in PAIRS]
TYPED = [dict(zip("ab", pair, strict=True)) for pair in PAIRS]
# Without UMAP, whose map differs between processes by the last bit of its input.
UNLABELED = (
    ("boat", "spread", ("We moored the boat.", "The boat sank in the harbor.")),
    ("stool", "between", ("A wooden stool stood by the fire.", "He left the stool in the rain.")),
)
LAYOUTS = (("bank", "umap", "1"), ("court", "umap", "senses"), ("match", "pca", "2"), ("table", "poles", "mix"), ("right", "3d", "0"))
SPACES = (("0", "same word"), ("1", "any word"), ("2", "other words"), ("mix", "same word"), ("senses", "any word"))
LAYER_0 = {"source": "elmo-mini", "layer": "0", "corpus": "sentences", "every_token": False}


def neighbors_of(space: str, among: str) -> tuple:
    request = {"word": {"text": PAIRS[0][0], "position": 6}, "space": space, "among": among, "k": 8}
    return request, "neighbors", {"a": PAIRS[0][0], "b": "", "ai": 6, "nlayer": space, "among": among}


def groups_of(word: str, space: str, number: int | None) -> tuple:
    settings = {"found.used": word, "found_layer": space, "found_k": str(number or "")}
    return {"word": word, "space": space, "number": number}, "found", settings


def mix_of(pair: int, raw: tuple[int, ...], normalized: bool) -> tuple:
    weights = {f"w{k}": float(weight) for k, weight in enumerate(raw)}
    request = {"words": SENTENCES[pair], "weights": softmax(raw).tolist(), "normalized": normalized}
    return request, "mix", TYPED[pair] | weights | {"norm": normalized}


def map_of(word: str, pair: tuple[str, str], plan: str, view: str, *, labeled: bool) -> tuple:
    request = {"word": word, "contexts": [{"text": text} for text in pair], "plan": plan}
    request |= {"senses": view == "senses"} if labeled else {}
    settings = dict(zip("ab", pair, strict=True)) | {"map_word": word, "layout" if labeled else "around": plan, "view": view}
    return request, "map", settings


def edits_of(pair: int, order: str, space: str) -> tuple:
    first, second = SENTENCES[pair]
    request = {"first": first, "second": second, "order": order, "space": space}
    return request, "why", TYPED[pair] | {"order": order, "flip_layer": space}


def lines_of(query: str, kind: str, order: str, **choice: str) -> tuple:
    request = {"query": query, "kind": kind, "order": order, "number": 200} | choice
    return request, "search", {"find.used": query, "find.kind": kind, "find_order": order}


def collocates_of(query: str, window: int, senses: str) -> tuple:
    request = {"query": query, "kind": "word", "window": window, "minimum": 2, "senses": senses}
    settings = {"find.used": query, "collocate_kind": "word", "window": window, "minimum": 2, "by_sense": senses, "grammar": True}
    return request, "collocates", settings | {"collocate_order": "log_dice"}


def keywords_of(against: str, correction: str) -> tuple:
    request = {"against": against, "minimum": 3, "correction": correction, "most": 100}
    return request, "keyness", {"against": against, "key_minimum": 3, "correction": correction}


# The requests of each view, with the view of the notebook and the settings of the page that make the same request. "" means no notebook.
REQUESTS = {
    "pair": [({"first": a, "second": b}, "home", typed) for (a, b), typed in zip(SENTENCES, TYPED, strict=True)],
    "neighbors": [neighbors_of(space, among) for space, among in SPACES],
    "induction": [groups_of("bank", "senses", None), groups_of("plant", "1", 2)],
    "substitutes": [({"words": SENTENCES[0], "direction": "both"}, "home", TYPED[0])],
    "compare": [({"first": LAYER_0 | {"layer": "1"}, "second": {"source": "glove-mini"}, "k": 5}, "", {})],
    "mix": [mix_of(0, (6, -6, -6), False), mix_of(1, (0, 1, 2), False), mix_of(2, (0, 1, 2), True)],
    "around": [map_of(word, pair, plan, "1", labeled=False) for word, plan, pair in UNLABELED],
    "attribution": [({"word": a, "other": b, "how": "drop"}, "why", typed) for (a, b), typed in zip(SENTENCES, TYPED, strict=True)],
    "edits": [edits_of(0, "left to right", "senses"), edits_of(1, "nearest first", "1"), edits_of(2, "nearest first", "2")],
    "concordance": [lines_of("go", "lemma", "sense", senses="groups"), lines_of(r"\w+ing", "pattern", "random")],
    "collocates": [collocates_of("bank", 2, "labels"), collocates_of("the * of", 5, "")],
    "keyness": [keywords_of("more-words", "benjamini-hochberg"), keywords_of("sentences-ko", "bonferroni")],
    "layouts": [map_of(word, get_language("en").examples["pairs"][word], plan, view, labeled=True) for word, plan, view in LAYOUTS],
}
VARIABLES = {"substitutes": "expected", "attribution": "answer", "layouts": "layout", "edits": "path"}  # of notebooks, if not "result"


def page_of_requests(requests) -> None:
    import time

    import streamlit as st

    from core.cli import wire
    from pages._cached import cache

    workspace = cache.workspace_of("elmo-mini")
    while workspace.every_token is None:  # a job still reads the table
        time.sleep(0.2)
    for name, request in requests.items():
        compute = wire.view_named(name)
        while (result := cache.view(compute, workspace, wire.request_of(workspace, compute, request))) is None:
            time.sleep(0.2)
        st.session_state[name] = wire.json_of(result)


def test_page_notebook_and_command_give_one_result(answer, monkeypatch, tmp_path):
    first, second = ({"corpus": path} for path in write_two_texts(tmp_path))
    change = [({"word": "bank", "first": first, "second": second, "space": space}, "", {}) for space in ("senses", "1")]
    requests_of = REQUESTS | {"change": change}
    assert set(requests_of) == set(wire.VIEWS)
    model = open_model("elmo-mini")
    opened, open_workspace = {}, workspace.open_workspace

    def open_once(_, vectors: str = "", corpus: str = "", **__) -> Workspace:
        names = Names(vectors=vectors or model.language.vectors, corpus=corpus or model.language.sentences)
        if names not in opened:
            opened[names] = open_workspace(model, names.vectors, names.corpus)
        return opened[names]

    monkeypatch.setattr(models, "open_model", lambda *_, **__: model)  # once, not a hundred times
    monkeypatch.setattr(workspace, "open_workspace", open_once)
    # A page differs from a command by what it opens, not by how it reads a request: one request of each view.
    first_requests = {name: requests[0][0] for name, requests in requests_of.items()}
    page = AppTest.from_function(page_of_requests, args=(first_requests,), default_timeout=300).run()
    for name, requests in requests_of.items():
        for k, (request, view, settings) in enumerate(requests):
            expected = answer("view", name, "--request", json.dumps(request))
            if k == 0:
                assert not list(differences(page.session_state[name], expected)), (name, request)
            if not view:
                continue
            variables = run_notebook(tmp_path, notebook(view, settings), f"{name}.compute", f"{name}(workspace")
            if name == "neighbors":  # a list a sentence; an empty table has no columns
                cosines = [*variables["tables"][0].get("cosine", ())]
                assert not list(differences(cosines, [each["cosine"] for each in expected["entries"]])), request
            else:
                assert not list(differences(wire.json_of(variables[VARIABLES.get(name, "result")]), expected)), (name, request)


def test_unknown_view_is_named(refused):
    assert "Unknown view 'nothing'. Choose: pair," in refused("view", "nothing", "--request", "{}")


def test_compare_notebook_gives_the_result_of_the_view(monkeypatch, tmp_path):
    first, second = "glove-mini", "elmo-mini · 1"
    opened = workspace.open_workspace("elmo-mini", "glove-mini", "sentences")
    monkeypatch.setattr(opened.opener, "every_token", opened.opener.targets)  # the labeled tokens, of which there are fewer
    monkeypatch.setattr(workspace, "open_workspace", lambda *_, **__: opened)
    request = CompareRequest(first=space_named(first, "sentences"), second=space_named(second, "sentences"))
    made = notebook("compare", {"compare.spaces": [first, "sentences", second, "sentences"]})
    result = run_notebook(tmp_path, made, "compare.compute")["result"]
    assert not list(differences(wire.json_of(result), wire.json_of(compare.compute(opened, request))))


def test_a_space_has_one_name_on_the_page_and_in_its_notebook(tmp_path):
    assert space_named(" elmo-mini · 2 ", "sentences").reads == (("model", "elmo-mini"), ("corpus", "sentences"))
    assert space_named("a·b · mix", "c").source == "a·b" and space_named("glove-mini", "c").layer is None
    assert space_named("/a/vec.txt", "c").reads == (("vectors", "/a/vec.txt"),)
    (tmp_path / "options.json").write_text(json.dumps(replace(MINI, n_layers=4).to_options()))
    assert limits().paths and space_named(str(tmp_path), "c").layer == "4"


# Words without labels, spelled like another word, with labels, and of the basic sentences.
WORDS = {
    "gutter": ("Leaves blocked the gutter of the roof.", "The gutter press printed every rumor."),
    "wound": ("The nurse cleaned the wound on his arm.", "A deep wound takes weeks to heal."),
    "python": ("The python swallowed a rat.", "He wrote it in Python."),
    "bank": PAIRS[0],
}


@pytest.fixture(scope="module")
def english() -> Workspace:
    return workspace.open_workspace()


def test_page_its_html_file_notebook_and_command_give_the_same_verdict(english, answer, monkeypatch, tmp_path):
    model = open_model("elmo-mini")
    monkeypatch.setattr(models, "open_model", lambda *_, **__: model)  # once
    command_workspace = workspace.open_workspace(model)  # one workspace for all commands, one for all notebooks
    monkeypatch.setattr(workspace, "open_workspace", lambda *_, **__: command_workspace)
    home, commands = opened_whole("app.py"), {}
    for word, (a, b) in WORDS.items():
        home.text_input(key="a").set_value(a)
        home.text_input(key="b").set_value(b).run()
        said = verdict_of(home)
        settings = {key: home.session_state[key] for key in ("a", "b", "ai", "bi")}
        request = [str(home.session_state["asked"].tokens[k][settings[key]]) for k, key in enumerate(("ai", "bi"))]
        if word not in request[0].casefold():  # the page selected another word: pass that one to the command
            word = request[0]
        command = answer("verdict", "--word", word, "--sentence", a, "--sentence", b)
        title = {"one meaning": "One meaning", "two meanings": "Two meanings", "too close to call": "Too close to call"}[command["says"]]
        assert title in said and f"<b>{title}" in html_of_view(home.session_state["_taken"]), (word, said, command)
        if command["says"] != "too close to call":
            assert f"Right for {command['right_of_100']} of 100 such pairs." in said, (word, said, command)
        commands[word] = notebook("home", settings), command
    monkeypatch.setattr(workspace, "open_workspace", lambda *_, **__: english)
    for word, (made, command) in commands.items():
        verdict = run_notebook(tmp_path, made, "pair.compute")["verdict"]
        assert (verdict.says, verdict.right_of_100, verdict.layer) == tuple(command[key] for key in ("says", "right_of_100", "layer")), word
        assert round(verdict.probability, 4) == pytest.approx(command["probability"], abs=2e-4), word


@pytest.mark.parametrize("chosen", ["", "0"])
def test_the_layer_stays_from_word_to_word_and_from_page_to_page(chosen):
    page = opened_whole("app.py", **({"layer": chosen} if chosen else {}))
    page.text_input(key="a").set_value("The python swallowed a rat.")
    page.text_input(key="b").set_value("He wrote it in Python.").run()
    assert page.session_state["layer"] == (chosen or None)
    for path, key, usual in (("pages/map.py", "view", ""), ("pages/neighbors.py", "nlayer", "1"), ("app.py", "layer", None)):
        page.switch_page(path).run()
        if chosen or usual != "":  # Map opens in the sense space where a word has one
            assert page.session_state[key] == (chosen or usual), path


@pytest.mark.parametrize("path", ["app.py", "pages/map.py"])
def test_form_of_two_words_can_be_read_as_either(path):
    wound = {"a": "The nurse cleaned the wound on his arm.", "ai": "wound", "b": "A deep wound takes weeks to heal.", "bi": "wound"}
    page = opened_whole(path, **wound)
    assert "“wound” is read as its own word" in captions(page)
    page.button(key="reading.wound.wind").click().run()
    assert page.query_params["as"] == "wind"
    again = opened_whole(path, **wound, **{"as": "wind"})
    assert all("“wound” is read as a form of “wind”" in captions(each) for each in (page, again))
    if path == "app.py":
        assert any(f"<i>{sense}</i>" in verdict_of(again) for sense in ("moving air", "turn or twist round"))  # of “wind”
    if path == "pages/map.py":
        assert again.session_state["map_word"] == "wind"


SPREAD_WORDS = ("bank", "court")


@pytest.fixture
def run(english, monkeypatch, tmp_path):
    def opened(model, vectors="", corpus="", **_) -> Workspace:
        name = model if isinstance(model, str) else model.name
        return Workspace(Names(model=name, vectors=vectors, corpus=corpus), english.opener)

    monkeypatch.setattr(workspace, "open_workspace", opened)
    monkeypatch.setattr(label_files, "cache_folder", lambda: tmp_path)
    return lambda page, *until: run_notebook(tmp_path, downloads._notebook(page.session_state["_taken"]), *until)


def test_page_notebook_and_command_spread_the_same_labels(english, run, answer, tmp_path):
    page = opened_whole("pages/spread.py", found_word=SPREAD_WORDS[0])
    for word in SPREAD_WORDS:
        occurrences = induction.compute(english, InductionRequest(word=word)).occurrences
        gold = [o.sense for o in occurrences.items]
        labels = Labels()
        for sense in sorted(set(gold)):
            labels = labels.label([k for k, of in enumerate(gold) if of == sense][:2], sense)
        sentences = label_files.tokens_of(occurrences.items)
        new = [(sentences[k], sense) for k, sense in labels.given]
        label_files.change_stored(label_files.stored_file("sentences", word), word, Labels(), lambda stored, new=new: stored.join(new))
        page.session_state["found_word"] = word
        page.run()
        table = tables(page)[-1].set_index("sentence")
        notebook = run(page)["table"].set_index("sentence")
        text = label_files.format_labels(word, [(o.tokens, o.position) for o in occurrences.items], labels, None)
        (file := tmp_path / "labels.jsonl").write_text(text, "utf-8")
        command = {row["sentence"]: row for row in answer("senses", "spread", "--word", word, "--labels", file)["sentences"]}
        assert len(table) == len(notebook) == len(command) == len(gold)
        for sentence, row in table.iterrows():
            assert row["sense"] == notebook.loc[sentence, "sense"] == command[sentence]["sense"], (word, sentence)
            if not row["by you"]:
                others = notebook.loc[sentence, "probability"], command[sentence]["probability"]
                assert others == pytest.approx([row["probability"]] * 2, abs=1e-3)


def test_page_notebook_and_command_measure_the_same_change(run, answer, tmp_path):
    first, second = write_two_texts(tmp_path)
    corpora, dates = {"change_first": first, "change_second": second}, {"change_first": write_dated_text(tmp_path), "change_by": "dates"}
    for word, options in (("bank", corpora), ("garden", corpora), ("bank", dates), ("court", {})):
        page = opened_whole("pages/change.py", change_word=word, **options)
        a, _, a_end, b, b_start, _ = page.session_state["change.sides"]
        assert options or [a, b] == ["sentences", sides.keep_news()]
        spans = ["--first-dates", f"..{a_end}", "--second-dates", f"{b_start}.."] if options is dates else []
        command = answer("senses", "change", "--word", word, "--first", a, "--second", b, *spans)
        shown, notebook = tables(page)[0], run(page, "change.compute")
        for name, here, p in zip(command["measures"], shown["here"], shown["p"], strict=True):
            expected = command["measures"][name]
            assert float(here.replace("−", "-")) == pytest.approx(expected["value"], abs=6e-4), (options, word, name)
            assert notebook["measures"][name].value == pytest.approx(expected["value"], abs=1e-4), (options, word, name)
            assert float(re.sub("[^0-9.]", "", p)) == pytest.approx(expected["p"], abs=5e-3), (options, word, name)
        assert f"{command['first']} and {command['second']} sentences" in html_of(page), (options, word)
        bands = [[band[name] for name in command["groups"]] for band in command["bands"]]
        assert [list(band.counts) for band in notebook["result"].bands] == bands
