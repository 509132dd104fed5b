"""A real server in a process of its own and a real Chromium, one of each for all browser tests, and ended with them."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run import find_chromium

ROOT = Path(__file__).resolve().parents[2]
WAIT_MS = 180_000  # a wait, not a measurement: with a cold cache, on a machine four times busy, a first page took over 60 s
AT_REST = "() => document.querySelector('[data-test-script-state]')?.dataset.testScriptState !== 'running'"


LOG = pytest.StashKey[Path]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Add the log of the server to the report of a failed test."""
    report = yield
    if report.failed and (log := item.config.stash.get(LOG, None)):
        report.sections.append(("server", log.read_text(errors="replace")[-6_000:]))
    return report


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, built_index: Path, pytestconfig: pytest.Config) -> Iterator[str]:
    """The app on a free port, with an empty cache but for the bundled sentences' index; two workers' servers fill one together."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = pytestconfig.stash[LOG] = tmp_path_factory.mktemp("server") / "log.txt"
    environment = {**os.environ, "ELMOSCOPE_CACHE": str(shared_cache)}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1"]
    with log.open("w") as file:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_up(address, process, log)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def wait_until_up(base: str, process: subprocess.Popen, log: Path, seconds: float = 240.0) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{base}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.2)
    raise AssertionError(f"the server was not up after {seconds:.0f} s:\n{log.read_text()}")


@pytest.fixture(scope="package")
def browser():
    from playwright.sync_api import Locator, TimeoutError, expect, sync_playwright

    at_once = Locator.click

    def click(self: Locator, **options) -> None:
        """Click after the page has come to rest, at most 20 s later, because an element may move during a run."""
        with contextlib.suppress(TimeoutError):
            self.page.wait_for_function(AT_REST, timeout=20_000)
        at_once(self, **options)

    Locator.click = click
    expect.set_options(timeout=WAIT_MS)
    path = find_chromium()
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        running = playwright.chromium.launch(executable_path=path, args=arguments)
        yield running
        running.close()
    Locator.click = at_once


@pytest.fixture(scope="package")
def visitor(browser):
    """Return the context of all tests. It shares the browser's cache, so that scripts are compiled once."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    yield context
    context.close()


@pytest.fixture
def page(visitor):
    """Open a page. The test fails if the page logs an error or sends a request to another host."""
    opened = visitor.new_page()
    opened.set_default_timeout(WAIT_MS)
    foreign, errors = [], []
    opened.on(
        "request", lambda r: None if r.url.startswith(("http://127.0.0.1", "data:", "blob:", "ws://127.0.0.1")) else foreign.append(r.url)
    )
    opened.on("pageerror", lambda e: errors.append(str(e)))
    yield opened
    if opened.url.startswith("http"):
        opened.evaluate("localStorage.clear()")
    opened.close()
    visitor.clear_cookies()
    assert not foreign, f"the page asked other hosts: {foreign[:3]}"
    assert not errors, f"errors in the page: {errors[:3]}"
