"""Test How it works in Chromium."""

import re

from playwright.sync_api import Page, expect

from tests.browser.visit import opened


def test_boxes_of_the_network_open_their_steps(page: Page, server: str):
    opened(page, server, "how?a=The+tablet+was+carved+by+a+scribe.&ai=tablet")
    boxes, current = page.locator(".network .wide [data-step]"), page.locator(".network .wide [aria-current]")
    expect(boxes).to_have_count(7)
    expect(current).to_have_attribute("data-step", "1")
    for number, title in ((5, "Reading forward"), (7, "Layers side by side")):
        page.get_by_role("button", name=re.compile(f"^{number} .*{title}$")).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"{number} of 9: {title}")).to_be_visible()
        expect(current).to_have_attribute("data-step", str(number))
        expect(page).to_have_url(re.compile(f"step={number}"))
    boxes.nth(6).click()
    expect(page.get_by_text("9 of 9: Layer mix for a task")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".network .narrow [data-step='2']")).to_be_visible()
    expect(boxes.first).to_be_hidden()
