"""What no text holds, typed into boxes that the address follows, stops no page; tests/bench/nonsense.py types much more into every box."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.bench.nonsense import VALUES, faults, type_in, wait
from tests.browser.test_main_path import opened
from tests.browser.test_mix import SEEN

pytestmark = pytest.mark.browser


def test_control_signs_and_endless_names_that_are_typed_stop_no_page(page: Page, server: str):
    console: list[str] = []
    page.on("console", lambda m: console.append(m.text) if m.type == "error" else None)
    opened(page, server, "neighbors")
    sentence = page.locator(".st-key-a input")
    type_in(page, sentence, "She sat on the\x07 bank.\x01")
    wait(page)
    assert list(faults(page, "", console)) == []
    expect(sentence).to_have_value("She sat on the bank.")
    expect(page.get_by_role("radio", name="bank").first).to_be_visible()
    page.get_by_test_id("stSidebar").get_by_text("Model and data").click()
    type_in(page, page.locator(".st-key-corpus input"), VALUES["20,000 letters"])
    wait(page)
    assert list(faults(page, VALUES["20,000 letters"], console)) == []
    expect(page.get_by_text("Unknown corpus").first).to_contain_text("…'. Choose")


def test_a_layout_of_the_words_before_is_not_drawn_on_the_map_of_mix(page: Page, server: str):
    console: list[str] = []
    page.on("console", lambda m: console.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: console.append(str(error)))
    opened(page, server, "mix")
    root = page.locator(".mix")
    expect(root.locator("li").first).to_be_visible()
    wait(page)
    page.evaluate(
        "(name) => dispatchEvent(new CustomEvent(name, { detail: { ...window[name], layout: [0, 0], stars: [] } }))", "elmoscope-mix"
    )
    wait(page, 500)
    assert np.isfinite(np.array(root.evaluate(SEEN)["places"], float)).all() and list(faults(page, "", console)) == []


def test_a_word_of_300_letters_makes_no_page_wider(page: Page, server: str):
    opened(page, server, "tasks?task_of_paper=names")
    type_in(page, page.locator(".st-key-tasks_names textarea"), VALUES["300 letters"])
    wait(page, 1_000)
    expect(page.locator(".spans").first).to_contain_text("xxx")
    assert list(faults(page, VALUES["300 letters"], [])) == []
