"""What a model expects of a text: the view gives what its parts give, of the sentence and the place in question."""

import numpy as np
import pytest

from core.analysis import expectation
from core.common.errors import MissingArtifact
from core.views import next_words
from core.views.next_words import NextWordsRequest

TEXT = "She sat on the bank. Of the three, it was the lighthouse."


def test_words_around_a_text_and_in_a_place_are_those_of_the_language_model(workspace):
    request = NextWordsRequest(sentences=expectation.sentences_of(TEXT), position=10)
    reading = next_words.read(workspace, request)
    after = next_words.compute(workspace, request, reading)
    before = next_words.compute(workspace, NextWordsRequest(sentences=request.sentences, backward=True), reading)
    lm = workspace.language_model
    assert (after, before) == tuple(expectation.expected_next(lm, reading, backward=backward) for backward in (False, True))
    assert after != before
    left, right, both = next_words.in_place(workspace, request, reading)
    assert left.likeliest[0] != right.likeliest[0] and both.rank == next_words.ranks(workspace, request, reading)[2, 10]


def test_it_opens_on_a_word_of_more_than_grammar(workspace):
    reading = next_words.read(workspace, NextWordsRequest(sentences=expectation.sentences_of(TEXT)))
    assert reading.tokens[next_words.opening(workspace, reading)] in {"sat", "bank", "three", "lighthouse"}
    assert np.isfinite(reading.forward[next_words.opening(workspace, reading)])


def test_a_model_without_a_head_for_masks_reports_it(workspace):
    with pytest.raises(MissingArtifact):
        next_words.masked(workspace, NextWordsRequest(sentences=(("A", "heron"),), position=1))
