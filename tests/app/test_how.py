"""Check the drawing of the network on How it works."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from core.analysis.walk import Walk, walk
from core.elmo.models import open_model
from core.figures.walk import CELLS
from core.text import languages
from pages._how import show
from pages._how.texts import steps

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
