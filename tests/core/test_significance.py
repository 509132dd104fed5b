"""Differences, ranks and many tests at once: by hand, and by what they promise on data drawn by lot."""

import numpy as np
import pytest

from core.errors import BadInput
from core.significance import benjamini_hochberg, holm, paired, rank_p


def test_adjusted_p_by_hand():
    p = [0.01, 0.04, 0.03, 0.5]
    assert holm(p) == pytest.approx([0.04, 0.09, 0.09, 0.5])  # 4 x 0.01; 3 x 0.03; 2 x 0.04 is less, so it stays; 1 x 0.5
    assert benjamini_hochberg(p) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])  # 4/1, 4/2 -> 0.06 > 4/3 x 0.04, 4/3, 4/4
    assert holm([0.9, 0.8]).max() == 1.0 and len(holm([])) == len(benjamini_hochberg([])) == 0


def test_a_rank_counts_the_figure_itself_and_ties():
    assert rank_p(0.5, np.array([0.1, 0.5, 0.9])) == pytest.approx(3 / 4)
    assert rank_p(2.0, np.zeros(1999)) == pytest.approx(1 / 2000)


def test_a_paired_difference_by_hand():
    found = paired([1, 1, 0, 1], [0, 1, 0, 0])
    assert found.mean == pytest.approx(0.5) and found.groups == 4
    assert found.p == pytest.approx(0.5, abs=0.05)  # of the 4 signs of two ones, two are as far from 0
    same = paired([0.2, 0.4], [0.2, 0.4])
    assert (same.mean, same.low, same.high, same.p, same.verdict) == (0, 0, 0, 1, 0)


def test_weights_make_a_mean_over_words_and_groups_widen_the_interval():
    first, second = [1, 1, 1, 0], [0, 0, 0, 0]
    assert paired(first, second, weights=[1 / 3] * 3 + [1]).mean == pytest.approx(0.5)
    rng = np.random.default_rng(0)
    one = rng.normal(0.1, 1, 40)
    copies = np.repeat(one, 25)  # 25 times the same: no more is known than from 40
    zero, names = np.zeros(len(copies)), np.repeat(np.arange(40), 25)
    alone, copied, kept = paired(one, zero[:40]), paired(copies, zero), paired(copies, zero, [f"d{k}" for k in names])
    assert kept.groups == 40 and kept.high - kept.low == pytest.approx(alone.high - alone.low, rel=0.01)
    assert copied.high - copied.low < 0.3 * (kept.high - kept.low)


def test_without_a_difference_a_verdict_falls_one_time_in_twenty_and_with_one_nearly_always():
    rng, verdicts = np.random.default_rng(1), {0.0: [], 0.8: []}
    for shift, found in verdicts.items():
        for _ in range(120):
            found.append(paired(rng.normal(shift, 1, 40), rng.normal(0, 1, 40)).verdict)
    assert np.mean(np.abs(verdicts[0.0])) < 0.13 and np.mean(np.array(verdicts[0.8]) == 1) > 0.85


def test_what_cannot_be_paired_is_refused():
    with pytest.raises(BadInput, match="two scores of each item"):
        paired([], [])
    with pytest.raises(BadInput, match="as many weights and groups"):
        paired([1, 2], [0, 0], ["a"])
