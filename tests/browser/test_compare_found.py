"""Groups and Compare in a real Chromium: cold links, an edit that is seen, wrong input answered in a sentence."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import choose, opened

pytestmark = pytest.mark.browser


def test_a_cold_link_opens_a_word_in_as_many_groups_as_it_says(page: Page, server: str):
    opened(page, server, "found?found_word=match&found_k=3")
    expect(page.get_by_role("heading", level=1)).to_have_text("How many meanings does it have here?")
    expect(page.locator("[data-stale=false] .notice")).to_contain_text("“match”")
    expect(page.locator("[data-stale=false] .notice")).to_contain_text("Adjusted Rand index with the ")
    expect(page.locator(".colhead:visible")).to_have_count(3)
    expect(page.get_by_role("button", name="Labeled sentences (JSONL)")).to_be_visible()


def test_an_edited_label_names_the_group_everywhere(page: Page, server: str):
    opened(page, server, "found?found_word=bank&found_k=2")
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    table.dblclick(position={"x": 60, "y": 55})  # a cell on the canvas; its editor is a box above it
    box = page.locator("textarea.gdg-input")
    box.fill("beside the water")
    box.press("Enter")
    expect(page.locator(".colhead").first).to_contain_text("beside the water")
    page.get_by_role("heading", level=1).click()  # the table lets go of the focus
    choose(page, "Layer", "1")  # another layer has other groups, with names of their own
    expect(page.locator(".colhead").first).not_to_contain_text("beside the water")
    choose(page, "Layer", "sense space")
    expect(page.locator(".colhead").first).to_contain_text("beside the water")
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_word_that_is_too_rare_is_answered_in_a_sentence(page: Page, server: str):
    page.goto(f"{server}/senses?found_word=%3Cb%3Ezyzzyva%3C/b%3E")
    expect(page.get_by_test_id("stAlert")).to_contain_text("is in none of")
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_layers_are_compared_and_a_word_is_looked_at(page: Page, server: str):
    opened(page, server, "compare?first=elmo-mini+%C2%B7+1&second=elmo-mini+%C2%B7+2")
    expect(page.locator("[data-stale=false] .notice")).to_contain_text("elmo-mini · 1 and elmo-mini · 2")
    expect(page.locator(".colhead")).to_have_count(2)
    box = page.get_by_label("Word", exact=True)
    box.fill("bank")
    box.press("Enter")
    expect(page.locator(".colhead").first).to_contain_text("“bank” in elmo-mini · 1")
    expect(page).to_have_url(re.compile("cmp_word=bank"))
    box.fill("zyzzyva<b>")
    box.press("Enter")
    expect(page.get_by_test_id("stAlert").last).to_contain_text("is not in both")
    expect(page.get_by_test_id("stException")).to_have_count(0)
