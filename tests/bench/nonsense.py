"""Check pages on which nonsense was typed: no traceback, path, console error or markup, and error messages that help."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path

from playwright.sync_api import Locator, Page

from core.common.config import ROOT, cache_folder, data_folder
from tests.browser.conftest import AT_REST

CITED = 60  # letters in a row of what was typed, in an error
NAMED = 8  # letters from which on what was typed is recognized
DO = (
    "add|allow|ask|bring|build|change|check|choose|convert|correct|delete|download|fit|get|give|go back|index|install|keep|label|leave|limit|look|lower"
    "|make|mark|measure|merge|move|name|open|paste|pick|put|rebuild|reinstall|reload|remove|rename|rerun|restart|run|save|search|separate"
    "|shorten|simplify|start|tap|take|train|try|turn|type|unpack|upload|use|wait|write"
)
# What to do: an imperative where a clause begins, what would do ("at most 12"), the choices there are, or a command; in Korean its ending.
NEXT_STEP = re.compile(
    rf"(?:^|[.:;!?,)’”]\s+|\b(?:or|and|then|to)\s)(?:{DO})\b|\bat (?:least|most)\b|\b(?:must|needs?|needed|expected)\b|\bfrom \S+ (?:up )?to\b"
    r"|\bbetween \S+ and\b|\w: [^.,]+, \w|\bpip install\b|\bpython -m\b|세요|십시오|이상|이하|까지|사이|필요|있는 \w+:",
    re.IGNORECASE,
)
SAID = """() => ({
  exceptions: [...document.querySelectorAll('[data-testid=stException]')].map((e) => e.innerText.slice(0, 300)),
  errors: [...document.querySelectorAll('[data-testid=stAlertContentError] [data-testid=stMarkdownContainer]')].map((e) => e.innerText),
  warnings: [...document.querySelectorAll('[data-testid=stAlertContentWarning] [data-testid=stMarkdownContainer]')].map((e) => e.innerText),
  text: document.body.innerText,
  marked: document.querySelectorAll('img[src=x], #nonsense').length,
  wide: Math.max(document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll('[data-testid=stMain]')].map((e) => e.scrollWidth - e.clientWidth)),
})"""


def wait(page: Page, first_ms: int = 250) -> None:
    page.wait_for_timeout(first_ms)
    page.wait_for_function(AT_REST, timeout=120_000)
    page.wait_for_timeout(150)


def type_in(page: Page, box: Locator, value: str) -> None:
    """Paste a value into a box as a user does: replace the content and press Enter."""
    box.click(timeout=10_000, position={"x": 12, "y": 12})  # not on what Streamlit writes in the corner
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(value) if value else page.keyboard.press("Delete")
    page.keyboard.press("Control+Enter" if box.evaluate("e => e.tagName") == "TEXTAREA" else "Enter")


def wrong_with(said: str, value: str = "") -> Iterator[str]:
    """Yield what is wrong with an error about a typed value; "" if it is not about one."""
    if not NEXT_STEP.search(said):
        yield f"does not say what to do: {said[:160]!r}"
    typed, said_so = _in_one_line(value), _in_one_line(said)
    cited = next((n for n in range(min(len(typed), len(said_so)), 0, -1) if typed[:n] in said_so), 0)
    if cited > CITED:
        yield f"cites too much of it: {said[:160]!r}"
    elif NAMED <= cited < len(typed) and not said_so[said_so.index(typed[:cited]) + cited :].lstrip().startswith("…"):
        yield f"cites part of it without a mark: {said[:160]!r}"
    last = Path(typed).name if "/" in typed else typed  # of a path no more is said
    if cited < min(NAMED, len(typed)) and last not in said_so and not re.search(r"\d", said):
        yield f"does not name it: {said[:160]!r}"


def _in_one_line(text: str) -> str:
    text = text.replace("—", "--")  # as Streamlit shows two hyphens
    return " ".join("".join(sign for sign in text if sign.isprintable() or sign.isspace()).split()).casefold()


def faults(page: Page, value: str, console: list[str], before: Collection[str] = ()) -> Iterator[str]:
    """Yield what is wrong with the page. Errors that existed `before` need not name the value."""
    shown = page.evaluate(SAID)
    yield from (f"exception: {item}" for item in shown["exceptions"])
    if result := re.search(r"Traceback|File \"|\.py\", line", shown["text"]):
        yield f"traceback: {result[0]}"
    for place in {str(ROOT), str(cache_folder()), str(data_folder() or ROOT), str(Path.home()) + "/", "site-packages"}:
        if place in shown["text"]:
            at = shown["text"].index(place)
            yield f"path: {shown['text'][max(0, at - 60) : at + 60]!r}"
    if shown["marked"]:
        yield "markup became part of the page"
    if shown["wide"] > 2:
        yield f"{shown['wide']} px too wide"
    for said in shown["errors"]:
        yield from wrong_with(said, "" if said in before else value)
    for said in shown["warnings"]:
        yield from wrong_with(said)
    yield from (f"console: {item}" for item in console)
    console.clear()
