"""Time pages in a real Chromium: the first useful paint, next to `streamlit hello`.

Servers are processes of their own with empty caches. A paint is useful once a person can look at what the page is for: ours when Home's
picture is there, `streamlit hello`'s with its heading (it has no picture).
"""

import json
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from core.cli.shared import note
from core.common.config import ROOT
from tests.bench.measure import Row, Setting, milliseconds, quotient
from tests.raw_client import LOCAL, STREAMLIT_RUN, start_server
from tests.run import find_chromium

STARTS = 3  # servers of each side
NEEDED = "a Chromium is needed; run: python -m playwright install chromium"
STATES, PAINT = ("warm", "cold"), "first useful paint, {} server"
OURS, HELLO = STREAMLIT_RUN, (*STREAMLIT_RUN[:3], "hello")
# When the picture is drawn, and what to notice next to it.
WATCH = """() => {
  const drawn = '.js-plotly-plot .main-svg, canvas, .picture, svg, .notice';
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
  let rested = 0;
  const check = () => {
    const state = document.querySelector('[data-test-script-state]')?.dataset.testScriptState;
    if (!(window.waited?.heading && state === 'notRunning')) rested = 0;
    else rested ||= performance.now();
    const missing = rested && performance.now() - rested > missing_ms, plain = !state && window.waited?.heading;
    if (!window.waited?.picture && !missing && !plain) return setTimeout(check, 200);
    setTimeout(() => fetch(collector, { method: 'POST', body: JSON.stringify({ ...window.waited, late: late() }) }), 1000);
  };
  check();
}"""
MISSING_MS, AT_MOST_S = 20_000, 180
READY = "<script>setTimeout(() => location.replace(%s), 2000)</script>"  # once the browser itself has started


def rows(setting: Setting) -> Iterator[Row]:
    """Start servers of both kinds alternately. Each has a first user (cold), then another one (warm), both with empty browsers."""
    if not find_chromium():
        yield from (setting.row(PAINT.format(state), not_run=NEEDED) for state in STATES)
        return
    result: dict[tuple, list[dict[str, float]]] = {(side, state): [] for side in (OURS, HELLO) for state in STATES}
    for number in range(setting.pick(STARTS, 1)):
        for side in (OURS, HELLO)[:: 1 if number % 2 else -1]:
            note(f"pages: streamlit {side[3]}, server {number + 1}")
            with served(setting, *side) as address:
                for state in reversed(STATES):
                    result[side, state].append(visit(address))
    for state in STATES:
        titles, ours = ([seen[part] for seen in result[OURS, state]] for part in ("heading", "picture"))
        theirs = [seen["heading"] for seen in result[HELLO, state]]
        yield setting.row(
            PAINT.format(state),
            ours=milliseconds("ours, Home's picture", ours),
            peer=milliseconds("streamlit hello, its heading", theirs),
            ratio=quotient("our time / hello's", ours, theirs, "x"),
            sizes=f"{len(ours)} servers of each kind, started alternately, on the browser's own cores; each visitor's browser is empty",
            details={"ms_to_our_title": 1000 * float(np.median(titles))},
        )


@contextmanager
def served(setting: Setting, *command: str) -> Iterator[str]:
    """Start a Streamlit server that has an empty cache and as many threads as the setting, and yield its address."""
    variables = {"STREAMLIT_SERVER_HEADLESS": "true", "STREAMLIT_SERVER_ADDRESS": "127.0.0.1", "OMP_NUM_THREADS": str(setting.threads)}
    variables["STREAMLIT_BROWSER_GATHER_USAGE_STATS"] = "false"  # the app's own settings; `streamlit hello` runs outside of its folder
    folder = Path(tempfile.mkdtemp(dir=setting.folder))
    with start_server(LOCAL, folder, environment=variables, command=command, cwd=ROOT if command == OURS else folder) as server:
        yield server.address


def visit(address: str) -> dict[str, float]:
    """Open an address in an empty browser. Return the seconds from the request to the heading and to the picture, if the page shows one.

    "late" is the number of scripts that the page requested once it was connected. No debugger is attached: an extension reports.
    """
    reports: queue.Queue = queue.Queue()

    class Collector(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send(READY % json.dumps(address))

        def do_POST(self) -> None:
            reports.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._send("")

        def _send(self, text: str) -> None:
            self.send_response(200)
            for name, value in {"Access-Control-Allow-Origin": "*", "Content-Type": "text/html"}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        collector, extension = f"http://127.0.0.1:{server.server_port}", Path(folder) / "extension"
        extension.mkdir()
        match = {"matches": ["http://127.0.0.1/*"], "js": ["watch.js"], "run_at": "document_start", "world": "MAIN"}
        manifest = {"manifest_version": 3, "name": "waits", "version": "1", "content_scripts": [match]}
        (extension / "manifest.json").write_text(json.dumps(manifest), "utf-8")
        script = f"if (!location.href.startsWith({json.dumps(collector)})) {{ ({WATCH})(); ({REPORT})({json.dumps(collector)}, {MISSING_MS}, {LATE}); }}"
        (extension / "watch.js").write_text(script, "utf-8")
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1366,768"]
        options += [f"--user-data-dir={folder}/profile", f"--load-extension={extension}"]
        browser = subprocess.Popen([find_chromium(), *options, collector], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            result = reports.get(timeout=AT_MOST_S)
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()
    return {name: value if name == "late" else value / 1000 for name, value in result.items()}
