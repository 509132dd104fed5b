"""The Train part: the choices, the progress with its curves, and the results."""

import streamlit as st

from core.common.i18n import t
from core.figures.classifiers import curves_figure
from pages._cached import opened
from pages._cached.progress import duration
from pages._classify.job import TrainingJob
from pages._classify.order import choose
from pages._classify.train_results import show_comparison, show_results
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_errors
from pages._frame.server_jobs import ask_for_turn
from pages._widgets.charts import draw


def show(in_use: InUse) -> None:
    job: TrainingJob | None = st.session_state.get("training")
    with show_errors():
        order = choose(in_use)
        running = job is not None and job.running
        if st.button(t("Train"), type="primary", icon=":material/play_arrow:", disabled=order is None or running, key="train.go"):
            model, vectors = (
                opened.model(in_use.model),
                opened.vectors(in_use.vectors),
            )  # before a place is asked for: they may not be there
            job = TrainingJob(order, ask_for_turn()).start(model, vectors)
            st.session_state.training = job
            job.wait(0.3)  # so that a small job's result is on the page at once
            st.rerun()  # the button now rests
    if job is None:
        notice([t("Nothing trained in this session yet. The bundled classifiers are on Try it.")])
    elif job.running:
        _watch(job)
    else:
        # In a container, as a fragment is: what it drew last is replaced piece by piece. In other places both would stand, until the run ends.
        with st.container():
            st.empty()  # where the progress was
            _show(job, finished=True)
    show_comparison()


@st.fragment(run_every=1.0)
def _watch(job: TrainingJob) -> None:
    if not job.running:
        st.rerun()  # once, of the whole page: the button wakes, the ticking ends
    message = job.message
    if job.turn.stop_asked:
        message = t("Stopping after this step…")
    elif job.seconds_left is not None:
        if job.training:
            message = t("{stage}; at most {time} left", stage=message, time=duration(job.seconds_left))
        else:
            message = t("{stage}; {time} left", stage=message, time=duration(job.seconds_left))
    bar, stop = st.columns([5, 1], vertical_alignment="center")
    bar.progress(min(1.0, job.share_done), text=message)
    options = {"icon": ":material/stop:", "width": "stretch", "disabled": job.turn.stop_asked, "on_click": job.stop}
    stop.button(t("Stop"), key="train.stop", help=t("The best so far is kept"), **options)
    # Finished or not is asked once: buttons drawn by this fragment would lose the click that lands before the page is drawn anew.
    _show(job, finished=False)


def _show(job: TrainingJob, *, finished: bool) -> None:
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    for note in job.notes:
        st.caption(plain(note))
    curves = {job.title_of(*run): list(points) for run, points in dict(job.curves).items() if len(points) > 1}
    if curves:
        panels = (("valid_loss", t("validation loss, nats"), False), ("valid_accuracy", t("validation accuracy"), True))
        for column, (key, title, percent) in zip(st.columns(2, gap="large"), panels, strict=True):
            lines = {name: [(point["epoch"], point[key]) for point in points] for name, points in curves.items()}
            figure = curves_figure(lines, y=title, percent=percent)
            alt = t("{what} by epoch: {names}.", what=title, names=", ".join(lines))
            with column:
                draw(figure, key=f"train.{key}", alt=alt)
    if job.heads:
        show_results(job, finished=finished)
