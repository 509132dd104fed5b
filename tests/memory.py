"""Measure the memory that a function allocates, in a separate process."""

import gc
import multiprocessing
import tracemalloc
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

T = TypeVar("T")
FORK = multiprocessing.get_context("fork")  # the function needs no import, and other threads do not run in the process
MB = 1_000_000


def measure_peak(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of `work`, which must be picklable, and the peak of its allocated memory in MB."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_measure, args=(work, sender))
    process.start()
    sender.close()
    result, peak = receiver.recv()
    process.join()
    return result, peak / MB


def _measure(work: Callable[[], T], sender: Connection) -> None:
    gc.freeze()  # a collection would copy the memory of the tests into this process
    tracemalloc.start()
    result = work()
    sender.send((result, tracemalloc.get_traced_memory()[1]))
