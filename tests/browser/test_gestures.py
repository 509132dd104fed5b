"""A finger and the wheel on a chart move the page, in a real Chromium; Ctrl and the wheel enlarges the map."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import at_rest

pytestmark = pytest.mark.browser

PLACE = "document.querySelector('[data-testid=stMain]').scrollTop"
RANGE = "JSON.stringify(document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range)"
READY = "window.elmoscopeGestures && document.querySelector('.js-plotly-plot')?._fullLayout?.xaxis"
# As where a browser cannot run the map's instrument: a chart of Plotly's, alone.
PLAIN = "if (location.pathname.startsWith('/map')) window.atob = () => { throw new Error('not here') }"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def middle_of_the_chart(page: Page) -> tuple[float, float]:
    page.wait_for_function(READY)
    at_rest(page)  # what is drawn later moves the chart
    page.evaluate("document.querySelector('.js-plotly-plot').scrollIntoView({block: 'center'})")
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.parametrize("path", ["", "map?dot=none"])
def test_a_swipe_over_a_chart_scrolls_the_page_on_a_phone(browser, server: str, path: str):
    with browser.new_context(**PHONE) as phone:
        page = phone.new_page()
        page.add_init_script(PLAIN)
        page.goto(f"{server}/{path}")
        x, y = middle_of_the_chart(page)
        assert page.evaluate(f"document.elementFromPoint({x}, {y}).closest('.js-plotly-plot') !== null")
        before, finger = page.evaluate(PLACE), phone.new_cdp_session(page)
        for name, points in [("touchStart", [y]), *(("touchMove", [y - 10 * k]) for k in range(1, 16)), ("touchEnd", [])]:
            finger.send("Input.dispatchTouchEvent", {"type": name, "touchPoints": [{"x": x, "y": at} for at in points]})
        page.wait_for_function(f"{PLACE} >= {before + 100}")


def test_the_wheel_scrolls_over_a_map_and_zooms_it_with_ctrl(page: Page, server: str):
    page.add_init_script(PLAIN)
    page.goto(f"{server}/map?dot=none")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    x, y = middle_of_the_chart(page)
    page.mouse.move(x, y)
    before, shown = page.evaluate(PLACE), page.evaluate(RANGE)
    page.mouse.wheel(0, 120)
    page.wait_for_function(f"{PLACE} > {before + 50}")
    assert page.evaluate(RANGE) == shown
    x, y = middle_of_the_chart(page)
    page.mouse.move(x, y)
    before = page.evaluate(PLACE)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    page.wait_for_function(f"{RANGE} !== {shown!r}")
    assert page.evaluate(PLACE) == before
