"""How a speed is measured: ours and the peer's in turns within one run, medians, their quotient, and a bound to meet.

A row whose two sides were compared and gave different answers is not within its bound, however fast it was.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.metadata
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

Timed = Callable[[], tuple[float, Any]]  # -> (seconds, what was computed)
PACKAGES = ("numpy", "torch", "umap-learn", "numba", "pyarrow")
EQUAL = 1e-5  # largest difference of any number between two answers that are the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A measured number: the median of its rounds, the lowest and the highest."""

    what: str
    value: float
    unit: str
    low: float
    high: float
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The ratio that a row should reach, or our own number without a peer."""

    text: str
    number: float
    of: str = "ratio"  # or "ours"
    at_least: bool = True  # else at most

    def reached(self, value: float) -> bool:
        return value >= self.number if self.at_least else value <= self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A comparison of the two answers: the largest difference found, and the largest allowed."""

    what: str
    difference: float
    limit: float = EQUAL

    @property
    def passed(self) -> bool:
        return self.difference <= self.limit  # False for NaN


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table; `within` is None where nothing is claimed: not run here, a quick run, or no bound."""

    suite: str
    name: str
    ours: Figure | None = None
    peer: Figure | None = None
    ratio: Figure | None = None
    bound: Bound | None = None
    checks: tuple[Check, ...] = ()
    within: bool | None = None
    not_run: str | None = None
    conditions: dict = field(default_factory=dict)
    details: dict = field(default_factory=dict)

    def as_json(self) -> dict:
        """Plain values; a difference that is no finite number (other shapes, say) is null."""
        checks = [{**asdict(c), "difference": _finite(c.difference), "passed": c.passed} for c in self.checks]
        return {**asdict(self), "checks": checks}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The settings that all rows of a run share."""

    folder: Path  # temporary: models, tables, layers
    threads: int = 2
    quick: bool = False  # tiny sizes, to see that everything runs; no claims
    report: Callable[[str], None] = lambda line: None

    def pick(self, full: Any, quick: Any) -> Any:
        return quick if self.quick else full

    def row(
        self,
        suite: str,
        name: str,
        *,
        ours: Figure,
        peer: Figure | None = None,
        ratio: Figure | None = None,
        bound: Bound | None = None,
        checks: Sequence[Check] = (),
        sizes: str = "",
        **details: Any,
    ) -> Row:
        """A measured row, judged: checks first, then the bound (which a quick run never claims to keep)."""
        within = None
        if not all(check.passed for check in checks):
            within = False
        elif bound is not None and not self.quick:
            value = ours.value if bound.of == "ours" else ratio.value
            within = bound.reached(value)
        figures = {"ours": ours, "peer": peer, "ratio": ratio, "bound": bound, "checks": tuple(checks)}
        conditions = {"sizes": sizes, "quick": self.quick, "threads": self.threads, **surroundings()}
        return Row(suite=suite, name=name, within=within, conditions=conditions, details=details, **figures)

    def not_run(self, suite: str, name: str, why: str, bound: Bound | None = None) -> Row:
        """A row without numbers."""
        return Row(suite=suite, name=name, bound=bound, not_run=why, conditions={"threads": self.threads, **surroundings()})


@dataclass(frozen=True, slots=True)
class Pair:
    """Seconds of each round, ours and the peer's, and what the last round computed."""

    ours: list[float]
    peer: list[float]
    ours_result: Any
    peer_result: Any

    def times_faster(self) -> Figure:
        """The peer's median time over ours; low and high are of single rounds."""
        return quotient("peer's time / ours", self.peer, self.ours, "x")


def timed(run: Callable[..., Any], prepare: Callable[[], tuple] = tuple, *, clock: Callable[[], float] = time.perf_counter) -> Timed:
    """`run(*prepare())` as a Timed; preparing is not counted. By `time.process_time` as clock what else the machine does is not, either."""

    def once() -> tuple[float, Any]:
        arguments = prepare()
        started = clock()
        result = run(*arguments)
        return clock() - started, result

    return once


def paired(ours: Timed, peer: Timed, rounds: int, *, warm_up: bool = True) -> Pair:
    """Both sides in every round, by turns first; before the rounds, each once uncounted unless `warm_up` is False."""
    times: tuple[list[float], list[float]] = ([], [])
    results: list[Any] = [None, None]
    sides = (ours, peer)
    for number in range(-int(warm_up), rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            results[side] = None  # the last round's answer need not lie beside this one's
            gc.collect()
            seconds, results[side] = sides[side]()
            if number >= 0:
                times[side].append(seconds)
    return Pair(*times, *results)


def alone(ours: Timed, rounds: int) -> list[float]:
    """Seconds of each round, after one that is not counted."""
    ours()
    return [ours()[0] for _ in range(rounds)]


def figure(what: str, values: Sequence[float], unit: str) -> Figure:
    """Median and range of a number that was measured once a round."""
    return Figure(what=what, value=statistics.median(values), unit=unit, low=min(values), high=max(values), rounds=len(values))


def rate(what: str, amount: float, seconds: Sequence[float], unit: str) -> Figure:
    """`amount` over the median time."""
    return figure(what, [amount / s for s in seconds], unit)


def milliseconds(what: str, seconds: Sequence[float]) -> Figure:
    return figure(what, [1000 * s for s in seconds], "ms")


def quotient(what: str, above: Sequence[float], below: Sequence[float], unit: str) -> Figure:
    """The quotient of two medians, with the lowest and highest quotient of a round."""
    single = [a / b for a, b in zip(above, below, strict=True)]
    value = statistics.median(above) / statistics.median(below)
    return Figure(what=what, value=value, unit=unit, low=min(single), high=max(single), rounds=len(single))


def difference(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> float:
    """Largest absolute difference between two lists of arrays; infinite where number or shapes are not the same."""
    if len(ours) != len(theirs) or any(np.shape(a) != np.shape(b) for a, b in zip(ours, theirs, strict=True)):
        return float("inf")
    result = [float(np.abs(np.asarray(a) - np.asarray(b)).max()) for a, b in zip(ours, theirs, strict=True) if np.size(a)]
    return max(result, default=0.0) if np.isfinite(result).all() else float("inf")


@contextlib.contextmanager
def limited_to(threads: int) -> Iterator[None]:
    """Torch, BLAS and OpenMP on so many threads, and this process with its children on so many cores.

    Our engine runs its two directions side by side, each with torch's threads: without the cores' limit it would have
    twice as many as a peer wherever the machine has them.
    """
    import torch
    from threadpoolctl import threadpool_limits

    before, cores = torch.get_num_threads(), _cores()
    with threadpool_limits(threads):
        torch.set_num_threads(threads)
        _stay_on(set(sorted(cores)[:threads]))
        try:
            yield
        finally:
            _stay_on(cores)
            torch.set_num_threads(before)


def _cores() -> set[int]:
    """The cores that this process may use; empty where the system does not say."""
    return set(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else set()


def _stay_on(cores: set[int]) -> None:
    tasks = Path("/proc/self/task")
    for task in tasks.iterdir() if cores and tasks.is_dir() else ():  # every thread has cores of its own
        with contextlib.suppress(OSError):  # one that has just ended
            os.sched_setaffinity(int(task.name), cores)


def surroundings() -> dict:
    """Machine, cores in use, load, date and versions: what a figure holds for."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return {"machine": machine(), "cores": len(_cores()) or None, "load": _load(), "date": date, "versions": versions}


def machine() -> str:
    """The processor's name, how many cores the machine has, and the system."""
    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _load() -> float | None:
    """Mean number of running processes in the last minute, this one among them."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
