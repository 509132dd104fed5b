"""What the Map page sends to its instrument is core's, and what a browser says was set is taken or left."""

import base64
import json

import numpy as np
import pytest

from core.analysis.word_maps import open_maps
from core.elmo.mix import layer_weights
from core.live.settings import map_setting
from core.senses.trust import links
from pages._cached import opened as cached
from pages._frame.choices import ALL
from pages._map import map_view
from pages._widgets import components
from tests.app.test_pages import opened

GIVEN = {"view": "1", "dot": "7", "picked": [7, 9]}


def sent(page) -> dict:
    """The data of the instrument on an opened page."""
    result = [json.loads(block.proto.json) for block in page.get("bidi_component") if block.proto.component_name == "elmoscope_map"]
    assert result, "the page has no instrument"
    return result[-1]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (GIVEN, ("1", "7", [7, 9])),
        (GIVEN | {"view": "all layers", "picked": []}, ("all layers", "7", [])),
        (GIVEN | {"picked": [7, "9", 12, None, 9]}, ("1", "7", [7, 9])),  # rows of another word, and no rows
        (GIVEN | {"view": "5"}, None),
        (GIVEN | {"dot": 7}, None),
        (GIVEN | {"picked": "7"}, None),
        ({}, None),
        ("nonsense", None),
    ],
)
def test_what_a_browser_says_was_set_is_taken_where_the_map_has_it(monkeypatch, given, expected):
    monkeypatch.setattr(components.st, "session_state", {map_view.LIVE: {"set": given}})
    assert map_setting(components.get_settings(map_view.LIVE), ("0", "1", "2", "mix", ALL), [7, 8, 9]) == expected


def test_dots_stars_and_true_neighbors_are_core_s_in_every_layer():
    page = opened("pages/map.py", a="Grandpa fished from the bank until dusk.", b="My bank closed the account.")
    data = sent(page)
    corpus, model = "sentences", "elmo-mini"
    names, n = data["names"], len(data["rows"])
    places = np.frombuffer(base64.b64decode(data["places"]), "<f4").reshape(len(names), -1, 2)
    table = cached.targets(corpus, model)
    maps = open_maps(table, "bank", fit=True)
    assert names == [*maps.names, "senses"]
    np.testing.assert_allclose(places[:-1, :n], maps.coordinates, atol=1e-5)
    assert places.shape[1] == n + 2 + len(data["labels"]) and [item["name"] for item in data["stars"]] == ["first", "second"]
    for k, (name, flat) in enumerate(zip(maps.names, maps.coordinates, strict=True)):
        cosines = table.similarities(np.array(data["rows"]), layer_weights(name, table.meta["layers"]))
        for dot in (0, n - 1):
            assert data["links"][str(dot)][k] == links(cosines[dot], flat, flat[dot], own=dot).as_lists
