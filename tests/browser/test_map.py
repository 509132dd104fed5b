"""The Map page in a real Chromium: a dot clicked, a box drawn, axes of one's own, a word of which nothing is shown."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import at_rest, opened

pytestmark = pytest.mark.browser

FADED = "() => [...document.querySelectorAll('.js-plotly-plot')].filter(c => c.layout.meta?.map).map(c => c.data.some(d => d.selectedpoints))"
LINES = "() => [...document.querySelectorAll('.js-plotly-plot')].filter(c => c.layout.meta?.map).map(c => c.data.filter(d => d.mode === 'lines').length > 0)"
# Where the first dot of the first map stands on the screen.
FIRST_DOT = """() => {
  const chart = [...document.querySelectorAll('.js-plotly-plot')].find(c => c.layout.meta?.map);
  const box = chart.querySelector('.nsewdrag').getBoundingClientRect(), {xaxis, yaxis} = chart._fullLayout;
  const dots = chart._fullData.findIndex(d => d.mode === 'markers' && d.customdata), {x, y} = chart.calcdata[dots][0];
  return [box.x + xaxis.c2p(x), box.y + yaxis.c2p(y), Number(chart._fullData[dots].customdata[0][0])];
}"""


def test_a_click_on_a_dot_draws_lines_to_its_true_neighbours_and_the_address_keeps_them(page: Page, server: str):
    opened(page, server, "map?view=1&dot=none")
    expect(page.get_by_text("true neighbours are among")).to_have_count(0)
    at_rest(page)
    page.locator(".js-plotly-plot .nsewdrag").first.scroll_into_view_if_needed()
    page.wait_for_function("() => [...document.querySelectorAll('.js-plotly-plot')].some(c => c.elmoscope)")
    x, y, row = page.evaluate(FIRST_DOT)
    page.mouse.click(x, y)
    expect(page.get_by_text(re.compile(r"\d+ of its 10 true neighbours are among its 10 nearest here"))).to_be_visible()
    expect(page).to_have_url(re.compile(rf"dot={row}\b"))
    page.wait_for_function(f"() => ({LINES})().every(Boolean)")
    assert page.evaluate(LINES) == [True]


def test_a_box_on_one_map_selects_on_all_and_in_the_list_and_can_be_cleared(page: Page, server: str):
    opened(page, server, "map?layout=Largest+spread+(PCA)&view=all+layers&dot=none")
    at_rest(page)
    plot = page.locator(".js-plotly-plot .nsewdrag").nth(1)
    plot.scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot')[1]?.elmoscope")
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.7, steps=6)
    page.mouse.up()
    expect(page.get_by_text(re.compile(r"^\d+ selected$"))).to_be_visible()
    page.wait_for_function(f"() => ({FADED})().every(Boolean)")
    assert page.evaluate(FADED) == [True] * 4
    page.get_by_role("button", name="Clear the selection").click()
    expect(page.get_by_text(re.compile(r"^\d+ selected$"))).to_have_count(0)
    page.wait_for_function(f"() => !({FADED})().some(Boolean)")


def test_axes_of_ones_own_open_cold_and_an_unknown_word_is_named(page: Page, server: str):
    opened(page, server, "map?layout=Axes+of+your+own&view=2")
    expect(page.locator(".xtitle").first).to_have_text("← bank: river edge · bank: financial institution →")
    expect(page.get_by_text("The first axis holds")).to_be_visible()
    opened(page, server, "map?layout=Axes+of+your+own&view=2&map_word=play&right=%3F%3F")
    expect(page.get_by_text("One end of an axis is empty.")).to_be_visible()
    expect(page.locator(".xtitle").first).to_contain_text("play:")


def test_a_word_of_which_nothing_is_shown_is_one_click_away(page: Page, server: str):
    opened(page, server, "map?layout=Three+dimensions")
    expect(page.get_by_text("Three components hold")).to_be_visible()
    page.get_by_text("Compare all words: of which is it not shown?").click()
    expect(page.locator("[data-stale=false] .notice").last).to_contain_text("it is not shown")
    worst = page.get_by_label("Open a word of which it is not shown").get_by_role("radio").first
    word = worst.inner_text()
    worst.click()
    expect(page).to_have_url(re.compile(f"map_word={word}"))
    expect(page.locator("[data-stale=false] .notice").first).to_contain_text(f"“{word}”")
