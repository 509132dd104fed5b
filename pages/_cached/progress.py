"""Show the progress of a job once a second without running the page, with buttons to stop and resume it."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.common.i18n import t
from pages._frame.markup import plain
from pages._frame.server_jobs import ServerJob, waiting_text

AT_MOST_S = 2.5  # a small corpus is read in that time: no progress is drawn for it


@st.fragment(run_every=1.0)
def follow(
    job: ServerJob, describe: Callable[[str], str], key: str, *, stoppable: bool = True, meanwhile: str = "", help: str = ""
) -> None:
    """Show the progress of a job and a Stop button, once a second. Run the page again at the end.

    `describe` returns the text for the time left. `meanwhile` states what the page does until then.
    """
    if not job.running:
        st.rerun()
    bar, stop = st.columns([5, 1], vertical_alignment="center") if stoppable else (st.container(), None)
    if job.stop_asked:
        text = t("Stopping after this step…")
    else:
        text = waiting_text(job.turn) if job.waiting else describe(duration((job.total - job.done) / max(job.speed, 1e-9)))
    bar.progress(min(1.0, job.done / max(1, job.total)), text=f"{text} {meanwhile}".rstrip())
    if stop:
        options = {"icon": ":material/stop:", "width": "stretch", "disabled": job.stop_asked, "on_click": job.stop, "help": help or None}
        stop.button(t("Stop"), key=key, **options)


def show_progress(job: ServerJob, *, stoppable: bool = False, meanwhile: str = "") -> None:
    """Show how much of a corpus is encoded."""
    follow(job, partial(_reading_text, job), "index.stop", stoppable=stoppable, meanwhile=meanwhile, help=t("You can continue later."))


def _reading_text(job: ServerJob, left: str) -> str:
    if not job.done:
        return t("Starting to read all words…")
    values = {"done": job.done, "total": job.total, "speed": job.speed, "left": left}
    return t("Reading all words: {done:,} of {total:,} tokens, {speed:,.0f} per second, {left} left.", **values)


def wait_for(job: ServerJob, again: Callable[[], object], *, labeled: bool = False) -> None:
    """Return once the table is there, of the `labeled` tokens alone or of all; else show how far it is, or how to go on, and end the page
    here."""
    with st.spinner(t("Reading labeled sentences…") if labeled else t("Reading your corpus…")):
        job.wait(AT_MOST_S)
    if job.result is None:
        if job.running and labeled:
            st.info(t("The page opens once these labeled sentences are read."))
        elif job.running:
            st.info(t("The page opens once your corpus is read."))
        elif labeled:
            st.info(t("This page needs these labeled sentences read."))
        else:
            st.info(t("This page needs your corpus read."))
        show_state(job, again)
        st.stop()


def show_state(job: ServerJob, again: Callable[[], object]) -> None:
    """Show the progress of an index with Stop, or why it ended and a button that calls `again`."""
    stopped = t("Stopped at {done:,} of {total:,} tokens, all kept.", done=job.done, total=job.total)
    show_end(job, lambda: show_progress(job, stoppable=True), again, stopped=stopped, label=t("Continue"), key="index.go_on")


def show_end(job: ServerJob, watch: Callable[[], None], again: Callable[[], object], *, stopped: str, label: str, key: str) -> None:
    """Call `watch` while a job runs, else show why it ended and a button that calls `again`.

    Run the page again if the job has finished in the meantime.
    """
    if job.result is not None:
        st.rerun()
    if job.running:
        watch()
        return
    st.error(plain(job.error), icon=":material/error:") if job.error else st.info(stopped, icon=":material/pause_circle:")
    if st.button(label, icon=":material/play_arrow:", key=key):
        again()
        st.rerun()


def labeled_text(done: int, total: int, left: str) -> str:
    """Return the text that is shown while labeled sentences are encoded."""
    return t("Reading labeled sentences: {done:,} of {total:,} tokens, {left} left.", done=done, total=total, left=left)


def duration(seconds: float) -> str:
    """Return a duration in words."""
    if seconds < 90:
        return t("{n:.0f} s", n=max(1, seconds))
    return t("{n:.0f} min", n=seconds / 60) if seconds < 5400 else t("{n:.1f} h", n=seconds / 3600)
