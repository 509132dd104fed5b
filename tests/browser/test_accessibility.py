"""Test that every page can be read and operated by everyone: WCAG, small screens, keyboard, fonts."""

import pytest
from playwright.sync_api import Page, expect

from pages._frame.menu import HOME, list_views
from tests.browser.visit import FADED_IN, RULES, at_rest, opened, violations, wait_until

COLORS = RULES | {"runOnly": ["color-contrast", "link-in-text-block"]}  # all that a theme changes
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
TAB_VIEWS = {"", "neighbors", "map", "found", "classify"}  # views in which Tab must reach every control
# Every control in sight in the page's main column, its components' too; of a group of choices one is enough, arrows do the rest.
CONTROLS = """() => {
  const roots = [document.querySelector('[data-testid=stMain]')], controls = [];
  for (const root of roots) for (const e of root.querySelectorAll('*')) {
    if (e.shadowRoot) roots.push(e.shadowRoot);
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    if (!e.matches('a[href], button, input, textarea, select, summary, [role=slider]') || e.disabled || e.tabIndex < 0) continue;
    if (box.width < 2 || box.height < 2 || !e.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (style.pointerEvents === 'none' || e.closest('[inert], [aria-hidden=true], .modebar')) continue;
    controls.push(e);
  }
  window.controls = new Map(controls.map((e) => [e, e.getAttribute('aria-label') || e.innerText || e.name || e.outerHTML.slice(0, 120)]));
  window.reached = new Set();
  return controls.length;
}"""
LEFT = """() => {
  let e = document.activeElement;
  while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  window.reached.add(e);
  const group = (e) => e.closest('[role=radiogroup], [role=group], [role=tablist]');
  const groups = new Set([...window.reached].map((e) => e && group(e)).filter(Boolean));
  return [...window.controls].filter(([e]) => e.isConnected && !window.reached.has(e) && !groups.has(group(e))).map(([, name]) => name);
}"""


def press_tab(page: Page) -> list[str]:
    """Press Tab until it has reached every control. Return the names of those that it does not reach."""
    at_rest(page)
    page.wait_for_function(f"({CONTROLS})() > 5")  # all of the page, not only its menu
    page.evaluate(CONTROLS)
    left = []
    for _ in range(250):
        page.keyboard.press("Tab")
        if not (left := page.evaluate(LEFT)):
            break
    return left


@pytest.mark.parametrize("address", ADDRESSES)
def test_page_is_accessible(page: Page, server: str, address: str):
    page.emulate_media(color_scheme="light")
    opened(page, server, address)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=240_000)  # what a first visitor waits for
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_function(FADED_IN)
    expect(page.locator(".st-key-take").get_by_role("button", name="HTML file")).to_be_visible()
    if address in PICTURES:
        expect(page.locator(PICTURES[address]).first).to_be_visible()
    light = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    expect(page.locator(".stApp")).not_to_have_css("background-color", light)
    assert page.evaluate(PALE) == []  # at once
    assert violations(page, COLORS) == []
    expect(page.get_by_text("fonts-noto-cjk")).to_have_count(0)  # English needs no font
    if address in TAB_VIEWS:
        assert press_tab(page) == []
        page.evaluate("document.activeElement.blur()")
    page.set_viewport_size({"width": 1024, "height": 768})
    wait_until(page, f"() => {{ {TICKS} return [...turned, ...covered].map(e => e.textContent) }}", lambda words: words == [])
    page.set_viewport_size({"width": 390, "height": 844})
    wait_until(page, WIDER, lambda px: px <= 2)
    wait_until(page, SMALL, lambda controls: controls == [])
    if address in PICTURES:
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        box = page.locator(PICTURES[address]).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + (box["height"] if address else TOP) <= 844
    page.set_viewport_size({"width": 683, "height": 384})  # a laptop zoomed to 200%
    wait_until(page, WIDER, lambda px: px <= 0)


# Stand-ins for fonts, which a test cannot take away: a pen that draws one box for every letter, and one that draws letters apart.
BOXES = "CanvasRenderingContext2D.prototype.fillText = function () { this.fillRect(4, 8, 12, 16); };"
LETTERS = "CanvasRenderingContext2D.prototype.fillText = function (text) { this.fillRect(0, 0, text.charCodeAt(0) % 29 + 1, 9); };"


@pytest.mark.parametrize(("pen", "missing"), [(BOXES, True), (LETTERS, False)])
def test_korean_without_hangul_says_what_to_install(page: Page, server: str, pen: str, missing: bool):
    page.add_init_script(pen)
    page.goto(f"{server}/how?lang=ko")
    message = page.get_by_text("fonts-noto-cjk")
    expect(message).to_have_count(1)
    expect(message).to_be_visible(visible=missing)
