"""Krippendorff's alpha against his own worked example, and by hand."""

import pytest

from core.common.errors import BadInput
from core.corpus.measures import ORDINAL, alpha

# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", part C: four observers, twelve units, missing data
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_alpha_is_that_of_the_published_example():
    assert alpha(OBSERVERS) == pytest.approx(0.743, abs=0.0005)
    assert alpha(OBSERVERS, ORDINAL) == pytest.approx(0.815, abs=0.0005)


def test_alpha_by_hand():
    # Part B: two observers, ten units; 6 agree. D_o = 8/20, D_e = 2 * 14 * 6 / (20 * 19): alpha = 1 - 0.4 / 0.4421 = 0.095
    first, second = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert alpha([first, second]) == pytest.approx(0.095, abs=0.0005)
    assert alpha([["a", "b", "a"], ["a", "b", "a"]]) == pytest.approx(1.0)
    assert alpha([["a", "b"], ["b", "a"]]) < 0


def test_what_cannot_be_measured_is_said():
    with pytest.raises(BadInput, match="No sentence has labels of two annotators"):
        alpha([["a", None], [None, "b"]])
    with pytest.raises(BadInput, match="All labels are the same"):
        alpha([["a", "a"], ["a", "a"]])
