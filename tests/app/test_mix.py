"""Test the Mix page, and the references that figures are compared with."""

import base64
import json
import re

import numpy as np
import pytest

from core.analysis.random_pairs import random_level_of_mix
from core.elmo.models import open_model as opened_model
from core.live.widgets import mix_setting
from core.senses.separation import SenseReport, less, sense_report
from core.views.card import read_card
from core.workspace import open_workspace
from pages._map import measures, mix
from pages._widgets import components
from pages._widgets.components import LIMIT
from tests.app.visit import captions, data_of, export_of, html_of, opened, opened_whole, read_through, text_of


def report(seed: int, noise: float, n: int = 40) -> SenseReport:
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.eye(2, 12), n // 2, axis=0) + noise * rng.normal(size=(n, 12))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return sense_report(lambda k: rows[k] @ rows[k].T, ["jam"] * n, ["road"] * (n // 2) + ["fruit"] * (n // 2))


def test_space_is_compared_with_static_vectors():
    clear, poor, few = report(0, 0.05), report(1, 2.0), (report(0, 0.05, n=4), report(1, 2.0, n=4))
    assert less(clear, poor).verdict == 1 and less(poor, clear).verdict == -1 and less(clear, clear).verdict == 0
    cases = (clear, poor, "ahead"), (poor, clear, "behind"), (clear, report(2, 0.05), "inconclusive"), (*few, "inconclusive")
    for first, second, said in cases:
        (line,) = measures.compare_with_static(first, second, "the mix")
        assert line.endswith(f", {said}.") and f"{second.one_nn:.1%}" in line
    assert less(*few).low is None and "(no interval)" in line
    assert measures.compare_with_static(clear, None, "the mix") == [] and measures.static_share(None) == ""


def test_mix_is_compared_with_the_best_layer():
    clear, poor, near = report(0, 0.05), report(1, 2.0), report(4, 0.35)
    assert "beats every single layer" in mix.compare_layers("jam", clear, {"1": poor})[0]
    assert "layer 1 (100%) beats this mix" in mix.compare_layers("jam", poor, {"1": clear})[0]
    assert 0.9 < near.one_nn < 1 and "is inconclusive" in mix.compare_layers("jam", near, {"1": clear})[0]
    assert "is optimistic" in mix.compare_layers("jam", clear, {"1": poor})[1]
    few = mix.compare_layers("jam", report(0, 0.05, n=4), {"1": report(1, 2.0, n=4)})
    assert "is inconclusive" in few[0] and "points: no interval" in few[-1]


def test_progress_is_shown_for_a_labeled_word_with_one_sense(tmp_path, monkeypatch):
    shown, row = [], {"position": 1, "word": "bank", "lemma": "bank", "sense": "money"}
    rows = [json.dumps(row | {"tokens": ["The", "bank", "lent", str(k)]}) for k in range(3)]
    (tmp_path / "own.jsonl").write_text("\n".join(rows))
    monkeypatch.setattr(mix.cache, "show_meanwhile", lambda over, meanwhile: shown.append(meanwhile))
    opened("pages/mix.py", a="The bank lent money.", ai="bank", b="", corpus=str(tmp_path / "own.jsonl"))
    assert shown == ["Until then, only labeled words are searched."]


def near(page) -> list:
    return export_of(page, "mix.neighbors").to_numpy().tolist()


def test_layer_normalization_makes_parts_equal_and_changes_the_lists_and_gamma_does_not():
    def parts() -> list[int]:
        return [int(part) for part in re.findall(r"(\d+)%", page.session_state["_taken"].figures()["mix.pulls"].alt)]

    page = opened_whole("pages/mix.py", gamma="3")
    assert len(parts()) == 3 and parts()[2] > 50 and abs(sum(parts()) - 100) <= 1  # equal weights, and not equal parts
    before = near(page)
    page.slider(key="gamma").set_value(1.0).run()
    assert near(page) == before
    page.toggle(key="norm").set_value(True).run()
    assert near(page) != before and parts() == [33] * 3


def test_data_of_the_mix_widget_of_a_labeled_word():
    page = opened_whole("pages/mix.py", w0="1.5", w1="-2", gamma="2")
    assert not page.metric
    data = data_of(page, "elmoscope_mix")
    n = len(data["map"]["rows"])
    assert len(data["asked"]) == 2 and len(base64.b64decode(data["pairs"])) == 4 * 9 * n * (n + 1) // 2
    assert [slider.value for slider in page.slider] == [1.5, -2.0, 0.0, 2.0]  # which write the address, unseen
    assert {mark["name"] for mark in data["marks"]} >= {"Spam"} and data["presets"][0]["w"] == [6.0, -6.0, -6.0]
    assert "this mix" in html_of(page) and near(page)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"w": [1, 2.04, -9], "gamma": 99, "norm": 1}, ([1.0, 2.0, -6.0], 5.0, True)),
        *((wrong, None) for wrong in ({"w": [1, 2]}, {"w": [0, 0, 0]}, {"w": [0, 0, 0], "gamma": 10**400}, "nonsense", None)),
        *(({"w": [wrong, 0, 0], "gamma": 1}, None) for wrong in (10**400, None, [], "x", float("nan"))),
        *(({"w": w, "gamma": 1}, None) for w in ({}, "000")),
    ],
)
def test_settings_of_the_mix_widget_are_validated(monkeypatch, given, expected):
    monkeypatch.setattr(components.st, "session_state", {mix.LIVE: {"set": given}})
    assert mix_setting(components.get_settings(mix.LIVE), 3, LIMIT) == expected


def test_similarity_of_random_words_is_the_same_on_every_page():
    model = opened_model("elmo-mini")
    stored = read_card(model.folder, model.fingerprint).measures["random"]
    means = {layer: f"{stored[layer]['mean']:.2f}" for layer in ("0", "1", "2", "mix")}
    pattern = r"(?:random pairs: |random pairs .{4,16} are between −?0\.\d\d and −?0\.\d\d, )(−?0\.\d\d) on average"
    for layer, weights in (("1", (0.0, 1.0, 0.0)), ("mix", (1 / 3, 1 / 3, 1 / 3))):
        assert f"{random_level_of_mix(open_workspace(), weights).mean:.2f}" == means[layer], layer
        assert re.findall(pattern, captions(opened("pages/neighbors.py", nlayer=layer))) == [means[layer]]
    assert re.findall(r"layer \d: (−?0\.\d\d) \(", captions(opened("pages/about.py"))) == [means[layer] for layer in "012"]
    assert re.findall(pattern, text_of(opened("pages/lessons.py"))) == [means["2"]]
    unlabeled = {"a": "The harbour was quiet.", "b": "They built a harbour.", "ai": "harbour", "bi": "harbour"}
    around = read_through(opened("pages/map.py", view="2", **unlabeled))
    assert re.findall(r"random pairs: (−?0\.\d\d)", text_of(around)) == [means["2"]]
