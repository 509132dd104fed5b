"""Test the points around a word without labels, their lean and their places."""

import numpy as np
import pytest

from core.analysis.surroundings import CLOSE, at_large, by_sentences, by_spread, leans, sides, surroundings
from core.index.build import build_index
from core.index.rows import Query
from core.text.sentences import Sentence

LAST = (0, 0, 1)
EAST, NORTH = np.array([1.0, 0.0, 0.1]), np.array([0.0, 1.0, 0.1])
PLACES = {"lion": EAST, "cat": EAST + 0.3 * NORTH, "car": NORTH, "van": NORTH + 0.3 * EAST, "jaguar": EAST + NORTH, ".": -EAST - NORTH}


class Places:
    """Every layer points where the token says, layer 0 everywhere alike."""

    n_layers, dim = 3, 3

    def encode(self, sentences):
        result = []
        for tokens in sentences:
            here = np.array([PLACES[token.casefold()] for token in tokens])
            result.append(np.stack([np.ones_like(here), here, here]).astype(np.float32))
        return result


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    texts = ["lion cat .", "Jaguar lion .", "car van .", "jaguar car .", "cat lion ."]
    return build_index([Sentence(tuple(s.split())) for s in texts], Places(), tmp_path_factory.mktemp("places") / "i", model="fake")


def query(direction, tokens=("a", "jaguar"), position=1) -> Query:
    layers = np.stack([np.ones(3), direction, direction]).astype(np.float16).astype(np.float32)
    return Query(tokens, position, layers)


def test_occurrences_come_first_then_the_nearest_words_of_both_without_the_word_itself(table):
    result = surroundings(table, ["jaguar"], [query(EAST), query(NORTH)], LAST, types=2)
    assert result.words == ("jaguar", "jaguar", "lion", "cat", "car", "van") and result.occurrences == 2
    assert result.counts.tolist() == [1, 1, 3, 2, 2, 1]
    assert len(set(result.rows.tolist())) == len(result) == len(result.layers)
    assert [table.occurrence(int(row)).word for row in result.rows] == list(result.words)
    own = query(EAST, ("jaguar", "car", "."), 0)  # a sentence of the corpus is not a dot beside its own star
    assert surroundings(table, ["jaguar"], [own], LAST).occurrences == 1


def test_many_occurrences_are_drawn_evenly_and_a_word_that_is_nowhere_has_none(table):
    assert surroundings(table, ["lion"], [], LAST, max_occurrences=2).rows.tolist() == [0, 13]
    nowhere = surroundings(table, ["whale"], [], LAST)
    assert len(nowhere) == 0 and nowhere.layers.shape == (0, 3, 3)


def test_a_lean_is_the_difference_of_two_cosines_and_layer_0_has_none(table):
    first, second = query(EAST).layers, query(NORTH).layers
    result = surroundings(table, ["jaguar"], [query(EAST), query(NORTH)], LAST, types=2)
    values = leans(result.layers, first, second, LAST)

    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    for points, value in zip(result.layers, values, strict=True):
        assert value == pytest.approx(cosine(points[2], first[2]) - cosine(points[2], second[2]), abs=1e-5)
    assert dict(zip(result.words, sides(values).tolist(), strict=True)) == {"jaguar": 0, "lion": 1, "cat": 1, "car": 2, "van": 2}
    assert not leans(result.layers, first, second, (1, 0, 0)).any()
    assert sides(np.array([CLOSE, -CLOSE, CLOSE / 2])).tolist() == [1, 2, 0]
    assert leans(np.empty((0, 3, 3)), first, second, LAST).shape == (0,)


def test_maps_hold_the_stars_last_and_the_axis_between_them_runs_to_the_first(table):
    stars = np.stack([query(EAST).layers, query(NORTH).layers])
    result = surroundings(table, ["jaguar"], [query(EAST), query(NORTH)], LAST, types=2)
    spread, between = (plan(result.layers, stars, np.eye(3)) for plan in (by_spread, by_sentences))
    assert all(view.coordinates.shape == (len(result) + 2, 2) for view in (*spread, *between))
    x = dict(zip([*result.words, "first", "second"], between[2].coordinates[:, 0], strict=True))
    assert x["second"] < x["van"] < x["jaguar"] < x["cat"] < x["first"] + 1e-6
    assert not np.ptp(between[0].coordinates[:, 0])  # in layer 0 the stars are one point: no axis


def test_two_tokens_at_random_have_the_mean_cosine_of_all_pairs(table):
    layers = table.rows.take(np.arange(len(table)))[:, 2]
    unit = layers / np.linalg.norm(layers, axis=1, keepdims=True)
    pairs = (unit @ unit.T)[~np.eye(len(unit), dtype=bool)]
    assert at_large(table, LAST) == pytest.approx(pairs.mean(), abs=1e-6)
    assert at_large(table, LAST, n=1) == 0.0
