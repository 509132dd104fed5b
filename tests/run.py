"""All tests, on a fresh machine: finds or installs a Chromium for the browser tests (and a Firefox, for the page that runs by itself), then runs pytest.

usage: python tests/run.py [pytest's arguments]
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str | None:
    """The browser to drive: CHROMIUM, one on the PATH, or the one Playwright installed for itself."""
    if os.environ.get("CHROMIUM"):
        return os.environ["CHROMIUM"]
    if result := next((path for name in NAMES if (path := shutil.which(name))), None):
        return result
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


@contextlib.contextmanager
def start_chromium(*more_options: str) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", *more_options]
        with contextlib.closing(playwright.chromium.launch(executable_path=find_chromium(), args=options)) as browser:
            yield browser


def install_chromium() -> str | None:
    """Debian's package where we may install one, else Playwright's own download."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium", "firefox-esr"]):
            subprocess.run(["apt-get", "-qq", *command], check=False, env=environment)
    if not find_chromium():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    return find_chromium()


def main() -> int:
    chromium = find_chromium() or install_chromium()
    if chromium:
        os.environ["CHROMIUM"] = chromium
    else:
        print("No Chromium could be found or installed: the browser tests will fail. Install one, or set CHROMIUM to its path.")
    # Two workers, each with half of the cores, in the order of the folders, so that the browser's few long files are not the last.
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 2) // 2)))
    workers = ["-n", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    return subprocess.run([sys.executable, "-m", "pytest", *workers, *sys.argv[1:]], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
