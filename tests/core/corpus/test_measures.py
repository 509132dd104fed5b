"""Measures of association, keyness and dispersion by hand, and Krippendorff's alpha against published values."""

import math
import warnings

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency, false_discovery_control

from core.common.errors import BadInput
from core.corpus import measures


def test_log_dice_and_log_ratio_by_hand():
    assert measures.log_dice(3, 20, 76) == pytest.approx(10)  # Dice is 2 * 3 / 96 = 1/16
    assert measures.log_dice(np.array([0, 1]), 4, np.array([4, 4])).tolist() == [-math.inf, 12]
    assert measures.log_ratio(10, 40, 1000, 2000) == -1
    assert measures.log_ratio(4, 0, 100, 100) == 3  # 0 is taken for a half


@pytest.mark.parametrize(
    ("a", "b", "n", "m"),
    [(110, 111, 2552, 29225), (1, 0, 10, 1000), (40, 400, 1000, 10_000), (7, 3, 50, 9_999), (6, 2, 8, 8), (5, 0, 5, 5)],
)
def test_log_likelihood_is_the_g_test(a, b, n, m):
    expected = chi2_contingency([[a, b], [n - a, m - b]], correction=False, lambda_="log-likelihood")
    g2 = measures.log_likelihood(np.array([a]), np.array([b]), n, m)
    assert g2[0] == pytest.approx(expected.statistic, abs=1e-9)
    assert measures.p_values(g2, measures.NONE)[0] == pytest.approx(expected.pvalue, rel=1e-9)


def test_deviation_by_hand():
    """Compare shares of the tokens (0.2, 0.3, 0.5) and of the hits (0.5, 0.3, 0.2): half the sum of the differences 0.3, 0 and 0.3."""
    assert measures.deviation([5, 3, 2], [20, 30, 50]) == pytest.approx(0.3)
    assert measures.deviation([9, 10, 10, 10, 11], [9, 10, 10, 10, 11]) == 0
    assert measures.deviation([7, 0], [10, 90]) == pytest.approx(0.9)  # all in one part
    assert math.isnan(measures.deviation([0, 0], [10, 90]))
    assert measures.per_million(33, 37_492) == pytest.approx(880.19, abs=0.01)


def test_log_odds_are_those_of_a_plain_loop():
    """Monroe et al. 2008, equations 16, 18 and 22, word by word."""
    first, second, background = np.array([8, 1, 0, 5]), np.array([1, 9, 0, 5]), np.array([40, 40, 10, 110])
    z = measures.log_odds(first, second, background, prior=20)
    for k in range(4):
        alpha, total = 20 * background[k] / 200, 20
        item = (first[k] + alpha) / (first.sum() + total - first[k] - alpha)
        other = (second[k] + alpha) / (second.sum() + total - second[k] - alpha)
        variance = 1 / (first[k] + alpha) + 1 / (second[k] + alpha)
        assert z[k] == pytest.approx((math.log(item) - math.log(other)) / math.sqrt(variance))
    with warnings.catch_warnings(action="error"):
        z = measures.log_odds(np.array([1, 3, 0]), np.array([2, 1, 0]), np.array([9, 9, 0]))
    assert np.isnan(z).tolist() == [False, False, True]


def test_p_is_corrected_for_the_number_of_tests():
    g2 = np.array([20.0, 6.0, 3.0, 0.1])
    raw = chi2.sf(g2, 1)
    np.testing.assert_allclose(measures.p_values(g2, measures.NONE), raw)
    np.testing.assert_allclose(measures.p_values(g2, measures.BONFERRONI), np.minimum(4 * raw, 1))
    np.testing.assert_allclose(measures.p_values(g2, measures.FDR), false_discovery_control(raw))
    with pytest.raises(BadInput, match=r"Unknown correction 'holm'. Choose: "):
        measures.p_values(g2, "holm")
    assert measures.p_values(np.array([5_000.0]), measures.NONE)[0] > 0


# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", part C: four observers, twelve units, missing data
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_alpha_is_that_of_the_published_examples_and_one_where_all_agree():
    assert measures.alpha(OBSERVERS) == pytest.approx(0.743, abs=0.0005)
    assert measures.alpha(OBSERVERS, measures.ORDINAL) == pytest.approx(0.815, abs=0.0005)
    # Part B: two observers, ten units; 6 agree. D_o = 8/20, D_e = 2 * 14 * 6 / (20 * 19): alpha = 1 - 0.4 / 0.4421 = 0.095
    first, second = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert measures.alpha([first, second]) == pytest.approx(0.095, abs=0.0005)
    assert measures.alpha([["a", "b", "a"], ["a", "b", "a"]]) == pytest.approx(1.0)
    assert measures.alpha([["a", "b"], ["b", "a"]]) < 0
    with pytest.raises(BadInput, match="No sentence has labels of two"):
        measures.alpha([["a", None], [None, "b"]])
    with pytest.raises(BadInput, match="All labels are the same"):
        measures.alpha([["a", "a"], ["a", "a"]])
