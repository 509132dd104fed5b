"""Nonsense typed into every box: `python -m tests.bench.nonsense http://localhost:8501`.

usage: python -m tests.bench.nonsense BASE [view ...] [--values NAME ...] [--language ko] [--photos FOLDER]

Opens each view in Chromium, unfolds it, and gives each of its boxes, those of "Model and data" on Home and those that a choice brings, each value in
turn: typed, then Enter. After each it asks for: an answer within a minute, no exception, no traceback, no path of the server, no error in
the console, nothing wider than the window, no markup that became part of the page, and of each error that is said that it says what to do,
names what was typed, cites at most a line of it and marks where it was cut. A fault is printed with its view, box and value; the last
lines count. Ends with status 1 if anything was found.
"""

import argparse
import re
import sys
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Error, Locator, Page, sync_playwright

from core.common.config import ROOT, cache_folder, data_folder
from pages._frame.menu import HOME, door, list_views
from tests.browser.conftest import AT_REST
from tests.run import find_chromium

VALUES = {
    "HTML": "<img src=x onerror=alert(1)><b id=nonsense>bank</b><script>alert(2)</script>",
    "emoji": "🎉👩‍👩‍👧‍👦🏳️‍🌈 bank 🎉",
    "300 letters": "x" * 300,
    "20,000 letters": "nonsense " * 2_222,
    "blanks": "      ",
    "control characters": "ba\x01nk\x07\x1b[31m\x7f \u200b\ufeff",
    "right to left": "\u202eשלום בנק\u2066 عالم",
    "Korean": "은행에서 돈을 찾아 강둑을 걸었다",
    "SQL": "'; DROP TABLE words; -- ",
    "path": "../../etc/passwd",
}
NUMBERS = {"300 letters": "9" * 300, "control characters": "1e999", "path": "-5", "blanks": ""}  # what a box for numbers is given instead
SIZE = {"width": 1366, "height": 768}
BOX = ".stTextInput input, .stTextArea textarea, .stNumberInput input, .stSelectbox input, .stMultiSelect input"
CITED = 60  # letters in a row of what was typed, in an error
NAMED = 8  # letters from which on what was typed is recognized
FROZEN_S = 60
CHOICES = 12  # of a view, clicked to see which boxes they bring
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
# Those of the main column are unfolded, but for tables, which hold no box, and what exports.
UNFOLD = """() => { for (const one of document.querySelectorAll('[data-testid=stMain] [data-testid=stExpander] details:not([open]) > summary'))
  if (!/table|Export|표|내보내기/i.test(one.innerText)) one.click() }"""
SAID = """() => ({
  exceptions: [...document.querySelectorAll('[data-testid=stException]')].map((e) => e.innerText.slice(0, 300)),
  errors: [...document.querySelectorAll('[data-testid=stAlertContentError] [data-testid=stMarkdownContainer]')].map((e) => e.innerText),
  warnings: [...document.querySelectorAll('[data-testid=stAlertContentWarning] [data-testid=stMarkdownContainer]')].map((e) => e.innerText),
  text: document.body.innerText,
  marked: document.querySelectorAll('img[src=x], #nonsense').length,
  wide: Math.max(document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll('[data-testid=stMain]')].map((e) => e.scrollWidth - e.clientWidth)),
})"""


@dataclass
class Tally:
    """What came of a view."""

    typed: int = 0
    slowest_s: float = 0.0
    faults: list[str] = field(default_factory=list)


def wait(page: Page, first_ms: int = 250) -> None:
    page.wait_for_timeout(first_ms)
    page.wait_for_function(AT_REST, timeout=120_000)
    page.wait_for_timeout(150)


def open_view(page: Page, base: str, view: str, language: str) -> None:
    file, parameters = door(view)
    query = {**parameters, **({} if language == "en" else {"lang": language})}
    path = "" if file == "app.py" else Path(file).stem
    page.goto(f"{base}/{path}" + "".join(f"{'&' if k else '?'}{key}={value}" for k, (key, value) in enumerate(query.items())))
    page.wait_for_selector("[data-testid=stMainBlockContainer] h1", timeout=120_000)
    wait(page, 1_000)
    page.evaluate(UNFOLD)
    wait(page, 400)


def boxes(page: Page, view: str) -> list[tuple[str, str | None]]:
    """(selector, the button of the popover it is in, or of the choice that brings it, or None) of each box: by its key where it has one."""
    result = [(item, None) for item in _within(page, "[data-testid=stMain]")]
    popovers = page.locator("[data-testid=stMain] [data-testid=stPopover] button")
    for k in range(popovers.count()):
        if not popovers.nth(k).is_visible():
            continue
        popovers.nth(k).click()
        page.wait_for_timeout(300)
        inner = f"[data-testid=stMain] [data-testid=stPopover] button >> nth={k}"
        result += [(item, inner) for item in _within(page, "[data-testid=stPopoverBody]")]
        page.keyboard.press("Escape")
    result += _chosen(page, view, {selector for selector, _ in result})
    if view == HOME:
        page.locator("[data-testid=stSidebar] [data-testid=stExpander] summary").first.click()
        page.wait_for_timeout(300)
        result += [(item, None) for item in _within(page, "[data-testid=stSidebar]")]
    return result


def _chosen(page: Page, view: str, known: set[str]) -> Iterator[tuple[str, str]]:
    """The boxes that are there only after a choice, each once; the switch between views is no choice."""
    switch = next((key for key in door(view)[1]), "-")
    choices = f"[data-testid=stMain] [class*=st-key-]:not([class*='{switch}']) > [data-testid=stButtonGroup] button"
    for k in range(min(page.locator(choices).count(), CHOICES)):
        choice = f"{choices} >> nth={k}"
        if not page.locator(choice).is_visible():
            continue
        page.locator(choice).click()
        wait(page)
        page.evaluate(UNFOLD)
        wait(page)
        for selector in _within(page, "[data-testid=stMain]"):
            if selector.startswith("[class~=") and selector not in known:
                known.add(selector)
                yield selector, choice


def _within(page: Page, place: str) -> Iterator[str]:
    script = """([place, box]) => [...document.querySelectorAll(place + ' :is(' + box + ')')].filter((e) => e.checkVisibility() && !e.disabled)
      .map((e) => [...(e.closest('[class*=st-key-]')?.classList ?? [])].find((name) => name.startsWith('st-key-')) ?? '')"""
    names = page.evaluate(script, [place, BOX])
    for k, name in enumerate(names):
        own = f"[class~='{name}'] :is({BOX})" if name else ""
        yield own if own and names.count(name) == 1 else f"{place} :is({BOX}) >> nth={k}"


def type_in(page: Page, box: Locator, value: str) -> None:
    """As a person does who pastes it: what was there goes, Enter ends it."""
    box.click(timeout=10_000, position={"x": 12, "y": 12})  # not on what Streamlit writes in the corner
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(value) if value else page.keyboard.press("Delete")
    page.keyboard.press("Control+Enter" if box.evaluate("e => e.tagName") == "TEXTAREA" else "Enter")


def wrong_with(said: str, value: str = "") -> Iterator[str]:
    """What is wrong with an error about a value that was typed; "" where it is not about one."""
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
    """What is wrong with the page as it stands; of errors that were there `before` nobody asks whether they name the value."""
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


def run(browser: Browser, arguments: argparse.Namespace, view: str) -> Tally:
    """Each value into each box of a view, one after the other; the view is opened anew for each box, and after a fault."""
    tally = Tally()
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    console: list[str] = []
    page.on("console", lambda m: console.append(m.text[:200]) if m.type == "error" else None)
    page.on("pageerror", lambda e: console.append(str(e)[:200]))
    page.on("dialog", lambda d: (console.append(f"dialog: {d.message}"), d.dismiss()))
    page.on("response", lambda r: console.append(f"{r.status} {r.url[:120]}") if r.status >= 400 else None)
    open_view(page, arguments.base, view, arguments.language)
    places = boxes(page, view)
    for k, (selector, popover) in enumerate(places):
        reopen(page, arguments, view)
        for name in arguments.values:
            started = time.monotonic()
            try:
                before = page.evaluate(SAID)["errors"]
                value = typed(page, selector, popover, name)
                result = list(dict.fromkeys(faults(page, value, console, before)))
                if (took := time.monotonic() - started) > FROZEN_S:
                    result.append(f"took {took:.0f} s")
            except Error as error:
                result = [f"not typed: {str(error).splitlines()[0][:200]}"]
            tally.typed += 1
            tally.slowest_s = max(tally.slowest_s, time.monotonic() - started)
            if result:
                box = selector.split(" :is(")[0]
                tally.faults += [f"{box}, {name}: {item}" for item in result]
                if arguments.photos:
                    arguments.photos.mkdir(parents=True, exist_ok=True)
                    page.screenshot(path=arguments.photos / f"{view}-{k}-{name.replace(' ', '-')}.png")
                console.clear()
                reopen(page, arguments, view)
    context.close()
    return tally


def typed(page: Page, selector: str, popover: str | None, name: str) -> str:
    """The value of that name, put into the box."""
    box = page.locator(selector).first
    if popover and not box.is_visible():
        page.locator(popover).click()
        box.wait_for(state="visible", timeout=10_000)
        page.wait_for_timeout(250)
    value = NUMBERS.get(name, VALUES[name]) if box.get_attribute("type", timeout=10_000) == "number" else VALUES[name]
    type_in(page, box, value)
    wait(page)
    return value


def reopen(page: Page, arguments: argparse.Namespace, view: str) -> None:
    """The view as it first was."""
    open_view(page, arguments.base, view, arguments.language)
    if view == HOME:
        page.locator("[data-testid=stSidebar] [data-testid=stExpander] summary").first.click()
        page.wait_for_timeout(300)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("views", nargs="*")
    parser.add_argument("--values", nargs="+", choices=list(VALUES), default=list(VALUES))
    parser.add_argument("--language", default="en")
    parser.add_argument("--photos", type=Path, help="of each page with a fault")
    arguments = parser.parse_args()
    arguments.base = arguments.base.rstrip("/")
    views = arguments.views or list_views()
    typed, wrong = 0, 0
    print(f"{'view':12}{'typed':>8}{'slowest':>10}{'faults':>8}", flush=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        for view in views:
            tally = run(browser, arguments, view)
            print(f"{view:12}{tally.typed:8}{tally.slowest_s:8.1f} s{len(tally.faults):8}", flush=True)
            for fault in dict.fromkeys(tally.faults):
                print(f"  {fault}", flush=True)
            typed, wrong = typed + tally.typed, wrong + len(tally.faults)
        browser.close()
    print(f"{typed:,} inputs on {len(views)} views, {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
