"""Spelling: what it says of words a visitor may type, by the numbers and the pieces that the models really have."""

import re
from html import unescape

import pytest

from pages._cached.spellings import reading
from pages._cached.views import workspace_of
from tests.app.visit import opened_whole


def said(**address: str) -> str:
    return unescape(" ".join(element.proto.body for element in opened_whole("pages/how.py", step="4", **address).get("html")))


def said_after_reading(model: str, vectors: str, **address: str) -> str:
    """Return the text of the step once the vocabulary of this model is encoded."""
    said(**address)  # begins the reading; what the page shows changes until it ends
    reading(workspace_of(model, vectors)).wait(300)
    return said(**address)


def test_chance_is_that_of_as_many_words_as_were_typed():
    said_after_reading("elmo-mini", "glove-mini", spell="mint")
    two, four = (
        float(re.search(r"(?:stay below|pair at) (0\.\d\d)(?:\.| or)", said(spell=words))[1])
        for words in ("mint mints", "mint mints minty minted")
    )
    assert four > two + 0.05


@pytest.mark.parametrize(("words", "message"), [("don't", "“don't” (do + n't)"), ("maple", "")])
def test_a_word_that_no_sentence_holds_whole_is_told(words: str, message: str):
    text = said(spell=words)
    assert message in text and ("both models split" in text) == bool(message)


def test_words_whose_letters_are_not_read_are_near_to_nothing():
    text = said(spell="😂 🙂 ghost")
    assert text.count("letters not read: meaningless") == 1 and "cannot read the letters of “😂”, “🙂”." in text
    assert "Your closest words" not in text and "Layer 0's nearest to “😂”" not in text


def test_capitals_are_what_glove_lacks():
    assert "reads “Bank”, “BANK” in lowercase" in said(spell="Bank bank BANK")


def test_a_piece_that_stands_against_the_word_before_it_is_told_from_the_word():
    text = said_after_reading("elmo-ko-mini", "glove-ko-mini", lang="ko", spell="은행")
    assert "-은행" in text and "\u2060" not in text
