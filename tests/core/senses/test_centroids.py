"""A sentence is given to senses by their middles, and of a pair both are left out of them."""

import numpy as np

from core.common.directions import unit
from core.senses import centroids


def rows(n: int = 12, senses: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % senses
    return unit(rng.normal(size=(n, 16)) + 2 * rng.normal(size=(senses, 16))[labels]), labels


def test_a_pair_agrees_as_the_middles_of_all_others_have_it():
    directions, labels = rows()
    found = centroids.agreements(directions @ directions.T, labels)
    for i, j in ((0, 1), (2, 9), (4, 10)):
        others = [k for k in range(len(labels)) if k not in (i, j)]
        first, second = (centroids.shares(directions[others], labels[others], directions[k], 3) for k in (i, j))
        assert np.isclose(found[i, j], first @ second) and np.isclose(found[i, j], found[j, i])
    same = labels[:, None] == labels
    np.fill_diagonal(same, False)
    assert found[same].mean() > 0.8 > 0.3 > found[labels[:, None] != labels].mean()


def test_a_sense_of_which_nothing_is_left_has_no_share():
    directions, _ = rows(4, 1)
    labels = np.array([0, 0, 1, 0])
    assert centroids.shares(directions[:2], labels[:2], directions[3], 2).tolist() == [1.0, 0.0]
    assert np.isclose(centroids.agreements(directions @ directions.T, labels)[2, 0], 1.0)


def test_a_sentence_without_direction_is_given_to_every_sense_alike():
    directions, labels = rows()
    directions[3] = 0
    found = centroids.agreements(directions @ directions.T, labels)
    others = [k for k in range(len(labels)) if k not in (3, 8)]
    first, second = (centroids.shares(directions[others], labels[others], directions[k], 3) for k in (3, 8))
    assert np.allclose(first, 1 / 3) and np.isclose(found[3, 8], first @ second)
