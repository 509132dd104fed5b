"""Texts of one's own, and words that nobody labeled, on Why and Senses, in a real Chromium."""

import re
from itertools import product
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import choose, opened
from tests.links import address

pytestmark = pytest.mark.browser

ROADS = (
    ("There was a long", "We stood in a", "The radio told of a"),
    ("on the bridge", "near the tunnel", "before the toll", "after the crash", "by the river"),
)
FOOD = (
    ("She cooked plum", "They sold cherry", "He loves apricot"),
    ("on warm bread", "with butter", "in small jars", "for breakfast", "at the market"),
)
LINES = [f"{who} jam {where}." for way in (ROADS, FOOD) for who, where in product(*way)]
TEXT = "\n".join([*LINES, *(line.replace(" jam", " jam today") for line in LINES)])
PATH = re.compile(r"(?:%2F|/)[\w.%-]+(?:%2F|/)[\w.%/-]*jsonl|\.cache|/tmp/|%2Ftmp%2F")
PAIR = urlencode({"a": "We sat in a traffic jam for hours.", "ai": "jam", "b": "He spread jam on the toast.", "bi": "jam"})


def at_peace(page: Page) -> None:
    """Neither an error nor a path of the machine, on the page or in its address."""
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.locator("[data-testid=stAlert] [data-testid=stAlertContentError]")).to_have_count(0)
    assert not PATH.search(page.url), page.url
    assert not PATH.search(page.locator("body").inner_text())


def test_texts_of_ones_own_are_used_on_every_page_by_their_name(page: Page, server: str):
    opened(page, server, "texts")
    choose(page, "Where are your texts?", "Paste")
    page.get_by_label("Your text", exact=True).fill(TEXT)
    page.get_by_role("button", name="Read", exact=True).click()
    page.get_by_role("button", name="Use these texts everywhere").click()
    expect(page.get_by_text(re.compile(r"These texts are used everywhere \(\d+ tokens\)"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"corpus=Pasted\+text"))
    at_peace(page)
    query, notice = page.url.partition("?")[2] + "&" + PAIR, page.locator("[data-stale=false] .notice")

    def link(view: str) -> str:
        return f"{server}/{address(f'{view}?{query}')}"

    page.goto(link("why") + "&reveal=true")
    expect(notice.first).to_contain_text(re.compile("it flips from “the first sentence” to “the second sentence” at edit"))
    expect(notice.last).to_contain_text(re.compile("separates the two most|brings the two closest|too close to call"))
    at_peace(page)
    page.goto(link("found") + "&found_word=jam")
    expect(notice).to_contain_text("“jam”")
    at_peace(page)


def test_a_word_that_nobody_labeled_is_answered_on_each_page(page: Page, server: str):
    pair = urlencode({"a": "The lynx slept on a branch.", "ai": "lynx", "b": "He sold his new lynx.", "bi": "lynx"})
    opened(page, server, f"why?{pair}")
    notice = page.locator("[data-stale=false] .notice")
    expect(notice.first).to_contain_text("“lynx” stays")
    page.get_by_text("Reveal", exact=True).click()
    expect(notice.first).to_contain_text("it flips")
    at_peace(page)
    expect(notice.last).to_contain_text(re.compile("“(slept|branch)” separates the two most|too close to call"))
    page.goto(f"{server}/{address('found?found_word=lynx')}")
    expect(page.get_by_test_id("stAlert")).to_contain_text("is in none of")
    expect(page.get_by_role("link", name="Add text")).to_be_visible()
    at_peace(page)
