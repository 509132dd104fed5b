"""Nearest occurrences and types: by hand on vectors one can see, then against brute force, and the rows that a browser ranks."""

import math
import threading

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax

from core.common.errors import BadInput
from core.elmo.mix import layer_normalized, mix_cosines
from core.index import build as building
from core.index import neighbors
from core.index import rows as stored_rows
from core.index.build import build_index
from core.index.neighbors import ANY, OTHER, SAME, Candidates, best, choose_candidates, cosines, even_mixes, products
from core.index.rows import make_query
from core.senses.separation import one_nn
from core.text.corpora import BUNDLED_CORPUS, open_corpus
from core.text.sentences import Sentence, Target
from tests.tiny import tiny_encoder

from .test_table import FakeEncoder

SHORT = {"0": (0, 0), "E": (1, 0), "N": (0, 1), "W": (-1, 0), "NE": (1, 1), "e": (3, 0)}  # directions one can see


class Compass:
    """Layer 0 points where the token says, layer 1 where its sentence's first token says."""

    n_layers, dim = 2, 2

    def encode(self, sentences):
        points = [[SHORT.get(t.split(".")[0], (1, 2)) for t in s] for s in sentences]
        return [np.array([p, [p[0]] * len(p)], np.float32) if p else np.empty((2, 0, 2), np.float32) for p in points]


def index(folder, encoder, sentences):
    return build_index([s if isinstance(s, Sentence) else Sentence(tuple(s.split())) for s in sentences], encoder, folder, model="fake")


def ask(table, encoder, sentence: str, position: int, weights, **options):
    result = products(table.rows, make_query(encoder, sentence.split(), position))
    return [(n.occurrence.row, round(n.cosine, 6)) for n in table.nearest(result, weights, **options)]


@pytest.fixture(scope="module")
def compass(tmp_path_factory):
    """Rows 0 to 5: E N | N e | W NE."""
    return index(tmp_path_factory.mktemp("compass") / "index", Compass(), ["E N", "N e", "W NE"])


@pytest.fixture(scope="module")
def random_table(tmp_path_factory):
    """60 rows in blocks of seven."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "ROWS_PER_BATCH", 7)
        return index(tmp_path_factory.mktemp("random") / "index", FakeEncoder(), [f"a{n % 5} b{n % 3} c d{n}" for n in range(15)])


def test_only_the_token_of_the_same_sentence_is_left_out_as_the_querys_own(compass):
    for sentence, left_out in (("E N", 1), ("E N x", None), ("e N", None)):  # another spelling is another sentence
        rows = [row for row, _ in ask(compass, Compass(), sentence, 1, [1, 0], k=6)]
        assert sorted(rows) == [row for row in range(6) if row != left_out]
    assert compass.same_sentence(np.array([5, 1, 3, 0]), ["E", "N"], 1).tolist() == [False, True, False, False]
    assert not compass.same_sentence(np.array([], int), ["E", "N"], 1).size


def test_a_vector_without_length_is_near_nothing(tmp_path):
    table = index(tmp_path / "index", Compass(), ["0 0", "E", "W"])
    assert ask(table, Compass(), "E x", 0, [1, 0], k=9) == [(2, 1.0), (0, 0.0), (1, 0.0), (3, -1.0)]
    assert {cosine for _, cosine in ask(table, Compass(), "0 x", 0, [1, 0], k=9)} == {0.0}


@pytest.fixture(scope="module")
def labeled(tmp_path_factory):
    """Rows: 0 Bank, 1 gives | 2 the, 3 banks | 4 shore, 5 bank | 6 bank (not labeled), 7 shore (the same sense as 4)."""
    sentences = [
        Sentence(("Bank", "gives"), (Target(0, "Bank", "bank.money", "bank"),)),
        Sentence(("the", "banks"), (Target(1, "banks", "bank.river", "bank"),)),
        Sentence(("shore", "bank"), (Target(0, "shore", "bank.river", "shore"), Target(1, "bank", "bank.river", "bank"))),
        Sentence(("bank", "shore"), (Target(1, "shore", "bank.river", "shore"),)),
    ]
    return index(tmp_path_factory.mktemp("labeled") / "index", FakeEncoder(), sentences)


@pytest.mark.parametrize(
    ("word", "options", "rows"),
    [
        ("bank", {"which": ANY}, [0, 1, 2, 3, 4, 5, 6, 7]),
        ("bank", {"which": SAME}, [0, 3, 5, 6]),  # any letter case, inflected forms by their lemma, and not labeled ones
        ("BANK", {"which": SAME}, [0, 3, 5, 6]),
        ("banks", {"which": SAME}, [0, 3, 5]),  # row 6 has no lemma: nothing says that it is the same word
        ("bank", {"which": OTHER}, [1, 2, 4, 7]),
        *(("gives", {"which": SAME}, [1]), ("gives", {"which": OTHER}, [0, 2, 3, 4, 5, 6, 7])),
        *(("elsewhere", {"which": SAME}, []), ("elsewhere", {"which": OTHER}, [0, 1, 2, 3, 4, 5, 6, 7])),
    ],
)
def test_filters_keep_the_rows_they_name(labeled, word, options, rows):
    assert sorted(row for row, _ in ask(labeled, FakeEncoder(), f"x {word}", 1, [1, 1, 1], k=99, **options)) == rows


def test_nearest_types_compare_with_the_mean_of_each_spelling(tmp_path):
    table = index(tmp_path / "index", Compass(), ["E.x N.x", "N.x", "E.y E.y", "W.z"])  # all begin with their own direction
    result = products(table.types, make_query(Compass(), ["E.x"], 0))
    names = [(n.word, round(n.cosine, 3), n.occurrences) for n in table.nearest_types(result, [1, 0])]  # the word itself is left out
    assert names == [("e.y", 1.0, 2), ("n.x", 0.0, 2), ("w.z", -1.0, 1)]

    cosines = {n.word: n.cosine for n in table.nearest_types(result, [0, 1])}
    assert cosines["n.x"] == pytest.approx(math.sqrt(0.5), abs=1e-3)  # once in a sentence of E, once of N: the mean is NE


@pytest.mark.parametrize("weights", [(1, 0, 0), (0.2, -1.0, 3.0)])
def test_neighbors_are_ranked_by_the_cosines_of_vectors_that_were_really_mixed(random_table, weights):
    query = make_query(FakeEncoder(), ["some", "word"], 1)
    mix = np.einsum("l,ld->d", weights, query.layers)
    mixes = np.einsum("l,nld->nd", weights, random_table.rows.take(np.arange(60)).astype(np.float64))
    expected = mixes @ mix / (np.linalg.norm(mix) * np.linalg.norm(mixes, axis=1))
    near = random_table.nearest(products(random_table.rows, query), weights, k=60)
    np.testing.assert_allclose([n.cosine for n in near], expected[[n.occurrence.row for n in near]], atol=1e-3)
    np.testing.assert_allclose([n.cosine for n in near], np.sort(expected)[::-1], atol=1e-3)


@given(st.integers(0, 2**32 - 1), st.integers(1, 900), st.integers(1, 12), st.sampled_from([3, 40, 10**6]))
@settings(max_examples=60)
def test_the_best_are_those_of_a_full_sort_with_ties_in_row_order(seed, n, k, n_different):
    random = np.random.default_rng(seed)
    values = (random.integers(0, n_different, n) / n_different).astype(np.float32) * 2 - 1
    values[random.random(n) < random.choice([0, 0.5, 0.99])] = -np.inf  # not asked for
    rows = np.argsort(-values, kind="stable")
    assert best(values, k).tolist() == rows[values[rows] > -np.inf][:k].tolist()


def test_similarities_are_the_cosines_of_the_chosen_rows_with_each_other(random_table):
    rows, weights = np.array([3, 0, 17, 59]), [0.5, -1.0, 2.0]
    mixes = np.einsum("l,nld->nd", weights, random_table.rows.take(rows))
    unit = mixes / np.linalg.norm(mixes, axis=1, keepdims=True)
    np.testing.assert_allclose(random_table.similarities(rows, weights), unit @ unit.T, atol=1e-5)

    assert random_table.similarities(np.array([], int), weights).shape == (0, 0)


SMALL_QUERY, QUERY = make_query(Compass(), ["E"], 0), make_query(FakeEncoder(), ["x"], 0)


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda small, _: small.nearest(products(small.rows, SMALL_QUERY), [1, 0], k=-3), "k must be at least 1, got -3"),
        (lambda small, _: small.nearest(products(small.rows, SMALL_QUERY), [1, 0], which="all"), "neighbors 'all'. Choose: any word"),
        (lambda small, _: small.nearest_types(products(small.types, SMALL_QUERY), [1, 0], k=0), "k must be at least 1, got 0"),
        (lambda small, _: products(small.rows, QUERY), "The index has 2 layers of 2, the model 3 of 4"),
        (lambda _, table: products(table.rows, SMALL_QUERY), "The index has 3 layers of 4, the model 2 of 2"),
        (lambda _, table: table.nearest(products(table.rows, QUERY), [1, 0]), "Give 3 layer weights, one per layer, not 2"),
        (lambda _, table: table.nearest_types(products(table.types, QUERY), [1, 0]), "Give 3 layer weights"),
        (lambda _, table: table.similarities(np.array([0, 1]), [1, 0]), "Give 3 layer weights"),
        (lambda *_: make_query(FakeEncoder(), [], 0), "Empty sentence"),
        (lambda *_: make_query(FakeEncoder(), ["a", "b"], -1), r"Position -1 is outside the sentence \(0 to 1\)"),
        (lambda *_: make_query(FakeEncoder(), ["a", "b"], 2), r"Position 2 is outside the sentence \(0 to 1\)"),
    ],
)
def test_wrong_requests_are_refused_with_the_value(compass, random_table, compute, message):
    with pytest.raises(BadInput, match=message):
        compute(compass, random_table)


def test_readings_and_searches_leave_the_number_of_torch_threads_of_each_run_as_it_is(random_table, monkeypatch):
    """A thread's own count outlives torch.set_num_threads elsewhere; on a busy machine that cost a tiny model 40 times."""
    encoder, before = tiny_encoder(), torch.get_num_threads()
    began, directions, searches, run, multiply = [], [], [], encoder.model.run_direction, neighbors._layer_products
    monkeypatch.setattr(
        encoder.model, "run_direction", lambda *args, **how: directions.append(torch.get_num_threads()) or run(*args, **how)
    )
    monkeypatch.setattr(neighbors, "_layer_products", lambda *args: searches.append(torch.get_num_threads()) or multiply(*args))
    monkeypatch.setattr(neighbors, "compiled_products", lambda: None)

    def visit():  # a page run is a thread of its own
        began.append(torch.get_num_threads())
        encoder.encode([["the", "bank", "opens"]])
        products(random_table.rows, QUERY)

    try:
        for n in (16, 16, 1, 4):
            torch.set_num_threads(n)
            thread = threading.Thread(target=visit)
            thread.start()
            thread.join()
            assert torch.get_num_threads() == n
    finally:
        torch.set_num_threads(before)
    assert began == [16, 16, 1, 4] and directions == [8] * 4 + [1] * 2 + [2] * 2 and set(searches) == {1}


FISHING = ["Grandpa", "fished", "from", "the", "bank", "until", "dusk", "."]
MIXES = [softmax(w) for w in np.random.default_rng(4).uniform(-6, 6, (60, 3))]


def in_browser(sent: Candidates, weights) -> np.ndarray:
    """Return the cosines (n,) of candidates under one mix (L,), as the browser computes them."""
    return mix_cosines(*(item.astype(np.float64) for item in (sent.cross, sent.own, sent.grams)), np.asarray(weights, np.float64))


@pytest.mark.parametrize("normalized", [False, True])
def test_the_rows_sent_have_the_cosines_of_a_search_under_any_mix(model, table, normalized):
    result = products(table.rows, make_query(model.encoder, FISHING, 4))
    result = neighbors.normalized_products(table.rows, result) if normalized else result
    sent = choose_candidates(table.rows, result, table.same_word("bank"), np.ones(3))
    for weights in MIXES:
        near = table.nearest(result, weights, k=len(sent.rows), which=SAME)
        by_row = dict(zip(sent.rows.tolist(), in_browser(sent, weights), strict=True))
        assert {n.occurrence.row for n in near} == by_row.keys()
        np.testing.assert_allclose([n.cosine for n in near], [by_row[n.occurrence.row] for n in near], atol=1e-6)


def test_of_many_spellings_those_sent_hold_the_nearest_under_any_mix(model, tmp_path, monkeypatch):
    monkeypatch.setattr(neighbors, "MOST", 300)
    table = build_index(open_corpus(BUNDLED_CORPUS, model.language)[:120], model.encoder, tmp_path / "all", model="m")
    result = products(table.types, make_query(model.encoder, FISHING, 4))
    lengths = np.sqrt(table.types.gram[:, [0, 3, 5]].mean(axis=0))
    sent = choose_candidates(table.types, result, np.arange(len(table.types)) != table.word_codes["bank"], lengths)
    assert 60 < len(sent.rows) <= 300 < len(table.types) - 1 and (np.diff(sent.rows) > 0).all()

    for weights in MIXES:
        near = table.nearest_types(result, weights, k=10)
        assert [table.words[sent.rows[k]] for k in np.argsort(-in_browser(sent, weights), kind="stable")[:10]] == [n.word for n in near]


def similarities(layer_products: np.ndarray, n: int, weights) -> np.ndarray:
    """`products_of_pairs` of n rows and a mix (L,) -> cosines (n, n) float64; 0 where a mix has no length."""
    s = np.asarray(weights, np.float64)
    values = np.zeros((n, n))
    values[np.triu_indices(n)] = np.einsum("i,pij,j->p", s, layer_products.astype(np.float64), s)
    values = values + np.triu(values, 1).T
    lengths = np.sqrt(np.maximum(np.diag(values), 0.0))
    together = lengths[:, None] * lengths
    return np.clip(np.divide(values, together, out=np.zeros((n, n)), where=together > 1e-12), -1.0, 1.0)


@pytest.mark.parametrize("normalized", [False, True])
def test_products_of_all_pairs_give_the_cosines_of_rows_with_each_other_and_so_the_senses_accuracy(table, normalized):
    chosen = table.labeled_rows("bank")
    layers = table.rows.take(chosen)
    of_pairs = neighbors.products_of_pairs(layer_normalized(layers) if normalized else layers)
    for weights in MIXES[:20]:
        expected = table.similarities(chosen, weights, normalized=normalized)
        result = similarities(of_pairs, len(chosen), weights)
        np.testing.assert_allclose(result, expected, atol=2e-6)
        assert abs(one_nn(result, table.sense[chosen]) - one_nn(expected, table.sense[chosen])) < 1.01 / len(chosen)


def test_two_queries_products_give_their_cosine_and_candidates_of_two_tables_are_joined_with_theirs(model, table):
    queries = [make_query(model.encoder, FISHING, k) for k in (4, 6)]
    plain = [products(table.rows, query) for query in queries]
    normalized = [neighbors.normalized_products(table.rows, result) for result in plain]
    x, y = (query.layers for query in queries)
    np.testing.assert_allclose(neighbors.products_between(*plain), x @ y.T, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(neighbors.products_between(*normalized), layer_normalized(x) @ layer_normalized(y).T, rtol=1e-4, atol=1e-3)
    of_types, of_rows = products(table.types, queries[0]), plain[0]
    parts = neighbors.candidates_of(table.types, of_types, np.array([3, 8])), neighbors.candidates_of(table.rows, of_rows, np.array([5]))
    result = neighbors.join_candidates(parts, np.array([-4, -9, 5]))
    for weights in MIXES[:5]:
        expected = [*cosines(table.types, of_types, weights)[[3, 8]], cosines(table.rows, of_rows, weights)[5]]
        np.testing.assert_allclose(in_browser(result, weights), expected, atol=1e-6)


def test_mixes_are_even_in_what_the_layers_count_for_and_few_of_many_layers():
    result = even_mixes(np.array([2.0, 5.0, 10.0]))
    tenths = 10 * result * [2.0, 5.0, 10.0] / (result @ [2.0, 5.0, 10.0])[:, None]
    assert result.shape == (66, 3) and np.allclose(result.sum(axis=1), 1) and np.allclose(tenths, np.round(tenths))
    result = even_mixes(np.ones(13))
    assert result.shape[1] == 13 and 13 <= len(result) <= neighbors.MIXES
    assert all((result == item / item.sum()).all(axis=1).any() for item in np.eye(13))  # every layer alone among them


def test_compiled_products_widen_every_float16_exactly_and_take_rows_of_other_shapes():
    stored_rows.warm_up()
    multiply, random = stored_rows.compiled_products(), np.random.default_rng(0)
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    every = every[np.isfinite(every)]  # both zeros and what is below the smallest normal number among them
    narrow, out = np.zeros((len(every), 1, 2), np.float16), np.empty((1, 1, len(every)), np.float32)
    narrow[:, 0, 0] = every
    multiply(narrow, out, np.array([[1.0, 5.0]], np.float32))
    np.testing.assert_array_equal(out[0, 0], every.astype(np.float32))
    narrow, wanted = random.normal(size=(37, 3, 50)).astype(np.float16), random.normal(size=(4, 50)).astype(np.float32)
    narrow.flags.writeable = False  # as a memory-mapped file is
    complete = np.zeros((4, 3, 50), np.float32)
    multiply(narrow, complete[:, :, 5:42], wanted)
    np.testing.assert_allclose(complete[:, :, 5:42], np.einsum("id,njd->ijn", wanted, narrow.astype(np.float32)), atol=1e-4)
    assert not complete[:, :, :5].any() and not complete[:, :, 42:].any()
