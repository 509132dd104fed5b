"""Probes: problems whose answer is known, scikit-learn as the reference, and labels that mean nothing."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from core.lab.probes import commonest_tags, learned_mix_probe

torch.set_num_threads(1)


def clouds(seed: int, n: int, *, n_tags: int = 4, dim: int = 6, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return n vectors (n, D) around one center a tag, and their tags. The features have very unequal scales."""
    rng = np.random.default_rng(0)
    centers, scale = rng.normal(size=(n_tags, dim)), 10.0 ** np.arange(dim)
    rng = np.random.default_rng(seed + 1)
    tags = rng.integers(n_tags, size=n)
    return ((centers[tags] + noise * rng.normal(size=(n, dim))) * scale + 100).astype(np.float32), tags.astype(str)


def linear_probe(train: np.ndarray, tags, test: np.ndarray, gold, *, seed: int = 0) -> float:
    """Return the accuracy on one layer, (N, D) for training and for testing."""
    return learned_mix_probe(np.asarray(train)[None], tags, np.asarray(test)[None], gold, seed=seed).accuracy


def test_a_probe_is_as_good_as_scikit_learn_whatever_form_its_numbers_have():
    (train, tags), (test, gold) = clouds(0, 3000), clouds(1, 3000)
    middle, spread = train.mean(axis=0), train.std(axis=0)
    reference = LogisticRegression(max_iter=1000).fit((train - middle) / spread, tags).score((test - middle) / spread, gold)
    assert 0.4 < reference < 0.95 and linear_probe(train, tags, test, gold) == pytest.approx(reference, abs=0.01)
    (train, tags), (test, gold) = clouds(0, 400, noise=0.1), clouds(1, 200, noise=0.1)
    assert linear_probe(train, tags, test, ["unknown"] * 200) == 0.0  # a tag that training lacks
    train[:, 2] = 7.0  # a feature that never changes
    assert linear_probe(train, tags, train, tags) > 0.95
    half, tags = clouds(0, 200, noise=0.1, dim=3)
    assert linear_probe(half.astype(np.float16), tags, half.astype(np.float16), tags) > 0.95


def test_the_learned_mix_turns_to_the_layer_that_knows_the_tags():
    (known, tags), (known_test, gold) = clouds(0, 2000, noise=0.3), clouds(1, 500, noise=0.3)
    rng = np.random.default_rng(5)
    layers, layers_test = (rng.normal(size=(3, len(x), 6)).astype(np.float32) * x.std(axis=0) for x in (known, known_test))
    layers[1], layers_test[1] = known, known_test
    result = learned_mix_probe(layers, tags, layers_test, gold)
    assert result.weights[1] > 0.7 and sum(result.weights) == pytest.approx(1)
    assert result.accuracy > linear_probe(layers.mean(axis=0), tags, layers_test.mean(axis=0), gold)


def test_the_commonest_tag_of_a_word_and_for_an_unknown_word_the_commonest_of_all():
    words, tags = ["the", "run", "run", "run", "dog", "cat"], ["D", "V", "V", "N", "N", "N"]
    # the: D, run: V, unknown: N (three N, two V)
    assert commonest_tags(words, tags, ["the", "run", "run", "fish", "Run"], ["D", "V", "N", "N", "V"]) == 3 / 5
