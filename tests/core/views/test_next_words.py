"""Test that the view of next words returns what its parts return."""

import numpy as np
import pytest

from core.analysis import expectation
from core.common.errors import MissingArtifact
from core.views import substitutes
from core.views.substitutes import NextWordsRequest

TEXT = "She sat on the bank. Of the three, it was the lighthouse."


def test_words_around_a_text_and_in_a_place_are_those_of_the_language_model(workspace):
    request = NextWordsRequest(sentences=expectation.sentences_of(TEXT), position=10)
    reading = substitutes.read_text(workspace, request)
    after = substitutes.next_words(workspace, request, reading)
    before = substitutes.next_words(workspace, NextWordsRequest(sentences=request.sentences, backward=True), reading)
    lm = workspace.language_model
    assert (after, before) == tuple(expectation.expected_next(lm, reading, backward=backward) for backward in (False, True))
    assert after != before
    left, right, both = substitutes.expected_at(workspace, request, reading)
    assert left.likeliest[0] != right.likeliest[0] and both.rank == substitutes.ranks(workspace, request, reading)[2, 10]


def test_it_opens_on_a_word_of_more_than_grammar(workspace):
    reading = substitutes.read_text(workspace, NextWordsRequest(sentences=expectation.sentences_of(TEXT)))
    assert reading.tokens[substitutes.opening_place(workspace, reading)] in {"sat", "bank", "three", "lighthouse"}
    assert np.isfinite(reading.forward[substitutes.opening_place(workspace, reading)])


def test_a_model_without_a_head_for_masks_reports_it(workspace):
    with pytest.raises(MissingArtifact):
        substitutes.masked(workspace, NextWordsRequest(sentences=(("A", "heron"),), position=1))
