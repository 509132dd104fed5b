"""The Next word page in a real Chromium: lists, draws, every word's surprisal, an edit beside its original."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser
LABEL = "Your text"


def test_a_tap_puts_a_word_after_or_before_and_undo_takes_it_back(page: Page, server: str):
    opened(page, server, "predict")
    box = page.get_by_label(LABEL, exact=True)
    expect(box).to_have_value("She shook her")
    page.locator(".st-key-after_0").get_by_role("button").click()
    expect(box).to_have_value("She shook her head")
    expect(page).to_have_url(re.compile(r"ptext=She.*head"))
    page.locator(".st-key-before_3").get_by_role("button").click()
    expect(box).to_have_value(re.compile(r"^\S+ ?She shook her head$"))
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()  # before the browser has the text of the first
    expect(box).to_have_value("She shook her")
    page.get_by_role("button", name="Write five words").last.click()
    expect(box).to_have_value(re.compile(r"^She shook her(\S* ?)+\S+$"))
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_presses_that_come_faster_than_the_server_answers_all_count(page: Page, server: str):
    opened(page, server, "predict")
    box = page.get_by_label(LABEL, exact=True)
    expect(box).to_have_value("She shook her")
    for length in (4, 5, 6):
        page.locator(".st-key-after_0").get_by_role("button").click()
        expect(box).to_have_value(re.compile(rf"^(\S+ ){{{length - 1}}}\S+$"))
    expect(page.locator("[data-stale=false] .notice").first).to_be_visible()
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_enabled()
    page.wait_for_timeout(500)  # until what counts presses is there
    undo.evaluate("(button) => { button.click(); button.click(); button.click(); }")
    expect(box).to_have_value("She shook her")
    expect(undo).to_be_disabled()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_lists_answer_while_one_types_and_markup_is_text(page: Page, server: str):
    opened(page, server, "predict?ptext=He+was+born")
    box, notice = page.get_by_label(LABEL, exact=True), page.locator("[data-stale=false] .notice").first
    expect(notice).to_contain_text("born")
    box.press("End")
    box.press_sequentially(" in London & <img src=x>", delay=15)  # and no Enter
    expect(page.locator(".colhead", has_text="After “>”")).to_be_visible()
    expect(page.locator("img[src=x]")).to_have_count(0)
    box.fill("")
    expect(page.get_by_text("Type a few words, or choose")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_link_reopens_an_edit_and_a_tapped_word_replaces_another(page: Page, server: str):
    opened(page, server, "predict?ptext=He+ate+the+bread+with+socks.&pother=He+ate+the+bread+with+butter.&pat=socks")
    expect(page.locator(".colhead", has_text="In place of “socks”")).to_be_visible()
    page.get_by_role("radio", name="Two versions").click()
    expect(page.get_by_label("Compare with", exact=True)).to_have_value("He ate the bread with butter.")
    expect(page.locator("[data-stale=false] .notice").last).to_contain_text("Perplexity")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    page.get_by_role("radio", name="Word by word").click()
    expect(page.locator(".colhead", has_text="In place of “socks”")).to_be_visible()
    page.get_by_role("radio", name="bread", exact=True).click()
    expect(page.locator(".colhead", has_text="In place of “bread”")).to_be_visible()
    page.locator(".st-key-both_0").get_by_role("button").click()
    page.get_by_role("radio", name="Two versions").click()
    expect(page.get_by_label("Compare with", exact=True)).to_have_value("He ate the bread with socks.")
    expect(page.get_by_label(LABEL, exact=True)).to_have_value(re.compile(r"^He ate the \S+ with socks\.$"))
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_model_without_a_softmax_says_so_in_a_sentence(page: Page, server: str, tmp_path):
    import shutil

    from core.common.config import ASSETS

    shutil.copytree(ASSETS / "elmo-mini", tmp_path / "mute", ignore=shutil.ignore_patterns("vocabulary.txt"))
    page.goto(f"{server}/predict?model={tmp_path / 'mute'}")
    page.get_by_role("button", name="Read it").click()
    expect(page.get_by_test_id("stAlert").filter(has_text="predicts no words")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
