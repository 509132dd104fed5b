"""Heavy jobs beside the pages: one queue for the whole server, whose visitors are those with a page open."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from streamlit.runtime import get_instance
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.common import i18n
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.turns import JobEnded, Turn, Turns


def visitor() -> str | None:
    """Who looks at the page that runs now; None in a thread that serves nobody."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def _is_there(owner: str) -> bool:
    """Whether that visitor's page is open; yes where no server runs, as in a test of a page."""
    return not Runtime.exists() or get_instance().is_active_session(owner)


TURNS = Turns(_is_there)


def waiting_text(turn: Turn) -> str:
    """How many jobs are before this one, for the page."""
    n = turn.ahead
    return t("Waiting for a turn: 1 job before yours.") if n == 1 else t("Waiting for a turn: {n} jobs before yours.", n=n)


@dataclass
class Job:
    """A job in a thread of its own: how far, how fast, and what came of it. Only the thread writes, but for the turn's stop."""

    turn: Turn
    done: int = 0
    total: int = 1
    speed: float = 0.0
    result: object = None
    error: str | None = None
    ended: str | None = None  # why it stopped before it was done: "asked", "left", "time"
    started: float = field(default_factory=time.monotonic)

    @property
    def running(self) -> bool:
        return self.result is None and self.error is None and self.ended is None

    @property
    def waiting(self) -> bool:
        return self.running and self.turn.began is None

    @property
    def stop_asked(self) -> bool:
        return self.turn.stop_asked

    def stop(self) -> None:
        self.turn.stop_asked = True

    def report(self, done: int, total: int, speed: float) -> None:
        """How far the work is; ends it where it should."""
        self.done, self.total, self.speed = done, total, speed
        if done < total:
            self.turn.check()

    def start(self, work: Callable[[Callable[[int, int, float], None]], object], *, failed: str) -> Job:
        """Run `work(report)` when it is its turn; `failed` is what the page says of a fault of ours."""
        threading.Thread(target=self._work, args=(work, failed, i18n.language()), name="index", daemon=True).start()
        return self

    def _work(self, work: Callable, failed: str, language: str) -> None:
        i18n.use(language)
        try:
            with self.turn:
                self.result = work(self.report)
        except JobEnded as ended:
            self.error = str(ended) if ended.why == "time" else None
            self.ended = ended.why
        except ElmoscopeError as error:
            self.error = str(error)
        except Exception:  # a page must hear of it, whatever it was
            self.error = failed
            raise

    def wait(self, seconds: float) -> None:
        """Give a short job the time to end, so that a page need not be drawn twice."""
        until = time.monotonic() + seconds
        while self.running and time.monotonic() < until:
            time.sleep(0.02)


@contextmanager
def in_turn(bar) -> Iterator[Turn]:
    """A turn for work that the page itself does, as a download; `bar` says how long the queue is, and leaving ends the wait."""
    turn = TURNS.ask(visitor())
    try:
        while not turn.wait():
            bar.progress(0.0, text=waiting_text(turn))  # also ends here when the page is left or run anew
        yield turn
    finally:
        turn.leave()
