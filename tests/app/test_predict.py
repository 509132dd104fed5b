"""Language model: one's own text is compared with no one else's, and the page opens on a word that tells something."""

import numpy as np
import pytest

from core.analysis.expectation import is_version
from core.views.next_words import widest_gap
from pages._frame import examples, parameters
from pages._predict.passage import AT, OTHER, TEXT
from pages._predict.surprise import _verdict
from tests.app.visit import opened

OWN = "She poured the molten glass into a mould."


def test_one_s_own_text_is_not_compared_with_an_example_s():
    page = opened("pages/predict.py")
    first = examples.predict()[0]
    assert page.session_state[OTHER] == first.other
    page.text_area(key=TEXT).set_value(OWN).run()
    assert page.session_state[OTHER] == "" and not page.exception
    linked = opened("pages/predict.py", ptext=OWN, predict_part="edit")
    assert linked.session_state[OTHER] == "" and any("Type another version" in item.value for item in linked.info)


def test_it_opens_on_a_content_word_of_every_text_anew():
    page = opened("pages/predict.py", ptext=OWN, predict_part="words")
    assert page.session_state[AT] in (1, 3, 4, 7)  # poured, molten, glass, mold
    page.text_area(key=TEXT).set_value("Of the three, it was the lighthouse.").run()
    assert page.session_state[AT] in (2, 7) and not page.exception


def said(text: str, part: str = "words") -> str:
    page = opened("pages/predict.py", ptext=text, predict_part=part)
    assert not page.exception
    (body,) = [block.proto.body for block in page.get("html") if "What to notice" in block.proto.body]
    return body


def test_a_link_to_a_word_opens_the_part_that_has_it():
    page = opened("pages/predict.py", ptext=OWN, pat="molten")
    assert page.session_state[AT] == 3 and page.session_state["predict_part"] == "words" and not page.exception
    assert opened("pages/predict.py", ptext=OWN).session_state["predict_part"] == "next"


def test_a_whole_sentence_is_said_to_be_one_and_grammar_is_not_in_question():
    page = opened("pages/predict.py", ptext="Two cranes lifted the statue onto its plinth.", predict_part="words")
    assert page.session_state[AT] in (1, 2, 4)
    first = said("Two cranes lifted the statue onto its plinth.", "next")
    assert "expects nothing before" in first and "1.0 equally" not in first
    assert "before “Java” its perplexity" in said("Java coffee tastes of chocolate and earth.", "next")


def test_a_word_that_stands_twice_is_named_with_its_number_and_a_sign_surprises_least():
    assert "swear₂" in said("I swear that I did not swear.")
    assert "“.”" not in said("Bank holidays always bring rain.")


def test_the_gap_is_a_scored_content_word_where_there_is_one():
    nan = np.nan
    assert widest_gap(["The", "heron", ",", "rested"], [1, 5, 30, 2], [9, 9, 1, 4], frozenset({"the"})) == 1
    assert widest_gap(["The", "zzyzx", "of"], [1, nan, 9], [2, nan, 1], frozenset({"the", "of"})) == 2  # no content word is scored
    assert widest_gap([".", ","], [1, 9], [1, 1], frozenset()) == 1
    assert widest_gap(["zzyzx", "!"], [nan, nan], [nan, nan], frozenset()) == 0


@pytest.mark.parametrize(
    ("text", "other", "is_one"),
    [
        ("He ate soup with care.", "He ate soup with bread.", True),
        (OWN, "Let's listen to", False),
        ("", "Let's listen to", False),
        ("Let's stick to", "Let's listen to", True),
    ],
)
def test_a_version_shares_half_of_the_words(text, other, is_one):
    assert is_version(text, other) == is_one


def test_a_word_outside_the_list_is_said_to_be_read_by_its_letters_and_not_scored():
    text = said("She lost her thimbel on the blorptastic stairs.")
    assert "thimbel" in text and "blorptastic" in text and "read by their letters" in text
    assert "Outside the vocabulary" not in said("She lost her hat on the stairs.")
    page = opened("pages/predict.py", ptext="She sat by the")
    shares = [item.value for item in page.caption if "Words outside the vocabulary get" in item.value]
    assert len(shares) == 1 and "5.6% after" in shares[0]


def test_a_tie_favors_no_version():
    assert "yours likelier" in _verdict(9, 8, 9, 8)[0] and "the other likelier" in _verdict(8, 9, 8, 9)[0]
    assert "disagree" in _verdict(8, 9, 9, 8)[0]
    assert "equally likely" in _verdict(8, 8, 9, 9)[0] and "equally likely" in _verdict(8, 8, 9, 8)[0]
    assert "equally likely" in _verdict(34.4, 33.6, 35, 34)[0]  # 34 → 34, as it is shown


def test_a_korean_ending_is_told_apart_from_the_word_spelled_like_it():
    page = opened("pages/predict.py", lang="ko", ptext="나는 오늘 아침에")
    assert not page.exception
    labels = [button.label.rsplit(" ", 1)[0] for button in page.button if str(button.key).startswith("after_")]
    assert len(labels) > 5 and len(set(labels)) == len(labels)
    assert any(label.strip("*\\").startswith("-") for label in labels)


def test_the_address_of_before_the_last_press_takes_nothing_back(monkeypatch):
    """A browser may send a press with the address that it had when the one before was still on its way."""
    page = opened("pages/predict.py")
    for part in ("words", "edit"):
        page.button_group(key="predict_part").set_value(part).run()
    page.query_params["predict_part"] = "words"
    assert page.run().session_state["predict_part"] == "edit" and page.query_params["predict_part"] == "edit"
    monkeypatch.setattr(parameters, "ECHO_S", 0.0)  # later, the address is somebody's wish
    page.query_params["predict_part"] = "words"
    assert page.run().session_state["predict_part"] == "words"
