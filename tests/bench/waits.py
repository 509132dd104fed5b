"""What a visitor waits for: each view's picture on its first use and again, Home on a cold server, and the commands, beside `streamlit hello`.

usage: python -m tests.bench.waits [view ...] [--no-commands] [--language ko]

All in one run, for what else a machine does slows both sides: read the ratios. Commands also say their processor time, which a busy machine
changes less. Bounds on two quiet cores: Home cold 2 s, a picture 2.5 s on its first use and 1.5 s warm, a command 2.5 s.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from playwright.sync_api import TimeoutError as TooLong

from core.common.config import ROOT
from pages._frame.menu import door, menu
from tests.bench.measure import Setting
from tests.bench.pages import HELLO, OURS, served
from tests.run import find_chromium

# When what a view is for is drawn: its picture, or what stands in a picture's place, and what to notice beside it.
WATCH = """() => {
  const drawn = '.js-plotly-plot .main-svg, canvas, .picture, svg, .kwic, .words_list, [data-testid=stDataFrame], .st-key-both_ways, .notice';
  const look = () => {
    const block = document.querySelector('[data-testid=stMainBlockContainer]');
    if (!block) return;
    const roots = [block];
    for (const root of roots) for (const e of root.querySelectorAll('*')) if (e.shadowRoot) roots.push(e.shadowRoot);
    const large = (e) => { const r = e.getBoundingClientRect(); return r.width > 100 && r.height > 20; };
    const shown = roots.flatMap((root) => [...root.querySelectorAll(drawn)]).filter(large);
    const notice = shown.some((e) => e.classList.contains('notice'));
    window.waited ??= {};
    if (document.querySelector('h1, h2')) window.waited.heading ??= performance.now();
    if (notice && shown.some((e) => !e.classList.contains('notice'))) window.waited.picture ??= performance.now();
  };
  const every = () => { look(); requestAnimationFrame(every); };  // where a frame is drawn anyway: a look between two lays the page out once more
  every();
}"""
# Scripts that the page asks for once it is connected: each waits for the Python that runs the page.
LATE = """() => {
  const asked = performance.getEntriesByType('resource'), connected = asked.find((one) => one.name.endsWith('/host-config'))?.startTime;
  return asked.filter((one) => one.name.endsWith('.js') && one.startTime > connected).length;
}"""
AT_REST = "() => document.querySelector('[data-test-script-state]')?.dataset.testScriptState === 'notRunning'"
AT_MOST_MS, DRAWN_MS = 120_000, 20_000  # a page at rest whose scripts have come draws within the latter, or not at all
SENTENCE = "We sat on the grassy bank and watched the boats go by."
COMMANDS = {
    "import streamlit (its own start)": ["-c", "import streamlit"],
    "import torch": ["-c", "import torch"],
    "--help": ["-m", "core", "--help"],
    "static-neighbours": ["-m", "core", "static-neighbours", "--word", "bank"],
    "neighbours": ["-m", "core", "neighbours", "--word", "bank", "--sentence", SENTENCE],
    "verdict": ["-m", "core", "verdict", "--word", "bank", "--sentence", SENTENCE, "--sentence", "The bank lent him money."],
    "substitutes": ["-m", "core", "substitutes", "--word", "bank", "--sentence", SENTENCE],
    "predict": ["-m", "core", "predict", "--text", "She shook her"],
    "classify": ["-m", "core", "classify", "--task", "news-title", "--text", "Stocks slip as oil nears 50 dollars"],
}


def visits(browser: Browser, address: str, times: int = 1) -> list[dict[str, float]]:
    """A visitor who opens an address so many times, the first with an empty browser: what `visit` says of each."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    results = [visit(context, address) for _ in range(times)]
    context.close()
    return results


def visit(context: BrowserContext, address: str) -> dict[str, float]:
    """Seconds from the request to the heading and to the picture; without "picture" where the page shows none.

    "late": how many scripts it asked for once it was connected.
    """
    page = context.new_page()
    page.add_init_script(f"({WATCH})()")
    page.goto(address)
    _wait_for_picture(page)
    waited, late = page.evaluate("() => window.waited ?? {}"), page.evaluate(LATE)
    page.close()
    return {name: value / 1000 for name, value in waited.items()} | {"late": late}


def _wait_for_picture(page: Page) -> None:
    """Return once there is one, or the page rests without."""
    picture = "() => window.waited?.picture"
    with suppress(TooLong):
        page.wait_for_function(f"() => ({picture})() || (window.waited?.heading && ({AT_REST})())", timeout=AT_MOST_MS)
        page.wait_for_function(picture, timeout=DRAWN_MS)


def seconds(waited: dict[str, float], name: str) -> str:
    return f"{waited[name]:.1f}" if name in waited else f"no {name}"


def hello(browser: Browser, address: str) -> float:
    """Seconds to the heading of `streamlit hello`."""
    page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
    started = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("h1", timeout=180_000)
    seconds = time.perf_counter() - started
    page.context.close()
    return seconds


def address_of(base: str, view: str, language: str) -> str:
    file, parameters = door(view)
    query = {**parameters, **({"lang": language} if language != "en" else {})}
    path = "" if file == "app.py" else Path(file).stem
    return f"{base}/{path}" + "".join(f"{'&' if k else '?'}{key}={value}" for k, (key, value) in enumerate(query.items()))


def pages(views: list[str], language: str) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        setting = Setting(folder=Path(folder), threads=2, quick=False, report=print)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        with served(setting, *HELLO) as theirs, served(setting, *OURS) as ours:
            [cold] = visits(browser, address_of(ours, "home", language))
            first = hello(browser, theirs)
            print(
                f"Home, cold server: heading {seconds(cold, 'heading')} s, picture {seconds(cold, 'picture')} s; "
                f"streamlit hello, first {first:.1f} s; load {os.getloadavg()[0]:.1f}"
            )
            print("view        heading, s  first picture, s  anew, s  again, s  hello, s  anew / hello  late scripts  load")
            for view in views:
                [first] = visits(browser, address_of(ours, view, language))
                anew, again = visits(browser, address_of(ours, view, language), 2)  # another visitor, who then comes back
                peer = hello(browser, theirs)
                ratio = f"{anew['picture'] / peer:12.1f}" if "picture" in anew else f"{'':12}"
                row = f"{seconds(first, 'heading'):>10}  {seconds(first, 'picture'):>16}  {seconds(anew, 'picture'):>7}  {seconds(again, 'picture'):>8}"
                print(f"{view:10} {row}  {peer:8.1f}  {ratio}  {anew['late']:12}  {os.getloadavg()[0]:.1f}", flush=True)
        browser.close()


def commands() -> None:
    print("command                            second run, s  processor, s  of import torch")
    torch = 0.0
    for name, words in COMMANDS.items():
        results = []
        for _ in range(2):
            started = time.perf_counter()
            process = subprocess.Popen([sys.executable, *words], cwd=ROOT, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            results.append((time.perf_counter() - started, used.ru_utime + used.ru_stime))
            if status:
                raise RuntimeError(f"{name} ended with {status}.")
        wall, processor = results[1]
        torch = processor if name == "import torch" else torch
        print(f"{name:34} {wall:13.1f}  {processor:12.2f}  {processor / torch if torch else 0:15.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("views", nargs="*")
    parser.add_argument("--no-commands", action="store_true")
    parser.add_argument("--language", default="en")
    arguments = parser.parse_args()
    views = [view for entry in menu() for page in entry.pages for view in page.views]
    if unknown := [view for view in arguments.views if view not in views]:
        parser.error(f"There is no view {unknown[0]!r}. Choose from: {', '.join(views)}.")
    pages(arguments.views or views, arguments.language)
    if not arguments.no_commands:
        commands()


if __name__ == "__main__":
    main()
