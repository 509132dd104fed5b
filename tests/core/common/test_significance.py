"""Differences, ranks and many tests at once: by hand, and by what they promise on data drawn at random."""

from dataclasses import replace

import numpy as np
import pytest

from core.common import significance
from core.common.errors import BadInput
from core.common.significance import FEWEST, LEVEL, benjamini_hochberg, compare_pairs, crossed, holm, margin, mcnemar, rank_p


def test_adjusted_p_and_ranks_by_hand():
    p = [0.01, 0.04, 0.03, 0.5]
    assert holm(p) == pytest.approx([0.04, 0.09, 0.09, 0.5])  # 4 x 0.01; 3 x 0.03; 2 x 0.04 is less, so it stays; 1 x 0.5
    assert benjamini_hochberg(p) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])  # 4/1, 4/2 -> 0.06 > 4/3 x 0.04, 4/3, 4/4
    assert holm([0.9, 0.8]).max() == 1.0 and len(holm([])) == len(benjamini_hochberg([])) == 0
    assert rank_p(0.5, np.array([0.1, 0.5, 0.9])) == pytest.approx(3 / 4)  # a rank counts the figure itself and ties
    assert rank_p(2.0, np.zeros(1999)) == pytest.approx(1 / 2000)


def test_a_paired_difference_by_hand():
    result = compare_pairs([1, 1, 0, 1], [0, 1, 0, 0])
    assert result.mean == pytest.approx(0.5) and result.groups == 4
    assert result.p == pytest.approx(0.5, abs=0.05)  # of the 4 signs of two ones, two are as far from 0
    same = compare_pairs([0.2, 0.4], [0.2, 0.4])
    assert (same.mean, same.low, same.high, same.p, same.verdict) == (0, None, None, 1, 0)


def test_groups_that_are_too_few_or_differ_alike_have_no_interval_and_rounding_is_no_difference():
    for n in range(1, 12):
        result = compare_pairs([1.0 + k / 100 for k in range(n)], [0.0] * n)
        assert (result.low is None) == (n < FEWEST) and result.verdict == (n >= FEWEST)
        assert significance.read_back(significance.facts_of(result)).verdict == result.verdict
    grouped = compare_pairs([1] * 40, [0] * 39 + [0.5], [k // 8 for k in range(40)])  # forty items of five documents
    assert (grouped.groups, grouped.low, grouped.verdict) == (5, None, 0)
    assert 2 / 2**FEWEST < LEVEL < 2 / 2 ** (FEWEST - 1)
    alike = compare_pairs([0.7] * 20, [0.2] * 20)
    assert (alike.mean, alike.low, alike.high, alike.verdict) == (0.5, None, None, 1) and alike.p < 0.01
    noise = compare_pairs([0.5 + 4e-10] * 20, [0.5] * 20)
    assert (noise.mean, noise.low, noise.p, noise.verdict) == (0, None, 1, 0)
    assert "no interval: needs 6" in alike.span()


def test_interval_and_p_never_contradict_each_other_in_a_verdict():
    rng, contradicting = np.random.default_rng(4), 0
    for n in rng.integers(FEWEST, 12, size=300):
        result = compare_pairs(rng.normal(0.7, 1, n), np.zeros(n))
        outside = result.low > 0 or result.high < 0
        contradicting += outside != (result.p < LEVEL)
        assert bool(result.verdict) == (outside and result.p < LEVEL)
    assert contradicting  # else this shows nothing


def test_difference_in_points_shows_what_decides():
    for low, high, p, shown in (
        (-0.5, -0.1, 0.074, "−28.0 (−50.0 to −10.0; p = 0.074)"),  # inconclusive, though the interval excludes 0
        *((-0.5, -0.1, 0.01, "−28.0 (−50.0 to −10.0)"), (None, None, 0.074, "−28.0 (no interval)")),
    ):
        assert significance.Paired(mean=-0.28, low=low, high=high, p=p, groups=FEWEST).in_points() == shown


def test_weights_make_a_mean_over_words_and_groups_widen_the_interval():
    first, second = [1, 1, 1, 0], [0, 0, 0, 0]
    assert compare_pairs(first, second, weights=[1 / 3] * 3 + [1]).mean == pytest.approx(0.5)
    item = np.random.default_rng(0).normal(0.1, 1, 40)
    copies = np.repeat(item, 25)  # 25 times the same: no more is known than from 40
    zero, names = np.zeros(len(copies)), np.repeat(np.arange(40), 25)
    alone, copied, kept = compare_pairs(item, zero[:40]), compare_pairs(copies, zero), compare_pairs(copies, zero, [f"d{k}" for k in names])
    assert kept.groups == 40 and kept.high - kept.low == pytest.approx(alone.high - alone.low, rel=0.01)
    assert copied.high - copied.low < 0.3 * (kept.high - kept.low)


def test_without_a_difference_a_verdict_falls_one_time_in_twenty_and_with_one_nearly_always():
    rng, verdicts = np.random.default_rng(1), {0.0: [], 0.8: []}
    for shift, result in verdicts.items():
        for _ in range(120):
            result.append(compare_pairs(rng.normal(shift, 1, 40), rng.normal(0, 1, 40)).verdict)
    assert np.mean(np.abs(verdicts[0.0])) < 0.13 and np.mean(np.array(verdicts[0.8]) == 1) > 0.85


def test_what_cannot_be_paired_is_refused():
    with pytest.raises(BadInput, match="two scores of each item"):
        compare_pairs([], [])
    with pytest.raises(BadInput, match="as many weights and groups"):
        compare_pairs([1, 2], [0, 0], ["a"])
    with pytest.raises(BadInput, match="two subsets or more"):
        crossed(np.zeros((1, 1, 5)))


def test_subsets_and_texts_are_both_drawn_again():
    rng = np.random.default_rng(0)
    of_subsets = np.repeat(rng.normal(0.02, 0.05, (8, 1)), 400, axis=1)  # all texts say the same: only subsets vary
    of_texts = np.repeat(rng.normal(0.02, 1, (1, 400)), 8, axis=0)  # all subsets say the same
    subsets, texts, none = crossed(np.stack([of_subsets, of_texts, np.zeros((8, 400))]))
    assert subsets.mean == pytest.approx(of_subsets.mean(), abs=1e-6) and subsets.groups == 8
    assert subsets.high - subsets.low == pytest.approx(3.92 * of_subsets[:, 0].std(ddof=1) / 8**0.5, rel=0.1)
    assert texts.high - texts.low == pytest.approx(3.92 * of_texts[0].std() / 400**0.5, rel=0.1)
    assert (none.mean, none.low, none.high, none.p) == (0, None, None, 1)
    (item,) = crossed(np.ones((1, 8, 1)))  # a single text says nothing of others
    assert (item.low, item.p, item.verdict) == (None, 1, 0)


def test_mcnemar_by_hand():
    first, second = np.zeros(100, bool), np.zeros(100, bool)
    first[:10], second[8:10], second[10:12] = True, True, True  # 8 for the first alone, 2 for the second alone
    result = mcnemar(first, second)
    assert (result.first, result.second) == (8, 2) and mcnemar(second, first) == replace(result, first=2, second=8)
    assert result.p == pytest.approx(2 * (1 + 10 + 45) / 2**10) and result.p >= LEVEL
    assert mcnemar(np.stack([first] * 5), np.stack([second] * 3)) == result  # more starts are not more texts
    assert mcnemar(np.ones(1, bool), np.ones(1, bool)).p == 1.0 == mcnemar(np.zeros((2, 0), bool), np.zeros((1, 0), bool)).p
    with pytest.raises(ValueError, match="not the same"):
        mcnemar(np.ones(3, bool), np.ones(4, bool))


def test_a_margin_shrinks_with_texts_and_a_difference_is_never_shown_as_none():
    assert margin(0.5, 0.5, 100) == pytest.approx(1.96 * (0.5 / 100) ** 0.5)
    assert margin(0.9, 0.9, 10_000) < margin(0.9, 0.9, 100) < margin(0.5, 0.5, 100) and margin(1, 1, 0) == 1
    assert [significance.points(x) for x in (0.0123, 0.0004, 0.00002, -0.0004, 0.0)] == ["1.2", "0.04", "0.002", "-0.04", "0.0"]
