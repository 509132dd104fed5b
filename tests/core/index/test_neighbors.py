"""Nearest occurrences and types: by hand on vectors one can see, then against brute force on really mixed vectors."""

import math
import threading

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.common.config import NEIGHBORS
from core.common.errors import BadInput
from core.index import build as building
from core.index import neighbors
from core.index.build import build_index
from core.index.neighbors import ANY, OTHER, SAME, best, cosines, cosines_of_mixes, products
from core.index.rows import make_query
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


def test_nearest_by_layer_1_are_those_of_sentences_that_point_the_same_way(compass):
    assert ask(compass, Compass(), "N x", 1, [0, 1], k=3) == [(2, 1.0), (3, 1.0), (0, 0.0)]


def test_only_the_token_of_the_same_sentence_is_left_out_as_the_querys_own(compass):
    for sentence, left_out in (("E N", 1), ("E N x", None), ("e N", None)):  # another spelling is another sentence
        rows = [row for row, _ in ask(compass, Compass(), sentence, 1, [1, 0], k=6)]
        assert sorted(rows) == [row for row in range(6) if row != left_out]
    rows = np.array([5, 1, 3, 0])
    assert compass.same_sentence(rows, ["E", "N"], 1).tolist() == [False, True, False, False]
    assert not compass.same_sentence(rows, ["E", "N", "!"], 1).any()
    assert not compass.same_sentence(rows[:0], ["E", "N"], 1).size


def test_k_larger_than_the_table_gives_all_of_it(compass):
    for k in (2, 6, 10_000):
        assert len(ask(compass, Compass(), "E x", 0, [1, 0], k=k)) == min(k, 6)


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
        ("gives", {"which": SAME}, [1]),
        ("gives", {"which": OTHER}, [0, 2, 3, 4, 5, 6, 7]),
        ("elsewhere", {"which": SAME}, []),
        ("elsewhere", {"which": OTHER}, [0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_filters_keep_the_rows_they_name(labeled, word, options, rows):
    assert sorted(row for row, _ in ask(labeled, FakeEncoder(), f"x {word}", 1, [1, 1, 1], k=99, **options)) == rows


def test_nearest_types_compare_with_the_mean_of_each_spelling(tmp_path):
    table = index(tmp_path / "index", Compass(), ["E.x N.x", "N.x", "E.y E.y", "W.z"])  # all begin with their own direction
    result = products(table.types, make_query(Compass(), ["E.x"], 0))
    names = [(n.word, round(n.cosine, 3), n.occurrences) for n in table.nearest_types(result, [1, 0], other_words=False)]
    # token names are folded to "e.x", ...: what counts is how they were encoded
    assert names == [("e.x", 1.0, 1), ("e.y", 1.0, 2), ("n.x", 0.0, 2), ("w.z", -1.0, 1)]
    assert [n.word for n in table.nearest_types(result, [1, 0])] == ["e.y", "n.x", "w.z"]  # the word itself is left out
    assert [n.word for n in table.nearest_types(result, [1, 0], k=1)] == ["e.y"]
    n_x = next(n for n in table.nearest_types(result, [0, 1]) if n.word == "n.x")
    assert n_x.cosine == pytest.approx(math.sqrt(0.5), abs=1e-3)  # once in a sentence of E, once of N: the mean is NE


WEIGHTS = st.lists(st.floats(-3, 3, width=32), min_size=3, max_size=3)


@given(weights=WEIGHTS, number=st.integers(0, 99))
@settings(max_examples=80)
def test_any_weights_give_the_cosines_of_vectors_that_were_really_mixed(random_table, weights, number):
    query = make_query(FakeEncoder(), ["some", f"word{number}"], 1)
    rows = random_table.rows.take(np.arange(60)).astype(np.float64)
    mix, mixes = np.einsum("l,ld->d", weights, query.layers), np.einsum("l,nld->nd", weights, rows)
    lengths = np.linalg.norm(mix) * np.linalg.norm(mixes, axis=1)
    assume(lengths.min() > 0.01 * max(np.abs(weights)) ** 2 > 0)
    expected = mixes @ mix / lengths
    result = products(random_table.rows, query)
    np.testing.assert_allclose(cosines(random_table.rows, result, weights), expected, atol=1e-3)
    near = [n.cosine for n in random_table.nearest(result, weights, k=10)]
    np.testing.assert_allclose(near, np.sort(expected)[::-1][:10], atol=1e-3)
    assert near == sorted(near, reverse=True)


def test_a_query_needs_one_pass_however_many_weights_are_tried(random_table, monkeypatch):
    result = products(random_table.rows, make_query(FakeEncoder(), ["x", "y"], 0))
    monkeypatch.setattr(random_table.rows, "layers", None)  # from here on no vector can be read
    item, other = random_table.nearest(result, [1, 0, 0]), random_table.nearest(result, [0, 0.5, 0.5])
    assert len(item) == len(other) == NEIGHBORS and [n.occurrence.row for n in item] != [n.occurrence.row for n in other]


def test_several_mixes_at_once_are_each_as_if_alone(random_table):
    result = products(random_table.rows, make_query(FakeEncoder(), ["x", "y"], 0))
    mixes = [[1, 0, 0], [0.2, -1, 3], [1e-6, 1e-6, 2e-6]]
    together = cosines_of_mixes(random_table.rows, result, mixes)
    for values, weights in zip(together, mixes, strict=True):
        np.testing.assert_allclose(values, cosines(random_table.rows, result, weights), atol=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(1, 900), st.integers(1, 12), st.sampled_from([3, 40, 10**6]))
@settings(max_examples=60)
def test_the_best_are_those_of_a_full_sort_with_ties_in_row_order(seed, n, k, n_different):
    random = np.random.default_rng(seed)
    values = (random.integers(0, n_different, n) / n_different).astype(np.float32) * 2 - 1
    values[random.random(n) < random.choice([0, 0.5, 0.99])] = -np.inf  # not asked for
    rows = np.argsort(-values, kind="stable")
    assert best(values, k).tolist() == rows[values[rows] > -np.inf][:k].tolist()


def test_similarities_are_the_cosines_of_the_chosen_rows_with_each_other(random_table, compass):
    rows, weights = np.array([3, 0, 17, 59]), [0.5, -1.0, 2.0]
    mixes = np.einsum("l,nld->nd", weights, random_table.rows.take(rows))
    unit = mixes / np.linalg.norm(mixes, axis=1, keepdims=True)
    np.testing.assert_allclose(random_table.similarities(rows, weights), unit @ unit.T, atol=1e-5)
    np.testing.assert_allclose(compass.similarities(np.array([0, 1, 4]), [1, 0]), [[1, 0, -1], [0, 1, 0], [-1, 0, 1]], atol=1e-6)
    assert random_table.similarities(np.array([], int), weights).shape == (0, 0)


def test_a_query_holds_its_token_and_layers_as_they_would_be_stored():
    query = make_query(FakeEncoder(), ["a", "b"], 1)
    assert query.word == "b" and query.layers.shape == (3, 4) and query.layers.dtype == np.float32
    np.testing.assert_array_equal(query.layers, FakeEncoder().token(["a", "b"], 1))


SMALL_QUERY, QUERY = make_query(Compass(), ["E"], 0), make_query(FakeEncoder(), ["x"], 0)


@pytest.mark.parametrize(
    ("compute", "message"),
    [
        (lambda small, _: small.nearest(products(small.rows, SMALL_QUERY), [1, 0], k=-3), "k must be at least 1, got -3"),
        (lambda small, _: small.nearest(products(small.rows, SMALL_QUERY), [1, 0], which="all"), "neighbors 'all'; use one of: any word"),
        (lambda small, _: small.nearest_types(products(small.types, SMALL_QUERY), [1, 0], k=0), "k must be at least 1, got 0"),
        (lambda small, _: products(small.rows, QUERY), "The index has 2 layers of 2, the model 3 of 4"),
        (lambda _, table: products(table.rows, SMALL_QUERY), "The index has 3 layers of 4, the model 2 of 2"),
        (lambda _, table: table.nearest(products(table.rows, QUERY), [1, 0]), "Give 3 layer weights, one per layer, not 2"),
        (lambda _, table: table.nearest_types(products(table.types, QUERY), [1, 0]), "Give 3 layer weights"),
        (lambda _, table: table.similarities(np.array([0, 1]), [1, 0]), "Give 3 layer weights"),
        (lambda _, table: cosines_of_mixes(table.rows, products(table.rows, QUERY), [[1, 0, 0], [1, 2]]), "Give 3 layer weights"),
        (lambda *_: make_query(FakeEncoder(), [], 0), "Empty sentence"),
        (lambda *_: make_query(FakeEncoder(), ["a", "b"], -1), r"Position -1 is outside the sentence \(0 to 1\)"),
        (lambda *_: make_query(FakeEncoder(), ["a", "b"], 2), r"Position 2 is outside the sentence \(0 to 1\)"),
    ],
)
def test_wrong_requests_are_refused_with_the_value(compass, random_table, compute, message):
    with pytest.raises(BadInput, match=message):
        compute(compass, random_table)


def test_searches_leave_the_number_of_torch_threads_of_each_run_as_it_is(random_table, monkeypatch):
    began, readers, multiply, before = [], [], neighbors._layer_products, torch.get_num_threads()

    def reader(*args):
        readers.append(torch.get_num_threads())
        return multiply(*args)

    def visit():  # a page run is a thread of its own
        began.append(torch.get_num_threads())
        encoder.encode([["the", "bank", "opens"]])
        products(random_table.rows, make_query(FakeEncoder(), ["x", "y"], 0))

    monkeypatch.setattr(neighbors, "compiled_products", lambda: None)
    monkeypatch.setattr(neighbors, "_layer_products", reader)
    encoder = tiny_encoder()
    try:
        torch.set_num_threads(16)  # as torch finds it on 16 cores
        for _ in range(5):
            thread = threading.Thread(target=visit)
            thread.start()
            thread.join()
        assert torch.get_num_threads() == 16 and began == [16] * 5 and set(readers) == {1}
    finally:
        torch.set_num_threads(before)
