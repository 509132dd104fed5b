"""Run functions in processes of their own, and measure the memory that one allocates."""

import gc
import multiprocessing
import tracemalloc
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

T = TypeVar("T")
FORK = multiprocessing.get_context("fork")  # starts a process in a few milliseconds, without any import or another thread
MB = 1_000_000


def run_at_once(work: Callable[[Any], object], *arguments: object) -> None:
    """Call `work` with each argument in a process, all at the same time. Check that each process ends without an error."""
    processes = [FORK.Process(target=work, args=(argument,)) for argument in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(200)
        assert process.exitcode == 0


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
    sender.send((work(), tracemalloc.get_traced_memory()[1]))
