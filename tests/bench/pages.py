"""Pages in a real Chromium: the first useful paint beside `streamlit hello`, and a slider's way to the neighbors it changes.

Servers are processes of their own with empty caches; nothing of the pages is imported here. A paint is useful once a person can
look at what the page is for: ours when the picture of the angle stands, `streamlit hello`'s with its heading (it has no picture).
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from core.common.config import ROOT
from tests.bench import texts
from tests.bench.measure import Bound, Check, Row, Setting, figure, milliseconds, quotient
from tests.run import find_chromium

WARM_TIMES, COLD_TIMES = 1.5, 3
P50_MS, P95_MS = 250, 500
OCCURRENCES, MOVES, STARTS = 30_000, 40, 3  # tokens of the corpus, slider moves, servers started on each side
WAIT_S = 90.0  # for a server, and for a paint
OURS, HELLO = ("run", str(ROOT / "app.py")), ("hello",)
HEADING, PICTURE = "h1", 'html[data-home="alive"]'  # which the instrument says of itself once it is drawn
SHOWN = "(wanted) => [...document.querySelectorAll(wanted)].some((one) => one.checkVisibility({ visibilityProperty: true }))"
SLIDER = ".st-key-w0 [role=group]"
NEEDED = "not run here: Playwright and a Chromium are needed; run: pip install playwright, then python -m playwright install chromium"
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


def rows(setting: Setting) -> Iterator[Row]:
    """The first paint on a warm and on a cold server; then the slider's median and its slowest moves."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        yield from _not_run(setting)
        return
    path = find_chromium()
    with contextlib.ExitStack() as stack:
        try:
            chromium = stack.enter_context(sync_playwright()).chromium
            browser = chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        except Error:  # there is none
            yield from _not_run(setting)
            return
        stack.callback(browser.close)
        yield from _paints(setting, browser)
        yield from _slider(setting, browser)


def _bounds() -> dict[str, Bound]:
    """Every row's name and what it should reach."""
    return {
        "first useful paint, warm server": Bound(text=f"at most {WARM_TIMES} x", number=WARM_TIMES, at_least=False),
        "first useful paint, cold server": Bound(text=f"at most {COLD_TIMES} x", number=COLD_TIMES, at_least=False),
        "slider released to neighbors redrawn, p50": Bound(
            text=f"under {P50_MS} ms, nothing else flickers", number=P50_MS, of="ours", at_least=False
        ),
        "slider released to neighbors redrawn, p95": Bound(
            text=f"under {P95_MS} ms, nothing else flickers", number=P95_MS, of="ours", at_least=False
        ),
    }


def _not_run(setting: Setting) -> Iterator[Row]:
    for name, bound in _bounds().items():
        yield setting.not_run("pages", name, NEEDED, bound)


def _paints(setting: Setting, browser) -> Iterator[Row]:
    """Servers of both kinds started by turns; each has a first visitor (cold), then one more (warm), both with empty browsers."""
    sides = {OURS: (HEADING, PICTURE), HELLO: (HEADING,)}
    result: dict[tuple, dict[str, list[list[float]]]] = {side: {"cold": [], "warm": []} for side in sides}
    for number in range(setting.pick(STARTS, 1)):
        for side in list(sides)[:: 1 if number % 2 else -1]:
            setting.report(f"pages: streamlit {side[0]}, server {number + 1}")
            with served(setting, *side) as address:
                for state in ("cold", "warm"):
                    result[side][state].append(_visit(browser, address, sides[side]))
    for state in ("warm", "cold"):
        name = f"first useful paint, {state} server"
        ours, theirs = [paint[1] for paint in result[OURS][state]], [paint[0] for paint in result[HELLO][state]]
        to_title = 1000 * float(np.median([paint[0] for paint in result[OURS][state]]))
        yield setting.row(
            "pages",
            name,
            ours=milliseconds("ours, Home's picture", ours),
            peer=milliseconds("streamlit hello, its heading", theirs),
            ratio=quotient("our time / hello's", ours, theirs, "x"),
            bound=_bounds()[name],
            sizes=f"{len(ours)} servers of each kind, started by turns, on the browser's own cores; each visitor's browser is empty",
            ms_to_our_title=to_title,
        )


def _slider(setting: Setting, browser) -> Iterator[Row]:
    """The Mix page's first slider, dragged by mouse from side to side, over a corpus of our sentences without their labels."""
    n_tokens, moves = setting.pick((OCCURRENCES, MOVES), (400, 3))
    corpus = setting.folder / "corpus.txt"
    corpus.write_text("\n".join(" ".join(tokens) for tokens in texts.text_of(n_tokens)), encoding="utf-8", newline="\n")
    setting.report(f"pages: the Mix page reads a corpus of {n_tokens:,} tokens")
    with served(setting, *OURS) as address:
        page = browser.new_page(viewport={"width": 1440, "height": 2400})
        page.set_default_timeout(1000 * WAIT_S)
        page.goto(f"{address}/mix?corpus={urllib.parse.quote(str(corpus))}")
        page.wait_for_selector(".kwic", timeout=10_000 * WAIT_S)  # every token is read first
        page.wait_for_selector("[data-test-script-state=notRunning]")
        place = page.locator(SLIDER).bounding_box()
        _drag(page, place, 0.75)  # not counted: the charts' code is loaded, the session's first run is over
        page.wait_for_timeout(3000)
        page.evaluate(WATCH)
        seconds, others = [], []
        for number in range(moves):
            _drag(page, place, 0.7 if number % 2 else 0.3)
            page.wait_for_function(DONE)
            seen = page.evaluate("() => ({ ...seen, others: seen.others.splice(0) })")
            seconds.append((seen["redrawn"] - seen["released"]) / 1000)
            others += seen["others"]
        page.close()
    flickers = Check(what="changes outside the lists and charts", difference=float(len(others)), limit=0)
    names = [name for name in _bounds() if name.startswith("slider")]
    taken = [milliseconds("ours", seconds), figure("ours, 95th percentile", [1000 * float(np.percentile(seconds, 95))], "ms")]
    for name, ours in zip(names, taken, strict=True):
        yield setting.row(
            "pages",
            name,
            ours=ours,
            bound=_bounds()[name],
            checks=[flickers],
            sizes=f"{n_tokens:,} occurrences x 3 layers, two lists, bars and length; {len(seconds)} moves by mouse",
            changed_besides=sorted(set(others)),
        )


def _drag(page, place: dict, share: float) -> None:
    """Press on the slider's track and let go a little further, at that share of its width."""
    x, y = place["x"] + share * place["width"], place["y"] + place["height"] / 2
    page.mouse.move(x - 12, y)
    page.mouse.down()
    page.mouse.move(x, y, steps=3)
    page.mouse.up()


def _visit(browser, address: str, selectors: tuple[str, ...]) -> list[float]:
    """Seconds from asking for the first page, with an empty browser, until each selector's element is visible."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page, seconds = context.new_page(), []
    started = time.perf_counter()
    page.goto(address)
    for selector in selectors:
        page.wait_for_function(SHOWN, arg=selector, timeout=1000 * WAIT_S)
        seconds.append(time.perf_counter() - started)
    context.close()
    return seconds


@contextlib.contextmanager
def served(setting: Setting, *command: str) -> Iterator[str]:
    """The address of a Streamlit server that has just come up and served nobody; ended afterward."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    host, port = address.split(":")
    options = {"server.port": port, "server.address": host, "server.headless": "true", "browser.gatherUsageStats": "false"}
    flags = [part for name, value in options.items() for part in (f"--{name}", value)]
    threads = str(setting.threads)
    environment = {**os.environ, "ELMOSCOPE_CACHE": str(setting.folder / f"cache-{port}"), "OMP_NUM_THREADS": threads}
    own = command == OURS
    log = setting.folder / "server.log"
    with log.open("wb") as file:
        arguments = [sys.executable, "-m", "streamlit", *command, *flags]
        process = subprocess.Popen(arguments, cwd=ROOT if own else setting.folder, env=environment, stdout=file, stderr=file)
    try:
        _wait_for(f"http://{address}/_stcore/health", process, log)
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(address: str, process: subprocess.Popen, log: Path) -> None:
    """Return once the server answers; RuntimeError with its log where it ended, or did not in time."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=2) as answer:
            if answer.status == 200:
                return
        time.sleep(0.1)
    raise RuntimeError(f"The server did not come up: {log.read_text('utf-8', 'replace')[-2000:]}")
