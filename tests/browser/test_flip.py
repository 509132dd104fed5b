"""Edit until it flips, in a real Chromium."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser


def test_words_without_labelled_senses_and_markup_are_answered_with_a_sentence(page: Page, server: str):
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    text = "Zzyx+%3Cimg+src%3Dx+onerror%3Dalert(1)%3E+🎉"
    opened(page, server, f"flip?a={text}&b={text}+again&reveal=true")
    expect(page.get_by_text("has no labeled senses: each step is compared with the two sentences")).to_be_visible()
    expect(page.locator("[data-stale=false] .notice")).to_contain_text("At layer 1")  # which the verdict reads
    assert page.locator("img[src='x']").count() == 0


def test_a_path_is_guessed_revealed_and_hidden_again_for_another_order(page: Page, server: str):
    opened(page, server, "flip")
    notice = page.locator("[data-stale=false] .notice")
    expect(notice).to_contain_text("Guess where the prediction changes")
    expect(page.locator(".kwic .chip")).to_have_count(0)
    page.get_by_text("Reveal", exact=True).click()
    expect(notice).to_contain_text(re.compile("it flips from .+ at edit|It never flips"))
    expect(page).to_have_url(re.compile("reveal=true"))
    expect(page.locator(".kwic .chip").first).to_be_visible()
    page.get_by_role("radio", name="nearest the word first").click()
    expect(notice).to_contain_text("Guess where the prediction changes")
    expect(page.get_by_test_id("stException")).to_have_count(0)
