"""Run jobs on a Dask cluster: connect, limit the number in flight, survive workers that die or stall.

Every job has the same result wherever and however often it runs. Dask repeats the jobs of a dead worker. A stalled worker's job is also
given to an idle one, and the first answer counts. Failures are reported as one sentence.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from itertools import islice
from statistics import median
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from distributed import Client, Future, KilledWorker, wait
from distributed.comm import CommClosedError

from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from ..common.markup import command, shorten

LOCALHOST = "127.0.0.1"
CONNECT_S = 10.0  # to reach a scheduler
WORKERS_S = 30.0  # until it has a worker, at first and later on
ANSWER_S = 20.0  # for a connected scheduler to answer
AHEAD = 2  # jobs in flight for each thread of the cluster: one running, one waiting
RETRIES = 2  # of a failed job
TICK_S = 1.0  # how often stalled workers are looked for
STALLED = 3.0  # times the median job's duration, after which an idle worker gets the job too
STALLED_S = 5.0  # and at least this long


@dataclass(frozen=True, slots=True)
class ShardJob:
    """A function of core with its arguments. `name` identifies the job within one call; `tokens` is its share of the work."""

    name: str
    run: Callable[..., Any]
    arguments: tuple
    tokens: int = 0
    worker: str | None = None  # whose files are in memory, if it lives


@dataclass(slots=True)
class _Running:
    job: ShardJob
    since: float
    where: set[str] = field(default_factory=set)  # other workers that have it


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """Connect to the scheduler at `address` ("tcp://host:8786") with at least one worker. Raises BadInput if either is missing."""
    if not address.strip():
        raise _no_scheduler(address, "no address")
    client = Client.__new__(Client)  # so that a half-made client is closed here: collected later, it can block the next one
    try:
        client.__init__(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        _close(client)
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise _no_scheduler(address, shorten(reason, 160)) from None
    try:
        try:
            client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError:
            raise BadInput(t("No workers at {address}. Start some: {command}", address=address, command=worker_command(address))) from None
        yield client
    except (CancelledError, CommClosedError, TimeoutError) as error:
        values = {"address": shorten(address, 100), "reason": type(error).__name__}
        raise ElmoscopeError(t("Cluster {address} is gone ({reason}). Finished work is kept: rerun.", **values)) from None
    finally:
        _close(client)


def _close(client: Client) -> None:
    with suppress(OSError, TimeoutError):
        client.close(timeout=CONNECT_S)


def scheduler_command() -> str:
    """Return the command that starts a scheduler for this machine only. By default Dask listens on every network interface."""
    return command("python", "-m", "dask", "scheduler", options=[("host", LOCALHOST), ("dashboard-address", f"{LOCALHOST}:8787")])


def worker_command(address: str) -> str:
    """Return the command that starts a worker from the folder of Elmoscope. A worker of a local scheduler listens on this machine only."""
    local = [("host", LOCALHOST), ("dashboard-address", f"{LOCALHOST}:0")] if _is_local(address) else []
    return command("python", "-m", "dask", "worker", options=[("nthreads", 1), *local], arguments=[address])


def is_unprotected(address: str) -> bool:
    """Return whether the address is that of another machine without TLS, so that others could read and change the traffic."""
    scheme, _, place = address.strip().lower().rpartition("://")
    return ":" in place and scheme not in {"tls", "wss", "inproc"} and not _is_local(address)  # Dask refuses one without a port


def _is_local(address: str) -> bool:
    """Return whether an address ("tcp://host:8786", "[::1]:8786") is a loopback address of this machine."""
    with suppress(ValueError):  # a host name, or no address
        host = urlsplit(f"//{address.strip().rpartition('://')[2]}").hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    return False


def _no_scheduler(address: str, reason: str) -> BadInput:
    values = {"address": shorten(address, 100), "reason": reason, "command": scheduler_command()}
    return BadInput(t("No Dask scheduler answers at '{address}' ({reason}). Start one: {command}", **values))


def run_jobs(client: Client, jobs: Iterable[ShardJob]) -> Iterator[tuple[ShardJob, Any]]:
    """Run jobs, AHEAD per thread at a time, and yield each with its answer once, in any order.

    A job's error with a message for users is raised here and ends the rest.
    """
    waiting = iter(jobs)
    running = {}
    took = []
    seen_workers = time.monotonic()
    try:
        while True:
            threads = sum(client.nthreads(callback_timeout=ANSWER_S).values())
            for job in islice(waiting, max(0, AHEAD * max(threads, 1) - len(running))):
                running[_submit(client, job)] = _Running(job, time.monotonic())
            if not running:
                return
            if threads:
                seen_workers = time.monotonic()
            elif time.monotonic() - seen_workers > WORKERS_S:
                raise ElmoscopeError(t("Cluster {address} lost all workers. Start some and rerun.", address=client.scheduler.address))
            try:
                with client.as_current():
                    finished = wait(list(running), timeout=TICK_S, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                _share_stalled(client, running, took)
                continue
            for future in finished:
                if (entry := running.pop(future, None)) is None:
                    continue  # its copy was quicker
                answer = _answer(future, entry.job)
                took.append(time.monotonic() - entry.since)
                for copy in [f for f, running_job in running.items() if running_job.job is entry.job]:
                    del running[copy]
                    copy.cancel()
                yield entry.job, answer
            _share_stalled(client, running, took)
    finally:
        for future in running:
            with suppress(Exception, CancelledError):  # the connection may be what ended
                future.cancel()


def _submit(client: Client, job: ShardJob, workers: list[str] | None = None) -> Future:
    chosen = workers or ([job.worker] if job.worker else None)
    return client.submit(
        job.run,
        *job.arguments,
        key=f"{job.run.__name__}-{job.name}-{uuid4().hex[:8]}",
        pure=False,
        retries=RETRIES,
        workers=chosen,
        allow_other_workers=bool(chosen) and workers is None,
    )


def _share_stalled(client: Client, running: dict[Future, _Running], took: list[float]) -> None:
    """Give jobs that take far longer than the others to idle workers too, because their workers may be stopped or disconnected."""
    limit = max(STALLED_S, STALLED * median(took[-100:])) if took else 4 * STALLED_S
    late = [entry for entry in running.values() if time.monotonic() - entry.since > limit and not entry.where]
    if not late:
        return
    idle = [worker for worker, keys in client.sync(client.scheduler.processing, callback_timeout=ANSWER_S).items() if not keys]
    for entry, worker in zip(late, idle, strict=False):
        entry.where.add(worker)
        running[_submit(client, entry.job, [worker])] = _Running(entry.job, time.monotonic(), {worker})


def _answer(future: Future, job: ShardJob) -> Any:
    try:
        return future.result()
    except KilledWorker as error:
        values = {"name": job.name, "n": error.allowed_failures + 1}
        raise ElmoscopeError(t("{name} crashed {n} workers, probably out of memory. Add memory and rerun.", **values)) from None
    except ModuleNotFoundError as error:
        message = t("Workers lack the module '{name}'. Start them in Elmoscope’s folder, or install it where they run.", name=error.name)
        raise BadInput(message) from None
