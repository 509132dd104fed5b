"""Files brought by the browser in a real Chromium: in use and named on every page of the session until the user removes them."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_corpus import go
from tests.browser.test_main_path import opened
from tests.tiny import pdf

pytestmark = pytest.mark.browser

LETTERS = "id;text\n1;The otter slept by the weir.\n2;An otter swam.\n"
BOOK = pdf(["An otter came to the mill.", "Nobody saw it."])


def test_uploaded_texts_stay_in_use_until_they_are_removed(page: Page, server: str):
    opened(page, server, "texts?corpus_way=files&find=otter")
    box = page.locator("input[type=file]")
    notice = page.locator("[data-stale=false] .notice")
    box.set_input_files(
        [
            {"name": "letters.csv", "mimeType": "text/csv", "buffer": LETTERS.encode()},
            {"name": "mill.pdf", "mimeType": "application/pdf", "buffer": BOOK},
        ]
    )
    go(page, "Search")
    expect(notice.filter(has_text="“otter” occurs 3 times")).to_be_visible()
    go(page, "Collocates")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    go(page, "Texts")
    removal = page.get_by_role("button", name="Remove letters.csv")
    expect(removal).to_be_visible()
    page.get_by_role("link", name="Map", exact=True).first.click()
    expect(page.locator(".map").first).to_be_visible()
    page.get_by_role("link", name="Your texts", exact=True).first.click()
    documents = page.get_by_test_id("stMetric").filter(has_text="Documents")
    expect(documents).to_contain_text("2")
    box.set_input_files([{"name": "more.txt", "mimeType": "text/plain", "buffer": b"One more otter."}])
    expect(documents).to_contain_text("3")
    removal.click()
    expect(removal).to_have_count(0)
    go(page, "Search")
    expect(notice.filter(has_text="“otter” occurs 2 times")).to_be_visible()
    go(page, "Texts")
    page.get_by_role("button", name="Remove all files").click()
    expect(page.get_by_role("button", name="Remove mill.pdf")).to_have_count(0)
    expect(documents).to_have_count(0)
    box.set_input_files([{"name": "old.doc", "mimeType": "application/msword", "buffer": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"}])
    expect(page.get_by_text("Open it in Word or LibreOffice and save it as .docx.").first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
