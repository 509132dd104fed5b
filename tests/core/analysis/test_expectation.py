"""Test what a model expects at every place of a text, what it draws, and the comparison of two versions."""

import numpy as np
import pytest

from core.analysis import expectation
from core.analysis.expectation import expected_at, marginal, prior, ranks, read, sentences_of, write
from core.common.errors import BadInput
from core.elmo.language_model import SPECIALS, UNKNOWN, LanguageModel
from core.elmo.models import open_language_model
from core.figures.walk import MOST_PLACES, ribbon_rules, versions_figure, window
from core.text.tokens import tokenize
from tests.core.elmo.test_language_model import log_probabilities

TEXT = "The keys to the cabinet are on the table."


@pytest.fixture(scope="module")
def lm(model) -> LanguageModel:
    return open_language_model(model)


@pytest.mark.parametrize("text", [TEXT, "Stop", "Zorgle the bank 🎉.", "He came. She left at once!\nWhy"])
def test_surprisal_is_log_probability_in_bits_of_each_sentence_alone(lm, text):
    result, sentences = read(lm, sentences_of(text)), [list(s) for s in sentences_of(text)]
    scores = [log_probabilities(lm, s) for s in sentences]
    np.testing.assert_allclose(result.forward, -np.concatenate([f[:-1] for f, _ in scores]) / np.log(2), atol=1e-4)
    np.testing.assert_allclose(result.backward, -np.concatenate([b[1:] for _, b in scores]) / np.log(2), atol=1e-4)
    assert result.tokens == [token for s in sentences for token in s]
    unknown = [token not in lm.vocabulary.ids for token in result.tokens]
    assert np.isnan(result.forward).tolist() == unknown == np.isnan(result.backward).tolist()
    with pytest.raises(BadInput, match=f"no word {len(result.tokens) + 1}"):
        expected_at(lm, result, len(result.tokens), prior(lm))
    for blank in ("", "  \n ", "\x00"):
        with pytest.raises(BadInput, match="Type a few words"):
            read(lm, sentences_of(blank))


@pytest.mark.parametrize("position", [0, 4])
def test_the_word_that_is_there_has_the_probability_of_its_surprisal_and_its_rank(lm, position):
    result = read(lm, sentences_of(TEXT))
    left, right, both = expected_at(lm, result, position, prior(lm), k=1000)
    assert left.probability == pytest.approx(2 ** -result.forward[position], rel=1e-3)
    assert right.probability == pytest.approx(2 ** -result.backward[position], rel=1e-3)
    for item, rank in zip((left, right, both), ranks(lm, result, 20, prior(lm))[:, position], strict=True):
        assert item.rank == rank
        words = [p.word for p in item.likeliest]
        assert UNKNOWN not in words and (item.rank > 1000 or words.index(result.tokens[position]) == item.rank - 1)


def test_as_many_words_as_are_likely_are_the_effective_ones_and_a_word_outside_the_list_has_no_rank(lm):
    log_p = np.full(len(lm.vocabulary), -np.inf)
    log_p[10:14] = np.log(0.25)
    result = lm.expected(log_p, lm.vocabulary.words[12], k=8)
    assert result.effective == pytest.approx(4) and len(result.likeliest) == 4 and result.rank == 1
    result = read(lm, sentences_of("The zorgle sat down."))
    assert [(item.probability, item.rank) for item in expected_at(lm, result, 1, prior(lm))] == [(None, None)] * 3
    assert np.isnan(ranks(lm, result, 20, prior(lm))[:, 1]).all()


def test_both_sides_by_hand_is_bayes_rule_over_the_words():
    prior_p, left, right = (np.log([0.1, 0.1, 0.1, *rest]) for rest in ([0.5, 0.2], [0.3, 0.4], [0.6, 0.1]))
    p = np.exp(expectation.both_sides(left, right, prior_p))
    np.testing.assert_allclose(p, [0, 0, 0, *np.array([0.36, 0.2]) / 0.56])  # 0.3 x 0.6 / 0.5 and 0.4 x 0.1 / 0.2


def test_a_word_s_own_probability_is_the_mean_of_what_is_foreseen(lm):
    sentences = [tokenize(TEXT), tokenize("He came."), []]
    result = read(lm, tuple(tuple(item) for item in sentences if item))
    states = np.concatenate([result.ahead, result.behind])
    mean = np.mean([np.exp(lm.log_p(state)) for state in states], axis=0)
    np.testing.assert_allclose(np.exp(marginal(lm, sentences)), mean, rtol=1e-3, atol=1e-9)
    np.testing.assert_array_equal(marginal(lm, []), prior(lm))


@pytest.mark.parametrize("backward", [False, True])
def test_at_a_temperature_near_zero_the_likeliest_word_is_drawn_until_the_sentence_ends(lm, backward):
    tokens = ["of", "America"]
    written = write(lm, tokens, 3, backward=backward, temperature=0.01, seed=5)
    for word in reversed(written.words) if backward else written.words:
        assert word == lm.next_words(tokens, backward=backward, k=1).likeliest[0].word
        tokens = [word, *tokens] if backward else [*tokens, word]
    written = write(lm, tokenize(TEXT), 5, backward=backward, temperature=0)
    assert written.ended and written.words == ()


def test_draws_follow_the_probabilities_and_never_name_the_unknown(lm):
    words = [write(lm, ["of", "America"], 1, seed=seed).words for seed in range(100)]
    expected = lm.next_words(["of", "America"], k=1)
    (first,) = expected.likeliest
    share = np.mean([w == (first.word,) for w in words])
    p = first.probability / (1 - expected.unknown)  # a draw is among the words of the list
    assert abs(share - p) < 4 * (p * (1 - p) / 100) ** 0.5
    assert not any(w and w[0] in SPECIALS for w in words)


@pytest.mark.parametrize(("n", "temperature"), [(0, 1.0), (51, 1.0), (1, -0.1), (1, 9.0)])
def test_what_cannot_be_drawn_is_refused(lm, n, temperature):
    with pytest.raises(BadInput, match=str(n) if temperature == 1.0 else str(temperature)):
        write(lm, ["The"], n, temperature=temperature)
    with pytest.raises(BadInput, match="no text to continue"):
        write(lm, [], 1)


def test_words_are_put_after_and_before_a_text_as_one_writes_them_and_replaced_in_it():
    for text, words, after, before in (
        ("Let's stick to", ["the", "plan", "."], "Let's stick to the plan.", "the plan. Let's stick to"),
        *(("do ", ["n't"], "don't", "n't do "), ('He said "', ["Yes"], 'He said "Yes', 'Yes He said "'), ("", ["Hello"], "Hello", "Hello")),
        *(("bank", ["("], "bank (", "(bank"), ("Two  spaces", [], "Two  spaces", "Two  spaces")),
    ):
        assert (expectation.appended(text, words), expectation.prepended(text, words)) == (after, before)
    assert expectation.replaced("He  came. She left.", 4, "was") == "He  came. She was."
    assert expectation.replaced("He came\nShe left", 1, "was") == "He was\nShe left"
    assert expectation.replaced("He came", 7, "was") == "He came"
    assert expectation.replaced(" I am.\n\n I am.  I am. \nSo", 4, "was") == " I am.\n\n I was.  I am. \nSo"


def test_versions_are_aligned_and_drawn_with_their_changed_words_marked_and_of_a_long_text_the_part_around_them():
    assert expectation.aligned(list("abc"), list("axc")) == [(0, 0), (1, 1), (2, 2)]
    assert expectation.aligned(list("ac"), list("abc")) == [(0, 0), (None, 1), (1, 2)]
    assert expectation.aligned(list("aaa"), list("aa")) == [(0, 0), (1, 1), (2, None)]
    words, scores = [("a", "a"), (None, "<b>"), ("c", "c")], np.array([[1.0, np.nan, 2.0], [3.0, np.nan, 4.0]])
    figure = versions_figure(words, scores, scores + 1)
    assert len(figure.data) == 4 and len(figure.layout.shapes) == 1
    assert figure.layout.xaxis2.ticktext[1] == "<b>&lt;b&gt;</b>"
    assert ribbon_rules(".row", [1.0, np.nan], [20.0, np.nan]).count("repeating-linear-gradient") == 2  # of words without a score
    words = [("a", "a")] * 200
    words[150] = ("a", "b")
    first, last = window(words)
    assert last - first == MOST_PLACES and first < 150 < last
    assert window(words[:10]) == (0, 10)
