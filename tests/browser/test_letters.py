"""A browser that cannot draw a language's letters is told what to install; one that can is told nothing."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_main_path import opened

pytestmark = pytest.mark.browser
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


def test_english_asks_for_no_font(page: Page, server: str):
    opened(page, server, "how")
    expect(page.get_by_text("fonts-noto-cjk")).to_have_count(0)
