"""A token put into frozen maps: each map as if it were alone."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.analysis import aligned_umap as projection
from core.analysis.word_maps import NEIGHBORS_TO_PLACE, map_rows, open_maps, place, place_under
from core.common.errors import BadInput
from core.common.model_layers import Layers
from core.elmo.mix import layer_weights
from core.index import neighbors

SPACES = Layers().spaces


@pytest.mark.parametrize("word", ["bank", "*", ""])
def test_a_corpus_without_labels_reports_it(word):
    table = SimpleNamespace(rows_to_draw=lambda lemma=None: np.zeros(0, int), lemmas=[])
    with pytest.raises(BadInput, match="This corpus has no labeled words") as refused:
        map_rows(table, word)
    assert "Choose one of" not in str(refused.value)


def test_a_word_without_labels_names_those_with_labels(table):
    with pytest.raises(BadInput, match=r"'zebra' has no labeled sentences here. Choose one of: \w+") as refused:
        map_rows(table, "zebra")
    assert table.lemmas[0] in str(refused.value)


def test_a_token_goes_where_each_map_alone_would_put_it(model, table):
    maps, rows = open_maps(table, "bank"), map_rows(table, "bank")
    query = neighbors.make_query(model.encoder, ["The", "bank", "raised", "its", "interest", "rates", "."], 1)
    result = neighbors.products(table.rows, query)
    placed = place(table, result, rows, maps)
    assert placed.shape == (len(SPACES), 2) and np.ptp(placed, axis=0).max() > 0
    for space, coordinates, at in zip(maps.names, maps.coordinates, placed, strict=True):
        cosines = neighbors.cosines(table.rows, result, layer_weights(space, 3))[rows]
        near = np.argsort(-cosines, kind="stable")[:NEIGHBORS_TO_PLACE]
        np.testing.assert_allclose(at, projection.insert(coordinates, near[None], cosines[near][None])[0], atol=1e-4)
        np.testing.assert_allclose(place_under(table, result, rows, coordinates, layer_weights(space, 3)), at, atol=1e-4)
