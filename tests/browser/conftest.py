"""A real server in a process of its own and a real Chromium, one of each for all browser tests, and ended with them."""

import contextlib
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path

import pytest

from tests.raw_client import LOCAL, start_server
from tests.run import start_chromium

WAIT_MS = 180_000  # a wait, not a measurement: with a cold cache, on a machine four times busy, a first page took over 60 s
SHORT_MS = 2_400  # Playwright checks every 100 ms if the time-out is at most 2.5 s, else every 500 ms
AT_REST = "() => !['running', 'rerunRequested'].includes(document.querySelector('[data-test-script-state]')?.dataset.testScriptState)"
# Whether a run draws the page, whether the page is connected, what has the focus, and the text.
SHOWN = """() => [
  JSON.stringify(document.querySelector('[data-testid=stApp]')?.dataset), document.activeElement?.outerHTML.slice(0, 300), document.body.innerText,
].join('\\n').slice(0, 6000)"""

LOG = pytest.StashKey[Path]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Add what the page showed, and the log of the server, to the report of a failed test."""
    report = yield
    if report.failed and (page := next((value for value in item.funcargs.values() if hasattr(value, "url")), None)):
        with contextlib.suppress(Exception):  # the browser may have ended
            report.sections.append(("page", page.evaluate(SHOWN)))
    if report.failed and (log := item.config.stash.get(LOG, None)):
        report.sections.append(("server", log.read_text(errors="replace")[-6_000:]))
    return report


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path, built_index: Path, pytestconfig: pytest.Config) -> Iterator[str]:
    """The app on a free port, with an empty cache but for the bundled sentences' index; two workers' servers fill one together."""
    folder = tmp_path_factory.mktemp("server")
    pytestconfig.stash[LOG] = folder / "server.log"
    with start_server(LOCAL, folder, environment={"ELMOSCOPE_CACHE": str(shared_cache)}) as running:
        yield running.address


def check_often(check: Callable) -> Callable:
    """Return an expectation that is checked more often during its first ten seconds."""

    @wraps(check)
    def repeat(*arguments, timeout: float | None = None, **options) -> None:
        for _ in range(4):
            with contextlib.suppress(AssertionError):
                return check(*arguments, timeout=min(SHORT_MS, timeout or WAIT_MS), **options)
        return check(*arguments, timeout=timeout or WAIT_MS, **options)

    return repeat


@pytest.fixture(scope="package")
def browser():
    from playwright.sync_api import Locator, LocatorAssertions, PageAssertions, TimeoutError, expect

    at_once = Locator.click

    def click(self: Locator, **options) -> None:
        """Click after the page has come to rest, at most 20 s later, because an element may move during a run."""
        with contextlib.suppress(TimeoutError):
            self.page.wait_for_function(AT_REST, timeout=20_000)
        at_once(self, **options)

    expect.set_options(timeout=WAIT_MS)
    with pytest.MonkeyPatch.context() as patch, start_chromium("--process-per-site") as running:
        patch.setattr(Locator, "click", click)
        for kind in (LocatorAssertions, PageAssertions):
            for name in [name for name in vars(kind) if name.startswith(("to_", "not_to_"))]:
                patch.setattr(kind, name, check_often(getattr(kind, name)))
        yield running


@pytest.fixture(scope="package")
def visitor(browser, server: str):
    """Return the context of all tests, without motion. One page stays open, and with it the process that has compiled the scripts."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    context.new_page().goto(f"{server}/_stcore/health")
    yield context
    context.close()


@pytest.fixture
def page(visitor):
    """Open a page. The test fails if a request fails or goes to another host, or if the page logs an error or ends with an exception."""
    opened = visitor.new_page()
    opened.set_default_timeout(WAIT_MS)
    foreign, errors, exceptions = [], [], []
    local = ("http://127.0.0.1", "data:", "blob:", "ws://127.0.0.1")
    opened.on("request", lambda r: None if r.url.startswith(local) else foreign.append(r.url))
    opened.on("pageerror", lambda e: errors.append(str(e)))
    opened.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    opened.on("response", lambda r: errors.append(f"{r.status} {r.url}") if r.status >= 400 else None)
    yield opened
    if opened.url.startswith("http"):
        exceptions = opened.get_by_test_id("stException").all_inner_texts()
        opened.evaluate("localStorage.clear()")
    opened.close()
    visitor.clear_cookies()
    assert not foreign, f"the page asked other hosts: {foreign[:3]}"
    assert not errors and not exceptions, f"errors in the page: {[*errors, *exceptions][:3]}"
