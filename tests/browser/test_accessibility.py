"""Every page, cold by its address: its question, no violation of WCAG 2.1 A and AA in light or dark, on a phone or at 200% nothing too wide,
nothing too small for a finger, and the picture on the first screen; on a small laptop the words along charts' axes level and apart."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from pages._frame.menu import HOME, list_views
from tests.browser.test_main_path import TITLES, opened

pytestmark = pytest.mark.browser
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}
COLORS = RULES | {"runOnly": ["color-contrast", "link-in-text-block"]}  # all that a theme changes
# What was drawn last fades in; what turns for ever, as a sign of waiting, is not waited for.
FADED_IN = "() => document.getAnimations().every(a => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"
# What a finger presses on the page, and is less than 44 px high.
SMALL = """() => [...document.querySelectorAll('[data-testid=stMain] :is([data-variant], .stButton button, .stDownloadButton button,'
  + '.stExpander summary, .stTextInput input, .stSelectbox input, [data-testid=stPageLink] a, .take)')]
  .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 43.5).map(e => e.outerHTML.slice(0, 150))"""
# The words along charts' axes: those that turn, that lie on another of their axis, and those too pale on the page (WCAG 1.4.3).
TICKS = """const words = (part) => [...part.querySelectorAll('text')].filter(e => e.textContent.trim() && e.checkVisibility());
  const turned = [...document.querySelectorAll('.xtick text, .ytick text')].filter(e => e.checkVisibility() && /rotate\\((?!0[,)])/.test(e.getAttribute('transform')));
  const covered = [...document.querySelectorAll('.xaxislayer-above, .yaxislayer-above')].flatMap(axis => words(axis).flatMap((a, k, all) =>
    all.slice(k + 1).filter(b => { const [p, q] = [a, b].map(e => e.getBoundingClientRect());
      return Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 3; })));"""
LEVEL = f"() => {{ {TICKS} return [...turned, ...covered].map(e => e.textContent) }}"
PALE = """() => {
  const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = light(getComputedStyle(document.querySelector('.stApp')).backgroundColor);
  return [...document.querySelectorAll(':is(.xtick, .ytick, .legend) text, .xtitle, .ytitle')].filter(e => e.checkVisibility()).filter(e => {
    const own = light(getComputedStyle(e).fill);
    return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05) < 4.5; }).map(e => e.textContent); }"""
# How far the page runs over its side, px.
WIDER = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  return Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth);
}"""
TOP = 100  # px of Home's picture on a phone's first screen: the sentences and the verdict are above it
PICTURES = {"": ".map.compact canvas", "map": ".map canvas", "found": ".js-plotly-plot", "why": ".js-plotly-plot"}
ADDRESSES = ["" if view == HOME else view for view in list_views()]


def violations(page: Page, rules: dict[str, list[str]] = RULES) -> list[str]:
    """What axe finds, a line an element."""
    result = Axe().run(page, options=rules).response["violations"]
    return [f"{v['id']}: {n['html'][:150]} {n['failureSummary'].splitlines()[-1].strip()[:160]}" for v in result for n in v["nodes"]]


def test_every_view_has_a_question():
    assert set(TITLES) == set(ADDRESSES)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_opens_by_its_address_and_can_be_read_by_everyone(page: Page, server: str, address: str):
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    opened(page, server, address)
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLES[address])
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=240_000)  # what a first visitor waits for
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_function(FADED_IN)
    if address in PICTURES:
        expect(page.locator(PICTURES[address]).first).to_be_visible()
    light = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    expect(page.locator(".stApp")).not_to_have_css("background-color", light)
    assert page.evaluate(PALE) == []  # at once
    assert violations(page, COLORS) == []
    page.set_viewport_size({"width": 1024, "height": 768})
    page.wait_for_timeout(500)
    assert page.evaluate(LEVEL) == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(300)
    assert page.evaluate(WIDER) <= 2
    assert page.evaluate(SMALL) == []
    if address in PICTURES:
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        box = page.locator(PICTURES[address]).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + (box["height"] if address else TOP) <= 844
    page.set_viewport_size({"width": 683, "height": 384})  # a laptop zoomed to 200%
    page.wait_for_timeout(300)
    assert page.evaluate(WIDER) <= 0
