"""A page opened by its address, and the switch between its views."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import AT_REST

pytestmark = pytest.mark.browser


def test_a_page_switches_between_its_views(server: str, page):
    page.goto(f"{server}/senses?senses_view=spread")
    page.get_by_role("heading", name="Label a few: what are the rest?").wait_for()
    page.locator(".st-key-senses_view").get_by_role("radio", name="Groups").click()
    page.get_by_role("heading", name="How many meanings does it have here?").wait_for()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)  # that of the view left behind is gone
    assert "senses_view" not in page.url


@pytest.mark.parametrize("path", ["", "map", "learn?learn_view=guess"])
def test_a_page_opened_by_its_address_asks_for_nothing_that_is_not_there(server: str, page, path: str):
    wrong = []
    page.on("response", lambda response: wrong.append(f"{response.status} {response.url}") if response.status >= 400 else None)
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    answer = page.goto(f"{server}/{path}")
    assert "<title>Elmoscope</title>" in answer.text()
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_function(AT_REST)
    assert not wrong
