"""What no text holds, typed into boxes that the address follows, stops no page; tests/bench/nonsense.py types much more into every box."""

import pytest
from playwright.sync_api import Page, expect

from tests.bench.nonsense import UNFOLD, VALUES, faults, type_in, wait
from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser


def test_control_signs_and_endless_names_that_are_typed_stop_no_page(page: Page, server: str):
    console: list[str] = []
    page.on("console", lambda m: console.append(m.text) if m.type == "error" else None)
    opened(page, server, "neighbours")
    sentence = page.locator(".st-key-a input")
    type_in(page, sentence, "She sat on the\x07 bank.\x01")
    wait(page)
    assert list(faults(page, "", console)) == []
    expect(sentence).to_have_value("She sat on the bank.")
    expect(page.get_by_role("radio", name="bank").first).to_be_visible()
    page.get_by_test_id("stSidebar").get_by_text("In use").click()
    type_in(page, page.locator(".st-key-corpus input"), VALUES["20,000 letters"])
    wait(page)
    assert list(faults(page, VALUES["20,000 letters"], console)) == []
    expect(page.get_by_text("Unknown corpus").first).to_contain_text("…'. Choose")


def test_the_map_of_mix_follows_a_second_sentence_of_300_letters(page: Page, server: str):
    console: list[str] = []
    page.on("console", lambda m: console.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: console.append(str(error)))
    opened(page, server, "mix")
    page.evaluate(UNFOLD)
    for value in (VALUES["300 letters"], VALUES["path"]):
        type_in(page, page.locator(".st-key-b input"), value)
        wait(page, 1_000)
        assert list(faults(page, value, console)) == []
