"""Test groups, labels, change and Compare in Chromium."""

import json
import re

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.visit import at_rest, choose, fill_in, noticed, opened, saved, wait_until
from tests.tiny import write_two_texts


def test_an_edited_label_names_the_group_everywhere(page: Page, server: str):
    opened(page, server, "found?found_word=bank&found_k=2")
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    table.dblclick(position={"x": 60, "y": 55})  # a cell on the canvas; its editor is a box above it
    fill_in(page.locator("textarea.gdg-input"), "beside the water")
    expect(page.locator(".colhead").first).to_contain_text("beside the water")
    page.get_by_role("heading", level=1).click()  # the table lets go of the focus
    choose(page, "Layer", "1")  # another layer has other groups, with names of their own
    expect(page.locator(".colhead").first).not_to_contain_text("beside the water")
    choose(page, "Layer", "sense space")
    expect(page.locator(".colhead").first).to_contain_text("beside the water")


def label(page: Page, rows: tuple[int, ...], sense: str) -> None:
    table = page.get_by_test_id("stDataFrame").last
    for row in rows:
        table.click(position={"x": 16, "y": 52 + 35 * row})
    button = page.get_by_role("button", name=re.compile(rf"Label {len(rows)} sentence"))
    expect(button).to_be_visible()
    fill_in(page.get_by_role("combobox", name="Sense").first, sense)
    expect(button).to_be_enabled()
    button.click()


def test_labels_spread_and_are_downloaded(page: Page, server: str):
    opened(page, server, "senses?senses_view=spread&found_word=bank")
    noticed(page, re.compile(r"0 of \d+ sentences of “bank” labeled"))
    label(page, (0, 1), "money")
    noticed(page, re.compile(r"2 of \d+ sentences of “bank” labeled"))
    label(page, (7,), "shore")
    before = noticed(page, re.compile(r"3 labels spread to \d+ sentences: money \d+, shore \d+")).text_content()
    offered = page.locator("[class*=st-key-spread-ask]")
    expect(offered).to_have_count(3)
    offered.first.get_by_role("radio", name=re.compile("shore")).click()
    noticed(page, "4 labels spread to")
    name, file = saved(page, page.get_by_role("button", name="Labeled sentences (JSONL)"))
    rows = [json.loads(line) for line in file.decode().splitlines()]
    assert name == "bank-labels.jsonl" and {row["sense"] for row in rows} == {"money", "shore"}
    assert sum(row["given"] for row in rows) == 4
    page.get_by_role("button", name="Undo").click()
    expect(noticed(page, "3 labels spread to")).to_have_text(before)
    opened(page, server, page.url.rsplit("/", 1)[1])  # on one's own machine labels stay
    expect(noticed(page, "3 labels spread to")).to_have_text(before)
    page.get_by_text("Open labels, or a second annotator’s", exact=True).click()
    page.locator("input[type=file]").last.set_input_files({"name": "hers.jsonl", "mimeType": "application/jsonl", "buffer": file})
    expect(page.get_by_test_id("stMetric").filter(has_text="Krippendorff’s alpha")).to_contain_text("1.00")


def test_two_user_texts_are_compared_and_ranked(page: Page, server: str, tmp_path):
    first, second = write_two_texts(tmp_path)
    page.goto(f"{server}/texts?texts_view=change&change_word=bank&change_first={first}&change_second={second}")
    for n_left in (1, 0):  # files in the link that the user has not allowed yet
        page.get_by_role("button", name="Read it").first.click()
        expect(page.get_by_role("button", name="Read it")).to_have_count(n_left)
    noticed(page, "“bank” is used differently on the two sides")
    assert str(tmp_path) not in page.content()  # a copy is in use, by its name
    page.get_by_role("button", name="Word usage graph").click()
    name, file = saved(page, page.get_by_role("button", name="uses.csv"))
    lines = file.decode().splitlines()
    assert name == "uses.csv" and len(lines) == 1 + 32 and lines[0].startswith("lemma\t")
    page.get_by_role("button", name="Rank all words").click()
    expect(page.get_by_text(re.compile(r"Words that differ beyond chance: \d+ of \d+\. Select one\."))).to_be_visible()


ROW = 35  # pixels of a row, and of the table's head
PER_TAB = 5  # labels; the rows of the second tab are below the visible part of the table


def tick(page: Page, row: int) -> None:
    """Select a row of the table. It is scrolled to where the row is the second visible one, or as near as the end of the table allows."""
    table = page.locator("[class*=st-key-spread-table]").get_by_test_id("stDataFrame")
    scroller = table.locator(".dvn-scroller")
    page.bring_to_front()  # a tab in the background draws one frame in a second
    table.scroll_into_view_if_needed()
    table.hover(position={"x": 200, "y": 150})
    top = scroller.evaluate("(box, top) => Math.min(top, box.scrollHeight - box.clientHeight)", ROW * max(row - 1, 0))
    page.mouse.wheel(0, top - scroller.evaluate("box => box.scrollTop"))
    wait_until(page, lambda: scroller.evaluate("box => box.scrollTop"), lambda now: abs(now - top) < 1)
    table.click(position={"x": 16, "y": ROW * (row + 1.5) - top})
    expect(page.get_by_role("button", name="Label 1 sentence", exact=True)).to_be_enabled()


def test_labels_of_two_tabs_are_all_stored(page: Page, visitor: BrowserContext, server: str):
    other = visitor.new_page()
    other.set_default_timeout(180_000)
    tabs = (page, 0, "animal"), (other, 20, "stamp")
    for tab, _, sense in tabs:
        opened(tab, server, "senses?senses_view=spread&found_word=seal")
        fill_in(tab.get_by_role("combobox", name="Sense").first, sense)
        at_rest(tab)
    for k in range(PER_TAB):
        for tab, first, _ in tabs:
            tick(tab, first + k)
        for tab, *_ in tabs:  # neither waits for the other
            tab.evaluate("document.querySelector('.st-key-spread-label button').click()")
        for tab, *_ in tabs:
            expect(tab.get_by_role("button", name="Label 0 sentences")).to_be_visible()
            at_rest(tab)
    other.close()
    opened(page, server, "senses?senses_view=spread&found_word=seal")
    noticed(page, re.compile(rf"{2 * PER_TAB} labels spread to \d+ sentences"))
    for _, _, sense in tabs:  # the order of the senses depends on which tab was first
        expect(page.get_by_text(re.compile(rf"\b{sense} {PER_TAB} labeled"))).to_be_visible()
