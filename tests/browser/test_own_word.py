"""A visitor's own word, one without any label: found on every page that looks at two sentences, in a real Chromium."""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser

PAIR = {
    "a": "A mustang grazed beside the river until the sun went down.",
    "ai": "mustang",
    "b": "My uncle drove his old mustang to the garage on Monday.",
    "bi": "mustang",
}


def read(page: Page, server: str, path: str) -> None:
    """A page once every word of the sentences has been read, which the first visitor of a machine waits for."""
    opened(page, server, path)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=240_000)


def test_it_has_lists_whose_lines_open_and_become_the_question(page: Page, server: str):
    read(page, server, "neighbors?" + urlencode(PAIR))
    lines = page.locator("[data-stale=false] .kwic:has(.take)")
    expect(lines).to_have_count(16)
    line = lines.nth(8)
    line.locator("summary").click()
    sentence = line.locator(".whole").inner_text().strip()
    assert len(sentence.split()) > 3
    line.locator(".take").click()
    expect(page.get_by_label("Second sentence", exact=True)).to_have_value(sentence)
    expect(page.get_by_label("First sentence", exact=True)).to_have_value(PAIR["a"])
    page.get_by_role("button", name=re.compile("Back to “My uncle")).click()
    expect(page.get_by_label("Second sentence", exact=True)).to_have_value(PAIR["b"])


def test_it_has_a_map_with_two_stars_in_the_first_screen_and_back_leads_to_a_labeled_word(page: Page, server: str):
    read(page, server, "map?" + urlencode(PAIR))
    chart = page.locator(".map .plane")
    expect(page.locator("[data-stale=false] .notice").first).to_contain_text("are nearer to the first sentence")
    box = chart.bounding_box()
    assert box["y"] + box["height"] <= 900  # the picture stands on the first screen
    assert page.locator(".map .stars text").all_text_contents() == ["yours, 1", "yours, 2"]
    page.locator(".map").get_by_role("slider").press("Home")
    expect(page.locator("[data-stale=false] .notice").first).to_contain_text("your two words have one vector")
    page.get_by_role("combobox", name="Word").click()
    page.get_by_role("option", name=re.compile("^bank ·")).click()
    expect(page.locator("[data-stale=false] .notice").first).to_contain_text("“bank” sentences, each left out in turn")


def test_its_mix_lists_words_of_all_kinds_and_says_how_alike_the_two_are(page: Page, server: str):
    read(page, server, "mix?" + urlencode(PAIR))
    expect(page.locator(".mix")).to_contain_text("so no accuracy")
    expect(page.locator("[data-stale=false] .notice").first).to_contain_text("are nearer to the first sentence")
    expect(page.locator(".mix")).to_contain_text(re.compile(r"\d+° between your words"))
    expect(page.locator("[data-stale=false] .mix li:not(.gone)").first).to_be_visible()
