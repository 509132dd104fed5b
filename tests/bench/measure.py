"""Measure a speed next to a peer's: both sides alternate in one run; medians, their ratio, and a check that the answers are equal."""

import argparse
import contextlib
import gc
import importlib.metadata
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

Timed = Callable[[], tuple[float, Any]]  # -> (seconds, the result)
Figure = dict[str, Any]  # what, value (the median of the rounds), unit, low, high, rounds
Row = dict[str, Any]  # of the tables and of speed.json, as Setting.row makes it
PACKAGES = ("numpy", "torch", "umap-learn", "numba", "pyarrow")
EQUAL = 1e-5  # largest difference of any number between two answers that are the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The settings that all rows of a run share."""

    folder: Path  # temporary: models, tables, layers
    suite: str = ""
    threads: int = 2
    quick: bool = False  # tiny sizes, which only show that everything runs

    def pick(self, full: Any, quick: Any) -> Any:
        return quick if self.quick else full

    def row(self, name: str, *, sizes: str = "", checks: Sequence[dict] = (), not_run: str | None = None, **figures: dict) -> Row:
        """Return a row. The figures are `ours`, `peer` and `ratio`; `details` are plain values; `not_run` says why nothing was measured."""
        row = {"suite": self.suite, "name": name, **dict.fromkeys(("ours", "peer", "ratio"), None), "checks": list(checks)}
        conditions = {"sizes": sizes, "quick": self.quick, "threads": self.threads, **surroundings()}
        return row | {"not_run": not_run and f"not run here: {not_run}", "conditions": conditions, "details": {}} | figures


def check(what: str, difference: float, limit: float = EQUAL) -> dict[str, Any]:
    """Compare two answers by the largest difference found and the largest allowed. One that is not a finite number is null."""
    finite = float(difference) if math.isfinite(difference) else None
    return {"what": what, "difference": finite, "limit": limit, "passed": bool(difference <= limit)}  # not for NaN


@dataclass(frozen=True, slots=True)
class Pair:
    """The seconds of each round on both sides, and the results of the last round."""

    ours: list[float]
    peer: list[float]
    ours_result: Any
    peer_result: Any

    def times_faster(self) -> Figure:
        """Return the peer's median time over ours. Low and high are of single rounds."""
        return quotient("peer's time / ours", self.peer, self.ours, "x")


def timed(run: Callable[..., Any], prepare: Callable[[], tuple] = tuple) -> Timed:
    """Return `run(*prepare())` as a Timed that does not count the preparation."""

    def once() -> tuple[float, Any]:
        arguments = prepare()
        started = time.perf_counter()
        result = run(*arguments)
        return time.perf_counter() - started, result

    return once


def paired(ours: Timed, peer: Timed, rounds: int) -> Pair:
    """Run both sides in every round; the one that begins alternates. A first round is not counted."""
    times: tuple[list[float], list[float]] = ([], [])
    results: list[Any] = [None, None]
    sides = (ours, peer)
    gc.collect()
    gc.freeze()  # what exists already need not be looked through again before each side
    for number in range(-1, rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            results[side] = None  # frees the last round's result before the next one is computed
            gc.collect()
            seconds, results[side] = sides[side]()
            if number >= 0:
                times[side].append(seconds)
    gc.unfreeze()
    return Pair(*times, *results)


def alone(ours: Timed, rounds: int) -> list[float]:
    """Return the seconds of each round, after one that is not counted."""
    ours()
    return [ours()[0] for _ in range(rounds)]


def figure(what: str, values: Sequence[float], unit: str) -> Figure:
    return {"what": what, "value": statistics.median(values), "unit": unit, "low": min(values), "high": max(values), "rounds": len(values)}


def rate(what: str, amount: float, seconds: Sequence[float], unit: str) -> Figure:
    return figure(what, [amount / s for s in seconds], unit)


def milliseconds(what: str, seconds: Sequence[float]) -> Figure:
    return figure(what, [1000 * s for s in seconds], "ms")


def quotient(what: str, above: Sequence[float], below: Sequence[float], unit: str) -> Figure:
    """Return the quotient of two medians, with the lowest and highest quotient of a round."""
    single = figure(what, [a / b for a, b in zip(above, below, strict=True)], unit)
    return single | {"value": statistics.median(above) / statistics.median(below)}


def difference(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> float:
    """Return the largest absolute difference between two lists of arrays: infinite if their number or shapes differ."""
    if len(ours) != len(theirs) or any(np.shape(a) != np.shape(b) for a, b in zip(ours, theirs, strict=True)):
        return float("inf")
    result = [float(np.abs(np.asarray(a) - np.asarray(b)).max()) for a, b in zip(ours, theirs, strict=True) if np.size(a)]
    return max(result, default=0.0) if np.isfinite(result).all() else float("inf")


@contextlib.contextmanager
def limited_to(threads: int) -> Iterator[None]:
    """Limit threads, and cores: our engine runs its two directions in parallel, so without fewer cores it would have twice a peer's threads."""
    import torch
    from threadpoolctl import threadpool_limits

    before, cores = torch.get_num_threads(), os.sched_getaffinity(0)
    with threadpool_limits(threads):
        torch.set_num_threads(threads)
        _stay_on(set(sorted(cores)[:threads]))
        try:
            yield
        finally:
            _stay_on(cores)
            torch.set_num_threads(before)


def _stay_on(cores: set[int]) -> None:
    for task in Path("/proc/self/task").iterdir():  # the limit of a thread is its own
        with contextlib.suppress(OSError):  # one that has just ended
            os.sched_setaffinity(int(task.name), cores)


def surroundings() -> dict:
    """Return what a figure depends on: machine, cores in use, load, date and versions."""
    versions = {"python": platform.python_version()} | {package: importlib.metadata.version(package) for package in PACKAGES}
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    facts = {"machine": f"{name}, {os.cpu_count()} cores, {platform.system()}", "cores": len(os.sched_getaffinity(0))}
    facts |= {"load": round(os.getloadavg()[0], 2), "date": datetime.now(UTC).isoformat(timespec="seconds")}
    return facts | {"versions": versions}


def peak_mb(process: int | str = "self") -> float:
    """Return the largest resident size of a process since its start or `reset_peak`."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def options(doc: str | None, **defaults: Any) -> argparse.ArgumentParser:
    """Return a parser with the docstring of a module. Each keyword adds an option with its default and the type of that default."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help=f"default: {default}")
    return parser


def say(text: str) -> None:
    print(text, flush=True)


@dataclass
class Attempts:
    """The result of many inputs: how many were refused, the longest processor time of one, and the failures."""

    inputs: int = 0
    refused: int = 0
    slowest_s: float = 0.0
    failures: list[str] = field(default_factory=list)


def attack(names: Sequence[str], attempt: Callable[[str], Attempts]) -> int:
    """Print a line for each name, its first failures, and at the end the peak of memory. Return the exit status."""
    say(f"{'name':22}{'inputs':>9}{'refused':>9}{'slowest':>10}{'faults':>8}")
    failed = 0
    for name in names:
        result = attempt(name)
        failed += len(result.failures)
        say(f"{name:22}{result.inputs:9,}{result.refused:9,}{result.slowest_s:8.2f} s{len(result.failures):8}")
        for failure in list(dict.fromkeys(result.failures))[:5]:
            print(failure, file=sys.stderr, flush=True)
    say(f"most memory: {peak_mb():,.0f} MB")
    return int(failed > 0)


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join([f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows)])
