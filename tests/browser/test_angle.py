"""The angle of How it works in a real Chromium: core's cosine at every place of the slider."""

import numpy as np
import pytest
from playwright.sync_api import Page

from core.common.config import ROOT
from core.elmo.mix import along, mix_cosines, pair_products, stops
from pages._widgets.instruments import SHARED

pytestmark = pytest.mark.browser

ALL = """async ([source, cases]) => {
  const own = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  return cases.map(([place, data]) => own.cosineAt(place, data));
}"""


def test_every_place_between_the_layers_has_core_s_cosine(page: Page):
    rng, cases, expected = np.random.default_rng(3), [], []
    for n_layers in (3, 3, 3, 13):
        a, b = rng.normal(size=(2, n_layers, 32)) * rng.uniform(0.5, 9, (1, n_layers, 1)) + rng.normal(size=(1, n_layers, 32))
        weights, (cross, *own) = stops(n_layers), pair_products(a, b)
        data = {"stops": weights.tolist(), "cross": cross.ravel().tolist(), "own": [item.tolist() for item in own]}
        for place in (0, n_layers, *rng.uniform(0, n_layers, 25)):
            cases.append([float(place), data])
            expected.append(mix_cosines(cross[None], own[0], own[1][None], along(place, weights))[0])
    page.goto("about:blank")
    source = SHARED + (ROOT / "pages/_how/angle.js").read_text("utf-8")
    np.testing.assert_allclose(page.evaluate(ALL, [source, cases]), expected, atol=1e-6)
    assert np.ptp(expected) > 0.3
