"""Test Why and Next word in Chromium."""

import re

from playwright.sync_api import Page, expect

from tests.browser.visit import NOTICE, fill_in, opened


def test_edits_are_revealed_and_hidden_for_another_order(page: Page, server: str):
    opened(page, server, "why")
    notice = page.locator(NOTICE).first
    expect(notice).to_contain_text("Guess where the prediction changes")
    expect(page.locator(".kwic .chip")).to_have_count(0)
    page.get_by_text("Reveal", exact=True).click()
    expect(notice).to_contain_text(re.compile("it flips from .+ at edit|It never flips"))
    expect(page).to_have_url(re.compile("reveal=true"))
    expect(page.locator(".kwic .chip").first).to_be_visible()
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("radio", name="nearest the word first").click()
    expect(notice).to_contain_text("Guess where the prediction changes")


def test_why_follows_the_sentence_and_refuses_a_bad_swap(page: Page, server: str):
    opened(page, server, "why")
    notice, before = page.locator(NOTICE).last, page.locator(".notice").last.inner_text()
    fill_in(page.get_by_label("First sentence", exact=True), "The bank lent <img src=x onerror=document.title='run'> the money.")
    expect(notice).not_to_have_text(before)
    expect(notice).to_contain_text("“bank” is nearest to financial institution")
    page.get_by_role("radio", name="money", exact=True).or_(page.get_by_role("button", name="money", exact=True)).first.click()
    expect(page.get_by_text("Two words, “money” and “bank”").first).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More").last.click()  # the controls of the words that decide
    page.get_by_role("radio", name="swap it", exact=True).click()
    swap = page.get_by_role("textbox", name="Swap for", exact=True)
    expect(swap).to_have_value("thing")
    fill_in(swap, "two words")
    expect(page.get_by_test_id("stAlert")).to_contain_text("“two words” is not one word")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.locator("img[src=x]").count() == 0 and "run" not in page.title()


LABEL = "Your text"


def test_predicted_words_are_added_and_undone_by_quick_presses(page: Page, server: str):
    opened(page, server, "predict")
    box, undo = page.get_by_label(LABEL, exact=True), page.get_by_role("button", name="Undo")
    expect(box).to_have_value("She shook her")
    page.locator(".st-key-after_0").get_by_role("button").click()
    expect(box).to_have_value("She shook her head")
    expect(page).to_have_url(re.compile(r"ptext=She.*head"))
    page.locator(".st-key-after_0").get_by_role("button").click()
    expect(box).to_have_value(re.compile(r"^She shook her head\S* ?\S+$"))
    page.locator(".st-key-before_3").get_by_role("button").click()
    expect(box).to_have_value(re.compile(r"^\S+ ?She shook her head.+$"))
    expect(page.locator(NOTICE).first).to_be_visible()
    expect(undo).to_be_enabled()
    page.wait_for_timeout(500)  # until what counts presses is there
    undo.evaluate("(button) => { button.click(); button.click(); button.click(); }")
    expect(box).to_have_value("She shook her")
    expect(undo).to_be_disabled()
    page.get_by_role("button", name="Write five words").last.click()
    expect(box).to_have_value(re.compile(r"^She shook her(\S* ?)+\S+$"))


def test_predictions_follow_typing(page: Page, server: str):
    opened(page, server, "predict?ptext=He+was+born")
    box, notice = page.get_by_label(LABEL, exact=True), page.locator(NOTICE).first
    expect(notice).to_contain_text("born")
    box.press("End")
    box.press_sequentially(" in London & <img src=x>", delay=15)  # and no Enter
    expect(page.locator(".colhead", has_text="After “>”")).to_be_visible()
    expect(page.locator("img[src=x]")).to_have_count(0)
    box.fill("")
    expect(page.get_by_text("Type a few words, or choose")).to_be_visible()


def test_link_to_two_versions_opens_them(page: Page, server: str):
    opened(page, server, "predict?ptext=He+ate+the+bread+with+socks.&pother=He+ate+the+bread+with+butter.&pat=socks")
    expect(page.locator(".colhead", has_text="In place of “socks”")).to_be_visible()
    page.get_by_role("radio", name="Two versions").click()
    expect(page.get_by_label("Compare with", exact=True)).to_have_value("He ate the bread with butter.")
    expect(page.locator(NOTICE).last).to_contain_text("Perplexity")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    page.get_by_role("radio", name="Word by word").click()
    expect(page.locator(".colhead", has_text="In place of “socks”")).to_be_visible()
    page.get_by_role("radio", name="bread", exact=True).click()
    expect(page.locator(".colhead", has_text="In place of “bread”")).to_be_visible()
    page.locator(".st-key-both_0").get_by_role("button").click()
    page.get_by_role("radio", name="Two versions").click()
    expect(page.get_by_label("Compare with", exact=True)).to_have_value("He ate the bread with socks.")
    expect(page.get_by_label(LABEL, exact=True)).to_have_value(re.compile(r"^He ate the \S+ with socks\.$"))
