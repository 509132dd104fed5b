"""Find and start jobs that run in threads, and show their progress. All users who want the same work share one job and can stop it."""

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import streamlit as st

from core.common.errors import LEFT, STOPPED, BadInput
from core.common.i18n import t
from pages._frame.jobs import Job, add_job, current_user, describe_place
from pages._frame.markup import plain

T = TypeVar("T")
Describe = Callable[[Job, str], str]  # (job, time left) -> the text of its progress
MAX_READINGS = 40  # jobs of all users that have read files and hold the result until the page takes it
MAX_WAIT_S = 2.5  # how long a page waits for a job before it draws the progress


@st.cache_resource(max_entries=1, show_spinner=False)
def _jobs() -> tuple[dict[tuple[str, Hashable], Job], threading.Lock]:
    """Return the jobs by kind and key, the last used last, and their lock."""
    return {}, threading.Lock()


def job(kind: str, key: Hashable, work: Callable[[Job], object], *, failed: str, most: int) -> Job:
    """Return the job of that kind and key, and start it if necessary. `failed` is the message of the page after an unexpected error.

    A job that other users stopped, or whose page was closed, is started again. So is a job that was refused to another user, because limits
    differ between users. A user who stopped a job starts it again only by `resume`. Running jobs stay, and `most` finished ones of a kind.
    """
    jobs, lock = _jobs()
    user = current_user()
    with lock:
        current = jobs.get((kind, key))
        has_ended = current is not None and _ended_for_another(current)
        is_refused = current is not None and current.error and user and not (current.has_stopped(user) or user in current.owners)
        if current is None or has_ended or is_refused:
            new = add_job()
            if has_ended:
                new.take_over(current)
            current = new.start(work, failed=failed)
        jobs.pop((kind, key), None)
        jobs[kind, key] = current
        for old in [place for place, item in jobs.items() if place[0] == kind and not item.is_active][:-most]:
            del jobs[old]
    current.join(user)
    return current


def find_job(kind: str, key: Hashable) -> Job | None:
    """Return the job of that kind and key, or None if it was not started or others stopped it."""
    current = _jobs()[0].get((kind, key))
    if current is None or _ended_for_another(current):
        return None
    current.join(current_user())
    return current


def _ended_for_another(job: Job) -> bool:
    """Return whether a job ended before it was done, but this user did not stop it."""
    return job.why_ended in (LEFT, STOPPED) and not job.is_stopping


def drop(kind: str, key: Hashable) -> None:
    """Remove a job and its result. The next request starts it again."""
    jobs, lock = _jobs()
    with lock:
        jobs.pop((kind, key), None)


def resume(kind: str, key: Hashable) -> None:
    """Let this user resume a job that they stopped. If it is no longer running, the next request starts it again."""
    jobs, lock = _jobs()
    with lock:
        current = jobs.get((kind, key))
        if current is not None and not current.error and not current.is_ended:
            current.resume(current_user())
        else:
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
    for place, job in ending_jobs:
        job.wait(max(0.0, deadline - time.monotonic()))  # a job that still runs would write files after the corpus is deleted
        drop(*place)


def _find_jobs(corpus: str) -> list[tuple[tuple[str, Hashable], Job]]:
    """Return the jobs whose key names a corpus, as a part or as the `corpus` of a part (core.views.sides.Side)."""
    jobs, lock = _jobs()
    with lock:
        items = [item for item in jobs.items() if isinstance(item[0][1], tuple)]
    return [(place, job) for place, job in items if corpus in (getattr(part, "corpus", part) for part in place[1])]


def read_in_job(kind: str, key: Hashable, work: Callable[[Job], T], *, failed: str) -> T | None:
    """Read files for this user in a job, as `read_files` does. The caller must store the result, because the job is dropped."""
    key = current_user(), key
    result = read_files(kind, key, work, failed=failed, widget=f"reading.{kind}".replace(" ", "_"), most=MAX_READINGS)
    if result is not None:
        drop(kind, key)
    return result


def read_files(kind: str, key: Hashable, work: Callable[[Job], T], *, failed: str, widget: str, most: int) -> T | None:
    """Return the result of a job that reads files. Show its progress and return None without one. Raises BadInput if it failed."""
    current = job(kind, key, work, failed=failed, most=most)
    current.wait(MAX_WAIT_S)
    if current.error is not None:
        drop(kind, key)
        raise BadInput(current.error)
    if current.result is None:
        show_state(kind, key, describe_reading, widget=widget, stopped=t("Reading stopped."), again=t("Read again"))
    return current.result


def result_or_progress(
    kind: str, key: Hashable, work: Callable[[Job], T], describe: Describe, *, widget: str, again: str, stopped: str = "", **options: Any
) -> T | None:
    """Return the result of a job after a short wait. Without one, show its progress and return None. `options` are those of `job`."""
    current = job(kind, key, work, **options)
    current.wait(MAX_WAIT_S)
    if current.result is None:
        show_state(kind, key, describe, widget=widget, stopped=stopped or t("Stopped."), again=again)
    return current.result


def show_state(kind: str, key: Hashable, describe: Describe, *, widget: str, stopped: str, again: str) -> None:
    """Show the progress of a job with a Stop button, or why it ended with the button `again`."""
    if (current := find_job(kind, key)) is None:  # it has ended since the page requested it
        st.rerun()
    if show_end_unless_running(current, lambda: resume(kind, key), stopped=stopped, label=again, key=f"{widget}.again"):
        follow(current, describe, f"{widget}.stop")


def show_index_state(job: Job, again: Callable[[], object]) -> None:
    """Show the progress of an index with Stop, or why it ended and a button that calls `again`."""
    stopped = t("Stopped at {done:,} of {total:,} tokens, all kept.", done=job.done, total=job.total)
    if show_end_unless_running(job, again, stopped=stopped, label=t("Continue"), key="index.go_on"):
        follow_index(job, is_stoppable=True)


def show_end_unless_running(job: Job, again: Callable[[], object], *, stopped: str, label: str, key: str) -> bool:
    """Return True while a job runs. Else show why it ended and a button that calls `again`. Run the page again if the job has finished."""
    if job.result is not None:
        st.rerun()
    if job.is_running:
        return True
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    else:
        st.info(stopped, icon=":material/pause_circle:")
    if st.button(label, icon=":material/play_arrow:", key=key):
        again()
        st.rerun()
    return False


@st.fragment(run_every=1.0)
def follow(job: Job, describe: Describe, key: str, *, is_stoppable: bool = True, meanwhile: str = "", help: str = "") -> None:
    """Show the progress of a job and a Stop button, once a second. Run the page again at the end.

    `meanwhile` states what the page does until then. The time left is "…" until the job knows its speed.
    """
    if not job.is_running:
        st.rerun()
    text = describe(job, duration((job.total - job.done) / job.speed) if job.speed else "…")
    show_bar(job, text, key, help, is_stoppable, meanwhile)


def show_bar(job: Job, text: str, key: str, help: str = "", is_stoppable: bool = True, meanwhile: str = "") -> None:
    """Draw the progress bar of a job, with its place in the queue while it waits, and a Stop button."""
    places = st.columns([5, 1], vertical_alignment="center") if is_stoppable else [st.container()]
    if job.is_stopping:
        text = t("Stopping after this step…")
    elif job.is_active and job.began is None:
        text = describe_place(job)
    places[0].progress(min(1.0, job.done / max(1, job.total)), text=f"{text} {meanwhile}".rstrip())
    if is_stoppable:
        options = {"icon": ":material/stop:", "width": "stretch", "disabled": job.is_stopping, "on_click": job.stop, "help": help or None}
        places[1].button(t("Stop"), key=key, **options)


def follow_index(job: Job, *, is_stoppable: bool = False, meanwhile: str = "") -> None:
    follow(job, _describe_index, "index.stop", is_stoppable=is_stoppable, meanwhile=meanwhile, help=t("You can continue later."))


def wait_for(job: Job, again: Callable[[], object], *, is_labeled: bool = False) -> None:
    """Return once the table of all, or of the labeled, tokens is encoded. Else show the progress or how to resume, and end the run."""
    with st.spinner(t("Reading labeled sentences…") if is_labeled else t("Reading your corpus…")):
        job.wait(MAX_WAIT_S)
    if job.result is None:
        what = t("these labeled sentences") if is_labeled else t("your corpus")
        st.info(t("The page opens after reading {what}.", what=what))
        show_index_state(job, again)
        st.stop()


def _describe_index(job: Job, left: str) -> str:
    if not job.done:
        return t("Starting to read all words…")
    values = {"done": job.done, "total": job.total, "speed": job.speed, "left": left}
    return t("Reading all words: {done:,} of {total:,} tokens, {speed:,.0f} per second, {left} left.", **values)


def describe_reading(job: Job, left: str) -> str:
    return t("Reading: {done:,.1f} of {total:,.1f} MB, {left} left.", done=job.done / 1e6, total=job.total / 1e6, left=left)


def describe_labeled(done: int, total: int, left: str) -> str:
    return t("Reading labeled sentences: {done:,} of {total:,} tokens, {left} left.", done=done, total=total, left=left)


def duration(seconds: float) -> str:
    if seconds < 90:
        return t("{n:.0f} s", n=max(1, seconds))
    return t("{n:.0f} min", n=seconds / 60) if seconds < 5400 else t("{n:.1f} h", n=seconds / 3600)
