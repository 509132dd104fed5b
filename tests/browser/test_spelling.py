"""Any spelling, a step of How it works, in a real Chromium: words by URL, another word, odd words."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser


def test_words_of_a_link_are_read_and_another_word_changes_what_is_noticed(page: Page, server: str):
    opened(page, server, "how?step=4&spell=dog+doggy")
    notice, box = page.locator("[data-stale=false] .notice").first, page.get_by_label("Words", exact=True)
    expect(box).to_have_value("dog doggy")
    expect(page.get_by_text("no vector", exact=True)).to_have_count(0)
    expect(page.locator(".kwic", has_text="dogs").first).to_be_visible()
    box.fill("dog, blorptasticks dgoo")
    box.press("Enter")
    expect(notice).to_contain_text("“blorptasticks”")
    expect(page).to_have_url(re.compile("spell=dog"))
    page.get_by_role("radio", name="blorptasticks", exact=True).click()
    expect(page.get_by_text("no vector", exact=True)).to_be_visible()
    expect(page.locator(".xtick", has_text="b").first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_odd_words_get_a_sentence_or_a_picture_and_never_run(page: Page, server: str):
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    opened(page, server, "how?step=4&spell=%3Cimg/src%3Dx/onerror%3Dalert(1)%3E+눈사람+🎉+*a*+" + "x" * 900)
    expect(page.locator("img[src='x']")).to_have_count(0)
    expect(page.get_by_text("Characters past 48 bytes")).to_have_count(0)
    box = page.get_by_label("Words", exact=True)
    box.fill(" , ")
    box.press("Enter")
    expect(page.get_by_text("Type a word or choose an example.")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.get_by_test_id("stButtonGroup").get_by_text("Inflections").click()
    expect(box).to_have_value("walk walks walked walking")
    expect(page.locator("[data-stale=false] .notice").first).to_contain_text("GloVe knows every word")


def test_on_a_phone_the_words_do_not_scroll_sideways(page: Page, server: str):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, server, "how?step=4&spell=because+becuase+unfriendlyish+" + "w" * 60)
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 2")
