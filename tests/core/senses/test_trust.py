"""True neighbors against a map's, and words whose senses stay mixed: by hand, and on the bundled sentences."""

import numpy as np
import pytest

from core.analysis.axes import find_views
from core.common.errors import BadInput
from core.common.model_layers import Layers
from core.elmo.mix import layer_weights
from core.figures.lessons import ranking_figure
from core.figures.maps import ELSEWHERE, KEPT, MapLook, add_links, map_figure, space_figure
from core.senses.separation import sense_report_of
from core.senses.trust import count_significant, links, word_gain, word_ranking

SPACES = Layers().spaces


@pytest.fixture(scope="module")
def ranking(table):
    return word_ranking(table, {name: layer_weights(name, 3) for name in SPACES})


def test_links_by_hand_of_few_points_and_of_none():
    places = np.array([[0.0, 0], [1, 0], [2, 0], [9, 0]])
    result = links(np.array([1.0, 0.2, 0.8, 0.9]), places, places[0], itself=0, k=2)
    assert result.rows.tolist() == [3, 2] and result.near.tolist() == [False, True] and result.tied == 0
    assert links(np.ones(1), np.zeros((1, 2)), np.zeros(2), itself=0).rows.tolist() == []
    assert links(np.array([0.1, 0.3]), np.zeros((2, 2)), np.zeros(2)).rows.tolist() == [1, 0]
    with pytest.raises(BadInput):
        links(np.ones(3), np.zeros((2, 2)), np.zeros(2))


def test_by_chance_a_layout_at_random_has_as_many_of_them_near():
    rng = np.random.default_rng(1)
    cosines, kept = rng.uniform(size=41), []
    for _ in range(300):
        places = rng.normal(size=(41, 2))
        result = links(cosines, places, places[0], itself=0)
        kept.append(result.near.sum())
    assert result.by_chance == pytest.approx(10 * 10 / 40) and np.mean(kept) == pytest.approx(result.by_chance, abs=0.25)


def test_on_a_map_that_loses_nothing_every_true_neighbor_is_near():
    angles = np.random.default_rng(0).uniform(0, 2 * np.pi, 30)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    flat = find_views([circle])[0].coordinates
    for k in range(30):
        assert links(circle @ circle[k], flat, flat[k], itself=k).near.all()


def test_where_too_many_are_equally_near_none_of_them_is_a_neighbor():
    places = np.arange(12.0)[:, None]
    result = links(np.array([1.0, 0.9, *[0.5] * 10]), places, places[0], itself=0, k=3)
    assert result.rows.tolist() == [1] and result.tied == 10 and result.near.all()
    alike = links(np.ones(12), places, places[0], itself=0, k=3)
    assert not len(alike.rows) and alike.tied == 11
    assert len(links(np.ones(4), places[:4], places[0], itself=0, k=3).rows) == 3  # all of them fit


def test_a_words_gain_is_what_its_own_report_says(table):
    rows = table.labeled_rows("spring")
    gain = word_gain(table.similarities(rows, [0, 1, 0]), [table.senses[k] for k in table.sense[rows]])
    report = sense_report_of(table, "spring", np.array([0, 1, 0]))
    assert (gain.one_nn, gain.null_mean, gain.null_95) == pytest.approx((report.one_nn, report.null_mean, report.null_95))
    assert gain.p == report.p == report.per_word["spring"].p
    assert (gain.low, gain.high) == pytest.approx((report.one_nn_low, report.one_nn_high))
    assert gain.gain == pytest.approx(gain.one_nn - gain.null_mean) and (gain.n, gain.senses) == (len(rows), 3)


def test_senses_apart_are_shown_and_senses_drawn_at_random_hardly_ever():
    rng = np.random.default_rng(0)
    points = np.repeat(np.eye(2, 20), 20, axis=0) + 0.1 * rng.normal(size=(40, 20))
    cosines, labels = points @ points.T, np.repeat(["a", "b"], 20)
    apart = word_gain(cosines, labels)
    assert apart.gain > 0.45 and apart.shown and apart.p == pytest.approx(1 / 2001)  # no shuffle of 2,000 does as well
    random = [word_gain(cosines, rng.permutation(labels)) for _ in range(40)]
    assert np.mean([gain.shown for gain in random]) < 0.2
    counted = count_significant([apart, *random])  # many words asked at once: those drawn at random go, the true one stays
    assert counted.n == 41 and counted.holm <= counted.discovered <= counted.raw and counted.holm == counted.discovered == 1


def test_corrected_counts_of_words_are_lower_and_spelling_alone_separates_none(table, ranking):
    assert list(ranking) == table.lemmas
    counted = {name: count_significant([gains[name] for gains in ranking.values()]) for name in SPACES}
    assert counted["0"].holm == 0 and counted["1"].holm < counted["1"].discovered <= counted["1"].raw < len(ranking)
    assert all(g.low <= g.one_nn <= g.high for gains in ranking.values() for g in gains.values())


@pytest.mark.parametrize("dims", [2, 3])
def test_lines_lie_under_the_dots_and_say_which_neighbors_the_map_put_elsewhere(dims):
    flat = np.arange(4.0 * dims).reshape(4, dims)
    if dims == 2:
        figure = map_figure(flat, ["s"] * 4, [""] * 4, [5, 6, 7, 8], ["s"], MapLook(layer="1", key="k", picked=[7]))
        assert figure.data[0].selectedpoints == (2,)
    else:
        figure = space_figure(flat, ["s"] * 4, [""] * 4, ["s"], stars=[], layer="1", key="k")
    add_links(figure, flat[0], flat[[1, 3]], np.array([True, False]))
    kept, broken = figure.data[:2]
    assert (kept.line.color, broken.line.color, kept.mode, broken.line.dash) == (KEPT, ELSEWHERE, "lines", "dash")
    assert list(kept.x) == [flat[0, 0], flat[1, 0], None] and list(broken.x)[:2] == [flat[0, 0], flat[3, 0]]


def test_a_ranking_shows_words_not_shown_hollow_and_gives_each_dot_its_word(ranking):
    def drawn(g):
        return g.gain, g.low - g.null_mean, g.high - g.null_mean, 1 - g.null_mean, g.shown

    gains = {word: {name: drawn(g) for name, g in by.items()} for word, by in ranking.items()}
    figure = ranking_figure(gains, layer="2", word="bank", key="k")
    dots = figure.data[-1]
    assert [d[0] for d in dots.customdata] == list(ranking)
    hollow = {w for w, symbol in zip(ranking, dots.marker.symbol, strict=True) if symbol == "circle-open"}
    assert hollow == {w for w, by in ranking.items() if not by["2"].shown} and hollow
    assert "<b>bank</b> ◂" in figure.layout.yaxis.ticktext
