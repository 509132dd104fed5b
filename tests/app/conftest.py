"""Ends the pages' background work: that of a test with the test, all threads before the interpreter ends."""

import threading
from collections.abc import Iterator

import pytest

from pages._cached import jobs
from pages._frame.jobs import QUEUE, end_all
from pages._home import live

live.WARM_UP_AFTER_S = 86_400.0  # what is opened ahead of visitors would read and write in the middle of a test


@pytest.fixture(autouse=True)
def no_job_left_running() -> Iterator[None]:
    """The next test has the machine, and its visitor the jobs of a visitor, for itself."""
    yield
    end_jobs()


def end_jobs() -> None:
    """Stop every job and wait for its thread, whether the registry still holds it or not: later it would write into another test's cache."""
    for job in (*QUEUE.running, *QUEUE.waiting):
        job.end()
    registry, lock = jobs._jobs()
    with lock:
        for key in [key for key, job in registry.items() if job.result is None]:
            del registry[key]
    end_all(120)


@pytest.fixture(autouse=True)
def index_is_there(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every token of the bundled sentences is read already, and pages wait for other texts, except in tests that watch the reading."""
    if not request.node.get_closest_marker("unread"):
        request.getfixturevalue("whole_index")
        monkeypatch.setattr(jobs, "AT_MOST_S", 30)


@pytest.fixture(scope="session", autouse=True)
def no_thread_left_behind() -> Iterator[None]:
    """Compiled code must not be cut off."""
    yield
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
        if thread.name in ("warm-up", "job"):
            thread.join(120)
