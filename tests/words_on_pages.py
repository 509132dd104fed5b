"""Count the words that are visible in the main column when a page opens: `python -m tests.words_on_pages [ADDRESS]`.

Each page of the menu is opened in Chromium, 1366 px wide. Closed expanders and what is not displayed are not counted; text in pictures that
the browser draws as text is. ADDRESS is a running app; without it one is started. At most MOST words on a page or a view of it, and
TOTAL over all pages as they open.
"""

import contextlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from pages._frame.menu import menu
from tests.browser.conftest import AT_REST, WAIT_MS, wait_until_up
from tests.run import find_chromium

MOST, TOTAL = 450, 4_500
ROOT = Path(__file__).resolve().parents[1]
WIDTH, HEIGHT = 1366, 768
QUIET_MS = 3_000  # without a change, after which a page is complete
# Visible text, node by node, through open shadow roots; what Streamlit marks as an expander's closed content has no layout.
COUNT = """() => {
  const words = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return words.push(...node.textContent.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)));
    if (node.nodeType !== Node.ELEMENT_NODE && !(node instanceof ShadowRoot)) return;
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (["SCRIPT", "STYLE", "TITLE", "OPTION"].includes(node.tagName)) return;
      if (getComputedStyle(node).fontFamily.includes("Material Symbols")) return; // an icon, written as its name
      if (getComputedStyle(node).display !== "contents") { // else it has no box of its own
        if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return;
        const box = node.getBoundingClientRect();
        if (box.width <= 1 && box.height <= 1) return; // for screen readers alone
      }
      if (node.type === "range") return;
      if (node.tagName === "INPUT" || node.tagName === "TEXTAREA") return words.push(...node.value.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)));
      if (node.tagName === "DETAILS" && !node.open) return [...node.children].filter((child) => child.tagName === "SUMMARY").forEach(walk);
      if (node.shadowRoot) walk(node.shadowRoot);
    }
    node.childNodes.forEach(walk);
  };
  walk(document.querySelector('[data-testid="stMain"]'));
  return words.length;
}"""


def count_words(page: Page, address: str) -> int:
    """Return how many words a page shows once nothing changes on it any more."""
    page.goto(address)
    page.wait_for_selector('[data-testid="stMain"] h1', timeout=WAIT_MS)
    count, since, end = -1, time.monotonic(), time.monotonic() + WAIT_MS / 1000
    while time.monotonic() < end:
        page.wait_for_function(AT_REST, timeout=WAIT_MS)
        now = page.evaluate(COUNT)
        if now != count:
            count, since = now, time.monotonic()
        elif 1000 * (time.monotonic() - since) > QUIET_MS:
            break
        page.wait_for_timeout(250)
    return count


def addresses() -> dict[str, str]:
    """Return the address of each page by name, and of each further view of it by "page: view"."""
    result = {}
    for entry in menu():
        for page in entry.pages:
            path = "" if page.file == "app.py" else Path(page.file).stem
            result[path or "home"] = path
            result |= {f"{path}: {view}": f"{path}?{page.control}={view}" for view, _ in page.parts[1:]}
    return result


@contextlib.contextmanager
def running(address: str):
    """Yield the address of a running app: the given one, or that of a server started for the time."""
    if address:
        yield address.rstrip("/")
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1"]
    log = Path(os.environ.get("TMPDIR", "/tmp")) / f"words-on-pages-{port}.txt"
    with log.open("w") as file, subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT) as process:
        try:
            wait_until_up(f"http://127.0.0.1:{port}", process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def main() -> int:
    """Print a line a page, then the sum, and return 1 where either has too many words."""
    named = addresses()
    with running("".join(sys.argv[1:2])) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce")
        page.set_default_timeout(WAIT_MS)
        counts = {}
        for name, path in named.items():
            counts[name] = count_words(page, f"{base}/{path}")
            print(f"{counts[name]:6,}  {name}{'  too many' if counts[name] > MOST else ''}", flush=True)
        browser.close()
    total = sum(n for name, n in counts.items() if ": " not in name)
    print(f"{total:6,}  all pages as they open{'  too many' if total > TOTAL else ''}")
    return int(total > TOTAL or max(counts.values()) > MOST)


if __name__ == "__main__":
    sys.exit(main())
