"""Waits for the pages' background threads before the interpreter ends: compiled code must not be cut off."""

import threading

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_thread_left_behind():
    yield
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
        if thread.name in ("warm-up", "index"):
            thread.join(120)
