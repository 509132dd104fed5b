"""Why in a real Chromium: the game, then the words that decide; a cold link, every example as it is named, an edit, bad input."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser


def test_words_without_labeled_senses_and_markup_are_answered_with_a_sentence(page: Page, server: str):
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    text = "Zzyx+%3Cimg+src%3Dx+onerror%3Dalert(1)%3E+🎉"
    opened(page, server, f"why?a={text}&b={text}+again&reveal=true")
    expect(page.get_by_text("has no labeled senses: each step is compared with the two sentences")).to_be_visible()
    expect(page.locator("[data-stale=false] .notice").first).to_contain_text("At layer 1")  # which the verdict reads
    assert page.locator("img[src='x']").count() == 0


def test_a_path_is_guessed_revealed_and_hidden_again_for_another_order(page: Page, server: str):
    opened(page, server, "why")
    notice = page.locator("[data-stale=false] .notice").first
    expect(notice).to_contain_text("Guess where the prediction changes")
    expect(page.locator(".kwic .chip")).to_have_count(0)
    page.get_by_text("Reveal", exact=True).click()
    expect(notice).to_contain_text(re.compile("it flips from .+ at edit|It never flips"))
    expect(page).to_have_url(re.compile("reveal=true"))
    expect(page.locator(".kwic .chip").first).to_be_visible()
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("radio", name="nearest the word first").click()
    expect(notice).to_contain_text("Guess where the prediction changes")
    expect(page.get_by_test_id("stException")).to_have_count(0)


def more(page: Page) -> None:
    """Open the controls of the words that decide."""
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More").last.click()


def test_a_cold_link_opens_on_its_view_and_another_layer_changes_it(page: Page, server: str):
    opened(page, server, "why?a=They+walked+along+the+bank+of+the+river.&ai=bank&dhalf=future&dlayer=1&dhow=mask")
    expect(page.get_by_role("heading", level=1)).to_have_text("What decided this sense?")
    notice = page.locator("[data-stale=false] .notice").last
    expect(notice).to_contain_text("At layer 1, read by the future half, “bank” is nearest to river edge")
    expect(page.locator(".token", has_text="walked").first).to_contain_text("0.00")  # the future half has not read it
    expect(page.locator(".token", has_text="river").first).not_to_contain_text("0.00")
    more(page)
    page.get_by_role("radio", name="0", exact=True).click()
    expect(notice).to_contain_text("no other word matters")
    expect(page).to_have_url(re.compile("dlayer=0"))


def test_every_example_shows_what_it_is_named_for(page: Page, server: str):
    """Of the bundled model: with other weights the examples are chosen anew."""
    opened(page, server, "why")
    notice = page.locator("[data-stale=false] .notice").last
    for name, message in (
        ("ring: the past decides", ("nearest to boxing arena", "the past half decides")),
        ("club: the past decides", ("nearest to stick", "the past half decides")),
        ("star: the future decides", ("nearest to celebrity", "the future half decides")),
        ("organ: the future decides", ("nearest to musical instrument", "the future half decides")),
        ("current: the halves disagree", ("nearest to electricity", "the halves disagree")),
        ("port: the model is wrong", ("nearest to harbor", "the model is wrong")),
    ):
        more(page)
        page.get_by_text(name, exact=True).click()
        for words in message:
            expect(notice).to_contain_text(words)
        expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_typed_sentence_a_tapped_word_and_a_bad_swap(page: Page, server: str):
    opened(page, server, "why")
    notice, before = page.locator("[data-stale=false] .notice").last, page.locator(".notice").last.inner_text()
    box = page.get_by_label("First sentence", exact=True)
    box.fill("The bank lent <img src=x onerror=document.title='run'> the money.")
    box.press("Enter")
    expect(notice).not_to_have_text(before)
    expect(notice).to_contain_text("“bank” is nearest to financial institution")
    page.get_by_role("radio", name="money", exact=True).or_(page.get_by_role("button", name="money", exact=True)).first.click()
    expect(page.get_by_text("Two words, “money” and “bank”").first).to_be_visible()
    more(page)
    page.get_by_role("radio", name="swap it", exact=True).click()
    swap = page.get_by_role("textbox", name="Swap for", exact=True)
    expect(swap).to_have_value("thing")
    swap.fill("two words")
    swap.press("Enter")
    expect(page.get_by_test_id("stAlert")).to_contain_text("“two words” is not one word")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.locator("img[src=x]").count() == 0 and "run" not in page.title()
    page.get_by_test_id("stSidebar").get_by_role("link", name="Neighbors", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What are its neighbors?")
    expect(page.get_by_label("First sentence", exact=True)).to_have_value(re.compile("The bank lent"))
