"""Accuracy of the shipped classifiers as noise grows: as a command measured it, or on this machine's copy of the data."""

import time

import numpy as np
import pandas as pd
import streamlit as st

from core.classify import tasks
from core.classify.model import variant_titles
from core.common.errors import BadInput, MissingArtifact
from core.common.i18n import t
from core.common.markup import command
from core.common.significance import margin, points
from core.experiments.typing_errors import accuracy_under_noise, read_accuracy
from core.figures.spelling import noise_figure
from pages._cached import classifiers
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._widgets import lists
from pages._widgets.charts import draw

MEASURED_HERE = 100  # test texts


def show_accuracy(in_use: InUse, task: str, names: list[str]) -> None:
    """Accuracy by noise on texts that no classifier had seen."""
    st.markdown(f"#### {t('Accuracy under typing errors')}")
    table = read_accuracy().get(task)
    key = f"noise.measured.{task}.{in_use.model}.{in_use.vectors}"
    named = [("task", task), ("data", "FOLDER"), ("output", "assets/results/noise.json")]
    offered = command("python", "-m", "core", "noise", options=named)
    model = classifiers.bench_for(task, in_use).model
    data = {head.meta["data"] for head in classifiers.open_for(task, in_use).heads.values()}
    if table and table["model"] == model.fingerprint and data == {table["data"]}:  # of these very heads
        _draw(table, names)
        st.code(offered, language="bash")
        return
    if key in st.session_state:
        _draw(st.session_state[key], names)
    else:
        st.info(t("Not measured for this model and task yet. Run:"), icon=":material/terminal:")
    st.code(offered, language="bash")
    try:
        files = tasks.task_files(tasks.task_named(task))
    except MissingArtifact:
        return  # the data are not on this machine; the command says what it needs
    if st.button(t("Measure on {n} test texts", n=MEASURED_HERE), icon=":material/play_arrow:", key="noise_measure"):
        st.session_state[key] = _measure(in_use, task, names, files)
        st.rerun()


def _measure(in_use: InUse, task: str, names: list[str], files: dict) -> dict:
    """The table of the chosen classifiers on some of the test texts, with a bar of how far it is."""
    bar = st.progress(0.0, text=t("Opening the data…"))
    started = time.monotonic()

    def report(done: int, total: int) -> None:
        left = (time.monotonic() - started) * (total - done) / done
        bar.progress(done / total, text=t("{done:,} of {total:,} texts, {left:.0f} s left", done=done, total=total, left=left))

    opened = classifiers.open_for(task, in_use)
    over = classifiers.bench_for(task, in_use)
    return accuracy_under_noise(
        {name: opened.heads[name] for name in names},
        tasks.open_data(tasks.task_named(task), **files),
        vectors=over.vectors,
        encoder=over.model.encoder,
        seeds=(0,),
        limit=MEASURED_HERE,
        report=report,
    )


def _draw(table: dict, names: list[str]) -> None:
    lines = {name: np.mean(rows, axis=1) for name, rows in table["accuracy"].items() if name in names}
    if not lines:
        raise BadInput(t("Measured classifiers: {names}. Choose one.", names=", ".join(table["accuracy"])))
    named = ", ".join(f"{variant_titles()[name]} {v[0]:.0%} → {v[-1]:.0%}" for name, v in lines.items())
    alt = t("Accuracy by share of changed letters, up to {share:.0%}: {named}.", share=table["shares"][-1], named=named)
    draw(noise_figure(lines, table["shares"], y=t("accuracy")), key="noise.accuracy", alt=alt)
    notice(describe_accuracy(table["n"], table["shares"][-1], lines))
    rows = [
        {t("classifier"): variant_titles()[name]}
        | {f"{share:.0%}": round(float(v), 4) for share, v in zip(table["shares"], values, strict=True)}
        for name, values in lines.items()
    ]
    lists.twin(pd.DataFrame(rows), name="noise-accuracy", key="noise.accuracy.twin", label=t("Show as table"))


def describe_accuracy(n: int, most: float, lines: dict[str, np.ndarray]) -> list[str]:
    """Of accuracies by noise, (shares,) each, on n texts: who loses least, who is most often right at the most noise, what n can tell."""
    titles = variant_titles()
    ends, drops = {name: float(v[-1]) for name, v in lines.items()}, {name: float(v[0] - v[-1]) for name, v in lines.items()}
    least, best = min(drops, key=drops.get), max(ends, key=ends.get)
    values = {"n": n, "share": most, "name": titles[least], "before": lines[least][0], "after": ends[least]}
    sentences = []
    if len(lines) == 1:
        return [t("With {share:.0%} of letters changed, {name} goes from {before:.1%} to {after:.1%} on {n:,} test texts.", **values)]
    if drops[least] > 0:
        values["points"] = points(drops[least])
        sentences.append(
            t(
                "With {share:.0%} of letters changed, {name} loses least: {points} points, from {before:.1%} to {after:.1%} on {n:,} test texts.",
                **values,
            )
        )
    else:
        sentences.append(
            t("With {share:.0%} of letters changed, {name} loses nothing: {before:.1%}, then {after:.1%} on {n:,} test texts.", **values)
        )
    rivals = [name for name in lines if ends[best] - ends[name] <= margin(ends[best], ends[name], n)]
    if len(rivals) > 1:
        some = ", ".join(titles[name] for name in sorted(rivals, key=lambda name: -ends[name]))
        sentences.append(t("The best is then inconclusive: {names} are within chance of {accuracy:.1%}.", names=some, accuracy=ends[best]))
    else:
        sentences.append(t("The best is then {name}: {accuracy:.1%}, beyond chance.", name=titles[best], accuracy=ends[best]))
    return sentences
