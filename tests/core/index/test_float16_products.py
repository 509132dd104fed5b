"""Products with float16 rows, compiled: every float16 is widened exactly, and a search answers as before."""

import numpy as np
import pytest

from core.index import rows
from core.index.neighbors import products
from core.index.rows import Query


@pytest.fixture(scope="module")
def multiply():
    rows.warm_up()
    return rows.compiled_products()


def test_every_finite_float16_is_widened_exactly(multiply):
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    every = every[np.isfinite(every)]  # both zeros and what is below the smallest normal number among them
    rows = np.zeros((len(every), 1, 2), np.float16)
    rows[:, 0, 0] = every
    out = np.empty((1, 1, len(every)), np.float32)
    multiply(rows, out, np.array([[1.0, 5.0]], np.float32))
    np.testing.assert_array_equal(out[0, 0], every.astype(np.float32))


def test_products_of_several_layers_with_rows_of_other_shapes(multiply):
    random = np.random.default_rng(0)
    rows = random.normal(size=(37, 3, 50)).astype(np.float16)
    wanted = random.normal(size=(4, 50)).astype(np.float32)
    rows.flags.writeable = False  # as a memory-mapped file is
    whole = np.zeros((4, 3, 50), np.float32)
    multiply(rows, whole[:, :, 5:42], wanted)
    np.testing.assert_allclose(whole[:, :, 5:42], np.einsum("id,njd->ijn", wanted, rows.astype(np.float32)), atol=1e-4)
    assert not whole[:, :, :5].any() and not whole[:, :, 42:].any()


def test_a_search_finds_the_same_once_it_is_compiled(model, table, multiply, monkeypatch):
    query = Query(("bank",), 0, table.rows.take(np.array([7]))[0])
    compiled = products(table.rows, query)
    monkeypatch.setattr(rows, "_compiled", [])
    assert rows.compiled_products() is None
    plain = products(table.rows, query)
    np.testing.assert_allclose(compiled.cross, plain.cross, atol=1e-3, rtol=1e-5)
    lists = [[n.occurrence.row for n in table.nearest(result, [0.2, 0.3, 0.5], k=20)] for result in (compiled, plain)]
    assert lists[0] == lists[1]
