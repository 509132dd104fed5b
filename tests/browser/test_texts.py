"""Test the Texts page in Chromium: pasted texts, files, search and collocates."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.visit import NOTICE, choose, go, noticed, opened, upload
from tests.tiny import pdf

TEXT = (
    "The miller opened the sluice gate at dawn. The old sluice <b>groaned</b> & the water ran.\n"
    "Nobody in the village had seen the water so high. The sluice held until noon.\n"
)
LETTERS = ("letters.csv", "text/csv", b"id;text\n1;The otter slept by the weir.\n2;An otter swam.\n")
# The second click is sent before the browser has received what the first one changed.
TWO_CLICKS = """() => {
  for (const label of ["Delete for good", "Search"]) [...document.querySelectorAll("button")].find((b) => b.innerText.trim().endsWith(label)).click();
}"""


def metric(page: Page, name: str) -> Locator:
    return page.get_by_test_id("stMetric").filter(has_text=name)


def test_pasted_text_is_searched_used_and_deleted(page: Page, server: str):
    opened(page, server, "search?find=sluice")
    noticed(page, "“sluice” does not occur")  # in our own sentences
    go(page, "Texts")
    choose(page, "Where are your texts?", "Paste")
    page.get_by_label("Your text", exact=True).fill(TEXT)
    page.get_by_role("button", name="Read", exact=True).click()
    expect(metric(page, "Sentences")).to_contain_text("4")
    expect(metric(page, "Estimated time")).to_contain_text(re.compile(r"\d s"))
    go(page, "Search")
    noticed(page, "“sluice” occurs 3 times")
    expect(page.locator(".concordance .line .hit")).to_have_text(["sluice"] * 3)
    expect(page.locator(".concordance .line", has_text="<b>groaned</b>")).to_have_count(1)  # shown as written, and never markup
    expect(page.locator(".concordance .line b")).to_have_count(0)
    assert "corpus=" not in page.url
    go(page, "Texts")
    page.get_by_role("button", name="Use these texts everywhere").click()
    expect(page.get_by_text(re.compile(r"These texts are used everywhere \(\d+ tokens\)"))).to_be_visible()
    expect(page).to_have_url(re.compile("corpus="))
    link = page.url
    page.goto(link.replace("/texts?", "/neighbors?") + "&a=The+sluice+was+shut.&ai=sluice&among=same+word")
    expect(page.locator(".kwic", has_text="held until noon").first).to_be_visible()
    assert not re.compile(r"\.cache|/tmp/|%2Ftmp%2F").search(page.url + page.locator("body").inner_text())
    page.goto(f"{link}&texts_view=search&find=sluice")  # cold: nothing is pasted now, yet the address opens the same corpus
    noticed(page, "“sluice” occurs 3 times")
    go(page, "Texts")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete for good").wait_for()
    page.evaluate(TWO_CLICKS)
    noticed(page, "“sluice” does not occur")


def test_only_visible_lines_of_a_concordance_are_sent(page: Page, server: str):
    text = "\n".join(f"Here the cat {k} saw{' the' * 24} sea." for k in range(4_000))
    opened(page, server, "texts?corpus_way=files&find=the")
    upload(page, ("the.txt", "text/plain", text.encode()))
    expect(metric(page, "Sentences")).to_contain_text("4,000")
    go(page, "Search")
    expect(page.get_by_text("100,000 occurrences").first).to_be_visible(timeout=120_000)
    box, lines = page.locator(".concordance .box"), page.locator(".concordance .line")
    expect(lines.first).to_contain_text("cat 0 saw")
    for share in (0.5, 1.0, 0.25):
        box.evaluate("(node, share) => { node.scrollTop = share * (node.scrollHeight - node.clientHeight); }", share)
        expect(page.locator(".concordance[data-missing=no]")).to_be_visible()
        wanted = int(share * 4_000)
        expect(lines.filter(has_text=re.compile(rf"cat {wanted - 1 if share == 1 else wanted} saw")).first).to_be_visible()
        assert lines.count() < 60
    lines.first.click()
    expect(page.locator(".concordance .whole")).to_contain_text("Here the cat")


def test_collocate_opens_its_lines(page: Page, server: str):
    opened(page, server, "collocates")
    noticed(page, "Near only one sense")
    expect(page.get_by_text(re.compile("ribbon knot, 16 occurrences"))).to_be_visible()
    page.get_by_test_id("stDataFrame").nth(3).click(position={"x": 16, "y": 52})  # the box of the first row
    expect(page.locator(".concordance .line .hit").first).to_be_visible()
    expect(page.get_by_text(re.compile("lines? with “low” near “bow”"))).to_be_visible()


def test_uploaded_texts_stay_in_use_until_they_are_removed(page: Page, server: str):
    opened(page, server, "texts?corpus_way=files&find=otter")
    upload(page, LETTERS, ("mill.pdf", "application/pdf", pdf(["An otter came to the mill.", "Nobody saw it."])))
    documents = metric(page, "Documents")
    expect(documents).to_contain_text("2")
    go(page, "Search")
    noticed(page, "“otter” occurs 3 times")
    go(page, "Texts")
    removal = page.get_by_role("button", name="Remove letters.csv")
    expect(removal).to_be_visible()
    page.get_by_role("link", name="Map", exact=True).first.click()
    expect(page.locator(".map").first).to_be_visible()
    page.get_by_role("link", name="Your texts", exact=True).first.click()
    expect(documents).to_contain_text("2")
    upload(page, ("more.txt", "text/plain", b"One more otter."))
    expect(documents).to_contain_text("3")
    removal.click()
    expect(removal).to_have_count(0)
    go(page, "Search")
    noticed(page, "“otter” occurs 2 times")
    go(page, "Texts")
    page.get_by_role("button", name="Remove all files").click()
    expect(page.get_by_role("button", name="Remove mill.pdf")).to_have_count(0)
    expect(documents).to_have_count(0)


@pytest.mark.parametrize(("role", "name", "shown"), [("link", "Map", ".map"), ("radio", "Collocates", NOTICE)])
def test_a_click_that_leads_elsewhere_waits_for_an_upload(page: Page, server: str, role: str, name: str, shown: str):
    opened(page, server, "texts?corpus_way=files")
    sent = []
    page.route("**/_stcore/upload_file/**", lambda route: sent.append(route))
    upload(page, LETTERS)
    expect(page.get_by_test_id("stFileChip")).to_be_visible()
    page.get_by_role(role, name=name, exact=True).first.click()
    page.wait_for_timeout(1_000)
    assert page.get_by_test_id("stFileChip").is_visible() and len(sent) == 1
    sent[0].continue_()
    expect(page.locator(shown).first).to_be_visible()
    expect(page.get_by_test_id("stFileUploader")).to_have_count(0)
    page.get_by_role("link", name="Your texts", exact=True).first.click()
    go(page, "Texts")
    expect(page.get_by_role("button", name="Remove letters.csv")).to_be_visible()
