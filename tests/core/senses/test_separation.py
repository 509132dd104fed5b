"""Sense measures: by hand, against scikit-learn, and properties that no order of rows may break."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_score

from core.common.directions import unit
from core.common.errors import BadInput
from core.common.model_layers import Layers
from core.figures.lessons import ranking_figure
from core.senses import separation
from core.senses.evaluate import classify_split, left_out_centroids
from core.senses.evidence import purity_at_k
from core.senses.separation import count_significant, judge, one_nn, sense_report, silhouette, word_gain, word_ranking

# Occurrences 0 and 1 are near each other, and so are 2 and 3.
PAIRS = np.array([[1.0, 0.9, 0.1, 0.2], [0.9, 1.0, 0.3, 0.1], [0.1, 0.3, 1.0, 0.8], [0.2, 0.1, 0.8, 1.0]], np.float32)
VECTORS = np.array([[1, 0], [2, 0.2], [0, 3], [1, 0]], np.float32)  # their lengths must not matter
TRAIN = (VECTORS, ["money", "money", "river", "animal"], ["bank", "bank", "bank", "bat"])


def unit_rows(seed: int, n: int, dims: int = 8) -> np.ndarray:
    return unit(np.random.default_rng(seed).normal(size=(n, dims))).astype(np.float32)


def two_senses(seed: int, n: int, *, noise: float) -> tuple[np.ndarray, list[str]]:
    rows = np.repeat(unit_rows(seed, 2), [n // 2, n - n // 2], axis=0) + noise * unit_rows(seed + 1, n)
    return unit(rows), ["a"] * (n // 2) + ["b"] * (n - n // 2)


def test_one_nn_and_purity_by_hand_with_ties_by_their_share():
    assert one_nn(PAIRS, ["a", "a", "b", "b"]) == 1.0
    assert one_nn(PAIRS, ["a", "b", "b", "b"]) == 0.5  # 0 and 1 have each other, of another sense
    assert one_nn(PAIRS, ["a", "b", "a", "b"]) == 0.0
    equal = np.ones((4, 4), np.float32)  # layer 0: one vector for all
    assert one_nn(equal, ["a", "a", "a", "b"]) == pytest.approx(0.5)  # three times 2/3, once 0, over 4
    nearly = equal + np.random.default_rng(0).normal(scale=3e-7, size=(4, 4)).astype(np.float32)
    assert one_nn(nearly, ["a", "a", "a", "b"]) == pytest.approx(0.5)
    tied = np.array([[1, 0.9, 0.5, 0.5], [0.9, 1, 0.4, 0.4], [0.5, 0.4, 1, 0.8], [0.5, 0.4, 0.8, 1]], np.float32)
    # labels a b a b, k = 2. Row 0: 1 (b), half of 2 (a), half of 3 (b): 1/4. Row 1: 0 (a), half of 2 (a) and 3 (b): 1/4.
    # Row 2: 3 (b) and 0 (a): 1/2. Row 3: 2 (a) and 0 (a): 0.
    assert purity_at_k(tied, ["a", "b", "a", "b"], 2) == pytest.approx((1 / 4 + 1 / 4 + 1 / 2 + 0) / 4)
    assert purity_at_k(PAIRS, ["a", "a", "b", "b"], 99) == pytest.approx(1 / 3)  # of more neighbors than there are: all


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), n=st.integers(6, 30), n_senses=st.integers(2, 5))
def test_silhouette_agrees_with_scikit_learn_and_is_zero_where_there_is_nothing_to_tell_apart(seed, n, n_senses):
    rows, labels = unit_rows(seed, n), np.arange(n) % n_senses
    assert silhouette(rows @ rows.T, labels) == pytest.approx(silhouette_score(rows, labels, metric="cosine"), abs=1e-5)
    assert silhouette(np.ones((n, n)), labels) == silhouette(rows @ rows.T, ["a"] * n) == 0.0
    rounding = 1 - np.abs(np.random.default_rng(seed).normal(scale=1e-7, size=(n, n)))
    assert silhouette((rounding + rounding.T) / 2, labels) == 0.0


def test_the_mean_of_the_null_is_the_chance_that_two_occurrences_share_a_sense():
    rows = unit_rows(3, 20)
    for similarities in (rows @ rows.T, np.ones((20, 20), np.float32)):  # and with ties
        null = judge(similarities, ["a"] * 12 + ["b"] * 6 + ["c"] * 2, np.random.default_rng(0), 4000)[1]
        assert null.mean() == pytest.approx((12 * 11 + 6 * 5 + 2 * 1) / (20 * 19), abs=0.01)


def report_of(rows: np.ndarray, words: list[str], labels: list[str]):
    return sense_report(lambda picked: rows[picked] @ rows[picked].T, words, labels)


def test_a_report_averages_over_words_not_over_occurrences_and_p_is_a_rank_among_shuffles():
    (bank, bank_labels), (bat, bat_labels) = two_senses(0, 20, noise=0.05), two_senses(7, 10, noise=0.05)
    rows, words = np.concatenate([bank, bat]), ["bank"] * 20 + ["bat"] * 10
    report = report_of(rows, words, bank_labels + bat_labels)
    assert (report.one_nn, report.one_nn_low, report.one_nn_high) == (1, 1, 1)
    assert report.purity == pytest.approx((1 + 0.8) / 2)  # a sense of five has four others, and purity asks for five
    assert report.null_mean == pytest.approx((9 / 19 + 4 / 9) / 2, abs=0.02) and report.null_mean < report.null_95 < report.one_nn
    assert (report.majority, report.n, report.left_out) == (0.5, 30, ())
    assert report_of(rows, words, [*bank_labels, *["a"] * 10]).left_out == ("bat",) and report.silhouette > 0.8
    good, labels = two_senses(0, 40, noise=0.05)
    rows = np.concatenate([good, np.tile(unit_rows(9, 1), (4, 1))])  # 40 told apart, and 4 equal vectors
    report = report_of(rows, ["bank"] * 40 + ["bat"] * 4, [*labels, "a", "a", "b", "b"])
    assert report.one_nn == pytest.approx((1 + 1 / 3) / 2) and report.one_nn_low < report.one_nn < report.one_nn_high
    vectors, labels = two_senses(3, 40, noise=0.2)
    report = report_of(vectors, ["w"] * 40, labels)
    assert report.p == report.per_word["w"].p == pytest.approx(1 / (separation.ROUNDS + 1)) and separation.ROUNDS >= 2000
    assert report_of(np.ones((40, 1)), ["w"] * 40, labels).p == 1.0


def test_what_cannot_be_measured_is_reported():
    for measure, message in (
        (lambda: report_of(unit_rows(0, 3), ["bank"] * 3, ["a", "a", "a"]), "two labeled senses"),
        (lambda: one_nn(PAIRS, ["a", "b", "c"]), "cosine of every pair; got 3 labels"),
        (lambda: silhouette(np.ones((1, 1)), ["a"]), "need two occurrences"),
        (lambda: one_nn(np.full((2, 2), np.nan), ["a", "b"]), "cosine of every pair"),
        (lambda: classify_split((np.full((4, 2), np.inf), *TRAIN[1:]), TRAIN), "Finite numbers"),
    ):
        with pytest.raises(BadInput, match=message):
            measure()


def test_classify_split_by_hand_and_a_tie_is_worth_its_share():
    test = np.array([[5, 0.1], [0.1, 0.2], [0, 1], [1, 1]], np.float32)
    scores = classify_split(TRAIN, (test, ["money", "money", "club", "club"], ["bank", "bank", "bat", "owl"]))
    # bank: the first is right, the second lies nearer the river; bat: its one known sense is wrong; owl: never seen
    assert scores.unseen == 1 and scores.means("most_frequent") == {"macro": pytest.approx(1 / 3), "pooled": 0.5}
    assert scores.by_measure() == {key: {"macro": pytest.approx(0.5 / 3), "pooled": 0.25} for key in ("nearest", "centroid")}
    same = np.ones((4, 3))
    assert classify_split((same, list("aaab"), ["w"] * 4), (same[:1], ["a"], ["w"])).hits.ravel().tolist() == [0.75, 0.5, 1]
    zero = classify_split(tuple(part[:3] for part in TRAIN), (np.zeros((1, 2)), ["river"], ["bank"]))
    assert zero.hits[:2, 0] == pytest.approx([1 / 3, 0.5])
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 3]])
    assert left_out_centroids(vectors, ["a", "a", "b", "b"]) == 1.0
    assert left_out_centroids(vectors, ["a", "a", "b", "a"]) == pytest.approx(2 / 4)  # the lone "b" has no centroid left
    assert left_out_centroids(np.ones((4, 2)), list("aabb")) == pytest.approx(0.5)


def test_each_others_nearest_are_drawn_together():
    assert separation.mutual_pairs(PAIRS).tolist() == [0, 0, 2, 2]
    row = np.array([0.0, 1, 3, 4.5, 10])  # 0 and 1 are each other's nearest, and so are 2 and 3; 4's is 3, who does not care
    assert separation.mutual_pairs(-np.abs(row[:, None] - row)).tolist() == [0, 0, 2, 2, 4]
    assert separation.mutual_pairs(np.ones((4, 4))).tolist() == [0, 1, 2, 3]  # all tied: nobody's one nearest
    hits, pairs = np.repeat([1.0, 0.0], 20), np.repeat(np.arange(20), 2)
    rng = np.random.default_rng(0)
    wide, narrow = (np.std(separation.resampled(hits, groups, rng)) for groups in (pairs, np.arange(40)))
    assert wide == pytest.approx(2**0.5 * narrow, rel=0.1)  # 20 pairs say as much as 20 occurrences


def test_senses_apart_are_shown_and_senses_drawn_at_random_hardly_ever():
    rng = np.random.default_rng(0)
    points = np.repeat(np.eye(2, 20), 20, axis=0) + 0.1 * rng.normal(size=(40, 20))
    cosines, labels = points @ points.T, np.repeat(["a", "b"], 20)
    apart = word_gain(cosines, labels)
    assert apart.gain > 0.45 and apart.shown and apart.p == pytest.approx(1 / 2001)  # no shuffle of 2,000 does as well
    random = [word_gain(cosines, rng.permutation(labels)) for _ in range(40)]
    assert np.mean([gain.shown for gain in random]) < 0.2
    assert count_significant([apart, *random]) == (1, 1)  # many words asked at once: those drawn at random go, the true one stays


def test_fewer_words_are_shown_after_correction_and_those_that_are_not_are_hollow(table):
    ranking = word_ranking(table)
    assert list(ranking) == table.lemmas
    counted = {name: count_significant([gains[name] for gains in ranking.values()]) for name in Layers().spaces}
    assert counted["0"][0] == 0 and counted["1"][0] < counted["1"][1] < len(ranking)
    gains = {word: {name: (g.gain, 0.0, 0.1, 0.5, g.shown) for name, g in by.items()} for word, by in ranking.items()}
    figure = ranking_figure(gains, layer="2", word="bank", key="k")
    hollow = {word for word, symbol in zip(ranking, figure.data[-1].marker.symbol, strict=True) if symbol == "circle-open"}
    assert hollow == {word for word, by in ranking.items() if not by["2"].shown} and hollow
    assert "<b>bank</b> ◂" in figure.layout.yaxis.ticktext
