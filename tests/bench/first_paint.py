"""How long a visitor waits for Home: server started cold, two visits each; no test, a measurement.

usage: python -m tests.bench.first_paint      (needs a Chromium: CHROMIUM, or one on the PATH)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ROOT, wait_until_up

PORT, RUNS = 8655, 2


def main() -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for run in range(1, RUNS + 1):
            with tempfile.TemporaryDirectory() as cache:
                environment = {**os.environ, "ELMOSCOPE_CACHE": cache}
                command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(PORT)]
                log = Path(cache) / "log.txt"
                with log.open("w") as file:
                    server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file, stderr=file)
                try:
                    wait_until_up(f"http://127.0.0.1:{PORT}", server, log)
                    for kind in ("cold", "warm"):
                        title, picture = visit(browser)
                        print(f"run {run}, {kind}: title {title:.1f} s, picture {picture:.1f} s", flush=True)
                finally:
                    server.terminate()
                    server.wait(20)
        browser.close()


def visit(browser) -> tuple[float, float]:
    """Seconds from asking for Home until its title, and until its picture, stand."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    started = time.perf_counter()
    page.goto(f"http://127.0.0.1:{PORT}/")
    page.wait_for_selector("h1", timeout=90_000)
    title = time.perf_counter() - started
    page.wait_for_selector("[data-testid=stPlotlyChart] .main-svg", timeout=90_000)
    return title, time.perf_counter() - started


if __name__ == "__main__":
    main()
