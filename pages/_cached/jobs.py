"""Find and start jobs that run in threads. All users who want the same work share one job, see its progress and can stop it."""

import threading
import time
from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import t
from pages._cached import progress
from pages._frame.server_jobs import ServerJob, ask_for_turn, visitor

T = TypeVar("T")
MAX_READINGS = 40  # jobs of all users that have read files and hold the result until the page takes it


@st.cache_resource(max_entries=1, show_spinner=False)
def _jobs() -> tuple[dict[tuple[str, Hashable], ServerJob], threading.Lock]:
    """Return the jobs by kind and key, the last used last, and their lock."""
    return {}, threading.Lock()


def job(kind: str, key: Hashable, work: Callable[[ServerJob], object], *, failed: str, most: int) -> ServerJob:
    """Return the job of that kind and key, and start it if necessary. `failed` is the message of the page after an unexpected error.

    A job that other users stopped, or whose page was closed, is started again. So is a job that was refused to another user, because limits
    differ between users. A user who stopped a job starts it again only by `resume`. Running jobs stay, and `most` finished ones of a kind.
    """
    jobs, lock = _jobs()
    with lock:
        current = jobs.pop((kind, key), None)
        here = visitor()
        is_mine = current is not None and (current.turn.has_stopped(here) or here in current.turn.owners)
        refused_another = current is not None and current.error and here and not is_mine
        ended_for_another = current is not None and _ended_for_another(current)
        if current is None or ended_for_another or refused_another:
            before, current = current, (new := ServerJob(ask_for_turn()))
            if ended_for_another:
                new.turn.take_over(before.turn)
            new.start(lambda _: work(new), failed=failed)
        jobs[kind, key] = current
        for old in [old for old, each in jobs.items() if old[0] == kind and not each.under_way][:-most]:
            del jobs[old]
    current.turn.join(visitor())
    return current


def find_job(kind: str, key: Hashable) -> ServerJob | None:
    """Return the job of that kind and key, or None if it was not started or others stopped it."""
    current = _jobs()[0].get((kind, key))
    if current is None or _ended_for_another(current):
        return None
    current.turn.join(visitor())
    return current


def _ended_for_another(job: ServerJob) -> bool:
    """Return whether a job ended before it was done, but this user did not stop it."""
    return job.ended in ("left", "asked") and not job.stop_asked


def drop(kind: str, key: Hashable) -> None:
    """Remove a job and its result. The next request starts it again."""
    jobs, lock = _jobs()
    with lock:
        jobs.pop((kind, key), None)


def leave(corpus: str) -> None:
    """Stop all jobs of this user that work on a corpus."""
    for _, job in _find_jobs(corpus):
        job.stop()


def end(corpus: str, seconds: float) -> None:
    """End all jobs that work on a corpus, for every user, and drop their results. Wait for them at most `seconds`."""
    ending_jobs = _find_jobs(corpus)
    for _, job in ending_jobs:
        job.end()
    deadline = time.monotonic() + seconds
    jobs, lock = _jobs()
    for place, job in ending_jobs:
        job.wait(max(0.0, deadline - time.monotonic()))  # a job that still runs would write files after the corpus is deleted
        with lock:
            jobs.pop(place, None)


def _find_jobs(corpus: str) -> list[tuple[tuple[str, Hashable], ServerJob]]:
    """Return the jobs whose key begins with the name of the corpus."""
    jobs, lock = _jobs()
    with lock:
        return [(place, job) for place, job in jobs.items() if isinstance(place[1], tuple) and place[1][0] == corpus]


def resume(kind: str, key: Hashable) -> None:
    """Let this user resume a job that they stopped. If it is no longer running, the next request starts it again."""
    jobs, lock = _jobs()
    with lock:
        current = jobs.get((kind, key))
        if current is not None and not current.error and not current.turn.stop_asked:
            current.turn.resume(visitor())
        else:
            jobs.pop((kind, key), None)


def show_state(kind: str, key: Hashable, text: Callable[[ServerJob, str], str], *, widget: str, stopped: str, again: str) -> None:
    """Show the progress of a job with a Stop button, or why it ended with the button `again`. `text` describes the progress."""
    if (current := find_job(kind, key)) is None:  # it has ended since the page requested it
        st.rerun()

    def watch() -> None:
        progress.follow(current, lambda left: text(current, left), f"{widget}.stop")

    progress.show_end(current, watch, lambda: resume(kind, key), stopped=stopped, label=again, key=f"{widget}.again")


def read_in_job(kind: str, key: Hashable, work: Callable[[ServerJob], T], *, failed: str) -> T | None:
    """Run `work`, which reads files for this user, in a job. Return its result, or None while it runs or after it was stopped.

    Without a result, the page shows the progress. Raises BadInput if the files cannot be read. The caller must store the result, because
    the job is dropped.
    """
    key = visitor(), key
    current = job(kind, key, work, failed=failed, most=MAX_READINGS)
    current.wait(progress.AT_MOST_S)
    if current.result is None and current.error is None:
        show_state(
            kind, key, describe_reading, widget=f"reading.{kind}".replace(" ", "_"), stopped=t("Reading stopped."), again=t("Read again")
        )
        return None
    drop(kind, key)
    if current.error is not None:
        raise BadInput(current.error)
    return current.result


def describe_reading(job: ServerJob, left: str) -> str:
    """Describe how much of the files is read and how long the rest takes."""
    return t("Reading: {done:,.1f} of {total:,.1f} MB, {left} left.", done=job.done / 1e6, total=job.total / 1e6, left=left)
