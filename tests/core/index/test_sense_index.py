"""Neighbors in the sense space: ranked by their places in it, and preselected where many sentences would be encoded."""

import shutil

import numpy as np
import pytest

from core.index import sense_space
from core.index.neighbors import ANY, OTHER, SAME
from core.index.rows import make_query
from core.index.sense_space import KEPT, WEIGHTS, SenseIndex
from core.index.table import OccurrenceTable
from core.text.tokens import tokenize

SENTENCE = "We sat on the bank and watched the boats."


@pytest.fixture(scope="module")
def index(table, space):
    return SenseIndex(table, space)


@pytest.fixture(scope="module")
def query(model):
    tokens = tokenize(SENTENCE)
    return make_query(model.encoder, tokens, tokens.index("bank"))


@pytest.mark.parametrize("which", [SAME, OTHER, ANY])
def test_the_nearest_are_those_of_highest_cosine_under_the_map_of_the_query_s_word(index, space, query, which):
    near = index.nearest(query, WEIGHTS, k=8, which=which)
    everything = space.place(space.of_rows(index.table, np.arange(len(index.table))), word="bank")
    values = everything @ space.place(space.views([(query.tokens, query.position)], query.layers[None]), word="bank")[0]
    same = index.table.same_word("bank")
    values[{SAME: ~same, OTHER: same, ANY: np.zeros(len(same), bool)}[which]] = -np.inf
    assert [n.occurrence.row for n in near] == np.argsort(-values, kind="stable")[:8].tolist()
    np.testing.assert_allclose([n.cosine for n in near], np.sort(values)[::-1][:8], atol=1e-5)
    assert not index.narrows(query, which)  # their substitutes are kept beside the table


def test_neighbors_have_the_sense_of_the_query_and_exclude_its_own_row(index, query, model):
    assert {n.occurrence.sense for n in index.nearest(query, WEIGHTS, k=8, which=SAME)} == {"river edge"}
    own = index.table.occurrence(int(index.table.labeled_rows("bank")[0]))
    near = index.nearest(make_query(model.encoder, list(own.tokens), own.position), WEIGHTS, k=50, which=SAME)
    assert own.row not in {n.occurrence.row for n in near} and len(near) == len(index.table.labeled_rows("bank")) - 1
    assert index.nearest(make_query(model.encoder, ["A", "zyzzyva", "sang", "."], 1), WEIGHTS, which=SAME) == []


def test_of_too_many_rows_to_read_the_nearest_at_layer_1_are_placed(index, space, query, tmp_path, monkeypatch):
    folder = shutil.copytree(index.table.folder, tmp_path / "copy")
    (folder / KEPT).unlink()
    bare = SenseIndex(OccurrenceTable(folder), space)
    monkeypatch.setattr(sense_space, "MOST_READ", 50)
    near = bare.nearest(query, WEIGHTS, k=60)
    layer = bare.table.nearest(query, [0, 1, 0], k=50)
    assert bare.narrows(query) and not bare.narrows(query, SAME)
    assert {n.occurrence.row for n in near} == {n.occurrence.row for n in layer}
    read, kept = (each.nearest(query, WEIGHTS, k=5, which=SAME) for each in (bare, index))
    assert [n.occurrence.row for n in read] == [n.occurrence.row for n in kept]
