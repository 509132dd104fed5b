"""A visitor's own word, one without any label: found on every page that looks at two sentences, in a real Chromium."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser

PAIR = {
    "a": "A jaguar watched the deer from a branch above the river.",
    "ai": "jaguar",
    "b": "My uncle drove his old jaguar to the garage on Monday.",
    "bi": "jaguar",
}


def test_it_has_lists_whose_lines_open_and_become_the_question(page: Page, server: str):
    opened(page, server, "neighbours?" + urlencode(PAIR))
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
