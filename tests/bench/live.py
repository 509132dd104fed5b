"""Time the one-file page (core/live) in a Chromium, from disk and without a network.

usage: python -m tests.bench.live elmoscope.html
Wall times hang on what else the machine does; processor times, from the browser's own trace, do not.
"""

import json
import os
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.bench.measure import options, say
from tests.run import start_chromium

FIRST, SECOND = "We sat on the grassy bank and watched the boats go by", "The bank refused to lend him any more money for his old"
TYPED, REST_MS = " slowly rowing and ", 500
CLOCK = """
window.answers = [], window.keys = [];
new MutationObserver(() => answers.push(performance.now())).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-answered"] });
document.addEventListener("input", () => keys.push(performance.now()), true);
"""


def measured(path: Path) -> dict[str, float]:
    """Seconds, milliseconds and MB, by name."""
    with start_chromium() as browser:
        context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
        context.add_init_script(CLOCK)
        page = context.new_page()
        page.goto(path.resolve().as_uri())
        page.locator("html[data-answered]").wait_for(state="attached")
        result = {"file, MB": path.stat().st_size / 1e6, "open to first answer, s": page.evaluate("answers[0]") / 1000}
        for box, text in (("#a", FIRST), ("#b", SECOND)):
            page.locator(box).fill(text)
            page.wait_for_timeout(3 * REST_MS)
        result |= _typed(browser, page)
        result["renderer's own memory, MB"] = _memory(browser)
    return result | {"load": os.getloadavg()[0]}


def _typed(browser: Browser, page: Page) -> dict[str, float]:
    page.evaluate("answers.length = keys.length = 0")
    page.locator("#a").press("End")
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        browser.start_tracing(page=page, path=trace, categories=["toplevel", "devtools.timeline", "__metadata"])
        for letter in TYPED:
            page.keyboard.type(letter)
            page.wait_for_timeout(REST_MS)
        browser.stop_tracing()
        events = json.loads(trace.read_text("utf-8"))["traceEvents"]
    keys, answers = page.evaluate("[keys, answers]")
    waits = sorted(min((at for at in answers if at > key), default=key) - key for key in keys)
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    tasks = {"CrRendererMain": [0.0], "DedicatedWorker thread": [0.0]}
    for event in events:
        if event["name"].endswith("RunTask") and "tdur" in event:
            tasks.setdefault(names.get((event["pid"], event["tid"]), ""), []).append(event["tdur"] / 1000)
    return {
        "key to numbers, median ms": waits[len(waits) // 2],
        "key to numbers, longest ms": waits[-1],
        "longest task of the page, processor ms": max(tasks["CrRendererMain"]),
        "longest task of the worker, processor ms": max(tasks["DedicatedWorker thread"]),
    }


def _memory(browser: Browser) -> float:
    """Return the private memory and the share of the shared memory of the largest renderer, in MB."""
    sizes = []
    for process in browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]:
        if process["type"] == "renderer":
            lines = Path(f"/proc/{process['id']}/smaps_rollup").read_text("utf-8").splitlines()
            sizes += [int(line.split()[1]) / 1000 for line in lines if line.startswith("Pss:")]
    return max(sizes)


if __name__ == "__main__":
    parser = options(__doc__)
    parser.add_argument("page", type=Path)
    for name, value in measured(parser.parse_args().page).items():
        say(f"{name}: {value:.1f}")
