"""Run heavy jobs in threads, with one queue for the server: a bounded number at once, and users take turns.

A job waits for its turn, then calls `check` as often as possible. `check` ends the job when its users have stopped it, when they have closed
their pages, or when its time is over.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Self

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common import i18n, reports
from core.common.errors import FULL, LEFT, STOPPED, TIME, BadInput, ElmoscopeError, JobEnded
from core.common.i18n import t, tn
from core.common.limits import limits
from core.files.quotas import VISIT, VISITS
from core.text import languages

GONE_AFTER_S = 15.0  # a job that nobody wants ends after this time; a page that is loaded again is away for a moment
YIELD_AFTER_S = 3.0  # the same time if another user waits for the turn
ABANDONED_AFTER_S = 5.0  # a waiting job that does not poll for its turn loses its place after this time, until it polls again
POLL_S = 0.2
EXIT_S = 10.0  # at exit, jobs have this time to end, because compiled code must not be cut off
_STARTED: weakref.WeakSet[Job] = weakref.WeakSet()


class TooManyJobs(BadInput):
    """The refusal of a job because this user, or the queue, has too many jobs now."""


class Queue:
    """The jobs of one server. `is_there(owner)` returns whether a page of the user is still open."""

    def __init__(self, is_there: Callable[[str], bool] = lambda owner: True) -> None:
        self.is_there = is_there
        self.changed = threading.Condition()
        self.running: list[Job] = []
        self.waiting: list[Job] = []

    def add(self, owner: str | None = None, address: str | None = None) -> Job:
        """Return a new job at its place in the queue. `owner` is a user at a network address, or None for work of the server itself.

        In a full queue the job that would be served last loses its place, so many sessions of one address cannot block another address.
        Raises TooManyJobs if the user has too many jobs, or if the new job would be served last in a full queue.
        """
        with self.changed:
            self.drop_abandoned()
            n_jobs = sum(owner in job.owners for job in (*self.running, *self.waiting)) if owner else 0
            if n_jobs >= limits().max_session_jobs:
                raise TooManyJobs(t("Your jobs: {n}, the limit here. Stop one, or wait.", n=n_jobs))
            job = Job(self, owner, address)
            self.waiting.append(job)
            if len(self.waiting) > limits().max_waiting:
                last = self.order()[-1]
                self.waiting.remove(last)
                if last is job:
                    raise TooManyJobs(_describe_full_queue())
                last.has_lost_place = True
            self.changed.notify_all()
            return job

    def order(self) -> list[Job]:
        """Return the waiting jobs by turn: an open page first, then the address and owner with the fewest running jobs, then the oldest."""
        count = Counter(party for job in self.running for party in job.parties)
        rest = list(self.waiting)
        unattended = {job for job in rest if not job.is_attended}
        order = []
        while rest:
            # min returns the first of equal jobs
            chosen = min(rest, key=lambda job: (job in unattended, *(count[party] for party in job.parties)))
            rest.remove(chosen)
            count.update(chosen.parties)
            order.append(chosen)
        return order

    def drop_abandoned(self) -> None:
        """Remove the waiting jobs that have not polled for their turn recently, which would hold up all others."""
        oldest = time.monotonic() - ABANDONED_AFTER_S
        self.waiting[:] = [job for job in self.waiting if job.polled >= oldest]


def _describe_full_queue() -> str:
    n = limits().max_waiting
    return tn("{n} job is waiting, the limit here. Try again later.", "{n} jobs are waiting, the limit here. Try again later.", n)


class Job:
    """Work for one or more users: its place in the queue, thread, progress and result, and which users want it.

    Only its own thread writes the progress and the result. As a context manager, a job waits for its turn and returns it at the end.
    """

    def __init__(self, queue: Queue, owner: str | None = None, address: str | None = None) -> None:
        self.queue = queue
        self._name = owner or f"{id(self)}"
        self._address = address
        self.owners = {owner} if owner else set()
        self._stopped: set[str | None] = set()
        self._owners_lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.began: float | None = None  # its turn
        self.polled = self._seen = time.monotonic()  # the last request for its turn; when a user's page was last open
        self.is_ended = False  # for all users
        self.has_lost_place = False  # whether another job took its place in a full queue
        self.done, self.total, self.speed = 0, 1, 0.0
        self.stage = ""  # the part of the work, if the work counts its steps
        self._stage_began = self.polled
        self.result: Any = None
        self.error: str | None = None  # for the page
        self.why_ended: str | None = None

    # Users

    def join(self, owner: str | None) -> None:
        """Add a user who wants the work, unless the user has stopped it. After a stop, only `resume` adds the user again."""
        with self._owners_lock:
            if owner and owner not in self._stopped:
                self.owners.add(owner)

    def stop(self) -> None:
        """Stop the job for the current user. It continues while another user wants it."""
        self.stop_for(current_user())

    def stop_for(self, owner: str | None) -> None:
        with self._owners_lock:
            if owner:
                self._stopped.add(owner)
                self.owners.discard(owner)
            else:
                self._stopped |= {None, *self.owners}
                self.owners.clear()

    def resume(self, owner: str | None) -> None:
        """Add a user again who has stopped the work."""
        with self._owners_lock:
            self._stopped.discard(owner)
            if owner:
                self.owners.add(owner)

    def end(self) -> None:
        self.is_ended = True

    def take_over(self, earlier_job: Job) -> None:
        """Copy the users who stopped the same work before it was started again."""
        with self._owners_lock:
            if self.owners:  # work of the server itself has no users
                self._stopped |= earlier_job._stopped - self.owners

    def has_stopped(self, owner: str | None) -> bool:
        return owner in self._stopped

    @property
    def is_stopping(self) -> bool:
        """Whether the current user stopped the job, or it ends for everyone."""
        return self.is_ended or self.has_stopped(current_user())

    @property
    def is_wanted(self) -> bool:
        """Whether the work should continue, because not all of its users have stopped it."""
        return not self._stopped or bool(self.owners)

    @property
    def is_attended(self) -> bool:
        """Whether a page of a user who wants the job is open."""
        owners = tuple(self.owners)
        return not owners or any(map(self.queue.is_there, owners))

    @property
    def first_owner(self) -> str:
        """The owner for whom the job counts: the first one who requested it, as long as that user wants it."""
        return self._name if self._name in self.owners else min(self.owners, default=self._name)

    @property
    def parties(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """The address and the owner for which this job counts. Without a known address, the owner takes its place."""
        owner = self.first_owner
        return ("address", self._address if self._address and owner == self._name else owner), ("owner", owner)

    # The turn

    @property
    def ahead(self) -> int:
        """The number of jobs that run or will run before this one, or 0 if it is its turn."""
        with self.queue.changed:
            if self not in self.queue.waiting:
                return 0
            before = self.queue.order().index(self)
            free = limits().max_jobs - len(self.queue.running)
            return 0 if before < free else before + len(self.queue.running)

    def wait_for_turn(self, seconds: float = POLL_S) -> bool:
        """Wait at most `seconds` and return whether it is this job's turn. Raises JobEnded if it should not wait any longer."""
        queue = self.queue
        until = time.monotonic() + seconds
        self.check()
        with queue.changed:
            self.polled = until
            if self.began is None and self not in queue.waiting:  # it lost its place because it did not poll
                queue.waiting.append(self)
            while self.began is None:
                queue.drop_abandoned()
                if self in queue.order()[: max(0, limits().max_jobs - len(queue.running))]:
                    queue.waiting.remove(self)
                    queue.running.append(self)
                    self.began = time.monotonic()
                elif (left := until - time.monotonic()) <= 0:
                    return False
                else:
                    queue.changed.wait(left)
        return True

    def check(self) -> None:
        """Raise JobEnded if this job should end now. The work calls this function as often as possible."""
        if self.is_ended or not self.is_wanted:
            raise JobEnded(STOPPED, t("Stopped."))
        if self.has_lost_place:
            raise JobEnded(FULL, _describe_full_queue())
        time_now = time.monotonic()
        if self.is_attended:
            self._seen = time_now
        else:
            is_another_waiting = any(job is not self and job.is_attended for job in tuple(self.queue.waiting))
            if time_now - self._seen > (YIELD_AFTER_S if is_another_waiting else GONE_AFTER_S):
                raise JobEnded(LEFT, t("Stopped: the page was closed."))
        max_minutes = limits().max_job_minutes
        if self.began is not None and time_now - self.began > 60 * max_minutes:
            raise JobEnded(TIME, t("Stopped after {n} min, the limit here (ELMOSCOPE_MAX_JOB_MINUTES).", n=max_minutes))

    def is_over(self) -> bool:
        """Return whether `check` would end the job, for code that polls instead of handling an exception."""
        try:
            self.check()
        except JobEnded:
            return True
        return False

    def leave(self) -> None:
        with self.queue.changed:
            for places in (self.queue.running, self.queue.waiting):
                if self in places:
                    places.remove(self)
            self.queue.changed.notify_all()

    def __enter__(self) -> Self:
        try:
            while not self.wait_for_turn():
                pass
        except BaseException:
            self.leave()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    # The work

    def start(self, work: Callable[[Job], object], *, failed: str) -> Self:
        """Run `work(job)` in a thread at its turn, in the page's context; its result must not be None. An unexpected error is stored as `failed`."""
        context = i18n.language(), languages.in_use().code, VISIT.get()
        self._thread = threading.Thread(target=self._run, args=(work, failed, *context), name="job", daemon=True)
        _STARTED.add(self)
        self._thread.start()
        return self

    def _run(self, work: Callable[[Job], object], failed: str, language: str, reads: str, visit: str | None) -> None:
        i18n.use(language)
        languages.use(reads)
        VISIT.use(visit)
        try:
            with self:
                self.result = work(self)
        except JobEnded as ended:
            self.error = str(ended) if ended.why in (TIME, FULL) else None
            self.why_ended = ended.why
        except ElmoscopeError as error:
            self.error = str(error)
        except Exception:  # the page must state it, whatever it was
            self.error = failed
            raise

    @property
    def is_active(self) -> bool:
        return self.result is None and self.error is None and self.why_ended is None

    @property
    def is_running(self) -> bool:
        """Whether the job waits or runs for the current user. It may continue for others after this user stopped it."""
        return self.is_active and not (self.has_stopped(current_user()) and self.is_wanted)

    def wait(self, seconds: float) -> None:
        """Wait for a short job, so that the page need not be drawn twice."""
        if self._thread is not None and (self.is_running or self.is_ended):
            self._thread.join(seconds)

    def report(self, done: int, total: int, speed: float) -> None:
        """Store the progress of the work. Raises JobEnded if the job should end."""
        self.done, self.total, self.speed = done, total, speed
        if done < total:
            self.check()

    def count(self, stage: str, done: int, total: int) -> None:
        """Report the progress of a stage of the work in its own steps. The speed is the average of the stage so far."""
        if stage != self.stage:
            self.stage, self._stage_began = stage, time.monotonic()
        self.report(done, total, done / max(time.monotonic() - self._stage_began, 1e-9))

    def watch_reading(self, n_bytes: int) -> AbstractContextManager[None]:
        """Report how much of about `n_bytes` bytes is read within the context. End the reading if the job should end."""
        return reports.watch_steps(reports.ReadingProgress(n_bytes, self.report).step)


def current_user() -> str | None:
    """Return the session of the page that runs now, or None in a thread without a page."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def _is_there(owner: str) -> bool:
    """Return whether a page of the session is open. Without a server, as in tests of pages, it is."""
    return not Runtime.exists() or get_instance().is_active_session(owner)


QUEUE = Queue(_is_there)
VISIT.follow(current_user)
VISITS.is_there = _is_there


def add_job() -> Job:
    return QUEUE.add(current_user(), st.context.ip_address if Runtime.exists() else None)


def describe_place(job: Job) -> str:
    return tn("Waiting: {n} job ahead.", "Waiting: {n} jobs ahead.", job.ahead)


@contextmanager
def hold_turn(bar) -> Iterator[Job]:
    """Wait for a turn for work in the page itself, and show the queue in `bar`. The wait ends when the page is closed."""
    job = add_job()
    try:
        while not job.wait_for_turn():
            bar.progress(0.0, text=describe_place(job))  # Streamlit ends the run here if the page is closed or runs again
        yield job
    finally:
        job.leave()


@atexit.register
def end_all(seconds: float = EXIT_S) -> None:
    """End all jobs and wait for their threads, at most `seconds` in total."""
    jobs = list(_STARTED)
    for job in jobs:
        job.end()
    deadline = time.monotonic() + seconds
    for job in jobs:
        job._thread.join(max(0.0, deadline - time.monotonic()))
