"""What a carried-over state does to a sentence, on the bundled model: where it shows, whether it settles, and that ours has none."""

import functools

import numpy as np
import pytest
import torch

from core.analysis.memory import Memory, changed_neighbours, drift, remember
from core.common.errors import BadInput
from core.elmo.models import BUNDLED_MODEL, Model, open_model
from core.figures.memory import halves_figure, layers_figure, settling_figure
from core.index.tables import open_table
from core.text.corpora import BUNDLED_CORPUS
from core.text.tokens import tokenize

torch.set_num_threads(1)
SENTENCE = tokenize("We sat on the grassy bank and watched the boats go by.")
OTHER = [tokenize("The court found the company guilty of fraud."), tokenize("It was ordered to pay a fine.")]
VARIED = [
    tokenize(s)
    for s in (
        "Melt the butter in a pan.",
        "The home side scored twice.",
        "The patient was given oxygen.",
        "lol see you at 8 then !!",
        "The king died in 1603.",
        "Children waved from the bank.",
        "Add the milk slowly.",
    )
]
ROUNDS = 5


@functools.lru_cache(maxsize=1)
def model() -> Model:
    return open_model(BUNDLED_MODEL)


@functools.lru_cache(maxsize=1)
def memory() -> Memory:
    return remember(model().encoder, SENTENCE, OTHER, VARIED, ROUNDS)


def test_the_first_encoding_of_a_stream_is_a_fresh_start_and_both_streams_begin_alike():
    fresh = model().encoder.encode([SENTENCE])[0]
    for stream in (memory().same, memory().varied):
        assert len(stream.encodings) == ROUNDS + 1
        np.testing.assert_allclose(stream.encodings[0], fresh, atol=1e-5, rtol=0)


def test_the_stream_is_the_encoders_own_with_the_text_between():
    ((_, _, _, after),) = model().encoder.encode_streams([[SENTENCE, *OTHER, SENTENCE]])
    np.testing.assert_allclose(memory().same.encodings[1], after, atol=1e-5, rtol=0)


def test_layer_0_never_drifts_and_the_layers_above_do_the_upper_one_more():
    whole = memory().drifted.whole
    assert whole[0].max() < 1e-9
    assert 0.005 < whole[1].mean() < whole[2].mean()


@pytest.mark.parametrize("layer", [1, 2])
def test_the_forward_half_drifts_most_at_the_first_word_and_the_backward_half_at_the_last(layer: int):
    drifted, last = memory().drifted, len(SENTENCE) - 1
    assert drifted.forward[layer].argmax() == 0 and drifted.backward[layer].argmax() == last
    assert drifted.forward[layer, 0] > 2 * drifted.forward[layer, last]
    assert drifted.backward[layer, last] > 2 * drifted.backward[layer, 0]


@pytest.mark.parametrize("layer", [1, 2])
def test_with_the_same_text_between_it_settles_away_from_a_fresh_start_and_with_other_texts_it_does_not(layer: int):
    same, varied = memory().same.from_previous(layer), memory().varied.from_previous(layer)
    assert len(same) == len(varied) == ROUNDS
    assert same[-1] < 0.01 * same[0] and memory().same.from_fresh(layer)[-1] > 0.01
    assert varied[2:].min() > 0.003


def test_ours_differs_in_no_number_alone_and_by_rounding_in_a_batch():
    alone, batch = memory().stateless_difference
    assert alone == 0.0 and batch < 1e-5
    assert not memory().stateless.whole.any()


def test_drift_is_one_less_the_cosine_of_whole_and_halves():
    a = np.array([[[1.0, 0.0, 2.0, 0.0], [0.0, 0.0, 1.0, 0.0]]])
    b = np.array([[[0.0, 3.0, 5.0, 0.0], [0.0, 0.0, 0.0, 0.0]]])
    result = drift(a, b)
    np.testing.assert_allclose(result.whole, [[1 - 10 / (5**0.5 * 34**0.5), 1]])
    np.testing.assert_allclose(result.forward, [[1, 0]])  # at the second token both halves have no length: no change
    np.testing.assert_allclose(result.backward, [[0, 1]], atol=1e-12)
    assert not drift(a, a).whole.any()


def test_encodings_of_two_sentences_are_not_compared():
    with pytest.raises(BadInput, match="must have one shape"):
        drift(np.zeros((3, 2, 4)), np.zeros((3, 5, 4)))


@pytest.mark.parametrize(
    ("sentence", "other", "varied", "rounds", "message"),
    [
        ([], OTHER, VARIED, 1, "sentence is empty"),
        (SENTENCE, [], VARIED, 1, "other text is empty"),
        (SENTENCE, [[]], VARIED, 1, "other text is empty"),
        (SENTENCE, OTHER, [], 1, "other text is empty"),
        (SENTENCE, OTHER, VARIED, 0, "At least one reading is needed, not 0"),
    ],
)
def test_what_cannot_be_streamed_is_refused_with_a_sentence(sentence, other, varied, rounds, message):
    with pytest.raises(BadInput, match=message):
        remember(model().encoder, sentence, other, varied, rounds)


def test_neighbours_change_where_the_encoding_does_and_nowhere_else():
    table = open_table(BUNDLED_CORPUS, model(), targets_only=True)
    first, last = memory().same.encodings[0], memory().same.encodings[-1]
    position = SENTENCE.index("bank")
    assert changed_neighbours(table, SENTENCE, position, first, first) == ([0, 0, 0], 8, True)
    changed, k, same_word = changed_neighbours(table, SENTENCE, position, first, last)
    assert changed[0] == 0 and max(changed) <= k == 8 and same_word
    turned = changed_neighbours(table, SENTENCE, position, first, -first)[0]
    assert turned[1:] == [8, 8]  # the opposite vector has no neighbor in common; at layer 0 all "bank" are one vector
    assert not changed_neighbours(table, SENTENCE, 0, first, last)[2]  # "We" has no labeled sentence: any word


def test_the_pictures_show_every_token_and_name_their_lines():
    m, tokens = memory(), [*SENTENCE[:-1], "<b>"]
    figure = layers_figure(1 - m.drifted.whole, tokens, stateless=1 - m.stateless.whole.max(axis=0), bold=5)
    assert [trace.name for trace in figure.data] == ["this app", "layer 1", "layer 2"] and "&lt;b&gt;" in figure.layout.xaxis.ticktext
    assert "<b>bank</b>" in figure.layout.xaxis.ticktext
    assert len(halves_figure(m.drifted.forward[2], m.drifted.backward[2], tokens, bold=0).data) == 2
    lines = settling_figure(m.same.from_previous(2), m.varied.from_previous(2), np.zeros(ROUNDS))
    assert list(lines.data[0].x) == [2, 3, 4, 5, 6]
    crowded = halves_figure(np.zeros(100), np.zeros(100), ["word"] * 100, bold=7)
    assert len(crowded.layout.xaxis.ticktext) <= 31
