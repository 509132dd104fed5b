"""Time pages in a real Chromium: the first useful paint next to `streamlit hello`, and a slider's way to the neighbors it changes.

Servers are processes of their own with empty caches; nothing of the pages is imported here. A paint is useful once a person can
look at what the page is for: ours when the picture of the angle is there, `streamlit hello`'s with its heading (it has no picture).
"""

import contextlib
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Error, Locator

from tests.bench import texts
from tests.bench.measure import Check, Row, Setting, figure, milliseconds, quotient
from tests.browser.visit import grab
from tests.raw_client import LOCAL, ROOT, STREAMLIT_RUN, start_server
from tests.run import start_chromium

OCCURRENCES, MOVES, STARTS = 30_000, 40, 3  # tokens of the corpus, slider moves, servers started on each side
WAIT_MS = 90_000
OURS, HELLO = STREAMLIT_RUN, (*STREAMLIT_RUN[:3], "hello")
HEADING, PICTURE = "h1", 'html[data-home="alive"]'  # set by the page once the picture is drawn
SHOWN = "(wanted) => [...document.querySelectorAll(wanted)].some((one) => one.checkVisibility({ visibilityProperty: true }))"
SLIDER = ".st-key-w0 [role=group]"
NEEDED = "Playwright and a Chromium are needed; run: pip install playwright, then python -m playwright install chromium"
# The lists' last change after a release, painted; and what else changed: containers put in or taken away anywhere, and anything
# at all in the menu, the title and the sentence under it.
WATCH = """() => {
  const lists = () => [...document.querySelectorAll('.kwic')].map((line) => line.textContent).join();
  const still = '[data-testid=stSidebar], h1, .lede', held = '[data-testid=stElementContainer]';
  const holds = (node) => node.nodeType === 1 && (node.matches(held) || node.querySelector(held));
  const seen = window.seen = { released: 0, redrawn: 0, others: [] };
  let before = lists();
  addEventListener('pointerup', () => { seen.released = performance.now(); seen.redrawn = 0; }, true);
  new MutationObserver((records) => {
    for (const { target, addedNodes, removedNodes } of records) {
      const outside = (target.nodeType === 1 ? target : target.parentElement)?.closest(still);
      if (outside || [...addedNodes, ...removedNodes].some(holds)) seen.others.push((outside ?? target).className);
    }
    const now = lists();
    if (now === before) return;
    before = now;
    requestAnimationFrame(() => setTimeout(() => { seen.redrawn = performance.now(); }));
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
DONE = "() => seen.redrawn && document.querySelector('[data-test-script-state]').dataset.testScriptState === 'notRunning'"
STATES, SLIDES = ("warm", "cold"), ("p50", "p95")
PAINT, SLIDE = "first useful paint, {} server", "slider released to neighbors redrawn, {}"


def rows(setting: Setting) -> Iterator[Row]:
    """Yield the first paint on a warm and on a cold server; then the slider's median and its slowest moves."""
    with contextlib.ExitStack() as stack:
        try:
            browser = stack.enter_context(start_chromium())
        except Error:  # there is none
            yield from (setting.not_run(name, NEEDED) for name in (*map(PAINT.format, STATES), *map(SLIDE.format, SLIDES)))
            return
        yield from _paints(setting, browser)
        yield from _slider(setting, browser)


def _paints(setting: Setting, browser: Browser) -> Iterator[Row]:
    """Start servers of both kinds alternately. Each has a first user (cold), then another one (warm), both with empty browsers."""
    sides = {OURS: (HEADING, PICTURE), HELLO: (HEADING,)}
    result: dict[tuple, dict[str, list[list[float]]]] = {side: {"cold": [], "warm": []} for side in sides}
    for number in range(setting.pick(STARTS, 1)):
        for side in list(sides)[:: 1 if number % 2 else -1]:
            setting.report(f"pages: streamlit {side[3]}, server {number + 1}")
            with served(setting, *side) as address:
                for state in ("cold", "warm"):
                    result[side][state].append(_visit(browser, address, sides[side]))
    for state in STATES:
        ours, theirs = [paint[1] for paint in result[OURS][state]], [paint[0] for paint in result[HELLO][state]]
        yield setting.row(
            PAINT.format(state),
            ours=milliseconds("ours, Home's picture", ours),
            peer=milliseconds("streamlit hello, its heading", theirs),
            ratio=quotient("our time / hello's", ours, theirs, "x"),
            sizes=f"{len(ours)} servers of each kind, started alternately, on the browser's own cores; each visitor's browser is empty",
            details={"ms_to_our_title": 1000 * float(np.median([paint[0] for paint in result[OURS][state]]))},
        )


def _slider(setting: Setting, browser: Browser) -> Iterator[Row]:
    """Drag the Mix page's first slider by mouse from side to side, over a corpus of our sentences without their labels."""
    n_tokens, moves = setting.pick((OCCURRENCES, MOVES), (400, 3))
    corpus = setting.folder / "corpus.txt"
    corpus.write_text("\n".join(" ".join(tokens) for tokens in texts.text_of(n_tokens)), encoding="utf-8", newline="\n")
    setting.report(f"pages: the Mix page reads a corpus of {n_tokens:,} tokens")
    with served(setting, *OURS) as address:
        page = browser.new_page(viewport={"width": 1440, "height": 2400})
        page.set_default_timeout(WAIT_MS)
        page.goto(f"{address}/mix?corpus={urllib.parse.quote(str(corpus))}")
        page.wait_for_selector(".kwic", timeout=10 * WAIT_MS)  # every token is read first
        page.wait_for_selector("[data-test-script-state=notRunning]")
        slider = page.locator(SLIDER)
        _drag(slider, 0.75)  # not counted: the charts' code is loaded, the session's first run is over
        page.wait_for_timeout(3000)
        page.evaluate(WATCH)
        seconds, others = [], []
        for number in range(moves):
            _drag(slider, 0.7 if number % 2 else 0.3)
            page.wait_for_function(DONE)
            seen = page.evaluate("() => ({ ...seen, others: seen.others.splice(0) })")
            seconds.append((seen["redrawn"] - seen["released"]) / 1000)
            others += seen["others"]
        page.close()
    flickers = Check(what="changes outside the lists and charts", difference=float(len(others)), limit=0)
    taken = [milliseconds("ours", seconds), figure("ours, 95th percentile", [1000 * float(np.percentile(seconds, 95))], "ms")]
    for part, ours in zip(SLIDES, taken, strict=True):
        yield setting.row(
            SLIDE.format(part),
            ours=ours,
            checks=[flickers],
            sizes=f"{n_tokens:,} occurrences x 3 layers, two lists, bars and length; {len(seconds)} moves by mouse",
            details={"changed_besides": sorted(set(others))},
        )


def _drag(slider: Locator, share: float) -> None:
    """Press on the slider's track and release a little farther, at that share of its width."""
    move = grab(slider, share - 0.02)
    move(share)
    slider.page.mouse.up()


def _visit(browser: Browser, address: str, selectors: tuple[str, ...]) -> list[float]:
    """Return the seconds from the request of the first page, with an empty browser, until each selector's element is visible."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page, seconds = context.new_page(), []
    started = time.perf_counter()
    page.goto(address)
    for selector in selectors:
        page.wait_for_function(SHOWN, arg=selector, timeout=WAIT_MS)
        seconds.append(time.perf_counter() - started)
    context.close()
    return seconds


@contextlib.contextmanager
def served(setting: Setting, *command: str) -> Iterator[str]:
    """Start a Streamlit server that has an empty cache and as many threads as the setting, and yield its address."""
    variables = {"STREAMLIT_SERVER_HEADLESS": "true", "STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "OMP_NUM_THREADS": str(setting.threads)}
    variables["STREAMLIT_BROWSER_GATHER_USAGE_STATS"] = "false"  # the app's own settings; `streamlit hello` runs outside of its folder
    folder = Path(tempfile.mkdtemp(dir=setting.folder))
    with start_server(LOCAL, folder, environment=variables, command=command, cwd=ROOT if command == OURS else folder) as server:
        yield server.address
