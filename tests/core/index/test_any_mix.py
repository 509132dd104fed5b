"""Test that the rows sent to a browser contain the nearest rows under any weights, with the right cosines."""

import numpy as np
import pytest
from scipy.special import softmax

from core.elmo.mix import layer_normalized
from core.index import any_mix, neighbors
from core.index.build import build_index
from core.index.rows import make_query
from core.senses.separation import one_nn
from core.text.corpora import BUNDLED_CORPUS, open_corpus

SENTENCE = ["Grandpa", "fished", "from", "the", "bank", "until", "dusk", "."]
WEIGHTS = [softmax(w) for w in np.random.default_rng(4).uniform(-6, 6, (60, 3))]


@pytest.mark.parametrize("normalized", [False, True])
def test_the_occurrences_of_a_word_have_core_s_cosines_under_any_mix(model, table, normalized):
    result = neighbors.products(table.rows, make_query(model.encoder, SENTENCE, 4))
    result = neighbors.normalized_products(table.rows, result) if normalized else result
    sent = any_mix.of_word(table, result, np.ones(3))
    for weights in WEIGHTS:
        near = table.nearest(result, weights, k=len(sent.rows), which=neighbors.SAME)
        values = sent.cosines(weights)
        assert {n.occurrence.row for n in near} == set(sent.rows.tolist())
        by_row = dict(zip(sent.rows.tolist(), values, strict=True))
        np.testing.assert_allclose([n.cosine for n in near], [by_row[n.occurrence.row] for n in near], atol=1e-6)


def test_of_many_spellings_those_sent_hold_the_nearest_under_any_mix(model, tmp_path, monkeypatch):
    monkeypatch.setattr(any_mix, "MOST", 300)
    table = build_index(open_corpus(BUNDLED_CORPUS, model.language)[:120], model.encoder, tmp_path / "all", model="m")
    result = neighbors.products(table.types, make_query(model.encoder, SENTENCE, 4))
    lengths = np.sqrt(table.types.gram[:, [0, 3, 5]].mean(axis=0))
    sent = any_mix.of_types(table, result, lengths)
    assert 60 < len(sent.rows) <= 300 < len(table.types) - 1 and (np.diff(sent.rows) > 0).all()
    assert table.word_codes["bank"] not in sent.rows
    for weights in WEIGHTS:
        near = table.nearest_types(result, weights, k=10)
        order = np.argsort(-sent.cosines(weights), kind="stable")[:10]
        assert [table.words[sent.rows[k]] for k in order] == [n.word for n in near]


def similarities(products: np.ndarray, n: int, weights) -> np.ndarray:
    """`pairs` of n rows and a mix (L,) -> cosines (n, n) float64; 0 where a mix has no length."""
    s = np.asarray(weights, np.float64)
    upper = np.einsum("i,pij,j->p", s, products.astype(np.float64), s)
    values = np.zeros((n, n))
    values[np.triu_indices(n)] = upper
    values = values + np.triu(values, 1).T
    lengths = np.sqrt(np.maximum(np.diag(values), 0.0))
    together = lengths[:, None] * lengths
    return np.clip(np.divide(values, together, out=np.zeros((n, n)), where=together > 1e-12), -1.0, 1.0)


@pytest.mark.parametrize("normalized", [False, True])
def test_products_of_all_pairs_give_the_cosines_of_rows_with_each_other_and_so_the_senses_accuracy(table, normalized):
    rows = table.labeled_rows("bank")
    layers = table.rows.take(rows)
    products = any_mix.pairs(layer_normalized(layers) if normalized else layers)
    for weights in WEIGHTS[:20]:
        expected = table.similarities(rows, weights, normalized=normalized)
        result = similarities(products, len(rows), weights)
        np.testing.assert_allclose(result, expected, atol=2e-6)
        assert abs(one_nn(result, table.sense[rows]) - one_nn(expected, table.sense[rows])) < 1.01 / len(rows)


def test_two_queries_products_give_their_cosine(model, table):
    queries = [make_query(model.encoder, SENTENCE, k) for k in (4, 6)]
    plain = [neighbors.products(table.rows, query) for query in queries]
    x, y = (query.layers for query in queries)
    np.testing.assert_allclose(any_mix.between(*plain), x @ y.T, rtol=1e-4, atol=1e-3)
    normalized = [neighbors.normalized_products(table.rows, result) for result in plain]
    np.testing.assert_allclose(any_mix.between(*normalized), layer_normalized(x) @ layer_normalized(y).T, rtol=1e-4, atol=1e-3)


def test_chance_is_the_mean_of_all_shuffles():
    senses = np.array([0, 0, 0, 1, 1])
    rng, near = np.random.default_rng(0), np.array([1, 2, 3, 4, 0])
    shuffles = rng.permuted(np.tile(senses, (20_000, 1)), axis=1)
    assert any_mix.chance(senses) == pytest.approx(8 / 20)
    assert (shuffles == shuffles[:, near]).mean() == pytest.approx(any_mix.chance(senses), abs=0.01)


def test_mixes_are_even_in_what_the_layers_count_for():
    result = any_mix.mixes(np.array([2.0, 5.0, 10.0]))
    counts = result * [2.0, 5.0, 10.0]
    counts /= counts.sum(axis=1, keepdims=True)
    assert result.shape == (66, 3) and np.allclose(result.sum(axis=1), 1)
    assert np.allclose(counts * 10, np.round(counts * 10))


def test_of_many_layers_there_are_no_more_mixes_than_can_be_looked_at():
    result = any_mix.mixes(np.ones(13))
    assert result.shape[1] == 13 and 13 <= len(result) <= any_mix.MIXES
    assert all((result == item / item.sum()).all(axis=1).any() for item in np.eye(13))  # every layer alone among them


def test_candidates_of_two_tables_stand_one_after_the_other_with_core_s_cosines(model, table):
    query = make_query(model.encoder, SENTENCE, 4)
    types, rows = (neighbors.products(each, query) for each in (table.types, table.rows))
    parts = any_mix.of_rows(table.types, types, np.array([3, 8])), any_mix.of_rows(table.rows, rows, np.array([5]))
    result = any_mix.together(parts, np.array([-4, -9, 5]))
    for weights in WEIGHTS[:5]:
        expected = [*neighbors.cosines(table.types, types, weights)[[3, 8]], neighbors.cosines(table.rows, rows, weights)[5]]
        np.testing.assert_allclose(result.cosines(weights), expected, atol=1e-6)
