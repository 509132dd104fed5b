"""Test in Chromium that two tabs label the same word at the same time without losing a label or moving a row."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.test_main_path import at_rest, opened

pytestmark = pytest.mark.browser
NOTICE = "[data-stale=false] .notice"
ROW, HEAD = 35, 35  # pixels of a row and of the table's head
PER_TAB = 5  # labels; the last rows are below the visible part of the table
LABEL = "document.querySelector('.st-key-spread-label button').click()"


def tick(page: Page, row: int) -> None:
    """A row of the table, scrolled to where the row is the second one that is seen, or as near as the end of the table allows."""
    table = page.locator(".st-key-spread-table").get_by_test_id("stDataFrame")
    scroller = table.locator(".dvn-scroller")
    table.scroll_into_view_if_needed()
    table.hover(position={"x": 200, "y": 150})
    page.mouse.wheel(0, ROW * max(row - 1, 0) - scroller.evaluate("each => each.scrollTop"))
    page.wait_for_timeout(300)
    table.click(position={"x": 16, "y": HEAD + ROW * (row + 0.5) - scroller.evaluate("each => each.scrollTop")})
    expect(page.get_by_role("button", name="Label 1 sentence", exact=True)).to_be_enabled()


def name(page: Page, sense: str) -> None:
    box = page.get_by_role("combobox", name="Sense").first
    box.fill(sense)
    box.press("Enter")
    at_rest(page)


def test_two_tabs_label_a_word_at_once_and_lose_nothing(page: Page, visitor: BrowserContext, server: str):
    other = visitor.new_page()
    other.set_default_timeout(180_000)
    tabs = (page, 0, "animal"), (other, 20, "stamp")
    for tab, _, sense in tabs:
        opened(tab, server, "senses?senses_view=spread&found_word=seal")
        name(tab, sense)
    for k in range(PER_TAB):
        for tab, first, _ in tabs:
            tick(tab, first + k)
        for tab, *_ in tabs:  # neither waits for the other
            tab.evaluate(LABEL)
        for tab, *_ in tabs:
            expect(tab.get_by_role("button", name="Label 0 sentences")).to_be_visible()
            at_rest(tab)
    other.close()
    opened(page, server, "senses?senses_view=spread&found_word=seal")
    expect(page.locator(NOTICE, has_text=re.compile(rf"{2 * PER_TAB} labels spread to \d+ sentences"))).to_be_visible()
    for _, _, sense in tabs:  # the order of the senses depends on which tab was first
        expect(page.get_by_text(re.compile(rf"\b{sense} {PER_TAB} labeled"))).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
