"""The quality of a task's classifiers on unseen texts: accuracy, calibration and confusion."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.classify import tasks
from core.classify.model import variant_descriptions, variant_titles
from core.classify.scores import calibrated_ece
from core.classify.trainings import all_metas
from core.common.i18n import t
from core.figures.classifiers import confusion_figure, reliability_figure
from core.figures.style import LAYER_COLORS
from pages._cached import classifiers
from pages._frame.choices import choice
from pages._frame.markup import plain, show_errors
from pages._widgets import lists
from pages._widgets.charts import draw


@st.fragment
def show_scores() -> None:
    """Show the classifiers of the chosen task in a table, and one of them in detail."""
    with show_errors():
        result = all_metas({title: mine.opened for title, mine in classifiers.own_heads().items()})
        if not result:
            return
        st.markdown(t("#### The bundled classifiers on unseen texts"))
        titles = tasks.task_titles()
        default = "news-title" if "news-title" in result else next(iter(result))
        task = choice(
            "scores_task", t("Task"), list(result), default, format_func=lambda n: plain(titles.get(n, n)), label_visibility="collapsed"
        )
        metas = result[task]
        table = pd.DataFrame([_row(name, meta) for name, meta in metas.items()]).sort_values(t("accuracy"), ascending=False)
        shares = (t("accuracy"), t("macro F1"))
        lists.grid(table, column_config={c: st.column_config.NumberColumn(format="percent") for c in shares})
        names = list(metas)
        name = choice("closer", t("Classifier"), names, names[0], format_func=variant_titles().get)
        meta = metas[name]
        _closer(name, meta)
        st.caption(
            t(
                "{train:,} training, {valid:,} validation, {test:,} test texts, no duplicates; data {data}, seed {seed}, {seconds:.0f} s, {date}.",
                train=meta["sizes"]["train"],
                valid=meta["sizes"]["valid"],
                test=meta["sizes"]["test"],
                data=meta["data"][:12],
                seed=meta["seed"],
                seconds=meta["seconds"],
                date=meta["date"][:10],
            )
        )
        lists.twin(table, name="scores", key="scores.twin", label=t("Export the table"))


def _row(name: str, meta: dict) -> dict:
    test = meta["test"]
    mix = meta.get("mix")
    return {
        t("classifier"): variant_titles()[name],
        t("accuracy"): test["accuracy"],
        t("macro F1"): test["macro_f1"],
        t("calibration error"): round(test["ece"], 3),
        t("if calibrated"): round(calibrated_ece(test["bins"])[0], 3),
        t("training, s"): round(meta["seconds"]),
        "s0, s1, …": ", ".join(f"{s:.2f}" for s in mix["s"]) if mix else "",
        t("gamma"): round(mix["gamma"], 2) if mix else None,
        t("reads"): variant_descriptions()[name],
    }


def _closer(name: str, meta: dict) -> None:
    test, title = meta["test"], variant_titles()[name]
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(t("**Confidence against accuracy**"))
        alt = t("{classifier}: accuracy by confidence; mean gap {gap:.1%}.", classifier=title, gap=test["ece"])
        draw(reliability_figure(test["bins"], color=LAYER_COLORS["2"]), key=f"bins.{name}", alt=alt)
        st.caption(
            t(
                "Mean gap {after:.1%}, {before:.1%} before temperature scaling (T = {temperature:.2f}; Guo et al. 2017).",
                after=test["ece"],
                before=meta["ece_uncalibrated"],
                temperature=meta["temperature"],
            )
        )
        st.caption(describe_calibration(test))
    with right:
        st.markdown(t("**Confusions**"))
        draw(
            confusion_figure(test["confusion"], meta["labels"]),
            key=f"confusion.{name}",
            alt=confusion_alt(title, test["confusion"], meta["labels"]),
        )


def describe_calibration(test: dict) -> str:
    """State the calibration error, compared with that of a calibrated classifier with as many answers."""
    mean, most = calibrated_ece(test["bins"])
    values = {"mean": mean, "most": most, "n": test["n"]}
    if test["ece"] > most:
        return t(
            "Perfect calibration would show {mean:.1%}, at most {most:.1%} in 95% of samples of {n:,}: the gap is beyond chance.", **values
        )
    return t("Perfect calibration would show {mean:.1%}, at most {most:.1%} in 95% of samples of {n:,}: the gap may be chance.", **values)


def confusion_alt(title: str, confusion: Sequence[Sequence[int]], labels: Sequence[str]) -> str:
    """Describe a confusion matrix: how many answers are right, and the most frequent mistake."""
    counts = np.array(confusion)
    wrong = counts - np.diag(np.diag(counts))
    values = {"classifier": title, "right": int(np.trace(counts)), "n": int(counts.sum())}
    if not wrong.any():
        return t("{classifier}: all {right:,} of {n:,} right.", **values)
    true, predicted = np.unravel_index(wrong.argmax(), wrong.shape)
    values |= {"times": int(wrong.max()), "true": labels[true], "said": labels[predicted]}
    return t("{classifier}: {right:,} of {n:,} right; most often {true} is predicted as {said} ({times:,}).", **values)
