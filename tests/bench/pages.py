"""Time pages in a real Chromium: the first useful paint next to `streamlit hello`, and a slider's way to the neighbors it changes.

Servers are processes of their own with empty caches. A paint is useful once a person can look at what the page is for: ours when
Home's picture is there (tests.bench.waits), `streamlit hello`'s with its heading (it has no picture).
"""

import contextlib
import urllib.parse
from collections.abc import Iterator

import numpy as np
from playwright.sync_api import Browser, Error

from core.cli.shared import note
from tests.bench import texts
from tests.bench.measure import Row, Setting, figure, milliseconds, quotient
from tests.bench.waits import HELLO, OURS, served, visits
from tests.browser.visit import grab
from tests.run import start_chromium

OCCURRENCES, MOVES, STARTS = 30_000, 40, 3  # tokens of the corpus, slider moves, servers started on each side
WAIT_MS = 90_000
NEEDED = "Playwright and a Chromium are needed; run: pip install playwright, then python -m playwright install chromium"
# When a slider changed last, and when the lists were painted after that.
WATCH = """(root) => {
  const lists = () => [...root.querySelectorAll('li:not(.gone)')].map((line) => line.textContent).join();
  const seen = window.seen = { moved: 0, redrawn: 0 };
  let before = lists();
  root.addEventListener('input', () => { seen.moved = performance.now(); }, true);
  new MutationObserver(() => {
    const now = lists();
    if (now !== before) requestAnimationFrame(() => setTimeout(() => { seen.redrawn = performance.now(); }));
    before = now;
  }).observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
}"""
DONE = "() => seen.moved && seen.redrawn > seen.moved"
STATES, SLIDES = ("warm", "cold"), ("p50", "p95")
PAINT, SLIDE = "first useful paint, {} server", "slider moved to neighbors redrawn, {}"


def rows(setting: Setting) -> Iterator[Row]:
    """Yield the first paint on a warm and on a cold server; then the slider's median and its slowest moves."""
    with contextlib.ExitStack() as stack:
        try:
            browser = stack.enter_context(start_chromium())
        except Error:  # there is none
            yield from (setting.row(name, not_run=NEEDED) for name in (*map(PAINT.format, STATES), *map(SLIDE.format, SLIDES)))
            return
        yield from _paints(setting)
        yield from _slider(setting, browser)


def _paints(setting: Setting) -> Iterator[Row]:
    """Start servers of both kinds alternately. Each has a first user (cold), then another one (warm), both with empty browsers."""
    result: dict[tuple, list[dict[str, float]]] = {(side, state): [] for side in (OURS, HELLO) for state in STATES}
    for number in range(setting.pick(STARTS, 1)):
        for side in (OURS, HELLO)[:: 1 if number % 2 else -1]:
            note(f"pages: streamlit {side[3]}, server {number + 1}")
            with served(setting, *side) as address:
                for state in reversed(STATES):
                    result[side, state] += visits(address)
    for state in STATES:
        titles, ours = ([visit[part] for visit in result[OURS, state]] for part in ("heading", "picture"))
        theirs = [visit["heading"] for visit in result[HELLO, state]]
        yield setting.row(
            PAINT.format(state),
            ours=milliseconds("ours, Home's picture", ours),
            peer=milliseconds("streamlit hello, its heading", theirs),
            ratio=quotient("our time / hello's", ours, theirs, "x"),
            sizes=f"{len(ours)} servers of each kind, started alternately, on the browser's own cores; each visitor's browser is empty",
            details={"ms_to_our_title": 1000 * float(np.median(titles))},
        )


def _slider(setting: Setting, browser: Browser) -> Iterator[Row]:
    """Move the Mix page's first slider by mouse, over a corpus of our sentences without their labels."""
    n_tokens, moves = setting.pick((OCCURRENCES, MOVES), (400, 3))
    corpus = setting.folder / "corpus.txt"
    corpus.write_text("\n".join(" ".join(tokens) for tokens in texts.text_of(n_tokens)), encoding="utf-8", newline="\n")
    note(f"pages: the Mix page reads a corpus of {n_tokens:,} tokens")
    with served(setting, *OURS) as address:
        page = browser.new_page(viewport={"width": 1440, "height": 2400})
        page.set_default_timeout(WAIT_MS)
        page.goto(f"{address}/mix?corpus={urllib.parse.quote(str(corpus))}")
        page.locator(".st-key-places-read-corpus button").click()  # a file in a link is read after a click
        root, seconds = page.locator(".mix"), []
        root.locator("li").first.wait_for(timeout=10 * WAIT_MS)  # every token is read first
        page.wait_for_selector("[data-test-script-state=notRunning]")
        root.evaluate(WATCH)
        move = grab(root.get_by_role("slider").first, 0.5)
        for number in range(-1, moves):  # the first one is not counted
            move(0.3 if number % 2 else 0.7)
            page.wait_for_function(DONE)
            seconds += [page.evaluate("(seen.redrawn - seen.moved) / 1000")] * (number >= 0)
            page.evaluate("seen.moved = seen.redrawn = 0")
        page.close()
    taken = [milliseconds("ours", seconds), figure("ours, 95th percentile", [1000 * float(np.percentile(seconds, 95))], "ms")]
    for part, ours in zip(SLIDES, taken, strict=True):
        sizes = f"{n_tokens:,} occurrences x 3 layers, two lists, map and accuracy; {len(seconds)} moves by mouse"
        yield setting.row(SLIDE.format(part), ours=ours, sizes=sizes)
