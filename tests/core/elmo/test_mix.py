"""The mix of layers by hand, and its cosine from layer products against that of vectors that were really mixed, or normalized and mixed."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from core.analysis.aligned_umap import ProjectionConfig, aligned_maps, follow
from core.analysis.random_pairs import Drawn, level_under
from core.analysis.word_maps import follow_mix, map_rows
from core.common.directions import unit
from core.common.errors import BadInput
from core.elmo.mix import EPSILON, ScalarMix, check_weights, gram, layer_normalized, mean_lengths, mix_cosines, mixed, pulls, to_largest_1
from core.index.build import build_index
from core.index.neighbors import cosines, normalized_products, products
from core.index.rows import Query
from core.senses.separation import one_nn, sense_report_of
from tests.core.index.test_table import SENTENCES, FakeEncoder

N, L, D = 6, 3, 8
VECTORS = arrays.arrays(np.float32, (N, L, D), elements=st.floats(-10, 10, width=16))


def cosines_of_layers(layers: np.ndarray, query: np.ndarray, weights) -> np.ndarray:
    """mix_cosines with everything it needs made from (N, L, D) and (L, D)."""
    return mix_cosines(np.einsum("id,njd->nij", query, layers), gram(query[None])[0], gram(layers), np.asarray(weights, np.float64))


def brute_force(layers: np.ndarray, query: np.ndarray, weights) -> np.ndarray:
    a = np.einsum("l,ld->d", weights, query.astype(np.float64))
    b = np.einsum("l,nld->nd", weights, layers.astype(np.float64))
    lengths = np.linalg.norm(a) * np.linalg.norm(b, axis=1)
    return np.divide(b @ a, lengths, out=np.zeros(len(b)), where=lengths > 0)


def test_scalar_mix_is_a_softmax_weighted_sum():
    mix = ScalarMix(2)
    with torch.no_grad():
        mix.scores.copy_(torch.tensor([0.0, math.log(3)]))
        mix.gamma.fill_(2.0)  # weights 1/4, 3/4
    layers = torch.stack([torch.full((1, 1, 2), 4.0), torch.full((1, 1, 2), 8.0)])
    torch.testing.assert_close(mix(layers), torch.full((1, 1, 2), 14.0))  # 2 * (1 + 6), by hand
    mix(layers).sum().backward()
    assert mix.gamma.grad > 0 and mix.scores.grad.abs().max() > 0 and mix.scores.grad.sum().abs() < 1e-4


def test_gram_holds_the_upper_triangle_by_rows_in_float32():
    layers = np.array([[[1.0, 2.0], [3.0, 4.0], [0.0, -1.0]]], np.float16)
    assert gram(layers).tolist() == [[5.0, 11.0, -2.0, 25.0, -4.0, 1.0]]  # 00 01 02 11 12 22, by hand
    assert gram(layers).dtype == np.float32
    assert gram(np.full((1, 1, 1000), 1000.0, np.float16)).tolist() == [[1e9]]  # too large for float16


@given(VECTORS, st.lists(st.floats(-4, 4, width=32), min_size=L, max_size=L))
@settings(max_examples=100)
def test_mixed_cosines_are_finite_and_equal_cosines_of_vectors_that_were_really_mixed(layers, weights):
    weights = np.array(weights)
    result = cosines_of_layers(layers, layers[0], weights)
    assert np.isfinite(result).all() and (np.abs(result) <= 1).all()
    lengths = np.linalg.norm(np.einsum("l,nld->nd", weights, layers.astype(np.float64)), axis=1)
    scale = np.abs(weights).max() * np.abs(layers).max() * np.sqrt(D)
    if scale > 1e-3 and (lengths > 0.05 * scale).all():  # where layers all but cancel, float32 has no angle
        np.testing.assert_allclose(result, brute_force(layers, layers[0], weights), atol=5e-4)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        *(([1, 2], "Give 3 layer weights, one per layer, not 2"), ([1, 2, 3, 4], "Give 3 layer weights, one per layer, not 4")),
        *(([0, 0, 0], "and not all zero, got 0, 0, 0"), ([1, math.nan, 0], "and not all zero, got 1, nan, 0")),
        *(([1, math.inf, 0], "between -1,000,000 and 1,000,000 and not all zero"), (["a", 1, 1], "must be numbers, got a, 1, 1.")),
        *((weights, "must be numbers") for weights in (None, [None, 1, 1], 3, [10**400, 1, 1])),
        ({1: 0.5, 2: 0.25, 3: 0.25}, r"must be numbers, got \{1: 0\.5, 2: 0\.25, 3: 0\.25\}\."),
        *((weights, "must be numbers") for weights in ({1, 2, 3}, {1: 0, 2: 0, 3: 0}.keys(), "123", b"123", pd.DataFrame([[5, 1, 2]]))),
        *((weights, "must be numbers") for kind in (np.complex64, complex) for weights in (np.array([1j, 1, 2], kind), [kind(1), 1, 2])),
        (pd.array([1, None, 2], dtype="Int64"), r"must be numbers, got [^\n]*\[1, <NA>, 2\]"),
        ([-1e200, 1, 1], "between -1,000,000 and 1,000,000 and not all zero, got -1e\\+200, 1, 1"),
    ],
)
def test_weights_that_are_no_weights_are_refused(weights, message):
    with pytest.raises(BadInput, match=message):
        check_weights(weights, 3)


@pytest.mark.parametrize(
    ("weights", "read"),
    [
        *((weights, [1, 2, 0]) for weights in ((1, 2, 0), np.array([1, 2, 0]), pd.Series([1, 2, 0], index=list("abc")), ["1", "2", "0"])),
        *(([size, size, -2 * size], [0.5, 0.5, -1]) for size in (1e-50, 1e-46, 1e-40, 5e-324)),
        ([2e-38, 1e-50, 0], [2e-38, 1e-50, 0]),  # float32 can hold them
    ],
)
def test_weights_are_read_from_any_ordered_values_and_scaled_if_they_vanish_in_float32(weights, read):
    assert check_weights(weights, 3).tolist() == read


def test_a_layer_counts_for_its_weight_times_its_length():
    layers = np.zeros((2, 3, 4), np.float16)
    layers[:, 0, 0], layers[:, 1, 1], layers[:, 2, 2] = 5, (10, 12), 25
    lengths = mean_lengths(layers)
    np.testing.assert_allclose(lengths, [5, 11, 25])
    np.testing.assert_allclose(pulls(np.full(3, 1 / 3), lengths), np.array([5, 11, 25]) / 41)
    np.testing.assert_allclose(pulls(np.array([0.0, 1.0, 0.0]), lengths), [0, 1, 0])


def test_layers_are_mixed_by_one_function_on_any_axis():
    layers = np.random.default_rng(3).normal(size=(3, 5, 4)).astype(np.float16)
    weights = np.array([0.2, -1.0, 0.5])
    mix = mixed(layers, weights)
    assert mix.dtype == np.float32  # never the float16 of a file
    np.testing.assert_allclose(mix, sum(w * layer for w, layer in zip(weights, layers.astype(float), strict=True)), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(mixed(layers.transpose(1, 0, 2), weights, axis=1), mix)
    np.testing.assert_array_equal(mixed(layers, weights, 2.0), 2 * mix)
    for size in (1, 1e-14, 1e-50, 1e-300, 1e6):
        np.testing.assert_allclose(mixed(layers, size * weights, unit=True), unit(mix), atol=1e-6)
    assert not mixed(layers, np.zeros(3), unit=True).any()


@pytest.mark.parametrize(
    ("weights", "scaled", "shares"),
    [
        *((np.multiply([1, 2, 1], size).tolist(), [0.5, 1, 0.5], [0.25, 0.5, 0.25]) for size in (1, 1e-4)),
        *(([1e-300, 0, 1e-300], [1, 0, 1], [0.5, 0, 0.5]), ([1, -1, 0], [1, -1, 0], [0.5, 0.5, 0]), ([-2, 0, 0], [-1, 0, 0], [1, 0, 0])),
        ([1e6, -1e6, 2e6], [0.5, -0.5, 1], [0.25, 0.25, 0.5]),
    ],
)
def test_weights_are_scaled_by_the_largest_and_shared_by_their_sizes(weights, scaled, shares):
    np.testing.assert_allclose(to_largest_1(weights), scaled)
    np.testing.assert_allclose(pulls(np.array(weights)), shares)


def by_hand(layers: np.ndarray) -> np.ndarray:
    """(..., D) -> the same in float64, numbers that are all alike as zeros."""
    wide = layers.astype(np.float64)
    spread = wide.std(axis=-1, keepdims=True)
    return np.where(spread > 1e-9, (wide - wide.mean(axis=-1, keepdims=True)) / np.maximum(spread, 1e-9), 0.0)


def test_it_equals_torch_layer_norm_and_gives_every_layer_one_length():
    layers = np.random.default_rng(0).normal(3, 7, (5, 3, 40)).astype(np.float32)
    ours = layer_normalized(layers)
    np.testing.assert_allclose(ours, torch.nn.functional.layer_norm(torch.from_numpy(layers), (40,), eps=EPSILON).numpy(), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(ours, axis=2), 40**0.5, rtol=1e-5)
    assert not layer_normalized(np.array([[0.1, 0.1, 0.1], [0, 0, 0]], np.float32)).any()  # numbers that are all alike


@pytest.mark.parametrize("weights", [[0, 0, 1], [0.2, -0.7, 3.0], [1 / 3] * 3])
def test_cosines_from_products_alone_are_those_of_vectors_that_were_normalized(table, tmp_path, weights):
    own = build_index(SENTENCES, FakeEncoder(), tmp_path / "own", model="fake")
    for source, row in ((own, 5), (table, map_rows(table, "bank")[0])):  # a compact table stores layer 0 once for each spelling
        layers = source.rows.take(np.arange(len(source)))
        result = normalized_products(source.rows, products(source.rows, Query(("x",), 0, layers[row])))
        rows, query = (unit(np.tensordot(by_hand(each), weights, axes=(-2, 0))) for each in (layers, layers[row]))
        np.testing.assert_allclose(cosines(source.rows, result, weights), rows @ query, atol=1e-5)


def test_senses_and_the_level_of_random_words_are_measured_by_the_normalized_mix(table):
    rows, weights = map_rows(table, "bank"), np.full(3, 1 / 3)
    mixes = unit(np.tensordot(by_hand(table.rows.take(rows)), weights, axes=(1, 0)))
    result = table.similarities(rows, weights, normalized=True)
    np.testing.assert_allclose(result, mixes @ mixes.T, atol=1e-5)
    labels = np.array([table.senses[k] for k in table.sense[rows]])
    assert sense_report_of(table, "bank", weights, normalized=True).one_nn == pytest.approx(one_nn(result, labels))
    assert np.abs(result - table.similarities(rows, weights)).max() > 0.05
    drawn = Drawn(tuple(map(str, rows)), np.asarray(table.rows.take(rows), np.float32))
    expected = result[~np.eye(len(rows), dtype=bool)].mean()
    assert level_under(drawn, weights, normalized=True).mean == pytest.approx(expected, abs=1e-5)


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
