"""A background job's progress on a page, looked at once a second without running the page."""

import streamlit as st

from pages._shared.store import Job


@st.fragment(run_every=1.0)
def show_progress(job: Job) -> None:
    """How far, how fast, how long yet; when the job is done the page runs once more."""
    if not job.running:
        st.rerun()
    if not job.done:
        st.progress(
            0.0, text="Beginning to read every word of the sentences. Until that is done the labelled words are searched."
        )
        return
    left = (job.total - job.done) / job.speed if job.speed else 0.0
    st.progress(
        min(1.0, job.done / max(1, job.total)),
        text=f"Reading every word of the sentences, once: {job.done:,} of {job.total:,} tokens, {job.speed:,.0f} a second, "
        f"{left:.0f} s left. Until then the labelled words are searched.",
    )
