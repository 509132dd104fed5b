"""The language model: the full softmax, what it expects next and before, perplexity."""

import math

import numpy as np
import pytest
import torch

from core.common.config import ModelShape
from core.common.errors import BadInput
from core.elmo.encoder import Encoder
from core.elmo.language_model import SPECIALS, LanguageModel, Softmax, Vocabulary
from core.elmo.model import BiLM

SHAPE = ModelShape(filters=((1, 4), (2, 4)), hidden=8, projection=5)
WORDS = [*SPECIALS, "the", "bank", "river", "money", "of", "a"]


def language_model(seed: int = 0, words: list[str] = WORDS, softmax: Softmax | None = None) -> LanguageModel:
    torch.manual_seed(seed)
    model = BiLM(SHAPE)
    softmax = softmax or Softmax(len(words), SHAPE.projection)
    return LanguageModel(Encoder(model), softmax.requires_grad_(False), Vocabulary.of(words))


def uniform(n_words: int = len(WORDS)) -> Softmax:
    softmax = Softmax(n_words, SHAPE.projection).requires_grad_(False)
    softmax.weight.zero_()
    return softmax


def test_the_softmax_by_hand():
    softmax = Softmax(2, 1).requires_grad_(False)
    softmax.weight.copy_(torch.tensor([[0.0], [1.0]]))
    softmax.bias.copy_(torch.tensor([0.0, math.log(2)]))
    p = softmax(torch.tensor([[0.0], [math.log(2)]])).exp()
    torch.testing.assert_close(p, torch.tensor([[1 / 3, 2 / 3], [1 / 5, 4 / 5]]))


@pytest.mark.parametrize("rows", [1, 3, 7, 100])
def test_log_probability_in_blocks_of_rows_equals_the_full_table(rows):
    torch.manual_seed(1)
    softmax, h, targets = Softmax(11, 4), torch.randn(7, 4), torch.tensor([0, 10, 3, 3, 5, 1, 9])
    full = softmax(h)[torch.arange(7), targets]
    torch.testing.assert_close(softmax.log_probability(h, targets, rows=rows), full)


@pytest.mark.parametrize("backward", [False, True])
def test_predictions_are_the_softmax_of_the_right_state_without_the_unknown_and_the_boundary_behind(backward):
    lm, tokens = language_model(), ["the", "bank", "zebra"]
    top = lm.encoder.encode([tokens])[0][2]  # forward state of the last token, backward state of the first
    state = top[0, SHAPE.projection :] if backward else top[-1, : SHAPE.projection]
    p = lm.softmax(torch.from_numpy(state)[None])[0].double().exp()
    assert lm.unknown_probability(tokens, backward=backward) == pytest.approx(float(p[2]), abs=1e-5)
    p[[2, 1 if backward else 0]] = 0  # no answers
    best = sorted(range(len(WORDS)), key=lambda k: -p[k])[:-2]
    result = lm.predict(tokens, backward=backward, k=1000)
    assert [x.word for x in result] == [WORDS[k] for k in best]
    np.testing.assert_allclose([x.probability for x in result], p[best], atol=1e-5)
    assert lm.predict(tokens, backward=backward, k=3) == result[:3]


def test_no_text_and_wrong_numbers_of_words_are_refused():
    lm = language_model()
    with pytest.raises(BadInput, match="no text to continue"):
        lm.predict([])
    for sentences in ([], [[]], [[], []]):
        with pytest.raises(BadInput, match="no text to score"):
            lm.perplexity(sentences)
    for k in (0, -1, 1001):
        with pytest.raises(BadInput, match=f"between 1 and 1000, got {k}"):
            lm.predict(["the"], k=k)


def test_log_probabilities_are_the_softmax_of_the_neighboring_states():
    lm, tokens = language_model(), ["the", "zebra", "river"]
    ((_, ahead, behind),) = lm.encoder.directions([tokens])
    forward, backward = lm.log_probabilities([tokens])[0]
    assert forward.shape == backward.shape == (4,)
    p_ahead, p_behind = (lm.softmax(torch.from_numpy(x)).numpy() for x in (ahead, behind))
    # forward: the from <S>, zebra (unknown), river from zebra, </S> from river
    np.testing.assert_allclose(forward, [p_ahead[0, 3], np.nan, p_ahead[2, 5], p_ahead[3, 1]], atol=1e-5)
    # backward: <S> from the, the from zebra, zebra (unknown), river from </S>
    np.testing.assert_allclose(backward, [p_behind[1, 0], p_behind[2, 3], np.nan, p_behind[4, 5]], atol=1e-5)


def test_log_probabilities_are_in_the_order_of_the_sentences_and_nan_for_an_empty_one():
    lm = language_model()
    sentences = [["the"], ["the", "bank", "of", "a", "river"], [], ["a", "bank"], ["the"]]
    for sentence, pair in zip(sentences, lm.log_probabilities(sentences), strict=True):
        for got, alone in zip(pair, lm.log_probabilities([sentence])[0], strict=True):
            np.testing.assert_allclose(got, alone, atol=1e-5)
            assert len(got) == len(sentence) + 1 if sentence else np.isnan(got).all()


def test_perplexity_is_exp_of_the_mean_surprisal_over_all_sentences():
    lm = language_model()
    sentences = [["the", "bank"], ["a", "zebra", "river", "of", "money"]] * 3
    scores = lm.log_probabilities(sentences)
    result = lm.perplexity(sentences)
    for direction, value in ((0, result.forward), (1, result.backward)):
        every = np.concatenate([pair[direction] for pair in scores])
        assert value == pytest.approx(np.exp(-np.nanmean(every)), rel=1e-6)


def test_perplexity_reports_progress_and_does_not_depend_on_its_rounds():
    lm, seen = language_model(), []
    result = lm.perplexity([["the"]] * 300, report=lambda *numbers: seen.append(numbers))
    assert seen == [(256, 300), (300, 300)]
    assert result.forward == pytest.approx(lm.perplexity([["the"]]).forward, rel=1e-5)


def test_unknown_words_charged_by_hand():
    """Under a uniform softmax each of seven predictions costs log V, and each of two unknown ones log 2 more: two types share <UNK>."""
    result = language_model(softmax=uniform()).perplexity([["the", "zebra"], ["quagga", "of", "a"]])
    assert (result.tokens, result.unknown_types, result.unknown_share) == (5, 2, pytest.approx(2 / 5))
    by_hand = np.exp((7 * np.log(len(WORDS)) + 2 * np.log(2)) / 7)
    assert result.charged_forward == pytest.approx(by_hand, rel=1e-5) == result.charged_backward
    assert result.forward == pytest.approx(len(WORDS), rel=1e-5) and result.forward < result.charged_forward
    only_ends = language_model(softmax=uniform()).perplexity([["zebra", "quagga"]])
    assert (only_ends.tokens, only_ends.unknown_share) == (1, 1.0) and only_ends.forward == pytest.approx(len(WORDS), rel=1e-5)
