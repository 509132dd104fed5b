"""Test in Chromium that markup in inputs is shown and not run, and that odd inputs break no page."""

import json
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from core.common.config import ROOT, cache_folder
from tests.app.test_markup import IMG, SCRIPT, evil_corpus
from tests.bench.nonsense import wrong_with
from tests.browser.test_accessibility import WIDER
from tests.browser.visit import NOTICE, at_rest, fill_in, go, opened, saved, upload
from tests.links import address

PAYLOAD = (
    '<img src=x onerror=alert(1)><script>alert(1)</script><svg onload=alert(1)></svg>"><iframe src=//evil.test></iframe> '
    "![p](https://evil.test/p.png) [l](javascript:alert(1)) <a href=javascript:alert(1)>bank</a> :red[bank] $\\href{javascript:alert(1)}{x}$"
)
TYPED = ["a", "b", "other", "text", "spell", "find", "cmp_word", "dswap", "model_text", "tell"]
TYPED += ["ptext", "pother", "text_spam", "text_news-title", "text_sentiment"]
EVIL = """() => [
  ...document.querySelectorAll('img[src="x"], img[src*="evil"], iframe[src*="evil"], a[href^="javascript"], a[href*="evil"] img, [onerror], [onload]'),
  ...[...document.querySelectorAll('script')].filter(s => s.textContent.includes('alert(1)')),
].map(e => e.outerHTML.slice(0, 400))"""
ERRORS = "[data-testid=stAlertContentError] [data-testid=stMarkdownContainer]"
LONG = "nonsense " * 2_222  # 20,000 letters


@pytest.fixture
def watched(page: Page) -> Page:
    """A page on which a dialog fails the test; requests to other hosts do so in its own fixture."""
    ran = []
    page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
    yield page
    assert not ran, "a script ran"


def settled(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    at_rest(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    assert page.evaluate(EVIL) == []


def check_page(page: Page, typed: str = "") -> None:
    """Check that no path of the machine is shown, that nothing is too wide, and that errors say what to do and name what was typed."""
    settled(page)
    text = page.locator("body").inner_text()
    assert not re.search("|".join(map(re.escape, ("Traceback", "site-packages", str(ROOT), str(cache_folder())))), text)
    assert page.evaluate(WIDER) <= 2
    assert [wrong for said in page.locator(ERRORS).all_inner_texts() for wrong in wrong_with(said, typed)] == []


ADDRESSES = [(path, TYPED) for path in ("neighbors?", "predict?", "how?step=4&")]
ADDRESSES += [("neighbors?", [key]) for key in ("model", "vectors", "corpus")]


@pytest.mark.parametrize(("path", "keys"), ADDRESSES)
def test_markup_in_an_address_is_not_run(watched: Page, server: str, path: str, keys: list[str]):
    watched.goto(f"{server}/" + address(path + urlencode(dict.fromkeys(keys, PAYLOAD))))
    settled(watched)


def test_markup_in_files_is_not_run(watched: Page, server: str):
    watched.goto(f"{server}/texts?corpus_way=files&find=heron")
    settled(watched)
    row = {"tokens": ["A", "heron", PAYLOAD], "position": 1, "word": "heron", "sense": PAYLOAD, "document": PAYLOAD}
    rows = "\n".join([json.dumps(row)] * 3).encode()
    name = PAYLOAD.replace("/", "_")[:120]
    upload(watched, (f"{name}.jsonl", "application/jsonl", rows), (f"{name} 2.csv", "text/csv", f"{PAYLOAD},year\n1,1990\n".encode()))
    expect(watched.get_by_test_id("stMetric").filter(has_text="Sentences")).to_contain_text("3")
    settled(watched)
    go(watched, "Search")
    expect(watched.locator(NOTICE, has_text="“heron” occurs 3 times")).to_be_visible()
    settled(watched)
    watched.goto(f"{server}/{address('train?train_task=own')}")
    settled(watched)
    labels = ("[l](javascript:alert(1))", '"<img src=x onerror=alert(1)>"')
    lines = [f'"{k} {PAYLOAD.replace(chr(34), "")}",{label}\n' for k in range(4) for label in labels]
    upload(watched, (f"{name}.csv", "text/csv", "".join(["text,label\n", *lines]).encode()))
    expect(watched.get_by_text("8 texts, 2 classes")).to_be_visible()
    settled(watched)


def test_markup_in_a_corpus_and_its_export_is_not_run(watched: Page, server: str, browser, tmp_path):
    address = {"corpus": str(evil_corpus(tmp_path)), "a": f"A heron stood near {IMG}.", "ai": "1", "bi": "1"}
    address |= {"b": f"The heron of {SCRIPT} is red. www.evil.test a@evil.test"}
    for path, more, shown in (("map", {"map_word": IMG}, "In the sense space, 100%"), ("mix", {}, "stamped the iron plate")):
        watched.goto(f"{server}/{path}?" + urlencode(address | more))
        watched.get_by_role("button", name="Read it").click()
        expect(watched.locator("[data-stale=false]", has_text=shown).first).to_be_visible()  # and not the sentences shown before
        expect(watched.locator("[data-stale=false] .live, [data-stale=false] .js-plotly-plot").first).to_be_visible()
        expect(watched.locator(NOTICE).first).to_be_visible()
        settled(watched)
        assert watched.locator('a[href*="evil.test"]').count() == 0  # nor a link of what was typed
        name, html = saved(watched, watched.get_by_role("button", name="HTML file"))
        (tmp_path / name).write_bytes(html)
        alone, ran = browser.new_page(), []
        alone.on("dialog", lambda dialog, ran=ran: (ran.append(dialog.message), dialog.dismiss()))
        alone.goto((tmp_path / name).as_uri())
        expect(alone.locator(".js-plotly-plot").first).to_be_visible()
        expect(alone.locator("body")).to_contain_text("onerror")  # as text
        result = [item for item in alone.evaluate(EVIL) if "Plotly.newPlot" not in item]  # which holds the words of the figure as data
        assert result == [] and not ran
        alone.close()


def test_control_characters_and_endless_names_break_no_page(page: Page, server: str):
    opened(page, server, "neighbors")
    sentence = page.locator(".st-key-a input")
    fill_in(sentence, "She sat on the\x07 bank.\x01")
    expect(sentence).to_have_value("She sat on the bank.")
    expect(page.get_by_role("radio", name="bank").first).to_be_visible()
    check_page(page)
    page.get_by_test_id("stSidebar").get_by_text("Model and data").click()
    fill_in(page.locator(".st-key-corpus input"), LONG)
    expect(page.get_by_text("Unknown corpus").first).to_contain_text("…'. Choose")
    check_page(page, LONG)
