"""Test How it works, Why and Next word in Chromium."""

import re

from playwright.sync_api import Page, expect

from tests.browser.visit import NOTICE, fill_in, opened


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


def test_edits_are_hidden_for_another_order_and_a_bad_swap_is_refused(page: Page, server: str):
    opened(page, server, "why")
    notice = page.locator(NOTICE)
    expect(notice.first).to_contain_text("Guess where the prediction changes")
    expect(page.locator(".kwic .chip")).to_have_count(0)
    page.get_by_text("Reveal", exact=True).click()
    expect(notice.first).to_contain_text(re.compile("it flips from .+ at edit|It never flips"))
    expect(page.locator(".kwic .chip").first).to_be_visible()
    page.get_by_role("button", name="More").first.click()
    page.get_by_role("radio", name="nearest the word first").click()
    expect(notice.first).to_contain_text("Guess where the prediction changes")
    page.keyboard.press("Escape")
    fill_in(page.get_by_label("First sentence", exact=True), "The bank lent <img src=x onerror=document.title='run'> the money.")
    expect(notice.last).to_contain_text("“bank” is nearest to financial institution")
    page.get_by_role("radio", name="money", exact=True).or_(page.get_by_role("button", name="money", exact=True)).first.click()
    expect(page.get_by_text("Two words, “money” and “bank”").first).to_be_visible()
    page.get_by_role("button", name="More").last.click()  # the controls of the words that decide
    page.get_by_role("radio", name="swap it", exact=True).click()
    swap = page.get_by_role("textbox", name="Swap for", exact=True)
    expect(swap).to_have_value("thing")
    fill_in(swap, "two words")
    expect(page.get_by_test_id("stAlert")).to_contain_text("“two words” is not one word")
    assert page.locator("img[src=x]").count() == 0 and "run" not in page.title()


def test_predicted_words_are_added_and_undone_by_quick_presses(page: Page, server: str):
    opened(page, server, "predict")
    box, undo = page.get_by_label("Your text", exact=True), page.get_by_role("button", name="Undo")
    expect(box).to_have_value("She shook her")
    for column, text in (("after_0", "^She shook her head$"), ("after_0", r"^She shook her head\S* ?\S+$"), ("before_3", r"^\S+ ?She .+$")):
        page.locator(f".st-key-{column}").get_by_role("button").click()
        expect(box).to_have_value(re.compile(text))
    expect(page).to_have_url(re.compile(r"ptext=.*She.*head"))
    expect(undo).to_be_enabled()
    page.wait_for_timeout(500)  # until what counts presses is there
    undo.evaluate("(button) => { button.click(); button.click(); button.click(); }")
    expect(box).to_have_value("She shook her")
    expect(undo).to_be_disabled()
    page.get_by_role("button", name="Write five words").last.click()
    expect(box).to_have_value(re.compile(r"^She shook her(\S* ?)+\S+$"))


def test_predictions_follow_typing(page: Page, server: str):
    opened(page, server, "predict?ptext=He+was+born")
    box = page.get_by_label("Your text", exact=True)
    expect(page.locator(NOTICE).first).to_contain_text("born")
    box.press("End")
    box.press_sequentially(" in London & <img src=x>", delay=15)  # and no Enter
    expect(page.locator(".colhead", has_text="After “>”")).to_be_visible()
    expect(page.locator("img[src=x]")).to_have_count(0)
    box.fill("")
    expect(page.get_by_text("Type a few words, or choose")).to_be_visible()


def test_link_to_two_versions_opens_them(page: Page, server: str):
    opened(page, server, "predict?ptext=He+ate+the+bread+with+socks.&pother=He+ate+the+bread+with+butter.&pat=socks")
    other = page.get_by_label("Compare with", exact=True)
    expect(page.locator(".colhead", has_text="In place of “socks”")).to_be_visible()
    page.get_by_role("radio", name="Two versions").click()
    expect(other).to_have_value("He ate the bread with butter.")
    expect(page.locator(NOTICE).last).to_contain_text("Perplexity")
    page.get_by_role("radio", name="Word by word").click()
    page.get_by_role("radio", name="bread", exact=True).click()
    expect(page.locator(".colhead", has_text="In place of “bread”")).to_be_visible()
    page.locator(".st-key-both_0").get_by_role("button").click()
    page.get_by_role("radio", name="Two versions").click()
    expect(other).to_have_value("He ate the bread with socks.")
    expect(page.get_by_label("Your text", exact=True)).to_have_value(re.compile(r"^He ate the \S+ with socks\.$"))
