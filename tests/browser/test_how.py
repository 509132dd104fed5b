"""How it works in a real Chromium: cold by URL, step by step, odd words, nothing typed lost."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser


def test_the_walk_opens_at_the_step_in_the_address_and_goes_on_from_there(page: Page, server: str):
    opened(page, server, "how?step=5&howlayer=2")
    expect(page.get_by_role("heading", level=1)).to_have_text("How does a sentence become a vector?")
    expect(page.get_by_text("5 of 9: Reading forward")).to_be_visible()
    expect(page.locator("[data-stale=false] .notice")).to_contain_text("layer 2 keeps")
    page.get_by_role("button", name=re.compile("Next: ")).click()
    expect(page.get_by_text("6 of 9: Reading backward")).to_be_visible()
    expect(page).to_have_url(re.compile("step=6"))
    page.get_by_role("radio", name="9", exact=True).click()
    expect(page.get_by_role("slider")).to_have_count(4)
    expect(page.get_by_role("button", name="Last step")).to_be_disabled()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_every_box_of_the_network_opens_its_step_by_mouse_and_by_keyboard(page: Page, server: str):
    opened(page, server, "how?a=The+tablet+was+carved+by+a+scribe.&ai=tablet")
    boxes = page.locator(".network .wide [data-step]")
    expect(boxes).to_have_count(7)
    expect(page.locator(".network .wide [aria-current]")).to_have_attribute("data-step", "1")
    for number, title in ((5, "Reading forward"), (7, "Layers side by side")):
        box = page.get_by_role("button", name=re.compile(f"^{number} .*{title}$"))
        box.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"{number} of 9: {title}")).to_be_visible()
        expect(page.locator(".network .wide [aria-current]")).to_have_attribute("data-step", str(number))
        expect(page).to_have_url(re.compile(f"step={number}"))
    boxes.nth(6).click()
    expect(page.get_by_text("9 of 9: Layer mix for a task")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".network .narrow [data-step='2']")).to_be_visible()
    expect(boxes.first).to_be_hidden()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_another_word_has_other_numbers_and_any_characters_are_spelled(page: Page, server: str):
    opened(page, server, "how?a=%3Cb%3E+%F0%9F%8E%89+is+na%C3%AFve&ai=na%C3%AFve")
    notice = page.locator("[data-stale=false] .notice").first
    expect(notice).to_contain_text("6 bytes")
    page.get_by_role("radio", name="🎉").click()
    expect(notice).to_contain_text("4 bytes")
    for step in "235679":
        page.get_by_role("radio", name=step, exact=True).click()
        expect(page.get_by_text(re.compile(f"^{step} of 9: "))).to_be_visible()
        expect(notice).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    box = page.get_by_label("First sentence", exact=True)
    box.fill("")
    box.press("Enter")
    expect(page.get_by_text("Type a sentence, or pick an example")).to_be_visible()
