"""Run heavy jobs in threads, with one queue for the whole server. A user counts as present while a page is open."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Self

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common import i18n, reports
from core.common.errors import ElmoscopeError
from core.common.i18n import tn
from core.common.turns import JobEnded, Turn, Turns
from core.files.quotas import VISIT, VISITS
from core.text import languages
from core.text.languages import Language


def visitor() -> str | None:
    """Return the session of the page that runs now, or None in a thread without a page."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def _is_there(owner: str) -> bool:
    """Return whether a page of the session is open. Without a server, as in tests of pages, it is."""
    return not Runtime.exists() or get_instance().is_active_session(owner)


TURNS = Turns(_is_there)
VISIT.follow(visitor)
VISITS.is_there = _is_there


def ask_for_turn() -> Turn:
    """Add a job of the current user to the queue and return its turn."""
    return TURNS.ask(visitor(), st.context.ip_address if Runtime.exists() else None)


def waiting_text(turn: Turn) -> str:
    """Describe the number of jobs before this one."""
    return tn("Waiting: {n} job ahead.", "Waiting: {n} jobs ahead.", turn.ahead)


class Background:
    """Work in a separate thread, with the interface language, the text language and the visit of the page that started it.

    An error is stored as the sentence that the page shows.
    """

    error: str | None = None
    _thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def begin(self, work: Callable[[], object], *, failed: str, name: str) -> Self:
        """Run `work` in a thread. `failed` is the message of the page after an unexpected error."""
        self._thread = threading.Thread(
            target=self._run_in, args=(work, failed, i18n.language(), languages.in_use(), VISIT.get()), name=name, daemon=True
        )
        self._thread.start()
        return self

    def _run_in(self, work: Callable[[], object], failed: str, language: str, reads: Language, visit: str | None) -> None:
        i18n.use(language)
        languages.use(reads.code)
        VISIT.use(visit)
        try:
            work()
        except ElmoscopeError as error:
            self.error = str(error)
        except Exception:  # a page must hear of it, whatever it was
            self.error = failed
            raise

    def wait(self, seconds: float) -> None:
        """Wait briefly for a short job, so that the page need not be drawn twice."""
        if self._thread is not None:
            self._thread.join(seconds)


@dataclass
class ServerJob(Background):
    """A heavy job with its progress, speed and result. Only its own thread writes, except for the stop of the turn."""

    turn: Turn
    done: int = 0
    total: int = 1
    speed: float = 0.0
    result: object = None
    stage: str = ""  # which part of the work it is at, where the work counts its steps
    ended: str | None = None  # why it stopped before it was done: "asked", "left", "time", "full"
    started: float = field(default_factory=time.monotonic)  # the stage

    @property
    def under_way(self) -> bool:
        return self.result is None and self.error is None and self.ended is None

    @property
    def running(self) -> bool:
        """Whether the job runs for this user. It may continue for others after this user stopped it."""
        return self.under_way and not (self.turn.has_stopped(visitor()) and self.turn.is_wanted)

    @property
    def waiting(self) -> bool:
        return self.under_way and self.turn.began is None

    @property
    def stop_asked(self) -> bool:
        """Whether this user stopped the job."""
        return self.turn.stop_asked or self.turn.has_stopped(visitor())

    def stop(self) -> None:
        """Stop the job for this user. It continues while another user wants it."""
        self.turn.stop(visitor())

    def end(self) -> None:
        """End the job for all users."""
        self.turn.stop_asked = True

    def wait(self, seconds: float) -> None:
        if self.running or self.turn.stop_asked:
            super().wait(seconds)

    def report(self, done: int, total: int, speed: float) -> None:
        """Store the progress of the work. Raises JobEnded if the job should end."""
        self.done, self.total, self.speed = done, total, speed
        if done < total:
            self.turn.check()

    def watch_reading(self, n_bytes: int) -> AbstractContextManager[None]:
        """Report how much of about `n_bytes` bytes is read within the context. End the reading if the job should end."""
        return reports.watch_steps(reports.ReadingProgress(n_bytes, self.report).step)

    def count(self, stage: str, done: int, total: int) -> None:
        """Report the progress of a stage of the work in its own steps. The speed is the average of the stage so far."""
        if stage != self.stage:
            self.stage = stage
            self.started = time.monotonic()
        self.report(done, total, done / max(time.monotonic() - self.started, 1e-9))

    def start(self, work: Callable[[Callable[[int, int, float], None]], object], *, failed: str) -> Self:
        """Run `work(report)` in a thread when it is its turn. `failed` is the message of the page after an unexpected error."""
        return self.begin(lambda: self._work(work), failed=failed, name="index")

    def _work(self, work: Callable) -> None:
        try:
            with self.turn:
                self.result = work(self.report)
        except JobEnded as ended:
            self.error = str(ended) if ended.why in ("time", "full") else None
            self.ended = ended.why


@contextmanager
def in_turn(bar) -> Iterator[Turn]:
    """Wait for a turn for work in the page itself, such as a download, and return it at the end. `bar` shows the length of the queue.

    The wait ends when the user closes the page.
    """
    turn = ask_for_turn()
    try:
        while not turn.wait():
            bar.progress(0.0, text=waiting_text(turn))  # Streamlit ends the run here if the page is closed or runs again
        yield turn
    finally:
        turn.leave()
