"""A background job's progress on a page, looked at once a second without running the page; how to stop it and go on."""

from collections.abc import Callable

import streamlit as st

from core.common.i18n import t
from pages._frame.markup import plain
from pages._frame.server_jobs import ServerJob, waiting_text

AT_MOST_S = 2.5  # a small corpus is read in that time: no progress is drawn for it


@st.fragment(run_every=1.0)
def show_progress(job: ServerJob, *, stoppable: bool = False, meanwhile: str = "") -> None:
    """How far, how fast, how long yet, and what the page does meanwhile; when the job is done the page runs once more."""
    if not job.running:
        st.rerun()
    bar, stop = st.columns([5, 1], vertical_alignment="center") if stoppable else (st.container(), None)
    if job.stop_asked:
        message = t("Stopping: the words in hand are read to their end.")
    elif job.waiting:
        message = waiting_text(job.turn)
    elif not job.done:
        message = t("Beginning to read every word of the sentences.")
    else:
        message = t(
            "Reading every word of the sentences, once: {done:,} of {total:,} tokens, {speed:,.0f} a second, {left} left.",
            done=job.done,
            total=job.total,
            speed=job.speed,
            left=duration((job.total - job.done) / max(job.speed, 1e-9)),
        )
    bar.progress(min(1.0, job.done / max(1, job.total)), text=f"{message} {meanwhile}".rstrip())
    if stop and stop.button(
        t("Stop"),
        icon=":material/stop:",
        key="index.stop",
        width="stretch",
        disabled=job.stop_asked,
        help=t("What is read so far is kept, and reading can go on from there."),
    ):
        job.stop()


@st.fragment(run_every=1.0)
def follow(job: ServerJob, facts: Callable[[str], str], key: str) -> None:
    """How far a job is, with Stop, looked at once a second; `told` says it, given the time left. When it is done the page runs once more."""
    if not job.running:
        st.rerun()
    bar, stop = st.columns([5, 1], vertical_alignment="center")
    if job.stop_asked:
        text = t("Stopping: what is in hand is brought to its end.")
    else:
        text = waiting_text(job.turn) if job.waiting else facts(duration((job.total - job.done) / max(job.speed, 1e-9)))
    bar.progress(min(1.0, job.done / max(1, job.total)), text=text)
    stop.button(t("Stop"), icon=":material/stop:", key=key, width="stretch", disabled=job.stop_asked, on_click=job.stop)


def wait_for(job: ServerJob, again: Callable[[], object], *, labelled: bool = False) -> None:
    """Return once the table is there, of the `labelled` tokens alone or of all; else show how far it is, or how to go on, and end the page
    here."""
    with st.spinner(t("Reading the labelled sentences…") if labelled else t("Reading every word of your corpus…")):
        job.wait(AT_MOST_S)
    if job.result is None:
        if job.running and labelled:
            st.info(t("This page needs these labelled sentences to be read once. It opens by itself when that is done."))
        elif job.running:
            st.info(t("This page needs every word of your corpus to be read once. It opens by itself when that is done."))
        elif labelled:
            st.info(t("This page needs these labelled sentences to be read once."))
        else:
            st.info(t("This page needs every word of your corpus to be read once."))
        show_state(job, again)
        st.stop()


def show_state(job: ServerJob, again: Callable[[], object]) -> None:
    """A job that is not done: its progress with Stop, or why it ended and a button that begins it `again`.

    One that was done since its page asked for its result has nothing to show: the page runs once more, with the result.
    """
    if job.result is not None:
        st.rerun()
    if job.running:
        show_progress(job, stoppable=True)
        return
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    else:
        st.info(
            t("Stopped at {done:,} of {total:,} tokens. What was read is kept.", done=job.done, total=job.total),
            icon=":material/pause_circle:",
        )
    if st.button(t("Go on reading"), icon=":material/play_arrow:", key="index.go_on"):
        again()
        st.rerun()


def labelled_text(done: int, total: int, left: str) -> str:
    """What is said while labelled sentences are read."""
    return t("Reading the labelled sentences, once: {done:,} of {total:,} tokens, {left} left.", done=done, total=total, left=left)


def duration(seconds: float) -> str:
    """A time as a person says it."""
    if seconds < 90:
        return t("{n:.0f} s", n=max(1, seconds))
    return t("{n:.0f} min", n=seconds / 60) if seconds < 5400 else t("{n:.1f} h", n=seconds / 3600)
