"""A token put into frozen maps: each map as if it were alone."""

import numpy as np

from core.analysis import maps as projection
from core.analysis.word_maps import NEIGHBOURS_TO_PLACE, map_rows, open_maps, place, place_under
from core.common.model_layers import Layers
from core.elmo.mix import layer_weights
from core.index import neighbours

SPACES = Layers().spaces


def test_a_token_goes_where_each_map_alone_would_put_it(model, table):
    maps, rows = open_maps(table, "bank"), map_rows(table, "bank")
    query = neighbours.make_query(model.encoder, ["The", "bank", "raised", "its", "interest", "rates", "."], 1)
    result = neighbours.products(table.rows, query)
    placed = place(table, result, rows, maps)
    assert placed.shape == (len(SPACES), 2) and np.ptp(placed, axis=0).max() > 0
    for space, coordinates, at in zip(maps.names, maps.coordinates, placed, strict=True):
        cosines = neighbours.cosines(table.rows, result, layer_weights(space, 3))[rows]
        near = np.argsort(-cosines, kind="stable")[:NEIGHBOURS_TO_PLACE]
        np.testing.assert_allclose(at, projection.insert(coordinates, near[None], cosines[near][None])[0], atol=1e-4)
        np.testing.assert_allclose(place_under(table, result, rows, coordinates, layer_weights(space, 3)), at, atol=1e-4)
