"""Page, notebook and command give one result: requests of each view, by the pages' own workspace, a notebook's cells, and `core view`."""

import json
import runpy
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.special import softmax
from streamlit.testing.v1 import AppTest

from core import workspace
from core.cli import wire
from core.common.config import ASSETS
from core.common.limits import limits
from core.elmo import models
from core.elmo.models import open_model
from core.text.languages import get_language
from core.views import compare
from core.views.compare import CompareRequest, space_named
from core.workspace import Names, Workspace
from pages._export.notebook_file import notebook
from tests.app.visit import code_cells

PAIRS = (
    ("We moored the boat at the bank.", "The bank raised its rates again."),
    ("An otter swam in the harbor.", "The otter cracked a shell."),
    ("The nurse cleaned the wound on his arm.", "She wound the clock."),
)
SENTENCES = tuple(tuple({"text": text} for text in pair) for pair in PAIRS)
TYPED = tuple(dict(zip("ab", pair, strict=True)) for pair in PAIRS)
# Without UMAP, because the last bit of its input changes its map. The same table differs by it from process to process.
UNLABELED = (
    ("boat", "spread", ("We moored the boat.", "The boat sank in the harbor.")),
    ("stool", "between", ("A wooden stool stood by the fire.", "He left the stool in the rain.")),
)
LAYOUTS = (("bank", "umap", "1"), ("court", "umap", "senses"), ("match", "pca", "2"), ("table", "poles", "mix"), ("right", "3d", "0"))
SPACES = (("0", "same word"), ("1", "any word"), ("2", "other words"), ("mix", "same word"), ("senses", "any word"))
GLOVE, LAYER_0 = {"source": "glove-mini"}, {"source": "elmo-mini", "layer": "0", "corpus": "sentences", "whole": False}
# The requests of each view, with the view of the notebook and the settings of the page that make the same request. "" means no notebook.
REQUESTS = {
    "pair": [({"first": a, "second": b}, "home", typed) for (a, b), typed in zip(SENTENCES, TYPED, strict=True)],
    "neighbors": [
        (
            {"word": {"text": PAIRS[0][0], "position": 6}, "space": space, "among": among, "k": 8},
            "neighbors",
            {"a": PAIRS[0][0], "b": "", "ai": 6, "nlayer": space, "among": among},
        )
        for space, among in SPACES
    ],
    "induction": [
        ({"word": word, "space": space, "number": number}, "found", {"found_word": word, "found_layer": space, "found_k": str(number or "")})
        for word, space, number in (("bank", "senses", None), ("plant", "1", 2))
    ],
    "substitutes": [
        ({"words": pair, "direction": direction}, "home" if direction == "both" else "", typed)
        for pair, typed, direction in zip(SENTENCES, TYPED, ("both", "forward", "backward"), strict=True)
    ],
    "compare": [
        ({"first": LAYER_0 | {"layer": layer}, "second": second, "k": k}, "", {}) for layer, second, k in (("1", GLOVE, 5), ("mix", LAYER_0, 10))
    ],
    "mix": [
        (
            {"words": pair, "weights": softmax(raw).tolist(), "normalized": normalized},
            "mix",
            typed | {f"w{k}": float(weight) for k, weight in enumerate(raw)} | {"norm": normalized},
        )
        for pair, typed, raw, normalized in zip(SENTENCES, TYPED, ((6, -6, -6), (0, 1, 2), (0, 1, 2)), (False, False, True), strict=True)
    ],
    "around": [
        (
            {"word": word, "contexts": [{"text": text} for text in pair], "plan": plan},
            "map",
            dict(zip("ab", pair, strict=True)) | {"map_word": word, "around": plan, "view": "1"},
        )
        for word, plan, pair in UNLABELED
    ],
    "attribution": [
        ({"word": a, "other": b, "how": how}, "why" if how == "drop" else "", typed)
        for (a, b), typed, how in zip(SENTENCES, TYPED, ("drop", "mask", "drop"), strict=True)
    ],
    "edits": [
        ({"first": a, "second": b, "order": order, "space": space}, "why", typed | {"order": order, "flip_layer": space})
        for (a, b), typed, order, space in zip(
            SENTENCES, TYPED, ("left to right", "nearest first", "nearest first"), ("senses", "1", "2"), strict=True
        )
    ],
    "concordance": [
        ({"query": query, "kind": kind, "order": order, "number": 200}, "search", {"find": query, "find_kind": kind, "find_order": order})
        for query, kind, order in (("bank", "word", "left2"), ("go", "lemma", "sense"), (r"\w+ing", "pattern", "random"))
    ],
    "collocates": [
        (
            {"query": query, "kind": kind, "window": window, "minimum": 2, "senses": senses},
            "collocates",
            {"find": query, "collocate_kind": kind, "window": window, "minimum": 2, "by_sense": senses, "grammar": True},
        )
        for query, kind, window, senses in (("bank", "word", 2, "labels"), ("the * of", "word", 5, ""))
    ],
    "keyness": [
        (
            {"against": against, "minimum": 3, "correction": correction, "most": 20},
            "keyness",
            {"against": against, "key_minimum": 3, "correction": correction, "key_most": 20},
        )
        for against, correction in (("more-words", "benjamini-hochberg"), ("sentences-ko", "bonferroni"))
    ],
    "layouts": [
        (
            {"word": word, "contexts": [{"text": text} for text in pair], "plan": plan, "senses": view == "senses"},
            "map",
            dict(zip("ab", pair, strict=True)) | {"map_word": word, "layout": plan, "view": view},
        )
        for word, plan, view in LAYOUTS
        for pair in [get_language("en").examples["pairs"][word]]
    ],
}
VARIABLES = {"substitutes": "expected", "attribution": "answer", "layouts": "layout", "edits": "path"}  # of notebooks, if not "result"


def change_requests(folder: Path) -> list:
    """Return requests that compare the even and the odd sentences of the bundled corpus."""
    lines = (ASSETS / "sentences.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[: get_language("en").basic]
    sides = [folder / "even.jsonl", folder / "odd.jsonl"]
    for k, path in enumerate(sides):
        path.write_text("".join(lines[k::2]), encoding="utf-8")
    first, second = ({"corpus": str(path)} for path in sides)
    return [({"word": word, "first": first, "second": second, "space": space}, "", {}) for word, space in (("bank", "senses"), ("bark", "1"))]


def page_of_requests(requests) -> None:
    import time

    import streamlit as st

    from core.cli import wire
    from pages._cached import views

    while views.workspace_of("elmo-mini").every_token is None:  # read beside the page
        time.sleep(0.2)

    def answer(compute, workspace, request):
        while (result := views.view(compute, workspace, wire.request_of(workspace, compute, request))) is None:  # a job still reads a table
            time.sleep(0.2)
        return wire.json_of(result)

    for name, each in requests.items():
        compute = wire.view_named(name)
        workspace = views.workspace_of("elmo-mini")
        st.session_state[name] = [answer(compute, workspace, request) for request, _, _ in each]


def differences(value, expected, path: str = "") -> Iterator[str]:
    """Where two values of JSON differ; numbers may by what float16 and another order of sums leave."""
    if isinstance(expected, dict) and isinstance(value, dict) and value.keys() == expected.keys():
        for key, each in expected.items():
            yield from differences(value[key], each, f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(value, list) and len(value) == len(expected):
        if expected and all(type(each) is float for each in (*value, *expected)):  # thousands of them
            a, b = np.array(value), np.array(expected)
            if not (np.abs(a - b) <= np.maximum(2e-4, 2e-4 * np.abs(b))).all():
                yield f"{path}: {value} for {expected}"
        else:
            for k, pair in enumerate(zip(value, expected, strict=True)):
                yield from differences(*pair, f"{path}[{k}]")
    elif value != (pytest.approx(expected, abs=2e-4, rel=2e-4) if isinstance(expected, float) else expected):
        yield f"{path}: {value} for {expected}"


def test_page_notebook_and_command_give_one_result(answer, monkeypatch, tmp_path):
    monkeypatch.setitem(REQUESTS, "change", change_requests(tmp_path))
    model = open_model("elmo-mini")
    workspaces = {}

    def open_workspace(_, vectors: str = "", corpus: str = "", **__) -> Workspace:
        names = Names(vectors=vectors or model.language.vectors, corpus=corpus or model.language.sentences)
        return workspaces.setdefault(names, real_open_workspace(model, names.vectors, names.corpus))

    real_open_workspace = workspace.open_workspace
    monkeypatch.setattr(models, "open_model", lambda *_, **__: model)  # once, not a hundred times
    monkeypatch.setattr(workspace, "open_workspace", open_workspace)
    command = {}
    for name, requests in REQUESTS.items():
        for request, _, _ in requests:
            command.setdefault(name, []).append(answer("view", name, "--request", json.dumps(request)))
    page = AppTest.from_function(page_of_requests, args=(REQUESTS,), default_timeout=300).run()
    assert not page.exception
    for name, requests in REQUESTS.items():
        for (request, view, settings), expected, shown in zip(requests, command[name], page.session_state[name], strict=True):
            assert not list(differences(shown, expected)), (name, request)
            if not view:
                continue
            source = code_cells(notebook(view, settings))
            last = next(k for k, cell in enumerate(source) if f"{name}.compute" in cell or f"{name}(workspace" in cell)
            (file := tmp_path / "cells.py").write_text("\n\n".join(source[: last + 1]), encoding="utf-8")
            known = runpy.run_path(str(file))
            if name == "neighbors":  # a list a sentence
                rows, entries = known["tables"][0], expected["entries"]
                if not entries:  # the table has no columns either
                    assert rows.empty
                    continue
                assert rows["word"].tolist() == [each["occurrence"]["tokens"][each["occurrence"]["position"]] for each in entries], request
                assert not list(differences(rows["cosine"].tolist(), [each["cosine"] for each in entries])), request
            else:
                value = wire.json_of(known[VARIABLES.get(name, "result")])
                assert not list(differences(value, expected)), (name, request)


@pytest.mark.parametrize(
    ("name", "request_", "message"),
    [
        ("nothing", {}, "There is no view 'nothing'. Views: pair,"),
        ("pair", [], "A request is a JSON object"),
        ("pair", {"first": {"text": "A bank."}}, "The request lacks 'second'"),
        ("pair", {"first": 3, "second": {"text": "A bank."}}, "'first' is a word in context"),
        ("pair", {"first": {"text": "A bank.", "size": 3}, "second": {"text": "A bank."}}, "'first' is a word in context"),
        ("pair", {"first": {"text": "A bank."}, "second": {"text": ""}}, "'second' is a text of 0 words. Use 1 to 120"),
        (
            "neighbors",
            {"word": {"text": "A bank.", "word": "river"}, "space": "1"},
            "'river' is not a token of the text. Choose one of: A bank .",
        ),
        ("neighbors", {"word": {"text": "A bank.", "position": 9}, "space": "1"}, "position 9 is not a token. Use 0 to 2."),
        ("neighbors", {"word": {"text": "A bank."}, "space": 1}, "'space' is 1. Use text."),
        ("neighbors", {"word": {"text": "A bank."}, "space": "1", "among": "x", "y": 1}, "'y' is not part of a request"),
        ("induction", {"word": "bank", "number": "many"}, "'number' is \"many\". Use a whole number or null."),
        ("induction", {"word": "bank", "number": True}, "'number' is true. Use a whole number or null."),
    ],
)
def test_a_bad_request_is_one_sentence(call, name, request_, message):
    status, _, error = call("view", name, "--request", json.dumps(request_))
    assert status == 2 and message in error and len(error.strip().splitlines()) == 1


def test_every_view_is_compared():
    assert {*REQUESTS, "change"} == set(wire.VIEWS)


@pytest.mark.parametrize(("first", "second"), [("glove-mini", "elmo-mini · 1"), ("elmo-mini · 2", "elmo-mini · mix")])
def test_the_notebook_of_two_spaces_compares_as_the_view_does(first, second, monkeypatch, tmp_path):
    own = workspace.open_workspace("elmo-mini", "glove-mini", "sentences")
    monkeypatch.setattr(own.opener, "every_token", own.opener.targets)  # the labeled tokens, of which there are fewer
    monkeypatch.setattr(workspace, "open_workspace", lambda *_, **__: own)
    source = code_cells(notebook("compare", {"first": first, "second": second}))
    last = next(k for k, cell in enumerate(source) if "compare.compute" in cell)
    (file := tmp_path / "cells.py").write_text("\n\n".join(source[: last + 1]), encoding="utf-8")
    request = CompareRequest(first=space_named(first, "sentences"), second=space_named(second, "sentences"))
    expected = wire.json_of(compare.compute(own, request))
    assert not list(differences(wire.json_of(runpy.run_path(str(file))["result"]), expected))


def test_a_space_has_one_name_on_the_page_and_in_its_notebook(tmp_path):
    assert space_named(" elmo-mini · 2 ", "sentences").reads == (("model", "elmo-mini"), ("corpus", "sentences"))
    assert space_named("a·b · mix", "c").source == "a·b" and space_named("glove-mini", "c").layer is None
    (tmp_path / "options.json").write_text('{"lstm": {"n_layers": 4}}')
    assert limits().paths and space_named(str(tmp_path), "c").layer == "4"


def test_a_request_that_is_no_json_is_named(refused):
    assert "--request is not JSON" in refused("view", "pair", "--request", "{")


def test_a_workspace_takes_a_model_that_is_open():
    model = open_model("elmo-mini")
    result = workspace.open_workspace(model)
    assert isinstance(result, Workspace) and result.model is model
