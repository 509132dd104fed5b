"""Test the Next word page: typed texts, the word it opens with, and ties."""

import numpy as np
import pytest

from core.common.limits import limits
from core.views.substitutes import widest_gap
from pages._frame import examples, parameters
from pages._predict.passage import AT, OTHER, TEXT, _compare_versions, _describe_edit
from tests.app.visit import captions, opened

OWN = "She poured the molten glass into a mould."


def test_typed_text_is_not_compared_with_the_example():
    page = opened("pages/predict.py")
    assert page.session_state[OTHER] == examples.predict()[0].other
    page.text_area(key=TEXT).set_value(OWN).run()
    assert page.session_state[OTHER] == ""


def test_predict_opens_on_a_content_word():
    page = opened("pages/predict.py", ptext=OWN, predict_part="words")
    assert page.session_state[AT] in (1, 3, 4, 7)  # poured, molten, glass, mold


def test_widest_gap_is_a_scored_content_word():
    nan = np.nan
    assert widest_gap(["The", "heron", ",", "rested"], [1, 5, 30, 2], [9, 9, 1, 4], frozenset({"the"})) == 1
    assert widest_gap(["The", "zzyzx", "of"], [1, nan, 9], [2, nan, 1], frozenset({"the", "of"})) == 2  # no content word is scored
    assert widest_gap([".", ","], [1, 9], [1, 1], frozenset()) == 1
    assert widest_gap(["zzyzx", "!"], [nan, nan], [nan, nan], frozenset()) == 0


def test_a_tie_favors_no_version():
    assert "yours likelier" in _compare_versions(9, 8, 9, 8)[0] and "the other likelier" in _compare_versions(8, 9, 8, 9)[0]
    assert "disagree" in _compare_versions(8, 9, 9, 8)[0]
    assert "equally likely" in _compare_versions(8, 8, 9, 9)[0] and "equally likely" in _compare_versions(8, 8, 9, 8)[0]
    assert "equally likely" in _compare_versions(34.4, 33.6, 35, 34)[0]  # 34 → 34, as it is shown


def test_versions_are_not_compared_where_one_has_an_unscored_word():
    words, bits = [("The", "The"), ("mat", "zyxomma"), ("sat", "sat")], np.array([3.0, 9.0, 4.0])
    unscored = np.array([3.0, np.nan, 4.0])
    said = " ".join(_describe_edit(words, [bits, bits], [unscored, unscored]))
    assert "not scored: “zyxomma”" in said and "Perplexity" not in said and "likelier" not in said
    assert "the other likelier" in " ".join(_describe_edit(words, [bits, bits], [bits + 1, bits + 1]))
    same = [(a, a) for a, _ in words[:2]] + [("sat", "lay")]  # an unscored word that both versions have changes nothing
    assert "the other likelier" in " ".join(_describe_edit(same, [unscored, unscored], [unscored + 1, unscored + 1]))


def test_outdated_address_does_not_undo_a_press(monkeypatch):
    """A browser may send a press with the address that it had when the one before was still on its way."""
    page = opened("pages/predict.py")
    for part in ("words", "edit"):
        page.button_group(key="predict_part").set_value(part).run()
    page.query_params["predict_part"] = "words"
    assert page.run().session_state["predict_part"] == "edit" and page.query_params["predict_part"] == "edit"
    monkeypatch.setattr(parameters, "ECHO_S", 0.0)  # later, the address is somebody's wish
    page.query_params["predict_part"] = "words"
    assert page.run().session_state["predict_part"] == "words"


@pytest.mark.parametrize(("part", "column"), [("next", "after_"), ("words", "left_")])
def test_a_text_without_room_stays_as_it_is(part, column):
    text = ("A glass of water . " * 400)[: limits().max_text - 1] + "."
    page = opened("pages/predict.py", ptext=text, pother=OWN, predict_part=part, pat="A")
    before = {key: page.session_state[key] for key in (TEXT, OTHER) if key in page.session_state}
    assert "full" not in captions(page)
    next(button for button in page.button if button.key.startswith(column) and len(button.label.split("**")[1]) > 1).click().run()
    assert {key: page.session_state[key] for key in before} == before
    assert captions(page).count("The text is full") == 1
