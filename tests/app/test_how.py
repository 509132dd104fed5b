"""Check How it works: the drawing of the network, and what the steps state about a sentence and about spellings."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from core.analysis.walk import Walk, walk
from core.elmo.models import open_model
from core.figures.walk import CELLS
from core.text import languages
from pages._cached.opened import workspace_of
from pages._how import show
from pages._how.spellings import reading
from pages._how.texts import steps
from tests.app.visit import opened_whole

MODEL = open_model(languages.get_language("en").model)
STEPS = steps(MODEL.encoder.model.shape)
TOKENS = ["A", "<b>tablet</b>", "&", "a", "scribe", '"quoted"', "눈", "🎉", "end", "."]


@pytest.fixture(scope="module")
def way() -> Walk:
    return walk(MODEL.encoder, TOKENS, 1)


def drawn(way: Walk, number: int = 0, sizes=show.WIDE) -> ElementTree.Element:
    return ElementTree.fromstring(show.draw_network(way, STEPS, number, *sizes))


@pytest.mark.parametrize(("sizes", "words"), [(show.WIDE, 7), (show.MIDDLE, 4), (show.NARROW, 3)])
def test_drawing_has_a_box_for_each_step_and_a_column_for_each_word(way, sizes, words):
    result = drawn(way, 4, sizes)
    boxes = [box for box in result.iter("g") if box.get("data-step")]
    assert [box.get("data-step") for box in boxes] == list("1235679")
    assert all(box.get("role") == "button" and box.get("tabindex") == "0" for box in boxes)
    assert [box.get("data-step") for box in boxes if box.get("aria-current")] == ["5"]
    assert all(step.title in box.get("aria-label") for step, box in zip([STEPS[k] for k in show.PLACES], boxes, strict=True))
    letters = [text.text for text in boxes[0].iter("text")][1:]
    assert letters == [f"⟨{token}⟩" for token in TOKENS[:words]]
    assert "<b>tablet</b>" in result.get("aria-label")


def test_drawing_has_a_strip_for_each_layer(way):
    """A model of three LSTM layers has a strip more a word in either direction, and two more in all."""
    deeper = replace(way, layers=np.concatenate([way.layers, way.layers[-1:]]))
    for item in (way, deeper):
        n, boxes = len(item.layers) - 1, [box for box in drawn(item).iter("g") if box.get("data-step")]
        strips = [len([r for r in box.iter("rect") if r.get("fill-opacity")]) / CELLS / 7 for box in boxes]
        assert strips[2:] == [1, n, n, n + 1, 1]


def said(**address: str) -> str:
    """Return the HTML of How it works."""
    return unescape(" ".join(element.proto.body for element in opened_whole("pages/how.py", **address).get("html")))


def spelled(**address: str) -> str:
    return said(step="4", **address)


def said_after_reading(model: str, vectors: str, **address: str) -> str:
    """Return the text of the step once the vocabulary of this model is encoded."""
    spelled(**address)  # begins the reading; what the page shows changes until it ends
    reading(workspace_of(model, vectors)).job.wait(300)
    return spelled(**address)


def test_chance_depends_on_the_number_of_words():
    said_after_reading("elmo-mini", "glove-mini", spell="mint")
    two, four = (
        float(re.search(r"(?:stay below|pair at) (0\.\d\d)(?:\.| or)", spelled(spell=words))[1])
        for words in ("mint mints", "mint mints minty minted")
    )
    assert four > two + 0.05


@pytest.mark.parametrize(("words", "message"), [("don't", "“don't” (do + n't)"), ("maple", "")])
def test_word_that_is_split_into_tokens_is_named(words: str, message: str):
    text = spelled(spell=words)
    assert message in text and ("both models split" in text) == bool(message)


def test_words_of_unknown_letters_have_no_neighbors():
    text = spelled(spell="😂 🙂 ghost")
    assert text.count("letters not read: meaningless") == 1 and "cannot read the letters of “😂”, “🙂”." in text
    assert "Your closest words" not in text and "Layer 0's nearest to “😂”" not in text


def test_glove_reads_capitals_as_lowercase():
    assert "reads “Bank”, “BANK” in lowercase" in spelled(spell="Bank bank BANK")


def test_attached_korean_piece_is_distinguished_from_a_word():
    text = said_after_reading("elmo-ko-mini", "glove-ko-mini", lang="ko", spell="은행")
    assert "-은행" in text and "\u2060" not in text
