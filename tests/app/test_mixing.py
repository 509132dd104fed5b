"""The Mix page: a word without labels is looked at among all words, and what is said of a mix is true in whole per cent."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis.surroundings import CLOSE, cosine
from core.live.settings import mix_setting
from core.senses.separation import less
from pages._map import mix
from pages._map.mix import compare_layers
from pages._widgets import components
from pages._widgets.components import LIMIT
from tests.app.test_beside_static import report
from tests.app.test_pages import html_of, opened
from tests.app.visit import tables, written

FRUIT = {"a": "She ate a lemon and a pear.", "ai": "lemon", "b": "The old car was a lemon and broke down again.", "bi": "lemon"}


def read_through(page):
    """The page once every word of the sentences has been read."""
    while page.info or "once all sentences are read" in html_of(page):
        page.run()
    page.run()  # it may have been read while the page before was drawn
    assert not page.exception and not page.error
    return page


def test_a_word_without_labels_has_the_instrument_with_the_nearest_of_all_words_and_its_own_sentences():
    page = read_through(opened("pages/mix.py", **FRUIT))
    given, message = sent(page), html_of(page)
    first, second = given["asked"]
    assert first["rows"] == second["rows"] and first["listed"] > 60 and given["close"] == CLOSE
    assert given["pairs"] is None and given["chance"] is None and "no accuracy" in given["text"]["unlabeled"]
    words = {given["lines"][str(row)][1].casefold() for row in first["rows"][: first["listed"]]}
    own = [row for row in given["map"]["rows"] if row >= 0]
    assert "banana" in words and all(given["lines"][str(row)][1].casefold().startswith("lemon") for row in own)
    assert set(given["map"]["rows"]) <= set(first["rows"])
    assert len(given["map"]["layers"]) == 3 and len(given["map"]["layers"][0]) == 2 * len(given["map"]["rows"])
    assert "cosine of your two words" in message and "Table of neighbors" in [
        noted.label for noted in page.session_state["_taken"].tables().values()
    ]
    assert page.main and not page.metric


def test_a_corpus_without_labels_has_the_instrument_too(tmp_path):
    (tmp_path / "own.txt").write_text("The river bank was steep and muddy.\nThe bank lent her the money.\nBirds sang.\n")
    page = read_through(opened("pages/mix.py", corpus=str(tmp_path / "own.txt")))
    assert sent(page)["pairs"] is None and "cosine of your two words" in html_of(page)


def test_one_sentence_and_none_are_no_dead_end():
    assert "Add a second sentence" in html_of(opened("pages/mix.py", **{**FRUIT, "b": ""}))
    assert "Type a sentence above" in opened("pages/mix.py", a="", b="").info[-1].value


REPORTS = [report(seed, noise) for noise in (0.05, 0.35, 0.5, 2.0) for seed in (3, 4)]
reports = st.sampled_from(REPORTS)


@given(reports, st.fixed_dictionaries({"0": reports, "1": reports, "2": reports}))
def test_a_mix_is_better_or_worse_only_where_the_figures_shown_say_so_and_the_interval_does(mix, alone):
    message, best = written(compare_layers("ba<r", mix, alone))[0], max(alone.values(), key=lambda item: item.one_nn)
    a, b, verdict = f"{mix.one_nn:.0%}", f"{best.one_nn:.0%}", less(mix, best).verdict
    assert ("beats every single layer" in message) == (a != b and verdict > 0)
    assert ("beats this mix" in message) == (a != b and verdict < 0)
    assert ("matches the best single layer" in message) == (a == b)
    assert ("is inconclusive" in message) == (a != b and not verdict)
    assert "<r" not in message


def test_the_cosine_of_two_mixes_is_that_of_their_sums():
    a, b = np.random.default_rng(0).normal(size=(2, 3, 5))
    weights = np.array([0.2, 0.3, 0.5])
    x, y = weights @ a, weights @ b
    assert np.isclose(cosine(a, b, weights), x @ y / np.linalg.norm(x) / np.linalg.norm(y))
    assert cosine(np.zeros((3, 5)), b, weights) == 0.0


def near(page) -> list:
    """What is nearest to both words, with the cosines."""
    return page.session_state["_taken"].tables()["mix.neighbors"].table.to_numpy().tolist()


def test_layer_normalization_changes_the_lists_and_the_parts_and_off_again_all_is_as_it_was_and_gamma_changes_no_list():
    page = opened("pages/mix.py")
    before = near(page)
    page.toggle(key="norm").set_value(True).run()
    assert not page.exception and not page.error and near(page) != before
    assert page.session_state["_taken"].figures()["mix.pulls"].alt.count("33%") == 3
    page.toggle(key="norm").set_value(False).run()
    assert near(page) == before
    page.slider(key="gamma").set_value(3.0).run()
    assert near(page) == before


def test_a_link_may_say_so_and_words_without_labels_are_normalized_too():
    plain, normalized = (read_through(opened("pages/mix.py", **given)) for given in (FRUIT, {**FRUIT, "norm": "true"}))
    assert normalized.toggle(key="norm").value and near(plain) != near(normalized)
    twins = [tables(page)[0] for page in (plain, normalized)]
    column = twins[0].columns[1]
    assert (np.abs(twins[0][column] - twins[1][column]) > 1e-4).any()


def sent(page) -> dict:
    """What the instrument was given."""
    return json.loads(next(block.proto.json for block in page.get("bidi_component") if block.proto.component_name == "elmoscope_mix"))


def test_a_labeled_word_has_the_instrument_with_all_that_any_weights_need():
    page = opened("pages/mix.py", w0="1.5", w1="-2", gamma="2")
    assert not page.exception and not page.error and not page.metric
    given = sent(page)
    n = len(given["map"]["rows"])
    assert len(given["asked"]) == 2 and len(given["map"]["layers"]) == 3 and len(given["map"]["layers"][0]) == 2 * n
    assert len(base64.b64decode(given["pairs"])) == 4 * 9 * n * (n + 1) // 2
    for item in given["asked"]:
        rows = item["rows"]
        assert len(base64.b64decode(item["cross"])) == 4 * 9 * len(rows) and all(str(row) in given["lines"] for row in rows)
    assert [slider.value for slider in page.slider] == [1.5, -2.0, 0.0, 2.0]  # which write the address, unseen
    assert {mark["name"] for mark in given["marks"]} >= {"Spam"} and given["presets"][0]["w"] == [6.0, -6.0, -6.0]
    assert "this mix" in html_of(page)
    assert "mix.neighbors" in page.session_state["_taken"].tables()


def test_normalized_layers_are_sent_where_the_switch_says_so():
    plain, normalized = sent(opened("pages/mix.py")), sent(opened("pages/mix.py", norm="true"))
    assert plain["key"] != normalized["key"] and plain["pairs"] != normalized["pairs"]
    assert plain["asked"][0]["rows"] == normalized["asked"][0]["rows"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"w": [1, 2.04, -9], "gamma": 99, "norm": 1}, ([1.0, 2.0, -6.0], 5.0, True)),
        ({"w": [1, 2]}, None),
        ({"w": ["x", 0, 0], "gamma": 1}, None),
        ({"w": [float("nan"), 0, 0], "gamma": 1}, None),
        ({"w": [0, 0, 0]}, None),
        ("nonsense", None),
        (None, None),
    ],
)
def test_what_a_browser_says_was_set_is_taken_within_the_sliders_limits_or_not_at_all(monkeypatch, given, expected):
    monkeypatch.setattr(components.st, "session_state", {mix.LIVE: {"set": given}})
    assert mix_setting(components.get_settings(mix.LIVE), 3, LIMIT) == expected
