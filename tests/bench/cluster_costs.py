"""The costs of work on a cluster: memory, traffic and time of its parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

BYTES_APPROXIMATE = 8  # of a row's number in an approximate index; its vector takes a byte a number


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates of one core and one row, as measured by `python -m tests.bench.cluster`."""

    tokens_per_s: float  # encoded and written
    rows_per_s: float  # searched, from memory
    bytes_per_row: float  # of an index on disk
    numbers_per_row: int  # of the stacked layers, L * D


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine of the cluster."""

    cores: int = 32
    memory_bytes: float = 256e9
    disk_bytes: float = 8e12
    disk_bytes_per_s: float = 3e9


@dataclass(frozen=True, slots=True)
class Cost:
    rows: int
    core_hours: float  # to build
    machines: int  # that hold the index on disk and build it in time
    hours: float  # to build, on those
    index_bytes: float
    query_s: float  # exact, on those: most of it read from disk where it does not fit into memory
    machines_memory: int  # that hold all of it in memory
    query_memory_s: float  # exact, on those
    approximate_bytes: float


def cost(rows: int, rates: Rates, machine: Machine, *, within_hours: float = 24.0) -> Cost:
    """Both sets of machines share rows evenly; four fifths of a machine's memory hold the index."""
    size, room = rows * rates.bytes_per_row, 0.8 * machine.memory_bytes
    core_hours, core_seconds = rows / rates.tokens_per_s / 3600, rows / rates.rows_per_s
    machines = max(1, ceil(core_hours / (machine.cores * within_hours)), ceil(size / machine.disk_bytes))
    read = max(0.0, size - machines * room) / (machines * machine.disk_bytes_per_s)
    query = max(core_seconds / (machines * machine.cores), read)
    enough = max(machines, ceil(size / room))
    query_memory, approximate = core_seconds / (enough * machine.cores), rows * (rates.numbers_per_row + BYTES_APPROXIMATE)
    hours = core_hours / (machines * machine.cores)
    return Cost(rows, core_hours, machines, hours, size, query, enough, query_memory, approximate)


def table(rates: Rates, sizes: Sequence[int] = (2_000_000, 100_000_000, 10_000_000_000), machine: Machine | None = None) -> str:
    """The costs of several sizes, as Markdown."""
    machine = machine or Machine()
    taken = f"{machine.cores} cores, {machine.memory_bytes / 1e9:.0f} GB, {machine.disk_bytes / 1e12:g} TB at "
    taken += f"{machine.disk_bytes_per_s / 1e9:g} GB/s"
    measured = f"{rates.tokens_per_s:,.0f} tokens/s and {rates.rows_per_s:,.0f} rows/s a core, {rates.bytes_per_row:,.0f} bytes a row"
    heads = ["occurrences", "core hours to build", "fewest machines", "hours on them", "index", "exact query on them"]
    heads += ["machines to hold it in memory", "exact query on those", "approximate index"]
    lines = [f"Measured: {measured}. A machine is taken to have {taken}.", "", f"| {' | '.join(heads)} |", "| ---: " * 9 + "|"]
    for rows in sizes:
        c = cost(rows, rates, machine)
        figures = [f"{rows:,}", f"{c.core_hours:,.1f}", f"{c.machines:,}", f"{c.hours:.2f}", _size(c.index_bytes)]
        figures += [_seconds(c.query_s), f"{c.machines_memory:,}", _seconds(c.query_memory_s), _size(c.approximate_bytes)]
        lines.append(f"| {' | '.join(figures)} |")
    return "\n".join(lines)


def _size(n: float) -> str:
    return f"{n / 1e12:.1f} TB" if n >= 1e12 else f"{n / 1e9:.1f} GB"


def _seconds(s: float) -> str:
    return f"{s:,.1f} s" if s >= 1 else f"{1000 * s:.0f} ms"
