"""Home's first screen, on a phone and on a laptop: question, sentences, verdict and picture without scrolling."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

PARTS = ("h1", ".st-key-a input", ".st-key-bi", ".verdict", ".st-key-home_picture")


def test_the_first_screen_holds_sentences_verdict_and_picture_and_the_tour_covers_none(page: Page, server: str):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(server)
    expect(page.locator(".verdict")).to_contain_text("Two meanings")
    expect(page.locator(".st-key-home_picture .main-svg").first).to_be_visible()
    boxes = [page.locator(part).first.bounding_box() for part in PARTS]
    for above, below in pairwise(boxes):
        assert above["y"] + above["height"] <= below["y"] + 4
    assert boxes[0]["y"] >= 0 and boxes[-1]["y"] + boxes[-1]["height"] <= 844
    card = page.locator("section", has_text="Try this: 1 of 3").bounding_box()
    assert card["y"] >= boxes[-2]["y"] + boxes[-2]["height"]
    drawn = page.locator(".st-key-angle .scatterlayer").first.bounding_box()
    assert drawn["y"] + drawn["height"] <= card["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    page.get_by_role("button", name="Skip").click()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    for part in PARTS:
        box = page.locator(part).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 900
