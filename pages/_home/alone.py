"""A page that runs without this server: the model in use as one HTML file, made in the background and downloaded."""

import streamlit as st

from core.common import i18n
from core.common.i18n import t
from pages._cached import jobs
from pages._cached.kept import version
from pages._cached.views import workspace_of
from pages._frame.in_use import InUse, short_name
from pages._frame.jobs import Job
from pages._frame.markup import plain

JOB, KEY, STEPS = "live page", "home.alone", 100


def show(in_use: InUse) -> None:
    """Folded; the file is made at a press, once for all visitors."""
    opened = st.expander(t("A page that runs without this server"), icon=":material/flight_takeoff:", key=KEY, on_change="rerun")
    if not opened.open:
        return
    key = in_use.model, version(in_use.model, "model"), i18n.language()  # which the page opens in
    with opened:
        st.caption(
            t(
                "One HTML file with {model} in it. It opens from disk in any browser, without a network.",
                model=plain(short_name(in_use.model)),
            )
        )
        if jobs.find_job(JOB, key) is None:
            if st.button(t("Make the page"), key=f"{KEY}.make", icon=":material/build:"):
                _begin(in_use.model, key)
                st.rerun()
            return
        made = _begin(in_use.model, key)
        if made.result is None:
            jobs.show_state(
                JOB, key, lambda job, left: job.stage or t("Starting…"), widget=KEY, stopped=t("Stopped."), again=t("Make the page")
            )
            return
        label = t("Download, {mb:.0f} MB", mb=len(made.result) / 1e6)
        st.download_button(
            label, made.result, "elmoscope.html", "text/html", key=f"{KEY}.file", icon=":material/download:", on_click="ignore"
        )


def _begin(model: str, key: tuple) -> Job:
    def work(job: Job) -> bytes:
        from core.live.page import page_of

        def report(share: float, what: str) -> None:
            job.count(what, round(STEPS * share), STEPS)

        return page_of(workspace_of(model), report=report).encode("utf-8")

    return jobs.job(JOB, key, work, failed=t("The page could not be made. Try again."), most=1)
