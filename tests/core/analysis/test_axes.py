"""Views with axes that mean something: by hand, against a loop and scikit-learn, and on the bundled sentences."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score

from core.analysis import axes
from core.analysis.axes import CLOSE, axis_scores, by_sentences, by_spread, cosines, find_views, pole, pole_views, sides, surroundings
from core.common.directions import unit_rows
from core.common.errors import BadInput
from core.common.model_layers import Layers
from core.elmo.mix import layer_weights
from core.index.build import build_index
from core.index.rows import Query
from core.index.table import OccurrenceTable
from core.text.sentences import Sentence

MONEY, RIVER = "bank: financial institution", "bank: river edge"


def rows_and_views(table: OccurrenceTable, y=None):
    rows = table.labeled_rows("bank")
    ends = pole(table, MONEY), pole(table, RIVER)
    return rows, pole_views(table.rows.take(rows), rows, ends, y, mixes=[layer_weights(name, 3) for name in Layers().spaces])


def test_each_member_of_a_pole_is_scored_by_the_pole_without_it():
    points = np.random.default_rng(0).normal(size=(9, 5))
    plus_of, minus_of = np.array([0, 1, 2, -1]), np.array([3, 4])
    plus = np.concatenate([points[:3], np.ones((1, 5))])
    axis, result = axis_scores(points, plus, points[3:5], plus_of, minus_of)
    rows, ends = unit_rows(points, np.float64), unit_rows(plus, np.float64)
    whole = ends.mean(0) - rows[3:5].mean(0)
    np.testing.assert_allclose(axis, whole / np.linalg.norm(whole))
    for k in range(9):
        up = np.delete(ends, np.flatnonzero(plus_of == k), axis=0).mean(0)
        down = np.delete(rows[3:5], np.flatnonzero(minus_of == k), axis=0).mean(0)
        np.testing.assert_allclose(result[k], (rows[k] - rows.mean(0)) @ (up - down) / np.linalg.norm(whole), atol=1e-12)


def test_two_poles_on_one_point_are_no_axis_and_a_pole_of_one_lies_at_the_mean_for_itself():
    points = np.ones((4, 3))
    axis, scores = axis_scores(points, points[:2], points[2:], np.array([0, 1]), np.array([2, 3]))
    assert not axis.any() and not scores.any()
    points = np.array([[1.0, 0], [0, 1], [0.6, 0.8]])
    alone = axis_scores(points, points[:1], points[1:2], np.array([0]), np.array([-1]))[1]
    expected = (points[0] - points.mean(0)) @ (points.mean(0) - points[1]) / 2**0.5
    assert alone[0] == pytest.approx(expected)


@pytest.mark.parametrize("shape", [(80, 12), (9, 30)])  # more points than dimensions, and fewer
def test_places_and_shares_of_the_spread_equal_scikit_learn(shape):
    vectors = np.random.default_rng(3).normal(size=shape)
    plane, model = find_views([vectors], 3)[0].plane, PCA(3).fit(unit_rows(vectors, np.float64))
    np.testing.assert_allclose(plane.shares, model.explained_variance_ratio_, atol=1e-9)
    largest = np.take_along_axis(model.components_, np.abs(model.components_).argmax(axis=1)[:, None], axis=1)[:, 0]
    np.testing.assert_allclose(plane.place(vectors), model.transform(unit_rows(vectors)) * np.sign(largest), atol=1e-5)
    assert plane.together == pytest.approx(plane.shares.sum())
    np.testing.assert_allclose(plane.axes @ plane.axes.T, np.eye(3), atol=1e-9)


@pytest.mark.parametrize("dims", [2, 3])
def test_a_space_that_is_only_turned_has_the_same_view(dims):
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(30, 8)) * np.arange(8, 0, -1)
    turn = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    first, second = find_views([vectors, vectors @ turn], dims)
    np.testing.assert_allclose(second.coordinates, first.coordinates, atol=1e-5)
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
    _, (_, item, *_) = rows_and_views(table, (pole(table, MONEY), pole(table, RIVER)))  # not at right angles: less than their sum
    assert item.plane.together == pytest.approx(item.plane.shares[0]) == pytest.approx(item.plane.shares[1])


def test_a_pole_is_a_sense_or_words(table):
    assert RIVER in axes.sense_names(table) and len(axes.sense_names(table)) > 100
    assert set(pole(table, RIVER).rows) < set(table.labeled_rows("bank"))
    assert len(pole(table, "Bank, spring").rows) == len(table.labeled_rows("bank")) + len(table.labeled_rows("spring"))
    # The parts of a table of all tokens that a pole needs; the first two rows are of a word without labeled sentences
    all_tokens = SimpleNamespace(rows=table.rows, word=np.array([7, 7, 3]), plain_codes={"vase": [7], "on": [3]}, lemmas=[])
    item = pole(table, "bank, vase", all_tokens)
    assert item.name == "bank, vase" and (item.rows == -1).sum() == 2 and len(item.layers) == len(item.rows)
    assert axes.outside(table, "bank, vase") == ["vase"] and axes.outside(table, RIVER) == []


@pytest.mark.parametrize(("text", "named"), [("xyzzy, bank", "xyzzy"), ("  ", "empty"), ("?!", "empty"), ("bank: no such sense", "such")])
def test_an_end_that_nothing_is_known_of_is_named(table, text, named):
    with pytest.raises(BadInput, match=named):
        pole(table, text)


LAST = (0, 0, 1)
EAST, NORTH = np.array([1.0, 0.0, 0.1]), np.array([0.0, 1.0, 0.1])
PLACES = {"lion": EAST, "cat": EAST + 0.3 * NORTH, "car": NORTH, "van": NORTH + 0.3 * EAST, "jaguar": EAST + NORTH, ".": -EAST - NORTH}


class Places:
    """An encoder whose layers point where the token says, and layer 0 the same way everywhere."""

    n_layers, dim = 3, 3

    def encode(self, sentences):
        vectors = [np.array([PLACES[token.casefold()] for token in tokens], np.float32) for tokens in sentences]
        return [np.stack([np.ones_like(rows), rows, rows]) for rows in vectors]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    texts = ["lion cat .", "Jaguar lion .", "car van .", "jaguar car .", "cat lion ."]
    return build_index([Sentence(tuple(s.split())) for s in texts], Places(), tmp_path_factory.mktemp("places") / "i", model="fake")


def query(direction, tokens=("a", "jaguar"), position=1) -> Query:
    return Query(tokens, position, np.stack([np.ones(3), direction, direction]).astype(np.float16).astype(np.float32))


def test_occurrences_come_first_then_the_nearest_words_of_both_without_the_word_itself(places):
    result = surroundings(places, ["jaguar"], [query(EAST), query(NORTH)], LAST, types=2)
    assert result.words == ("jaguar", "jaguar", "lion", "cat", "car", "van") and result.occurrences == 2
    assert result.counts.tolist() == [1, 1, 3, 2, 2, 1]
    assert [places.occurrence(int(row)).word for row in result.rows] == list(result.words)
    own = query(EAST, ("jaguar", "car", "."), 0)  # a sentence of the corpus is not a dot beside its own star
    assert surroundings(places, ["jaguar"], [own], LAST).occurrences == 1
    assert surroundings(places, ["lion"], [], LAST, max_occurrences=2).rows.tolist() == [0, 13]  # drawn evenly
    assert surroundings(places, ["whale"], [], LAST).layers.shape == (0, 3, 3)  # a word that is nowhere


def test_a_lean_is_the_difference_of_two_cosines_and_layer_0_has_none(places):
    first, second = query(EAST).layers, query(NORTH).layers
    result = surroundings(places, ["jaguar"], [query(EAST), query(NORTH)], LAST, types=2)
    values = cosines(result.layers, first, LAST) - cosines(result.layers, second, LAST)
    np.testing.assert_allclose(values, unit_rows(result.layers[:, 2]) @ (unit_rows(first[[2]]) - unit_rows(second[[2]]))[0], atol=1e-5)
    assert dict(zip(result.words, sides(values).tolist(), strict=True)) == {"jaguar": 0, "lion": 1, "cat": 1, "car": 2, "van": 2}
    assert not (cosines(result.layers, first, (1, 0, 0)) - cosines(result.layers, second, (1, 0, 0))).any()
    assert sides(np.array([CLOSE, -CLOSE, CLOSE / 2])).tolist() == [1, 2, 0]


def test_maps_hold_the_stars_last_and_the_axis_between_them_runs_to_the_first(places):
    stars = np.stack([query(EAST).layers, query(NORTH).layers])
    result = surroundings(places, ["jaguar"], [query(EAST), query(NORTH)], LAST, types=2)
    spread, between = (plan(result.layers, stars, np.eye(3)) for plan in (by_spread, by_sentences))
    assert all(view.coordinates.shape == (len(result) + 2, 2) for view in (*spread, *between))
    x = dict(zip([*result.words, "first", "second"], between[2].coordinates[:, 0], strict=True))
    assert x["second"] < x["van"] < x["jaguar"] < x["cat"] < x["first"] + 1e-6
    assert not np.ptp(between[0].coordinates[:, 0])  # in layer 0 the stars are one point: no axis
