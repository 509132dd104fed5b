"""A lead on the same texts: McNemar's exact test by hand, and its likes for several random starts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.chance import margin, paired, points


def test_mcnemar_by_hand():
    first, second = np.zeros(100, bool), np.zeros(100, bool)
    first[:10], second[8:10], second[10:12] = True, True, True  # 8 for the first alone, 2 for the second alone
    found = paired(first, second)
    assert (found.first, found.second) == (8, 2)
    assert found.p == pytest.approx(2 * (1 + 10 + 45) / 2**10) and not found.more_than_chance


def test_the_same_lead_counts_for_more_on_more_texts():
    def lead(n: int) -> float:
        first, second = np.ones(n, bool), np.ones(n, bool)
        second[: n // 20], first[n // 20 : n // 20 + n // 50] = False, False
        return paired(first, second).p

    assert lead(100) > 0.3 > lead(400) and lead(4_000) < 1e-6


def test_more_starts_are_not_more_texts():
    first, second = np.array([True] * 6 + [False] * 4), np.array([True] * 3 + [False] * 7)
    once = paired(first, second)
    assert paired(np.stack([first] * 5), np.stack([second] * 3)) == once == paired(first, second)


def test_two_that_never_differ_tell_nothing():
    assert paired(np.ones(1, bool), np.ones(1, bool)).p == 1.0 == paired(np.zeros((2, 0), bool), np.zeros((1, 0), bool)).p


def test_other_texts_are_refused():
    with pytest.raises(ValueError, match="not the same"):
        paired(np.ones(3, bool), np.ones(4, bool))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
@settings(deadline=None, max_examples=80)
def test_it_is_the_same_test_from_either_side(rows):
    a, b = (np.array(side) for side in zip(*rows, strict=True))
    there, back = paired(a, b), paired(b, a)
    assert (there.first, there.second, there.p) == (back.second, back.first, back.p) and 0 <= there.p <= 1
    assert there.first - there.second == int(a.sum()) - int(b.sum())


def test_a_margin_shrinks_with_texts():
    assert margin(0.5, 0.5, 100) == pytest.approx(1.96 * (0.5 / 100) ** 0.5)
    assert margin(0.9, 0.9, 10_000) < margin(0.9, 0.9, 100) < margin(0.5, 0.5, 100) and margin(1, 1, 0) == 1


def test_a_difference_is_never_shown_as_none():
    assert [points(x) for x in (0.0123, 0.0004, 0.00002, -0.0004, 0.0)] == ["1.2", "0.04", "0.002", "-0.04", "0.0"]
