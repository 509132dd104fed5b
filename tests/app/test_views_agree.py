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
from pages._export.notebook_values import notebook
from tests.app.visit import code_cells

PAIRS = (
    ("We moored the boat at the bank.", "The bank raised its rates again."),
    ("A wooden stool stood by the fire.", "He left the stool in the rain."),
    ("The pitcher threw a fast ball.", "She filled the pitcher with lemonade."),
    ("An otter swam in the harbor.", "The otter cracked a shell."),
    ("The nurse cleaned the wound on his arm.", "She wound the clock."),
    ("Hot soup burned my tongue.", "That song is hot right now."),
    ("Her coach shouted from the line.", "The coach left at noon."),
    ("They sold the plant to a rival.", "The plant needs water."),
    ("The jury heard the case.", "He packed the case."),
    ("She ran.", "A match was lit."),
)
WORDS = ("bank", "plant", "match", "pitcher", "crane", "bat", "spring", "seal", "virus", "jaguar")
# Not by UMAP, which a last bit in its input turns into another map: the table read in one process and in another differ by it.
UNLABELED = (
    ("boat", "We moored the boat.", "The boat sank in the harbor."),
    ("stool", "A wooden stool stood by the fire.", "He left the stool in the rain."),
    ("soup", "Hot soup burned me.", "She ordered the soup."),
    ("nurse", "The nurse cleaned his arm.", "A nurse opened the door."),
    ("harbor", "An otter swam in the harbor.", "The harbor was calm."),
)
QUERIES = (
    *(("bank", "word"), ("bank", "lemma"), ("bank*", "word"), ("the * of", "word"), (r"\w+ing", "pattern")),
    *(("go", "lemma"), ("of the", "word"), ("(un|re).+", "pattern"), ("spring", "word"), ("otterhound", "word")),
)
LABELED = ("bank", "bark", "bass", "bat", "board", "bow", "cell", "chair", "charge", "club")


def _sentences(pair: Sequence[str]) -> list[dict]:
    return [{"text": text} for text in pair]


def _typed(pair: Sequence[str]) -> dict[str, str]:
    return dict(zip("ab", pair, strict=True))


# view -> (request, the notebook's view and the page's settings that ask the same, "" where no notebook has it)
REQUESTS = {
    "pair": [({"first": a, "second": b}, "home", {"a": a["text"], "b": b["text"]}) for a, b in map(_sentences, PAIRS)],
    "neighbors": [
        (
            {"word": {"text": a, "position": position}, "space": space, "among": among, "k": 8},
            "neighbors",
            {"a": a, "b": "", "ai": position, "nlayer": space, "among": among},
        )
        for (a, _), position, space, among in zip(
            PAIRS,
            (6, 2, 1, 1, 4, 1, 1, 3, 4, 1),
            ("0", "1", "2", "mix", "senses") * 2,
            ("same word", "any word", "other words", "same word", "any word") * 2,
            strict=True,
        )
    ],
    "induction": [
        (
            {"word": word, "space": space, "number": number},
            "found",
            {"found_word": word, "found_layer": space, "found_k": str(number or "")},
        )
        for word, space, number in zip(WORDS, ("senses", "1") * 5, (None, 2, 3, None, 2) * 2, strict=True)
    ],
    "substitutes": [
        ({"words": [a, b], "direction": direction}, "home" if direction == "both" else "", {"a": a["text"], "b": b["text"]})
        for (a, b), direction in zip(map(_sentences, PAIRS), ("both", "forward", "backward", "both", "both") * 2, strict=True)
    ],
    "compare": [
        ({"first": {"source": "elmo-mini", "layer": first, "corpus": "sentences", "every_token": False}, "second": second, "k": k}, "", {})
        for first, second, k in zip(
            ("0", "1", "2", "mix", "1") * 2,
            ({"source": "glove-mini"}, {"source": "elmo-mini", "layer": "0", "corpus": "sentences", "every_token": False}) * 5,
            (5, 10) * 5,
            strict=True,
        )
    ],
    "mix": [
        (
            {"words": _sentences(pair), "weights": softmax(raw).tolist(), "normalized": normalized},
            "mix",
            _typed(pair) | {f"w{k}": float(weight) for k, weight in enumerate(raw)} | {"norm": normalized},
        )
        for pair, raw, normalized in zip(
            PAIRS, ((0, 0, 0), (6, -6, -6), (-6, 6, -6), (0, 1, 2), (2, 0, -1)), (True, False, False, True, False), strict=False
        )
    ],
    "around": [
        ({"word": word, "contexts": _sentences(pair), "plan": plan}, "map", _typed(pair) | {"map_word": word, "around": plan, "view": "1"})
        for (word, *pair), plan in zip(UNLABELED, ("spread", "between", "spread", "between", "spread"), strict=True)
    ],
    "attribution": [
        ({"word": a, "other": b, "how": how}, "why" if how == "drop" else "", {"a": a["text"], "b": b["text"]})
        for (a, b), how in zip(map(_sentences, PAIRS), ("drop", "mask") * 5, strict=True)
    ],
    "edits": [
        (
            {"first": {"text": pair[0]}, "second": {"text": pair[1]}, "order": order, "space": space},
            "why",
            _typed(pair) | {"order": order, "flip_layer": space},
        )
        for pair, order, space in zip(PAIRS, ("left to right", "nearest first") * 5, ("senses", "1", "2", "mix", "senses") * 2, strict=True)
    ],
    "concordance": [
        ({"query": query, "kind": kind, "order": order, "number": 200}, "search", {"find": query, "find_kind": kind, "find_order": order})
        for (query, kind), order in zip(
            QUERIES, ("text", "left2", "right", "source", "sense", "left", "left3", "right2", "right3", "random"), strict=True
        )
    ],
    "collocates": [
        (
            {"query": query, "kind": kind, "window": window, "minimum": minimum, "senses": senses},
            "collocates",
            {"find": query, "collocate_kind": kind, "window": window, "minimum": minimum, "by_sense": senses, "grammar": True},
        )
        for (query, kind), window, minimum, senses in zip(
            QUERIES, (1, 2, 3, 4, 5, 6, 7, 8, 9, 10), (1, 2) * 5, ("", "labels", "", "", "", "", "", "", "", ""), strict=True
        )
    ],
    "keyness": [
        (
            {"against": against, "minimum": minimum, "correction": correction, "most": most},
            "keyness",
            {"against": against, "key_minimum": minimum, "correction": correction, "key_most": most},
        )
        for against, minimum, correction, most in zip(
            ("more-words", "sentences-ko") * 5,
            range(1, 11),
            ("benjamini-hochberg", "bonferroni", "none", "none", "bonferroni") * 2,
            range(10, 60, 5),
            strict=True,
        )
    ],
    "layouts": [
        (
            {"word": word, "contexts": _sentences(pair), "plan": plan, "senses": view == "senses"},
            "map",
            _typed(pair) | {"map_word": word, "layout": plan, "view": view},
        )
        for (word, pair), (plan, view) in zip(
            [(word, get_language("en").examples["pairs"][word]) for word in ("bank", "court", "match", "table", "right")],
            (("umap", "1"), ("umap", "senses"), ("pca", "2"), ("poles", "mix"), ("3d", "0")),
            strict=True,
        )
    ],
}


N = 5  # requests of each view
REQUESTS = {name: requests[:N] for name, requests in REQUESTS.items()}
VARIABLES = {"substitutes": "expected", "attribution": "answer", "layouts": "layout", "edits": "path"}  # of notebooks; others: result


def change_requests(folder: Path) -> list:
    """Requests that compare the even and the odd sentences of the bundled corpus."""
    lines = (ASSETS / "sentences.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[: get_language("en").basic]
    sides = [folder / "even.jsonl", folder / "odd.jsonl"]
    for k, path in enumerate(sides):
        path.write_text("".join(lines[k::2]), encoding="utf-8")
    first, second = ({"corpus": str(path)} for path in sides)
    spaces = ("senses", "1") * 5
    return [({"word": w, "first": first, "second": second, "space": s}, "", {}) for w, s in zip(LABELED, spaces, strict=True)]


def page_of_requests(requests) -> None:
    import time

    import streamlit as st

    from core.cli import wire
    from pages._cached import opened

    while opened.workspace_of("elmo-mini").every_token is None:  # read beside the page
        time.sleep(0.2)

    def answer(compute, workspace, request):
        while (
            result := opened.view(compute, workspace, wire.request_of(workspace, compute, request))
        ) is None:  # a job still reads a table
            time.sleep(0.2)
        return wire.json_of(result)

    for name, each in requests.items():
        compute = wire.view_named(name)
        workspace = opened.workspace_of("elmo-mini")
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
    monkeypatch.setitem(REQUESTS, "change", change_requests(tmp_path)[:N])
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
