"""Actions on a page in the browser that several tests share."""

import re
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import AT_REST, WAIT_MS
from tests.links import address

NOTICE = "[data-stale=false] .notice"
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}
# Running animations have ended, except those without an end, which show that the page waits.
FADED_IN = "() => document.getAnimations().every(a => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"


def opened(page: Page, server: str, path: str) -> Page:
    page.goto(f"{server}/{address(path)}")
    page.wait_for_function("() => document.querySelector('h1') && document.querySelector('.notice')")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_text("What to notice.").first).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    return page


def noticed(page: Page, text: str | re.Pattern) -> Locator:
    notice = page.locator(NOTICE, has_text=text)
    expect(notice).to_be_visible()
    return notice


def fill_in(box: Locator, text: str) -> None:
    box.fill(text)
    box.press("Enter")


def upload(page: Page, *files: tuple[str, str, bytes]) -> None:
    kinds = ("name", "mimeType", "buffer")
    page.locator("input[type=file]").set_input_files([dict(zip(kinds, file, strict=True)) for file in files])


def count_sent(page: Page) -> list[int]:
    """Return a list that grows with every message of the page to the server. Call it before the page is opened."""
    sent: list[int] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: sent.append(1)))
    return sent


def grab(slider: Locator, share: float) -> Callable[[float], None]:
    """Press the mouse at a share of a slider's width. Return a function that moves it to another share."""
    box = slider.bounding_box()

    def move(share: float) -> None:
        slider.page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)

    move(share)
    slider.page.mouse.down()
    return move


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def go(page: Page, part: str) -> None:
    page.get_by_role("radio", name=part, exact=True).click()


def at_rest(page: Page) -> None:
    """Wait until no run draws the page. Use this before an action at a position on the page."""
    page.wait_for_function("() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'")


def wait_until(page: Page, read: str | Callable[[], Any], is_expected: Callable[[Any], bool]) -> None:
    """Read a value, by a script or a function, until it is the expected one."""
    deadline = time.monotonic() + WAIT_MS / 1000
    while not is_expected(value := page.evaluate(read) if isinstance(read, str) else read()):
        assert time.monotonic() < deadline, value
        page.wait_for_timeout(50)


def saved(page: Page, button: Locator) -> tuple[str, bytes]:
    """Press a button and return the name and the content of the file that it downloads."""
    page.wait_for_function(AT_REST)  # a run removes the file before its download ends
    with page.expect_download() as download:
        button.press("Enter")
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def packed(numbers: np.ndarray, kind: str = "<f4") -> str:
    """Return numbers as components are sent them: base64 of their bytes."""
    return b64encode(np.ascontiguousarray(numbers, kind).tobytes()).decode()


def violations(page: Page, rules: dict[str, list[str]] = RULES) -> list[str]:
    """Return what axe finds, one line for each element."""
    result = Axe().run(page, options=rules).response["violations"]
    return [f"{v['id']}: {n['html'][:150]} {n['failureSummary'].splitlines()[-1].strip()[:160]}" for v in result for n in v["nodes"]]
