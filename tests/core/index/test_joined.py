"""Tables read as one: the first's rows keep their numbers, names and vectors are everyone's own, means are over all rows."""

import numpy as np
import pytest

from core.elmo.mix import gram
from core.index.neighbors import make_query
from core.index.tables import open_table, with_further
from core.senses.verdict import has_senses


@pytest.fixture(scope="module")
def tables(model, table):
    return table, open_table("sentences+python+shot+shoot", model, targets_only=True)


def test_rows_of_the_first_table_keep_their_numbers_and_others_stand_behind_them(tables):
    own, joined = tables
    n = len(own)
    assert joined.lemmas == [*own.lemmas, "python", "shot", "shoot"] and len(joined) > n + 40
    for row in (0, n // 2, n - 1):
        assert joined.occurrence(row) == own.occurrence(row)
    np.testing.assert_array_equal(joined.rows.take(np.arange(n)), own.rows.take(np.arange(n)))
    rows = joined.labeled_rows("python")
    result = [joined.occurrence(int(row)) for row in rows]
    assert {o.lemma for o in result} == {"python"} and len({o.sense for o in result}) >= 2 and has_senses(joined, "python")
    assert all(o.tokens[o.position].casefold() == o.word for o in result)
    assert set(joined.pos_of(rows)) == {"noun"} and "verb" in joined.pos_of(joined.labeled_rows("shoot"))


def test_vectors_and_products_stand_beside_their_words(model, tables):
    _, joined = tables
    row = int(joined.labeled_rows("python")[3])
    o = joined.occurrence(row)
    fresh = make_query(model.encoder, list(o.tokens), o.position)
    np.testing.assert_allclose(joined.rows.take(np.array([row]))[0], fresh.layers, atol=2e-2)
    np.testing.assert_allclose(joined.rows.gram, gram(joined.rows.take(np.arange(len(joined))).astype(np.float16)), rtol=1e-3, atol=1e-2)
    assert joined.same_sentence(np.arange(len(joined)), o.tokens, o.position)[row]
    near = joined.nearest(fresh, np.array([0.0, 1.0, 0.0]), k=10)
    assert row not in [each.occurrence.row for each in near] and "python" in {each.occurrence.lemma for each in near}


def test_a_spelling_s_mean_is_over_its_rows_in_every_table(model, tables):
    own, joined = tables
    assert len(joined.types) == len(joined.words) == len(set(joined.words))
    code = joined.word_codes["shot"]  # of "shoot" and of "shot"
    rows = np.flatnonzero(joined.word == code)
    assert {joined.occurrence(int(row)).lemma for row in rows} == {"shoot", "shot"}
    mean = joined.rows.take(rows).mean(axis=0)
    np.testing.assert_allclose(joined.types.take(np.array([code]))[0], mean, atol=2e-3)
    known = np.arange(len(own.words))
    np.testing.assert_array_equal(joined.types.take(known), own.types.take(known))
    query = make_query(model.encoder, ["The", "python", "swallowed", "a", "goat", "."], 1)
    assert joined.nearest_types(query, np.array([1.0, 0.0, 0.0]), k=1)[0].word.startswith("python")


def test_what_tells_tables_apart_is_what_they_hold(model, tables):
    own, joined = tables
    again = open_table("sentences+python+shot+shoot", model, targets_only=True)
    assert again.meta["corpus"] == joined.meta["corpus"] != own.meta["corpus"] and joined.meta["model"] == own.meta["model"]


def test_every_token_of_a_table_has_the_further_word_behind_it(model, tables):
    own, joined = tables
    both = with_further(own, "sentences+python", model)
    assert both.lemmas == [*own.lemmas, "python"] and with_further(own, "sentences", model) is own
    assert both.occurrence(len(own)) == joined.occurrence(int(joined.labeled_rows("python")[0]))
