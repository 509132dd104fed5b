"""Time pages in a real Chromium: the first useful paint next to `streamlit hello`, and a slider's way to the neighbors it changes.

Servers are processes of their own with empty caches. A paint is useful once a person can look at what the page is for: ours when Home's
picture is there, `streamlit hello`'s with its heading (it has no picture).
"""

import json
import queue
import subprocess
import tempfile
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Error

from core.cli.shared import note
from core.common.config import ROOT
from tests.bench import texts
from tests.bench.measure import Row, Setting, figure, milliseconds, quotient
from tests.browser.visit import grab
from tests.raw_client import LOCAL, STREAMLIT_RUN, start_server
from tests.run import find_chromium, start_chromium

OCCURRENCES, MOVES, STARTS = 30_000, 40, 3  # tokens of the corpus, slider moves, servers started on each side
WAIT_MS = 90_000
NEEDED = "Playwright and a Chromium are needed; run: pip install playwright, then python -m playwright install chromium"
# When a slider changed last, and when the lists were painted after that.
WATCH_LISTS = """(root) => {
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
OURS, HELLO = STREAMLIT_RUN, (*STREAMLIT_RUN[:3], "hello")
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
  const requests = performance.getEntriesByType('resource'), connected = requests.find((e) => e.name.endsWith('/host-config'))?.startTime;
  return requests.filter((e) => e.name.endsWith('.js') && e.startTime > connected).length;
}"""
# Reported once the picture is drawn, or once a page at rest has drawn none for a while.
REPORT = """(collector, missing_ms, late) => {
  const started = performance.now();
  let rested = 0;
  const check = () => {
    const state = document.querySelector('[data-test-script-state]')?.dataset.testScriptState;
    if (!(window.waited?.heading && state === 'notRunning')) rested = 0;
    else rested ||= performance.now();
    const missing = rested && performance.now() - rested > missing_ms, plain = !state && window.waited?.heading;
    if (!window.waited?.picture && !missing && !plain) return setTimeout(check, 200);
    setTimeout(async () => {
      const next = await (await fetch(collector, { method: 'POST', body: JSON.stringify({ ...window.waited, late: late() }) })).text();
      if (next) location.replace(next);
    }, 1000);
  };
  check();
}"""
MISSING_MS, AT_MOST_S = 20_000, 180
READY = "<script>setTimeout(() => location.replace(%s), 2000)</script>"  # once the browser itself has started


def rows(setting: Setting) -> Iterator[Row]:
    """Yield the first paint on a warm and on a cold server; then the slider's median and its slowest moves."""
    with ExitStack() as stack:
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
        root.evaluate(WATCH_LISTS)
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


@contextmanager
def collecting() -> Iterator[tuple[str, list[str], queue.Queue]]:
    """Start a server for the reports of pages. Yield its address, the addresses that a browser is still to open, and the reports."""
    ahead: list[str] = []
    reports: queue.Queue = queue.Queue()

    class Collector(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(READY % json.dumps(ahead.pop(0)) if self.path == "/start" else "")

        def do_POST(self) -> None:
            reports.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._send(ahead.pop(0) if ahead else "")

        def _send(self, text: str) -> None:
            self.send_response(200)
            for name, value in {"Access-Control-Allow-Origin": "*", "Content-Type": "text/html"}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", ahead, reports
    server.shutdown()


@contextmanager
def served(setting: Setting, *command: str) -> Iterator[str]:
    variables = {"STREAMLIT_SERVER_HEADLESS": "true", "STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "OMP_NUM_THREADS": str(setting.threads)}
    variables["STREAMLIT_BROWSER_GATHER_USAGE_STATS"] = "false"  # the app's own settings; `streamlit hello` runs outside of its folder
    folder = Path(tempfile.mkdtemp(dir=setting.folder))
    with start_server(LOCAL, folder, environment=variables, command=command, cwd=ROOT if command == OURS else folder) as server:
        yield server.address


def visits(address: str, times: int = 1) -> list[dict[str, float]]:
    """Open an address repeatedly, the first time with an empty browser. Return the seconds to the heading and the picture, if there is one,
    and as "late" the number of scripts that were requested once the page was connected."""
    with collecting() as (collector, ahead, reports), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        ahead += [address] * times
        extension = Path(folder) / "extension"
        extension.mkdir()
        match = {"matches": ["http://127.0.0.1/*"], "js": ["watch.js"], "run_at": "document_start", "world": "MAIN"}
        manifest = {"manifest_version": 3, "name": "waits", "version": "1", "content_scripts": [match]}
        (extension / "manifest.json").write_text(json.dumps(manifest), "utf-8")
        script = f"if (!location.href.startsWith({json.dumps(collector)})) {{ ({WATCH})(); ({REPORT})({json.dumps(collector)}, {MISSING_MS}, {LATE}); }}"
        (extension / "watch.js").write_text(script, "utf-8")
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1366,768"]
        options += [f"--user-data-dir={folder}/profile", f"--load-extension={extension}"]
        browser = subprocess.Popen([find_chromium(), *options, f"{collector}/start"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            results = [reports.get(timeout=AT_MOST_S) for _ in range(times)]
        finally:
            browser.terminate()
            browser.wait()
    return [{name: value if name == "late" else value / 1000 for name, value in result.items()} for result in results]
