"""The keyboard alone reaches every control and works it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import at_rest, opened

pytestmark = pytest.mark.browser
MOST = 250  # presses of Tab

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
REACH = """() => {
  let e = document.activeElement;
  while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  window.reached.add(e);
}"""
LEFT = """() => {
  const group = (e) => e.closest('[role=radiogroup], [role=group], [role=tablist]');
  const groups = new Set([...window.reached].map((e) => e && group(e)).filter(Boolean));
  return [...window.controls].filter(([e]) => e.isConnected && !window.reached.has(e) && !groups.has(group(e))).map(([, name]) => name);
}"""


@pytest.mark.parametrize("path", ["", "neighbors", "map", "found", "classify"])
def test_tab_reaches_every_control(page: Page, server: str, path: str):
    opened(page, server, path)
    at_rest(page)
    page.wait_for_function(f"({CONTROLS})() > 5")  # all of the page, not only its menu
    at_rest(page)
    page.evaluate(CONTROLS)
    for _ in range(MOST):
        page.keyboard.press("Tab")
        page.evaluate(REACH)
        if not page.evaluate(LEFT):
            break
    assert page.evaluate(LEFT) == []


def test_keys_alone_move_home_s_layer_and_type_a_sentence(page: Page, server: str):
    opened(page, server, "")
    at_rest(page)
    slider = page.get_by_role("slider")
    expect(slider).to_have_attribute("aria-valuetext", "Sense space")  # once it has opened with its glide
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if (
            page.evaluate(
                "() => { let e = document.activeElement; while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; return e.type; }"
            )
            == "range"
        ):
            break
    for key, layer in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2)):
        page.keyboard.press(key)
        expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^layer {layer}\b", re.IGNORECASE))
    box = page.get_by_label("First sentence", exact=True)
    box.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("The bank lent us the money.")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("lent"))
