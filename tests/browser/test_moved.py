"""Addresses of pages that are now part of another page: the server sends a visitor on, with what the address holds."""

import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest
from playwright.sync_api import expect

from pages._frame.menu import MOVED, door, menu
from tests.browser.conftest import AT_REST

pytestmark = pytest.mark.browser


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@pytest.mark.parametrize("old", MOVED)
def test_an_old_address_opens_its_view_with_the_same_parameters(server: str, old: str):
    file, parameters = door(MOVED[old])
    with pytest.raises(HTTPError) as sent:
        urllib.request.build_opener(_Stay).open(f"{server}/{old}?a=The%20bank.&lang=ko")
    assert sent.value.code == 307
    expected = "&".join(["a=The+bank.", "lang=ko", *(f"{name}={value}" for name, value in parameters.items())])
    assert sent.value.headers["location"] == f"{Path(file).stem}?{expected}"


def test_an_old_link_shows_the_view_and_its_page_switches_between_views(server: str, page):
    page.goto(f"{server}/cloud?a=The+crane+lifted+a+beam.&b=A+crane+waded+in+the+marsh.")
    page.get_by_role("heading", name="One dot, or a cloud?").wait_for()
    expect(page.get_by_label("First sentence", exact=True)).to_have_value("The crane lifted a beam.")
    page.locator(".st-key-neighbours_view").get_by_role("radio", name="Lists").click()
    page.get_by_role("heading", name="What are its neighbors?").wait_for()
    expect(page.get_by_label("First sentence", exact=True)).to_have_count(1)  # that of the view left behind is gone
    expect(page.get_by_label("First sentence", exact=True)).to_have_value("The crane lifted a beam.")
    assert "neighbours_view" not in page.url


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


def test_nine_places_and_fifteen_pages():
    assert len(menu()) == 9 and len([page for entry in menu() for page in entry.pages]) == 15
