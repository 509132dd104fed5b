"""Measures by hand first, then what no order of rows and no noise may change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from core.common.errors import BadInput
from core.lab.all_words import AllWords
from core.lab.layer_scores import best_threshold, pair_accuracy
from core.lab.own_sentences import CosineGap, cosine_gap
from core.senses.evaluate import best_weights

# --- pairs ------------------------------------------------------------------------------------------------------------


def test_the_threshold_is_midway_between_the_dev_cosines_it_parts():
    result = pair_accuracy([0.1, 0.3, 0.7, 0.9], [False, False, True, True], [0.4, 0.5, 0.6, 0.45], [False, True, True, True])
    assert result == pytest.approx(3 / 4)  # the threshold is 0.5, and 0.5 itself is "same"


def test_of_thresholds_equally_good_the_widest_range_gives_its_middle():
    # same from 0.2 on: wrong for 0.5; same from 0.9 on: wrong for 0.2; both 3 of 4
    assert best_threshold([0.1, 0.2, 0.5, 0.9], [False, True, False, True]) == (pytest.approx(0.7), 0.75)
    # a value with one of each kind parts nothing: the range goes through it
    assert best_threshold([0.1, 0.4, 0.4, 0.9], [False, True, False, True]) == (pytest.approx(0.5), 0.75)


def test_where_dev_cosines_are_all_equal_the_commoner_answer_wins():
    noise = np.array([1e-7, -1e-7, 2e-7, 0, 0])  # layer 0: equal up to rounding, which must part nothing
    for same, expected in (([True] * 3 + [False] * 2, 1.0), ([False] * 3 + [True] * 2, 0.0)):
        assert pair_accuracy(1 - noise, same, [1.0, 1 + 3e-7, 1 - 3e-7], [True] * 3) == expected
    assert pair_accuracy([1.0, 1.0], [True, False], [1.0], [True]) == 1.0  # a tie says "same"


@given(npst.arrays(float, 12, elements=st.floats(-1, 1)), npst.arrays(bool, 12))
def test_no_other_threshold_is_better_on_dev(cosines, same):
    threshold, accuracy = best_threshold(cosines, same)
    rounded = np.round(cosines, 5)
    assert accuracy == pytest.approx(((rounded >= threshold) == same).mean())
    assert all(((rounded >= other) == same).mean() <= accuracy + 1e-12 for other in [*rounded, 1.1])
    assert pair_accuracy(cosines, same, cosines, same) == pytest.approx(accuracy)


def test_pairs_without_an_answer_each_are_refused():
    with pytest.raises(BadInput, match="Each test pair needs a cosine and an answer; got 2 and 1"):
        pair_accuracy([0.1], [True], [0.1, 0.2], [True])
    with pytest.raises(BadInput, match="Each dev pair"):
        pair_accuracy([], [], [0.1], [True])


# --- all words --------------------------------------------------------------------------------------------------------

BANK, RUN, GO = ("bank", "n"), ("run", "v"), ("go", "v")
TRAIN = np.array([[1, 0], [3, 0], [0, 1], [1, 1]], float)  # lengths do not matter
KEYS, SENSES = [BANK, BANK, BANK, RUN], ["firm", "firm", "edge", "move"]


def test_all_words_by_hand():
    test = np.array([[5, 1], [1, 5], [1, 0], [0, 1], [1, 1], [1, 0]], float)
    keys = [BANK, BANK, BANK, RUN, GO, RUN]
    senses = ["firm", "edge", "edge", "move", "go", "flow"]
    result = AllWords(TRAIN, KEYS, SENSES, test, keys, senses).scores()
    # right: firm, edge, not the third; run has one sense known: right for "move", wrong for "flow"; go was never seen
    assert result.accuracy == pytest.approx(3 / 6) and result.most_frequent == pytest.approx(2 / 6)
    assert (result.n, result.unseen, result.ambiguous_n) == (6, 1, 3)
    assert result.ambiguous_accuracy == pytest.approx(2 / 3) and result.ambiguous_most_frequent == pytest.approx(1 / 3)


def test_a_centroid_is_the_mean_of_unit_vectors():
    # plain means would be (5, 0.5) for "a": nearer to (1, 0.4) than "b"; of unit vectors it is (0.5, 0.5)
    train, keys, senses = np.array([[10, 0], [0, 1], [1, 0.3]]), [BANK] * 3, ["a", "a", "b"]
    assert AllWords(train, keys, senses, np.array([[1, 0.4]]), [BANK], ["b"]).scores().accuracy == 1.0


def test_tied_senses_count_by_their_share():
    equal, keys = np.ones((3, 2)), [BANK] * 3
    result = AllWords(equal, keys, ["a", "b", "c"], np.ones((1, 2)), [BANK], ["a"]).scores()
    assert result.accuracy == result.most_frequent == pytest.approx(1 / 3)


def test_the_same_lemma_of_another_part_of_speech_is_another_word():
    result = AllWords(TRAIN, KEYS, SENSES, TRAIN[:1], [("bank", "v")], ["firm"]).scores()
    assert (result.accuracy, result.most_frequent, result.unseen, result.ambiguous_n) == (0, 0, 1, 0)


def test_words_without_a_vector_or_a_sense_are_refused():
    with pytest.raises(BadInput, match="Each test word needs a vector, a key and a sense; got 1, 1 and 0"):
        AllWords(TRAIN, KEYS, SENSES, TRAIN[:1], [BANK], []).scores()


# --- the choice of weights --------------------------------------------------------------------------------------------


def test_the_grid_of_three_layers_in_tenths_has_66_mixes_that_sum_to_1():
    seen = []
    best_weights(lambda weights: seen.append(weights) or 0.0)
    assert len({tuple(w) for w in seen}) == len(seen) == 66
    assert all(w.sum() == pytest.approx(1) and (w >= 0).all() for w in seen)
    assert {(1, 0, 0), (0, 1, 0), (0, 0, 1)} <= {tuple(w) for w in seen}


def test_the_weights_with_the_best_score_are_found():
    wanted = np.array([0.2, 0.5, 0.3])
    weights, score = best_weights(lambda w: -float(((w - wanted) ** 2).sum()))
    assert weights == pytest.approx(wanted) and score == pytest.approx(0)
    assert best_weights(lambda w: float(w[1]), 2)[0].tolist() == [0, 1]
    assert best_weights(lambda w: 1.0, 1)[0].tolist() == [1]


def test_ties_go_to_the_most_even_weights():
    assert sorted(best_weights(lambda w: 1.0)[0]) == pytest.approx([0.3, 0.3, 0.4])
    assert best_weights(lambda w: 1.0, 2)[0] == pytest.approx([0.5, 0.5])
    assert best_weights(lambda w: float(w[2] == 0))[0] == pytest.approx([0.5, 0.5, 0])
    assert best_weights(lambda w: 1.0, 3, 3)[0] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("sizes", [(0, 10), (3, 0)])
def test_a_grid_without_layers_or_steps_is_refused(sizes):
    with pytest.raises(BadInput, match="grid"):
        best_weights(lambda w: 0.0, *sizes)


# --- the gap ----------------------------------------------------------------------------------------------------------


def test_the_gap_is_one_sense_minus_two_averaged_over_spellings_that_have_both():
    similarities = np.eye(8)
    for i, j, value in ((0, 1, 0.9), (0, 2, 0.5), (1, 2, 0.3), (3, 4, 0.8), (3, 5, 0.7), (4, 5, 0.7), (6, 7, 0.1)):
        similarities[i, j] = similarities[j, i] = value
    words = ["play"] * 3 + ["plays"] * 3 + ["Play"] * 2  # the last has no pair of one sense
    labels = list("aab") + list("aab") + list("ab")
    result = cosine_gap(lambda rows: similarities[np.ix_(rows, rows)], words, labels)
    # play: 0.9 against (0.5 + 0.3) / 2; plays: 0.8 against 0.7
    assert result == CosineGap(same=pytest.approx(0.85), different=pytest.approx(0.55), gap=pytest.approx(0.3), groups=2)


def test_words_without_two_senses_and_a_pair_have_no_gap_to_measure():
    with pytest.raises(BadInput, match="no cosines to compare"):
        cosine_gap(lambda rows: np.eye(len(rows)), ["a", "a", "b"], ["x", "y", "z"])


def test_a_large_prior_is_the_most_frequent_sense_and_none_is_the_nearest_centroid():
    key = ("bank", "n")
    train, senses = np.eye(2)[[0, 0, 0, 1]], ["river", "river", "river", "money"]
    test = np.array([[0.1, 1.0], [0.1, 1.0], [1.0, 0.0]])
    request = (train, [key] * 4, senses, test, [key] * 3, ["money", "river", "river"])
    assert AllWords(*request).scores().accuracy == pytest.approx(2 / 3)  # money, money, river
    assert AllWords(*request).scores(prior=10.0).accuracy == pytest.approx(2 / 3)  # river, river, river
    nearly = AllWords(train, [key] * 4, senses, np.array([[0.7, 0.75]]), [key], ["river"]).scores(prior=0.1)
    assert nearly.accuracy == 1.0 and AllWords(train, [key] * 4, senses, np.array([[0.7, 0.75]]), [key], ["river"]).scores().accuracy == 0
