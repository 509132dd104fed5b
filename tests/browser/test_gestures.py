"""A finger and the wheel on a picture move the page, in a real Chromium; Ctrl and the wheel enlarges a map."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import at_rest
from tests.links import address

pytestmark = pytest.mark.browser

PLACE = "document.querySelector('[data-testid=stMain]').scrollTop"
READY = "window.elmoscopeGestures && document.querySelector('.js-plotly-plot')?._fullLayout?.xaxis"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PICTURES = {
    "": ".map.compact .plane",
    "map?dot=none": ".plane",
    "about": ".js-plotly-plot .nsewdrag",
}  # of Home, of the map, a chart of Plotly's


def middle(page: Page, picture: str) -> tuple[float, float]:
    expect(page.locator(picture).first).to_be_visible(timeout=60_000)
    if "plotly" in picture:
        page.wait_for_function(READY)
    at_rest(page)  # what is drawn later moves the picture
    page.locator(picture).first.evaluate("(one) => one.scrollIntoView({block: 'center'})")
    at_rest(page)
    box = page.locator(picture).first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("path", PICTURES)
def test_a_swipe_over_a_picture_scrolls_the_page_on_a_phone(browser, server: str, path: str):
    with browser.new_context(**PHONE) as phone:
        page = phone.new_page()
        page.goto(f"{server}/{address(path)}")
        x, y = middle(page, PICTURES[path])
        before, finger = page.evaluate(PLACE), phone.new_cdp_session(page)
        for name, points in [("touchStart", [y]), *(("touchMove", [y - 10 * k]) for k in range(1, 16)), ("touchEnd", [])]:
            finger.send("Input.dispatchTouchEvent", {"type": name, "touchPoints": [{"x": x, "y": at} for at in points]})
        page.wait_for_function(f"{PLACE} >= {before + 100}")


def test_the_wheel_scrolls_over_a_map_and_zooms_it_with_ctrl(page: Page, server: str):
    page.goto(f"{server}/map?dot=none")
    x, y = middle(page, ".plane")
    page.mouse.move(x, y)
    stars = page.locator(".map .stars")
    before, shown = page.evaluate(PLACE), stars.inner_html()
    page.mouse.wheel(0, 120)
    page.wait_for_function(f"{PLACE} > {before + 50}")
    assert stars.inner_html() == shown != ""
    x, y = middle(page, ".plane")
    page.mouse.move(x, y)
    before = page.evaluate(PLACE)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    expect(stars).not_to_have_js_property("innerHTML", shown)
    assert page.evaluate(PLACE) == before
