"""Discriminant axes on rows where the right axes, places and counts are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from core.common.directions import unit
from core.senses import discriminants
from core.senses.discriminants import SHRINKAGE, assign_folds, fit_axes, lay_out, left_out_clouds, nearest_clouds, posteriors, turn_onto

SEEDS = st.integers(0, 2**32 - 1)


def clouds(seed: int, *, n_senses: int = 2, n: int = 16, d: int = 40, gap: float = 6.0) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n_senses * n, d) of unit variance; the mean of sense k is `gap` along axis k."""
    x = np.random.default_rng(seed).normal(size=(n_senses * n, d))
    senses = np.repeat(np.arange(n_senses), n)
    x[np.arange(len(x)), senses] += gap
    return x, senses


def turn(seed: int, d: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]


def test_first_axis_ignores_a_wide_direction_that_both_senses_share():
    x, senses = clouds(0, d=3, n=200)
    x[:, 2] *= 10  # principal components would choose it
    mean, axes = fit_axes(x, senses)
    expected = unit(np.array([-1.0, 1.0, 0.0]))
    assert abs(axes[0] @ expected) > 0.99
    np.testing.assert_allclose(mean, x.mean(axis=0))
    assert abs(axes[1, 2]) > 0.99  # the second is the widest of the rest
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-9)


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
        assert abs(axes[1] @ second) == pytest.approx(1, abs=1e-6)
    x, senses = clouds(5, n_senses=n_senses, d=20, gap=1.0)
    points = clouds(6, n_senses=n_senses, d=20, gap=1.0)[0]
    np.testing.assert_allclose(posteriors(x, senses, points), lda(n_senses).fit(x, senses).predict_proba(points), atol=1e-6)


def test_separate_clouds_are_distinguished_by_unseen_rows_and_noise_is_not():
    x, senses = clouds(2)
    places, mean, axes = lay_out(x, senses)
    assert (left_out_clouds(places, senses) == senses).mean() >= 0.9
    new, new_senses = clouds(3)
    assert (nearest_clouds(places, senses, (new - mean) @ axes.T) == new_senses).mean() >= 0.9
    right = [np.mean(left_out_clouds(lay_out(*(noise := clouds(seed, gap=0.0)))[0], noise[1]) == noise[1]) for seed in range(20)]
    assert 0.35 < np.mean(right) < 0.6  # fitted with themselves, 40 dimensions would separate 32 rows at random


def test_place_of_a_row_does_not_depend_on_its_own_label(monkeypatch):
    x, senses = clouds(4)
    folds = assign_folds(senses)
    monkeypatch.setattr(discriminants, "assign_folds", lambda _: folds)
    held_out = folds == 0
    other_labels = np.where(held_out, 1 - senses, senses)

    def distances(labels: np.ndarray, rows: np.ndarray) -> np.ndarray:
        places = lay_out(x, labels)[0][rows]
        return np.linalg.norm(places[:, None] - places, axis=2)

    # Where all places are turned to depends on all labels, but not how those of a fold lie to each other
    np.testing.assert_allclose(distances(senses, held_out), distances(other_labels, held_out), atol=1e-9)
    assert np.abs(distances(senses, folds == 1) - distances(other_labels, folds == 1)).max() > 0.1


@given(SEEDS)
@settings(max_examples=20)  # draws of one kind: an error would show in nearly all of them
def test_turned_rows_have_the_same_distances_and_a_turned_picture_is_turned_back(seed):
    x, senses = clouds(seed, n_senses=3, n=9, d=12)
    places, turned = lay_out(x, senses)[0], lay_out(x @ turn(seed, 12) + 5.0, senses)[0]
    distances, others = (np.linalg.norm(of[:, None] - of[None], axis=2) for of in (places, turned))
    np.testing.assert_allclose(distances, others, atol=1e-6)
    places = np.random.default_rng(seed).normal(size=(10, 2))
    places -= places.mean(axis=0)
    away = places @ turn(seed, 2)
    np.testing.assert_allclose(away @ turn_onto(away, places), places, atol=1e-9)


def test_rows_at_one_point_stay_at_one_point_and_have_no_posterior():
    x = np.full((8, 5), 0.25) + 1e-4 * np.random.default_rng(0).normal(size=(8, 5))
    places, mean, axes = lay_out(x, np.repeat([0, 1], 4))
    assert np.abs(places).max() < 1e-3 and np.abs((x - mean) @ axes.T).max() < 1e-3
    np.testing.assert_allclose(posteriors(np.ones((4, 3)), np.array([0, 0, 1, 1]), np.eye(3)), 1 / 2)
    np.testing.assert_allclose(posteriors(np.eye(3), np.arange(3), np.eye(3)), 1 / 3)  # one row a sense


@pytest.mark.parametrize("senses", [[0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 2, 2], [0, 0, 0, 0]])
def test_few_rows_and_rows_on_a_line_have_finite_places_and_orthogonal_axes(senses):
    x = np.random.default_rng(5).normal(size=(len(senses), 6))
    places, _, axes = lay_out(x, np.array(senses))
    assert np.isfinite(places).all()
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-9)
    line = np.outer([0.0, 1.0, 5.0, 6.0], unit(np.array([1.0, 1.0, 0.0])))
    mean, axes = fit_axes(line, np.array([0, 0, 1, 1]))
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-9)
    assert np.ptp((line - mean) @ axes[0]) == pytest.approx(6)


def test_own_cloud_is_the_mean_of_the_others_of_a_sense():
    places = np.array([[0.0, 0], [2, 0], [10, 0], [10, 2], [1.1, 0]])
    senses = np.array([0, 0, 1, 1, 1])
    assert left_out_clouds(places, senses).tolist() == [0, 0, 1, 1, 0]
    assert nearest_clouds(places, senses, np.array([[0.9, 0.0], [9.0, 1.0]])).tolist() == [0, 1]
