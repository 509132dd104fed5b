"""Layer normalization of the mix: by hand, against torch's, and from layer products alone against vectors really normalized and mixed."""

import numpy as np
import pytest
import torch

from core.analysis.aligned_umap import ProjectionConfig, aligned_maps, follow
from core.analysis.anisotropy import Drawn, level_under
from core.analysis.word_maps import follow_mix, map_rows
from core.common.directions import unit
from core.elmo.mix import EPSILON, layer_normalized, mixed
from core.index.build import build_index
from core.index.neighbors import cosines, cosines_of_mixes, normalized_products, products
from core.index.rows import Query
from core.index.table import OccurrenceTable
from core.senses.separation import one_nn, sense_report_of
from core.text.sentences import Sentence

MIXES = ([1, 0, 0], [0, 0, 1], [0.2, -0.7, 3.0], [1 / 3, 1 / 3, 1 / 3])


class Shifted:
    """Three layers of other means, lengths and numbers; the token "flat" has a layer whose numbers are all alike."""

    n_layers, dim = 3, 16

    def encode(self, sentences):
        return [np.stack([self.token(s, k) for k in range(len(s))], axis=1) for s in sentences]

    def token(self, tokens, position):
        drawn = np.random.default_rng([ord(tokens[position][0]), position, len(tokens)]).normal(size=(3, 16))
        layers = (drawn * [[1], [4], [20]] + [[3], [0], [-30]]).astype(np.float32)
        layers[1] = 0.7 if tokens[position] == "flat" else layers[1]
        return layers


def by_hand(layers: np.ndarray) -> np.ndarray:
    """(..., D) -> the same in float64, numbers that are all alike as zeros."""
    wide = layers.astype(np.float64)
    spread = wide.std(axis=-1, keepdims=True)
    return np.where(spread > 1e-9, (wide - wide.mean(axis=-1, keepdims=True)) / np.maximum(spread, 1e-9), 0.0)


def direct(layers: np.ndarray, query: np.ndarray, weights) -> np.ndarray:
    """(N, L, D), (L, D) -> (N,): every row normalized and mixed, then its cosine."""
    rows, own = (unit(np.tensordot(by_hand(each), np.asarray(weights, float), axes=(-2, 0))) for each in (layers, query))
    return rows @ own


@pytest.fixture(scope="module")
def shifted(tmp_path_factory) -> OccurrenceTable:
    words = [[f"{chr(97 + (k * n) % 26)}{k}" for k in range(4)] + ["flat"] for n in range(1, 30)]
    sentences = [Sentence(tuple(each)) for each in words]
    return build_index(sentences, Shifted(), tmp_path_factory.mktemp("shifted") / "index", model="fake")


def test_it_equals_torch_layer_norm_and_gives_every_layer_one_length():
    layers = np.random.default_rng(0).normal(3, 7, (5, 3, 40)).astype(np.float32)
    ours = layer_normalized(layers)
    theirs = torch.nn.functional.layer_norm(torch.from_numpy(layers), (40,), eps=EPSILON).numpy()
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(ours, axis=2), 40**0.5, rtol=1e-5)
    assert not layer_normalized(np.array([[0.1, 0.1, 0.1], [0, 0, 0]], np.float32)).any()  # numbers that are all alike


@pytest.mark.parametrize("weights", MIXES)
def test_cosines_from_products_alone_are_those_of_vectors_that_were_normalized(shifted, table, weights):
    for source, rows in ((shifted, (0, 7, 4)), (table, map_rows(table, "bank")[:1])):  # row 4 is flat in layer 1
        layers = source.rows.take(np.arange(len(source)))
        for row in rows:
            result = normalized_products(source.rows, products(source.rows, Query(("x",), 0, layers[row])))
            expected = direct(layers, layers[row], weights)
            np.testing.assert_allclose(cosines(source.rows, result, weights), expected, atol=1e-5)
            np.testing.assert_allclose(cosines_of_mixes(source.rows, result, [weights] * 2)[1], expected, atol=1e-5)


def test_the_senses_are_distinguished_by_the_normalized_mix(table):
    rows, weights = map_rows(table, "bank"), np.full(3, 1 / 3)
    mixes = unit(np.tensordot(by_hand(table.rows.take(rows)), weights, axes=(1, 0)))
    result = table.similarities(rows, weights, normalized=True)
    np.testing.assert_allclose(result, mixes @ mixes.T, atol=1e-5)
    labels = np.array([table.senses[k] for k in table.sense[rows]])
    report = sense_report_of(table, "bank", weights, normalized=True)
    assert report.one_nn == pytest.approx(one_nn(result, labels))
    assert np.abs(result - table.similarities(rows, weights)).max() > 0.05


def test_the_map_is_laid_out_from_the_normalized_layers_and_never_the_frozen_one():
    random = np.random.default_rng(0)
    layers = (random.normal(size=(3, 60, 12)) * [[[1]], [[4]], [[20]]] + random.normal(size=(1, 60, 1)) * 9).astype(np.float32)
    maps = aligned_maps([*layers, layers.mean(axis=0)], ["0", "1", "2", "mix"], ProjectionConfig(n_neighbors=8, n_epochs=20))
    for weights in ([0, 0, 1], [1 / 3] * 3, [0.2, 0.2, 0.6]):
        result = follow_mix(layers, np.array(weights), maps, normalized=True)
        shares = np.array(weights) / np.sum(weights)
        start = np.tensordot(shares, maps.coordinates[:3], axes=1)
        np.testing.assert_array_equal(result, follow(mixed(layer_normalized(layers), shares), start, maps.config))
        assert np.abs(result - follow_mix(layers, np.array(weights), maps)).max() > 0.5


def test_two_random_words_are_as_alike_as_their_normalized_mixes(table):
    rows = np.random.default_rng(0).permutation(len(table))[:40]
    mixes = unit(np.tensordot(by_hand(table.rows.take(rows)), np.full(3, 1 / 3), axes=(1, 0)))
    expected = (mixes @ mixes.T)[~np.eye(40, dtype=bool)].mean()
    drawn = Drawn(tuple(map(str, range(40))), np.asarray(table.rows.take(rows), np.float32))
    assert level_under(drawn, [1 / 3] * 3, normalized=True).mean == pytest.approx(expected, abs=1e-5)
