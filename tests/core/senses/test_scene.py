"""Test scenes: axes as scikit-learn finds them, and one scale and orientation in all spaces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import orthogonal_procrustes
from scipy.stats import ortho_group
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from core.common.directions import unit
from core.senses import scene
from core.senses.evidence import SHRINKAGE, posteriors
from core.senses.scene import BOTH, FIRST, SECOND, WORDS, along_line, arrange, fit_axes, lay_out, left_out_clouds

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=20)  # draws of one kind: an error would show in nearly all of them
SENSES = np.repeat([0, 1, 2], 6)


def clouds(seed: int, *, n_senses: int = 2, n: int = 16, d: int = 40, gap: float = 6.0) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n_senses * n, d) of unit variance; the mean of sense k is `gap` along axis k."""
    x = np.random.default_rng(seed).normal(size=(n_senses * n, d))
    senses = np.repeat(np.arange(n_senses), n)
    x[np.arange(len(x)), senses] += gap
    return x, senses


def lda(n_senses: int) -> LinearDiscriminantAnalysis:
    return LinearDiscriminantAnalysis(solver="eigen", shrinkage=SHRINKAGE, priors=np.full(n_senses, 1 / n_senses))


@pytest.mark.parametrize("n_senses", [2, 3, 5])
def test_discriminants_and_posteriors_are_those_of_scikit_learn(n_senses):
    x, senses = clouds(1, n_senses=n_senses, d=20)
    mean, axes = fit_axes(x, senses)
    span = np.linalg.svd(x - mean, full_matrices=False)[2]
    theirs = unit(lda(n_senses).fit((x - mean) @ span.T, senses).scalings_.T[:2] @ span)
    assert abs(axes[0] @ theirs[0]) == pytest.approx(1, abs=1e-6)
    if n_senses > 2:
        second = unit(theirs[1] - (theirs[1] @ theirs[0]) * theirs[0])
    else:
        rest = (x - mean) @ (np.eye(20) - np.outer(axes[0], axes[0]))
        second = np.linalg.svd(rest, full_matrices=False)[2][0]  # the widest direction of the rest
    assert abs(axes[1] @ second) == pytest.approx(1, abs=1e-6)
    assert (axes.max(axis=1) == np.abs(axes).max(axis=1)).all()  # rounding does not mirror a picture
    x, senses = clouds(5, n_senses=n_senses, d=20, gap=1.0)
    points = clouds(6, n_senses=n_senses, d=20, gap=1.0)[0]
    np.testing.assert_allclose(posteriors(x, senses, points), lda(n_senses).fit(x, senses).predict_proba(points), atol=1e-6)


def test_own_cloud_is_the_mean_of_the_others_so_that_noise_is_not_separated():
    x, senses = clouds(2)
    places, mean, axes = lay_out(x, senses)
    assert (left_out_clouds(places, senses) == senses).mean() >= 0.9
    new, new_senses = clouds(3)
    nearest = [scene.nearest_senses(places, senses, point)[0] for point in (new - mean) @ axes.T]
    assert np.mean(nearest == new_senses) >= 0.9
    right = [np.mean(left_out_clouds(lay_out(*(noise := clouds(seed, gap=0.0)))[0], noise[1]) == noise[1]) for seed in range(20)]
    assert 0.35 < np.mean(right) < 0.6  # fitted with themselves, 40 dimensions would separate 32 rows at random
    places, senses = np.array([[0.0, 0], [2, 0], [10, 0], [10, 2], [1.1, 0]]), np.array([0, 0, 1, 1, 1])
    assert left_out_clouds(places, senses).tolist() == [0, 0, 1, 1, 0]
    near = [scene.nearest_senses(places, senses, np.array(point)) for point in ((0.9, 0.0), (9.0, 1.0), (4.1, 0.5), (3.8, 0.5))]
    assert near == [(0,), (1,), (1, 0), (0, 1)]


def test_few_rows_rows_at_one_point_and_rows_on_a_line_have_finite_places_and_orthogonal_axes():
    x = np.full((8, 5), 0.25) + 1e-4 * np.random.default_rng(0).normal(size=(8, 5))
    assert np.abs(lay_out(x, np.repeat([0, 1], 4))[0]).max() < 1e-3
    np.testing.assert_allclose(posteriors(np.ones((4, 3)), np.array([0, 0, 1, 1]), np.eye(3)), 1 / 2)
    np.testing.assert_allclose(posteriors(np.eye(3), np.arange(3), np.eye(3)), 1 / 3)  # one row a sense
    for senses in ([0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 2, 2], [0, 0, 0, 0]):
        places, _, axes = lay_out(np.random.default_rng(5).normal(size=(len(senses), 6)), np.array(senses))
        assert np.isfinite(places).all()
        np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-9)
    line = np.outer([0.0, 1.0, 5.0, 6.0], unit(np.array([1.0, 1.0, 0.0])))
    mean, axes = fit_axes(line, np.array([0, 0, 1, 1]))
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-9)
    assert np.ptp((line - mean) @ axes[0]) == pytest.approx(6)


def rows(seed: int) -> np.ndarray:
    return clouds(seed, n_senses=3, n=6, d=10, gap=3.0)[0]


def distances(places: np.ndarray) -> np.ndarray:
    return np.linalg.norm(places[:, None] - places[None], axis=2)


@given(SEEDS, SEEDS)
@FEW
def test_spaces_are_turned_onto_the_last_and_never_stretched(seed, second):
    """One space turned, mirrored or doubled is drawn alike or twice as large, and one point at the origin."""
    x, other = rows(seed), rows(second)
    points, _ = arrange({"1": other, "senses": x}, SENSES)
    np.testing.assert_allclose(distances(points[0]), distances(lay_out(other, SENSES)[0]), atol=1e-4)
    np.testing.assert_allclose(points[1], (places := lay_out(x, SENSES)[0]) - places.mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(orthogonal_procrustes(points[0], points[1])[0], np.eye(2), atol=1e-3)  # no other turn is nearer
    turn = ortho_group.rvs(10, random_state=seed)
    points, projections = arrange({"0": x @ turn, "1": 2 * x, "mix": -x, "senses": x}, SENSES)
    for number, scale in ((0, 1), (1, 2), (2, 1)):
        np.testing.assert_allclose(points[number], scale * points[3], atol=1e-4)
    np.testing.assert_allclose(projections[0].place(other @ turn), projections[3].place(other), atol=1e-6)
    rounding = 1e-4 * np.random.default_rng(seed).normal(size=(len(SENSES), 10))
    points, projections = arrange({"0": rounding, "senses": x}, SENSES)
    assert not points[0].any() and not projections[0].place(rounding[:2] + 1e-3).any()


@given(SEEDS)
@FEW
def test_stars_lie_as_far_from_each_other_as_their_cosine_distance(seed):
    random = np.random.default_rng(seed)
    points, stars = unit(random.normal(size=(9, 12))), unit(random.normal(size=(2, 12)) + random.normal(size=12))
    places, ends = along_line(points, stars)
    assert ends[1, 0] - ends[0, 0] == pytest.approx(1 - stars[0] @ stars[1])
    np.testing.assert_allclose(places[:, 0], (points @ stars[1] - points @ stars[0]) / 2, atol=1e-9)
    np.testing.assert_allclose(along_line(points[::-1], stars)[0][::-1], places, atol=1e-9)  # rounding does not mirror a picture
    places, ends = along_line(points, points[[0, 0]])  # the same sentence twice
    assert not ends.any() and not places[:, 0].any() and np.isfinite(places).all()
    assert not np.concatenate(along_line(np.full((9, 12), 1e-4), np.zeros((2, 12)))).any()


def test_words_are_chosen_once_each_and_those_near_both_are_reported():
    names = ["near", "near", "far", "both", "other"] + [f"filler {k}" for k in range(40)]
    cosines = np.full((2, len(names)), -0.5) - np.arange(len(names)) / 100
    cosines[:, :5] = [[0.9, 0.8, -1, 0.7, 0.99], [-1, -1, 0.9, 0.6, 0.99]]
    rows, stars = scene.find_near_words(cosines, np.array([name != "other" for name in names]), lambda row: names[row])
    words = [names[row] for row in rows]
    star_of = dict(zip(words, stars, strict=True))
    assert star_of["near"] == FIRST and star_of["both"] == BOTH and "other" not in star_of and words.count("near") == 1
    assert sum(each in (FIRST, BOTH) for each in stars) == sum(each in (SECOND, BOTH) for each in stars) == WORDS
