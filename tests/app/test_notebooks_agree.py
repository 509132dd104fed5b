"""The notebooks of the map, the mix, edits and comparisons have their views' results: ten requests each, as the page's settings ask them."""

import runpy
from functools import cache

import pytest
from scipy.special import softmax

from core import workspace
from core.cli import wire
from core.common.limits import limits
from core.text.languages import get_language
from core.views import around, compare, edits, layouts, mix
from core.views.around import AroundRequest
from core.views.compare import CompareRequest, space_named
from core.views.edits import EditsRequest
from core.views.layouts import LayoutRequest
from core.views.mix import MixRequest
from pages._export.notebook_file import notebook
from tests.app.test_views_agree import differences
from tests.app.visit import code_cells

LABELED = tuple((word, *pair) for word, pair in get_language("en").examples["pairs"].items())
UNLABELED = (
    ("boat", "We moored the boat.", "The boat sank in the harbor."),
    ("stool", "A wooden stool stood by the fire.", "He left the stool in the rain."),
    ("soup", "Hot soup burned me.", "She ordered the soup."),
    ("nurse", "The nurse cleaned his arm.", "A nurse opened the door."),
    ("harbor", "An otter swam in the harbor.", "The harbor was calm."),
    ("clock", "The clock stopped at noon.", "They wound the clock."),
    ("factory", "The factory makes cars.", "Smoke rose from the factory."),
    ("song", "That song is old.", "We sang a song."),
    ("jury", "The jury left.", "She spoke to the jury."),
    ("water", "He drank the water.", "The water is cold."),
)
SPACES = ("glove-mini", "elmo-mini · 0", "elmo-mini · 1", "elmo-mini · 2", "elmo-mini · mix")
COMPARED = [(a, b) for k, a in enumerate(SPACES) for b in SPACES[k + 1 :]]
WEIGHTS = ((0, 0, 0), (6, -6, -6), (-6, 6, -6), (0, 1, 2), (2, 0, -1))
LAYOUTS = (("umap", "1"), ("umap", "senses"), ("pca", "2"), ("poles", "mix"), ("3d", "0"))


@cache
def workspace() -> workspace.Workspace:
    return workspace.open_workspace("elmo-mini", "glove-mini", "sentences")


def request_of(kind: str, k: int):
    """View, its notebook, the page's settings, and the request that they stand for."""
    pairs = UNLABELED if kind == "around" or (kind == "mix" and k % 2) else LABELED
    word, a, b = pairs[k]
    words, settings = workspace().words(a, b), {"a": a, "b": b}
    if kind == "layouts":
        plan, view = LAYOUTS[k % 5]
        request = LayoutRequest(word=word, contexts=words, plan=plan, senses=view == "senses")
        return layouts, "map", settings | {"map_word": word, "layout": plan, "view": view}, request
    if kind == "around":
        plan = ("spread", "between")[k % 2]
        return (
            around,
            "map",
            settings | {"map_word": word, "around": plan, "view": "1"},
            AroundRequest(word=word, contexts=words, plan=plan),
        )
    if kind == "mix":
        raw, normalized = WEIGHTS[k % 5], k % 3 == 0
        request = MixRequest(words=words, weights=tuple(softmax(raw).tolist()), normalized=normalized)
        return mix, "mix", settings | {f"w{n}": float(w) for n, w in enumerate(raw)} | {"norm": normalized}, request
    if kind == "edits":
        order, space = ("left to right", "nearest first")[k % 2], ("1", "2", "mix")[k % 3]
        request = EditsRequest(first=words[0], second=words[1], order=order, space=space)
        return edits, "why", settings | {"order": order, "flip_layer": space}, request
    first, second = COMPARED[k]
    request = CompareRequest(first=space_named(first, "sentences"), second=space_named(second, "sentences"))
    return compare, "compare", {"first": first, "second": second}, request


@pytest.mark.parametrize("kind", ["layouts", "around", "mix", "edits", "compare"])
def test_ten_notebooks_have_what_the_view_has(kind, monkeypatch, tmp_path):
    own = workspace()
    monkeypatch.setattr(
        workspace,
        "open_workspace",
        lambda model, vectors="", corpus="", **_: workspace.Workspace(
            workspace.Names(model=model, vectors=vectors, corpus=corpus), own.opener
        ),
    )
    if kind == "compare":  # how its words compare is asked of the labeled tokens, of which there are fewer
        monkeypatch.setattr(own.opener, "every_token", own.opener.targets)
    for k in range(10):
        module, view, settings, request = request_of(kind, k)
        source = code_cells(notebook(view, settings))
        last = next(n for n, cell in enumerate(source) if f"{kind}.compute" in cell)
        (file := tmp_path / "cells.py").write_text("\n\n".join(source[: last + 1]), encoding="utf-8")
        result = runpy.run_path(str(file))[{"layouts": "layout", "edits": "path"}.get(kind, "result")]
        expected = module.compute(own.about(*getattr(request, "contexts", ())), request)
        assert not list(differences(wire.json_of(result), wire.json_of(expected))), (kind, settings)


def test_a_space_is_named_on_the_page_and_in_its_notebook_alike(tmp_path):
    assert space_named(" elmo-mini · 2 ", "sentences").reads == (("model", "elmo-mini"), ("corpus", "sentences"))
    assert space_named("a·b · mix", "c").source == "a·b" and space_named("glove-mini", "c").layer is None
    (tmp_path / "options.json").write_text('{"lstm": {"n_layers": 4}}')
    assert limits().paths and space_named(str(tmp_path), "c").layer == "4"
