"""What a page loads: its elements' scripts come with the document, none waits for the Python that runs the page. What the bench measures of it."""

import pytest

from tests.bench.waits import LATE, visits
from tests.browser.conftest import AT_REST, WAIT_MS
from tests.links import address

pytestmark = pytest.mark.browser
AT_MOST = 12  # those of rarer elements; 68 where each kind's are asked for when its first element arrives


@pytest.mark.parametrize("view", ["home", "spread"])
def test_few_scripts_are_asked_for_once_the_page_is_connected(server: str, page, view: str):
    page.goto(f"{server}/{address(view)}")
    page.locator(".notice, .verdict").first.wait_for(timeout=WAIT_MS)
    page.wait_for_function(AT_REST)
    assert page.evaluate(LATE) <= AT_MOST


def test_a_browser_without_a_debugger_reports_when_heading_and_picture_are_drawn(server: str):
    for visit in visits(server, 2):
        assert 0 < visit["heading"] <= visit["picture"] and visit["late"] <= AT_MOST
