"""Fixtures of the tests of pages: no run may end with an exception, and background work ends with its test."""

import os
import shutil
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from core.elmo.models import open_model
from core.index.tables import open_table
from core.text.languages import get_language
from pages._cached import shared_jobs
from pages._frame.jobs import QUEUE, end_all
from pages._home import live

live.WARM_UP_AFTER_S = 86_400.0  # what is opened ahead of visitors would read and write in the middle of a test


@pytest.fixture(scope="session", autouse=True)
def installed_components() -> Iterator[None]:
    """Search the installed packages for components once: AppTest reads the metadata of all of them for every page that it opens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True)
def every_run_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail a test at the first run of a page that ends with an exception."""
    run = AppTest._run

    def run_and_check(self: AppTest, *arguments, **options) -> AppTest:
        page = run(self, *arguments, **options)
        assert not page.exception, [item.value for item in page.exception]
        return page

    monkeypatch.setattr(AppTest, "_run", run_and_check)


@pytest.fixture(autouse=True)
def no_job_left_running() -> Iterator[None]:
    """Stop every job after a test and wait for its thread, or it would write into the cache of the next test."""
    yield
    for job in (*QUEUE.running, *QUEUE.waiting):
        job.end()
    registry, lock = shared_jobs._jobs()
    with lock:
        for key in [key for key, job in registry.items() if job.result is None]:
            del registry[key]
    end_all(120)


@pytest.fixture(scope="session")
def korean_index(shared_cache: Path) -> Path:
    model = open_model(get_language("ko").model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ELMOSCOPE_CACHE", str(shared_cache))
        return open_table(model.language.sentences, model).folder


@pytest.fixture(autouse=True)
def index_is_there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, private_cache: Path) -> None:
    """Every token of the bundled sentences is read already, and pages wait for other texts, except in tests that watch the reading."""
    if not request.node.get_closest_marker("unread"):
        folder = request.getfixturevalue("korean_index")  # while the other worker builds the English one
        request.getfixturevalue("whole_index")
        shutil.copytree(folder, private_cache / "indexes" / folder.name, copy_function=os.link)
        monkeypatch.setattr(shared_jobs, "MAX_WAIT_S", 30)


@pytest.fixture(scope="session", autouse=True)
def no_thread_left_behind() -> Iterator[None]:
    """Compiled code must not be cut off."""
    yield
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
        if thread.name in ("warm-up", "job"):
            thread.join(120)
