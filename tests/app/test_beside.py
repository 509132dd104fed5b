"""A second model beside the one in use: both on Home, Neighbors and Compare, one or the other elsewhere, the first's answers untouched."""

from dataclasses import replace

import numpy as np
import pytest

from core.common.model_layers import Layers
from core.elmo.mix import along, stops
from core.senses.calibration import calibration_of
from core.views.pair import Angles
from core.workspace import open_workspace
from pages._frame.in_use import InUse
from pages._home.show import Beside
from pages._models.compare import usual
from tests.app.test_depths import random_model
from tests.app.visit import html_of, opened, tables

PAIR = {"a": "A heron stood in the reeds by the bank.", "b": "Her bank closed three branches.", "ai": "bank", "bi": "bank"}


@pytest.fixture(scope="module")
def deep(tmp_path_factory) -> str:
    """A random biLM of four LSTM layers."""
    return str(random_model(tmp_path_factory.mktemp("models") / "lstm-4", 4))


def test_home_shows_both_at_the_same_depth_and_leaves_the_first_as_it_is(deep):
    alone, both = opened("app.py", layer="1", **PAIR), opened("app.py", layer="1", beside=deep, **PAIR)
    assert not both.exception and not both.error
    said = [next(item for item in html_of(page).split("What to notice.")[1:]) for page in (alone, both)]
    assert "lstm-4 at the same depth (layer 2): " in said[1] and "at the same depth" not in said[0]
    first, second = (tables(page)[0] for page in (alone, both))
    assert second[: len(first)].equals(first)
    assert [*second["vectors"][len(first) :]] == [*(f"lstm-4, layer {k}" for k in range(5)), "lstm-4, layer mix"]


def test_bottom_stands_beside_bottom_and_top_beside_top():
    rng = np.random.default_rng(5)
    known = Layers(7, "deep")
    own = tuple(np.abs(rng.normal(size=28)) for _ in range(2))
    item = Beside("deep", Angles(known, stops(7), rng.normal(size=(7, 7)), own, {}))
    assert [item.place(space, Layers(3)) for space in Layers(3).spaces] == [0, 3, 6, 7]
    assert item.where(3.0) == "layer 3 of 6" and item.where(2.4) == "between layer 2 of 6 and layer 3 of 6"
    weights = along(2.5, item.angles.stops)
    assert weights[[2, 3]].tolist() == [0.5, 0.5]
    assert [Layers(7).at_depth(space, Layers(3)) for space in ("0", "3", "6", "mix")] == ["0", "1", "2", "mix"]


def test_neighbors_has_a_second_model_s_lists_under_the_first_one_s(deep):
    page = opened("pages/neighbors.py", beside=deep, nlayer="2", among="same word", **PAIR)
    assert not page.exception and not page.error
    message = html_of(page)
    assert "lstm-4, first sentence" in message and "lstm-4, second sentence" in message
    assert "In lstm-4, layer 4, they share" in message and message.count('data-take="a:') == 8  # a click takes from the first model's lists
    contexts = set(tables(page)[-1]["context"])
    assert {"First sentence", "Second sentence", "lstm-4: First sentence", "lstm-4: Second sentence"} <= contexts


def test_a_switch_shows_the_other_with_the_same_sentences_and_depth(deep):
    page = opened("pages/mix.py", beside=deep, **PAIR)
    sliders = [item.key for item in page.slider if item.key.startswith("w")]
    assert sliders == ["w0", "w1", "w2"]
    page.session_state["nlayer"] = "1"
    page.segmented_control(key="front").set_value("2").run()
    assert not page.exception and page.query_params["front"] in ("2", ["2"])
    assert [item.key for item in page.slider if item.key.startswith("w")] == ["w0", "w1", "w2", "w3", "w4"]
    assert page.session_state["nlayer"] == "2" and page.session_state["a"] == PAIR["a"]
    assert not page.info  # nothing had to be forgotten


def test_classifiers_say_that_they_show_one_and_compare_opens_on_the_two(deep):
    assert any("lstm\\-4 is hidden" in item.value for item in opened("pages/results.py", beside=deep).caption)
    in_use = InUse("elmo-mini", "glove-mini", "sentences", "Elmoscope")
    assert usual(replace(in_use, beside=deep)) == ("elmo-mini · 2", f"{deep} · 4") and usual(in_use) == ("glove-mini", "elmo-mini · 2")


def test_what_cannot_stand_beside_is_said_and_the_page_goes_on():
    page = opened("app.py", beside="/no/such/model", **PAIR)
    assert any("Unknown model" in item.value for item in page.error) and "cosine" in html_of(page) and not page.exception
    page = opened("app.py", beside="elmo-ko-mini", **PAIR)
    assert any("Choose two models of one language" in item.value for item in page.caption) and not page.error


def test_what_verdicts_rest_on_is_measured_once_and_kept_on_disk(tmp_path, monkeypatch):
    deep = str(random_model(tmp_path / "lstm-2", 2))  # whose table no test before has opened, in a cache of its own

    def ground(model: str):
        return calibration_of(open_workspace(model))  # a workspace of its own: what memory keeps is not asked

    first = ground(deep)
    monkeypatch.setattr("core.senses.calibration.measure", lambda *_: pytest.fail("measured again"))
    again = ground(deep)
    assert (again.layer, again.words.keys()) == (first.layer, first.words.keys())
    assert again.votes == pytest.approx(first.votes, abs=1e-3) and again.centers.keys() == first.centers.keys()
