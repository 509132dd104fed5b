"""A sentence is given to senses by their middles."""

import numpy as np

from core.common.directions import unit
from core.senses import centroids


def rows(n: int = 12, senses: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % senses
    return unit(rng.normal(size=(n, 16)) + 2 * rng.normal(size=(senses, 16))[labels]), labels


def test_a_sentence_is_given_to_its_own_sense_by_the_middles_of_the_others():
    directions, labels = rows()
    for k, label in enumerate(labels):
        others = [j for j in range(len(labels)) if j != k]
        given = centroids.shares(directions[others], labels[others], directions[[k]], 3)[0]
        middles = [unit(directions[others][labels[others] == sense].sum(axis=0)) for sense in range(3)]
        raised = np.exp([centroids.SHARPNESS * directions[k] @ middle for middle in middles])
        assert np.allclose(given, raised / raised.sum()) and given.argmax() == label


def test_a_sense_of_which_nothing_is_left_has_no_share():
    directions, _ = rows(4, 1)
    assert centroids.shares(directions[:2], np.array([0, 0]), directions[[3]], 2).tolist() == [[1.0, 0.0]]


def test_a_sentence_without_direction_is_given_to_every_sense_alike():
    directions, labels = rows()
    assert np.allclose(centroids.shares(directions, labels, np.zeros((1, 16)), 3), 1 / 3)
