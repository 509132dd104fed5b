"""Queue heavy jobs: run a bounded number at once, and let users take turns.

A job requests a `Turn`, waits until it begins, and calls `check` as often as possible. `check` ends the job when its users have stopped
it, when they have closed their pages, or when its time is over. Code that starts a job only needs `with turn:`.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable

from .errors import BadInput, ElmoscopeError
from .i18n import t, tn
from .limits import limits

GONE_AFTER_S = 15.0  # a job that nobody wants ends after this time; a page that is loaded again is away for a moment
YIELD_AFTER_S = 3.0  # the same time if another user waits for the turn
POLL_S = 0.2


class JobEnded(ElmoscopeError):
    """The end of a job before it was done. `why` is "asked", "left", "time" or "full"."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


class TooManyJobs(BadInput):
    """The refusal of a job because this user, or the queue, has too many jobs now."""


class Turns:
    """The queue of one server. `is_there(owner)` returns whether a page of the user is still open."""

    def __init__(self, is_there: Callable[[str], bool] = lambda owner: True) -> None:
        self.is_there = is_there
        self.changed = threading.Condition()
        self.running: list[Turn] = []
        self.waiting: list[Turn] = []

    def ask(self, owner: str | None = None, address: str | None = None) -> Turn:
        """Add a job to the queue and return its turn. `owner` is a user at a network address, or None for work of the server itself.

        In a full queue the job that would be served last loses its place, so many sessions of one address cannot block another address.
        Raises TooManyJobs if the user has too many jobs, or if the new job would be served last in a full queue.
        """
        with self.changed:
            n_jobs = sum(owner in turn.owners for turn in (*self.running, *self.waiting)) if owner else 0
            if n_jobs >= limits().max_session_jobs:
                message = tn(
                    "You have {n} job, the limit here. Stop it, or wait.", "You have {n} jobs, the limit here. Stop one, or wait.", n_jobs
                )
                raise TooManyJobs(message)
            turn = Turn(self, owner, address)
            self.waiting.append(turn)
            if len(self.waiting) > limits().max_waiting:
                last = self.order()[-1]
                self.waiting.remove(last)
                if last is turn:
                    raise TooManyJobs(_describe_full_queue())
                last.has_lost_place = True
            self.changed.notify_all()
            return turn

    def order(self) -> list[Turn]:
        """Return the waiting jobs in the order of their turns.

        Jobs with an open page come first. Among them, the address with the fewest running jobs comes first, then the owner with the fewest,
        then the job that came first.
        """
        count = Counter(party for turn in self.running for party in turn.parties)
        rest = list(self.waiting)
        unattended = {turn for turn in rest if not turn.is_attended}
        order = []
        while rest:
            # min returns the first of equal turns
            chosen = min(rest, key=lambda turn: (turn in unattended, *(count[party] for party in turn.parties)))
            rest.remove(chosen)
            count.update(chosen.parties)
            order.append(chosen)
        return order

    def has_other_waiting(self, turn: Turn) -> bool:
        """Return whether another job with an open page waits."""
        return any(other is not turn and other.is_attended for other in tuple(self.waiting))


def _describe_full_queue() -> str:
    n = limits().max_waiting
    return tn("{n} job is waiting, the limit here. Try again later.", "{n} jobs are waiting, the limit here. Try again later.", n)


class Shared:
    """A piece of work with the users who want it and the users who have stopped it."""

    def __init__(self, owner: str | None = None) -> None:
        self.owners = {owner} if owner else set()
        self._stopped: set[str | None] = set()
        self._share = threading.Lock()

    def join(self, owner: str | None) -> None:
        """Add a user who wants the work, unless the user has stopped it. After a stop, only `resume` adds the user again."""
        with self._share:
            if owner and owner not in self._stopped:
                self.owners.add(owner)

    def stop(self, owner: str | None) -> None:
        """Stop the work for one user, or for every user with None."""
        with self._share:
            self._stopped |= {owner} if owner else {owner, *self.owners}
            self.owners -= {owner} if owner else self.owners.copy()

    def resume(self, owner: str | None) -> None:
        """Add a user again who has stopped the work."""
        with self._share:
            self._stopped.discard(owner)
            if owner:
                self.owners.add(owner)

    def take_over(self, other: Shared) -> None:
        """Copy the users who stopped the same work before it was started again."""
        with self._share:
            if self.owners:  # work of the server itself has no users
                self._stopped |= other._stopped - self.owners

    def has_stopped(self, owner: str | None) -> bool:
        return owner in self._stopped

    @property
    def is_wanted(self) -> bool:
        """Whether the work should continue, because not all of its users have stopped it."""
        return self.is_wanted_by(lambda owner: True)

    def is_wanted_by(self, is_there: Callable[[str], bool]) -> bool:
        """Return whether the work should continue for the users for whom `is_there` returns true."""
        return not self._stopped or any(map(is_there, tuple(self.owners)))


class Turn(Shared):
    """The turn of one job: waiting, then running, then over. As a context manager, it waits for its turn and returns it at the end."""

    def __init__(self, turns: Turns, owner: str | None, address: str | None = None) -> None:
        super().__init__(owner)
        self._turns, self._name, self._address = turns, owner or f"{id(self)}", address
        self.began: float | None = None
        self.stop_asked = False  # for all users
        self.has_lost_place = False  # to another job, in a full queue
        self._seen = time.monotonic()  # when a page of its users was last open

    @property
    def first_owner(self) -> str:
        """The owner for whom the turn counts: the first one who requested it, as long as that user wants it."""
        return self._name if self._name in self.owners else min(self.owners, default=self._name)

    @property
    def parties(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """The address and the owner for which this turn counts. Without a known address, the owner takes its place."""
        owner = self.first_owner
        return ("address", self._address if self._address and owner == self._name else owner), ("owner", owner)

    @property
    def is_attended(self) -> bool:
        """Whether a page of a user who wants the job is open."""
        owners = tuple(self.owners)
        return not owners or any(map(self._turns.is_there, owners))

    @property
    def ahead(self) -> int:
        """The number of jobs that run or will run before this one, or 0 if it is its turn."""
        with self._turns.changed:
            if self not in self._turns.waiting:
                return 0
            before = self._turns.order().index(self)
            free = limits().max_jobs - len(self._turns.running)
            return 0 if before < free else before + len(self._turns.running)

    def wait(self, seconds: float = POLL_S) -> bool:
        """Wait at most `seconds` and return whether it is this job's turn. Raises JobEnded if it should not wait any longer."""
        turns = self._turns
        until = time.monotonic() + seconds
        self.check()
        with turns.changed:
            while self.began is None:
                if self in turns.waiting and self in turns.order()[: max(0, limits().max_jobs - len(turns.running))]:
                    turns.waiting.remove(self)
                    turns.running.append(self)
                    self.began = time.monotonic()
                elif (left := until - time.monotonic()) <= 0:
                    return False
                else:
                    turns.changed.wait(left)
        return True

    def check(self) -> None:
        """Raise JobEnded if this job should end now. The job calls this function as often as possible."""
        if self.stop_asked or not self.is_wanted:
            raise JobEnded("asked", t("Stopped."))
        if self.has_lost_place:
            raise JobEnded("full", _describe_full_queue())
        now = time.monotonic()
        if self.is_attended:
            self._seen = now
        elif now - self._seen > (min(YIELD_AFTER_S, GONE_AFTER_S) if self._turns.has_other_waiting(self) else GONE_AFTER_S):
            raise JobEnded("left", t("Stopped: the page was closed."))
        most = limits().max_job_minutes
        if self.began is not None and now - self.began > 60 * most:
            message = tn(
                "Stopped after {n} minute, the limit here (ELMOSCOPE_MAX_JOB_MINUTES).",
                "Stopped after {n} minutes, the limit here (ELMOSCOPE_MAX_JOB_MINUTES).",
                most,
            )
            raise JobEnded("time", message)

    def is_over(self) -> bool:
        """Return whether `check` would end the job, for code that polls instead of handling an exception."""
        try:
            self.check()
        except JobEnded:
            return True
        return False

    def leave(self) -> None:
        """Return the turn, or the place in the queue."""
        with self._turns.changed:
            for places in (self._turns.running, self._turns.waiting):
                if self in places:
                    places.remove(self)
            self._turns.changed.notify_all()

    def __enter__(self) -> Turn:
        try:
            while not self.wait():
                pass
        except BaseException:
            self.leave()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
