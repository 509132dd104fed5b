"""Labels that spread on Senses, and change of meaning on Compare, in a real Chromium: the numbers, the address, what is downloaded."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import opened
from tests.browser.test_take import saved
from tests.tiny import write_two_texts

pytestmark = pytest.mark.browser
NOTICE = "[data-stale=false] .notice"


def label(page: Page, rows: tuple[int, ...], sense: str) -> None:
    """Rows of the table ticked, and the name of their sense given."""
    table = page.get_by_test_id("stDataFrame").last
    for row in rows:
        table.click(position={"x": 16, "y": 52 + 35 * row})
    button = page.get_by_role("button", name=re.compile(rf"Label {len(rows)} sentence"))
    expect(button).to_be_visible()
    box = page.get_by_role("combobox", name="Sense").first
    box.fill(sense)
    box.press("Enter")
    expect(button).to_be_enabled()
    button.click()


def test_labels_given_in_the_table_spread_are_asked_for_undone_and_downloaded(page: Page, server: str):
    opened(page, server, "senses?senses_view=spread&found_word=bank")
    expect(page.locator(NOTICE, has_text=re.compile(r"0 of \d+ sentences of “bank” labeled"))).to_be_visible()
    label(page, (0, 1), "money")
    expect(page.locator(NOTICE, has_text=re.compile(r"2 of \d+ sentences of “bank” labeled"))).to_be_visible()
    label(page, (7,), "shore")
    spread = page.locator(NOTICE, has_text=re.compile(r"3 labels spread to \d+ sentences: money \d+, shore \d+"))
    expect(spread).to_be_visible()
    before = spread.text_content()
    offered = page.locator("[class*=st-key-spread-ask]")
    expect(offered).to_have_count(3)
    offered.first.get_by_role("radio", name=re.compile("shore")).click()
    expect(page.locator(NOTICE, has_text="4 labels spread to")).to_be_visible()
    name, file = saved(page, page.get_by_role("button", name="Labeled sentences (JSONL)"))
    rows = [json.loads(line) for line in file.decode().splitlines()]
    assert name == "bank-labels.jsonl"
    assert sum(row["given"] for row in rows) == 4
    assert {row["sense"] for row in rows} == {"money", "shore"}
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(NOTICE, has_text="3 labels spread to")).to_have_text(before)
    expect(page).to_have_url(re.compile("senses_view=spread"))
    address = page.url
    opened(page, server, address.rsplit("/", 1)[1])  # anew: on one's own machine labels stay
    expect(page.locator(NOTICE, has_text="3 labels spread to")).to_have_text(before)
    page.get_by_text("Open labels, or a second annotator’s", exact=True).click()
    upload = {"name": "hers.jsonl", "mimeType": "application/jsonl", "buffer": file}
    page.locator("input[type=file]").last.set_input_files(upload)
    expect(page.get_by_test_id("stMetric").filter(has_text="Krippendorff’s alpha")).to_contain_text("1.00")
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_change_opens_with_its_example_and_a_press_changes_word_and_address(page: Page, server: str):
    opened(page, server, "change")
    expect(
        page.locator(NOTICE, has_text=re.compile(r"“court” is used differently on the two sides \(p = 0\.00\d; 44 and 12 sentences\)"))
    ).to_be_visible()
    expect(
        page.get_by_role("figure", name=re.compile(r"Sentences by sense\. .*: 15 .*, 16 .*, 13 .*; .*: 10 .*, 2 .*, 0 "))
    ).to_be_visible()
    page.locator("summary", has_text=re.compile(r"16 and 2 sentences")).click()
    expect(page.locator(".kwic", has_text="The women's futsal champions")).to_be_visible()
    page.get_by_role("button", name="spring", exact=True).or_(page.get_by_role("radio", name="spring", exact=True)).click()
    expect(
        page.locator(NOTICE, has_text=re.compile(r"“spring” is used differently on the two sides \(p = 0\.00\d; 43 and 10 sentences\)"))
    ).to_be_visible()
    expect(page).to_have_url(re.compile("change_word=spring"))
    page.get_by_role("button", name="Word usage graph").click()
    name, file = saved(page, page.get_by_role("button", name="uses.csv"))
    lines = file.decode().splitlines()
    assert name == "uses.csv"
    assert len(lines) == 1 + 43 + 10
    assert lines[0].startswith("lemma\t")
    address = page.url
    opened(page, server, address.rsplit("/", 1)[1])
    expect(page.locator(NOTICE, has_text="“spring” is used differently")).to_be_visible()
    expect(page.get_by_label("Word", exact=True)).to_have_value("spring")
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_two_texts_of_ones_own_are_compared_by_their_address_and_ranked(page: Page, server: str, tmp_path):
    first, second = write_two_texts(tmp_path)
    page.goto(f"{server}/texts?texts_view=change&change_word=bank&change_first={first}&change_second={second}")
    for n_left in (1, 0):  # files in the link that the user has not allowed yet
        page.get_by_role("button", name="Read it").first.click()
        expect(page.get_by_role("button", name="Read it")).to_have_count(n_left)
    expect(page.locator(NOTICE, has_text="“bank” is used differently on the two sides")).to_be_visible()
    assert str(tmp_path) not in page.content()  # a copy is in use, by its name
    page.get_by_role("button", name="Rank all words").click()
    expect(page.get_by_text(re.compile(r"\d+ of \d+ words? differs? beyond chance\. Select one\."))).to_be_visible()
    box = page.get_by_label("Word", exact=True)
    box.fill("garden")
    box.press("Enter")
    expect(page.locator(NOTICE, has_text="“garden”: no difference beyond chance")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
