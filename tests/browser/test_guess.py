"""Guess the machine in a real Chromium: a whole quiz by keyboard alone, its line copied, and another quiz."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import AT_REST
from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser


def test_a_quiz_is_played_by_keyboard_and_its_line_copied(page: Page, server: str):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, server, "guess?quiz=7")
    squares, notice = page.locator(".guess-squares i"), page.locator("[data-stale=false] .notice")
    for k in range(8):
        choices = page.locator(f"[class*='st-key-guess-choose-7-{k}-'] button")
        expect(choices.first).to_be_enabled()
        expect(squares).to_have_count(8)
        expect(page.locator(".guess-squares i:is(.hit, .miss)")).to_have_count(k)
        if k % 2:  # by its number, once that choice stands too: each is drawn by itself
            expect(choices.nth(1)).to_be_enabled()
            page.wait_for_function(AT_REST)
            page.keyboard.press("2")
        else:  # as any button
            choices.first.focus()
            page.keyboard.press("Enter")
        go_on = page.locator(f"[class*='st-key-guess-next-7-{k}'] button")
        expect(go_on).to_be_visible()
        expect(notice).to_contain_text(re.compile("(1 point|0 points): .*(is right|is wrong|the label is)"))
        expect(choices).to_have_count(0)
        expect(page.locator(".guess-sense .chip.elmo")).to_have_count(1)
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text(re.compile(r"You matched ELMo in \d of 8"))).to_be_visible()
    line = page.locator(".share p")
    expect(line).to_have_text(
        re.compile(r"^Guess the machine 7 · [■□]{8} \d/8 · ELMo \d/8 · http://127\.0\.0\.1:\d+/learn\?learn_view=guess&quiz=7$")
    )
    hits = int(re.search(r"(\d)/8 · ELMo", line.inner_text())[1])
    assert line.inner_text().count("■") == hits == page.locator(".guess-squares i.hit").count()
    copy = page.get_by_role("button", name="Copy")
    copy.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == line.inner_text()
    page.get_by_role("button", name="Another quiz").press("Enter")
    expect(page.get_by_text("Question 1 of 8")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]quiz=\d{5}(&|$)"))
    expect(page.locator(".guess-squares i:is(.hit, .miss)")).to_have_count(0)
    page.go_back()
    expect(page.get_by_text("Quiz 7", exact=True)).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
