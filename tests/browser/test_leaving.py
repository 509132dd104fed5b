"""A page is left while something of it is still to be sent to the server: the next page is drawn, and nothing calls the old one back."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser
NEXT = "document.querySelector('[data-testid=stSidebar] [data-testid=stPageLink] a[href*=neighbours]').click()"
TOLD = "addEventListener('elmoscope-home', () => { window.told = performance.now(); })"


@pytest.mark.parametrize("after", [640, 660, 680, 695])
def test_home_is_left_while_its_scenes_are_about_to_be_asked_for(page: Page, server: str, after: int):
    """They are asked for 700 ms after an answer: a request of a page just left would leave an empty screen."""
    page.add_init_script(TOLD)
    page.goto(f"{server}/?a=They+were+stuck+in+a+jam.&b=A+mole+dug+it.")
    expect(page.get_by_text("Five short scenes")).to_be_attached()
    page.evaluate("window.told = Infinity")
    page.locator(".st-key-ai button", has_text="stuck").click()
    page.wait_for_function(f"performance.now() > window.told + {after}", polling=5)
    page.evaluate(NEXT)
    expect(page.get_by_role("heading", level=1)).to_have_text("What are its neighbors?")
    page.wait_for_timeout(700)  # what was still to come has come
    expect(page.get_by_role("heading", level=1)).to_have_text("What are its neighbors?")


def test_a_slider_that_glides_as_its_page_is_left_says_nothing_more(page: Page, server: str):
    page.goto(f"{server}/?a=They+were+stuck+in+a+jam.&b=A+mole+dug+it.")
    page.get_by_role("slider").press("Home")
    page.evaluate(NEXT)
    expect(page.get_by_role("heading", level=1)).to_have_text("What are its neighbors?")
    page.wait_for_timeout(700)
    expect(page.get_by_role("heading", level=1)).to_have_text("What are its neighbors?")
