"""Views with axes that mean something: by hand, against a loop and scikit-learn, and on the bundled sentences."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score

from core.analysis.axes import axis_scores, find_views, outside, pole, pole_views, principal, sense_names
from core.common.directions import unit_rows
from core.common.errors import BadInput
from core.common.model_layers import Layers
from core.elmo.mix import layer_weights
from core.index.table import OccurrenceTable

SPACES = Layers().spaces

NOBODY = np.array([-1])


MONEY, RIVER = "bank: financial institution", "bank: river edge"


def rows_and_views(table: OccurrenceTable, y=None):
    rows = table.labeled_rows("bank")
    ends = pole(table, MONEY), pole(table, RIVER)
    return rows, pole_views(table.rows.take(rows), rows, ends, y, mixes=[layer_weights(name, 3) for name in SPACES])


def test_an_axis_between_two_poles_by_hand_and_the_other_way_round():
    points = np.array([[2.0, 0], [0, 7], [1, 1]])  # lengths do not matter
    axis, scores = axis_scores(points, np.array([[3.0, 0]]), np.array([[0, 0.5]]), NOBODY, NOBODY)
    np.testing.assert_allclose(axis, [0.5**0.5, -(0.5**0.5)])
    np.testing.assert_allclose(scores, [0.5**0.5, -(0.5**0.5), 0], atol=1e-12)
    points = np.random.default_rng(2).normal(size=(6, 4))
    plus, minus = np.array([0, 1]), np.array([2, 3])
    there, back = (axis_scores(points, points[a], points[b], a, b)[1] for a, b in ((plus, minus), (minus, plus)))
    np.testing.assert_allclose(there, -back)


def test_each_member_of_a_pole_is_scored_by_the_pole_without_it():
    points = np.random.default_rng(0).normal(size=(9, 5))
    plus_of, minus_of = np.array([0, 1, 2, -1]), np.array([3, 4])
    plus = np.concatenate([points[:3], np.ones((1, 5))])
    result = axis_scores(points, plus, points[3:5], plus_of, minus_of)[1]
    rows, ends = unit_rows(points, np.float64), unit_rows(plus, np.float64)
    whole = ends.mean(0) - rows[3:5].mean(0)
    for k in range(9):
        up = np.delete(ends, np.flatnonzero(plus_of == k), axis=0).mean(0)
        down = np.delete(rows[3:5], np.flatnonzero(minus_of == k), axis=0).mean(0)
        np.testing.assert_allclose(result[k], (rows[k] - rows.mean(0)) @ (up - down) / np.linalg.norm(whole), atol=1e-12)


def test_poles_drawn_at_random_separate_nothing_though_their_own_members_would():
    half, nobody, apart, honest = np.arange(20), np.full(20, -1), np.repeat([1, 0], 20), []
    for seed in range(20):
        points = np.random.default_rng(seed).normal(size=(40, 64))
        leaking = axis_scores(points, points[:20], points[20:], nobody, nobody)[1]
        assert roc_auc_score(apart, leaking) > 0.9
        honest.append(roc_auc_score(apart, axis_scores(points, points[:20], points[20:], half, half + 20)[1]))
    assert 0.4 < np.mean(honest) < 0.6


def test_two_poles_on_one_point_are_no_axis_and_a_pole_of_one_lies_at_the_mean_for_itself():
    points = np.ones((4, 3))
    axis, scores = axis_scores(points, points[:2], points[2:], np.array([0, 1]), np.array([2, 3]))
    assert not axis.any() and not scores.any()
    points = np.array([[1.0, 0], [0, 1], [0.6, 0.8]])
    alone = axis_scores(points, points[:1], points[1:2], np.array([0]), NOBODY)[1]
    expected = (points[0] - points.mean(0)) @ (points.mean(0) - points[1]) / 2**0.5
    assert alone[0] == pytest.approx(expected)


@pytest.mark.parametrize("shape", [(80, 12), (9, 30)])  # more points than dimensions, and fewer
def test_shares_of_the_spread_equal_scikit_learn(shape):
    vectors = np.random.default_rng(3).normal(size=shape)
    plane, model = principal(vectors, 3), PCA(3).fit(unit_rows(vectors, np.float64))
    np.testing.assert_allclose(plane.shares, model.explained_variance_ratio_, atol=1e-9)
    assert plane.together == pytest.approx(plane.shares.sum())
    np.testing.assert_allclose(plane.axes @ plane.axes.T, np.eye(3), atol=1e-9)


@pytest.mark.parametrize("dims", [2, 3])
def test_a_space_that_is_only_turned_has_the_same_view(dims):
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(30, 8)) * np.arange(8, 0, -1)
    turn = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    first, second = find_views([vectors, vectors @ turn], dims)
    np.testing.assert_allclose(second.coordinates, first.coordinates, atol=1e-5)
    assert second.plane.together == pytest.approx(first.plane.together)
    np.testing.assert_allclose(second.plane.place(vectors @ turn), second.coordinates)


def test_money_minus_river_tells_the_banks_apart_and_the_second_axis_is_the_largest_spread_at_a_right_angle(table):
    rows, views = rows_and_views(table)
    money = table.sense[rows] == table.senses.index("financial institution")
    assert not views[0].coordinates[:, 0].any()  # layer 0 has no such axis: each sense has as many "bank" and "banks"
    assert all(roc_auc_score(money, view.coordinates[:, 0]) > 0.75 for view in views[1:])
    for k, view in enumerate(views[1:3], 1):
        x, y = view.plane.axes
        assert abs(x @ y) < 1e-9 and np.linalg.norm(y) == pytest.approx(1)
        points = unit_rows(table.rows.take(rows)[:, k], np.float64)
        rest = points - points.mean(0)
        rest = rest - np.outer(rest @ x, x)
        assert ((rest @ y) ** 2).sum() == pytest.approx(np.linalg.svd(rest, compute_uv=False)[0] ** 2)
        assert view.plane.together == pytest.approx(view.plane.shares.sum())
    _, (_, item, *_) = rows_and_views(table, (pole(table, MONEY), pole(table, RIVER)))  # not at right angles: less than their sum
    assert item.plane.together == pytest.approx(item.plane.shares[0]) == pytest.approx(item.plane.shares[1])


def test_a_pole_is_a_sense_or_words(table):
    assert RIVER in sense_names(table) and len(sense_names(table)) > 100
    assert set(pole(table, RIVER).rows) < set(table.labeled_rows("bank"))
    assert len(pole(table, "Bank, spring").rows) == len(table.labeled_rows("bank")) + len(table.labeled_rows("spring"))
    # As far as a pole looks at it, a table of all tokens: the first two rows are of a word the labeled sentences lack
    whole = SimpleNamespace(rows=table.rows, word=np.array([7, 7, 3]), word_codes={"vase": 7, "on": 3}, lemmas=[])
    item = pole(table, "bank, vase", whole)
    assert item.name == "bank, vase" and (item.rows == -1).sum() == 2 and len(item.layers) == len(item.rows)
    assert outside(table, "bank, vase") == ["vase"] and outside(table, RIVER) == []


@pytest.mark.parametrize(("text", "named"), [("xyzzy, bank", "xyzzy"), ("  ", "empty"), ("?!", "empty"), ("bank: no such sense", "such")])
def test_an_end_that_nothing_is_known_of_is_named(table, text, named):
    with pytest.raises(BadInput, match=named):
        pole(table, text)
