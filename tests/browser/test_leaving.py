"""A page is left while something of it is still to be sent to the server: the next page is drawn, and nothing calls the old one back."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
NEXT = "document.querySelector('[data-testid=stSidebar] [data-testid=stPageLink] a[href*=neighbors]').click()"


def test_a_slider_that_glides_as_its_page_is_left_says_nothing_more(page: Page, server: str):
    page.goto(f"{server}/?a=They+were+stuck+in+a+jam.&b=A+mole+dug+it.")
    page.get_by_role("slider").press("Home")
    page.evaluate(NEXT)
    expect(page.get_by_role("heading", level=1)).to_have_text("What are its neighbors?")
    page.wait_for_timeout(700)
    expect(page.get_by_role("heading", level=1)).to_have_text("What are its neighbors?")
