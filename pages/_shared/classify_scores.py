"""How good the classifiers of a task are on unseen texts: accuracy, calibration, confusion."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import figures, heads
from core.classify.head import Head
from core.classify.model import variant_descriptions, variant_titles
from core.texts import t
from pages._shared import lists
from pages._shared.charts import draw
from pages._shared.markup import shown_errors


@st.fragment
def show_scores(task: str, opened: heads.OpenHeads) -> None:
    with shown_errors():
        st.markdown(t("#### How good are they on texts they never saw?"))
        rows = [_row(name, head.meta) for name, head in opened.heads.items()]
        table = pd.DataFrame(rows).sort_values(t("accuracy"), ascending=False)
        shares = (t("accuracy"), t("macro F1"))
        lists.grid(table, column_config={c: st.column_config.NumberColumn(format="percent") for c in shares})
        names = list(opened.heads)
        name = st.segmented_control(
            t("Look closer at"), names, default=names[0], format_func=variant_titles().get, key="closer", bind="query-params",
            persist_state="session",
        ) or names[0]  # fmt: skip
        _closer(name, opened.heads[name])
        meta = opened.heads[name].meta
        st.caption(
            t(
                "{train:,} texts to train on, {valid:,} to stop and calibrate by, {test:,} to test on; "
                "data {data}, seed {seed}, trained in {seconds:.0f} s on {date}. No text stands on two sides.",
                train=meta["sizes"]["train"], valid=meta["sizes"]["valid"], test=meta["sizes"]["test"], data=meta["data"][:12],
                seed=meta["seed"], seconds=meta["seconds"], date=meta["date"][:10],
            )
        )  # fmt: skip
        lists.twin(table, name="scores", key="scores.twin", label=t("Export the table"))


def _row(name: str, meta: dict) -> dict:
    test, mix = meta["test"], meta.get("mix")
    return {
        t("classifier"): variant_titles()[name],
        t("accuracy"): test["accuracy"],
        t("macro F1"): test["macro_f1"],
        t("calibration error"): round(test["ece"], 3),
        t("training, s"): round(meta["seconds"]),
        "s0, s1, s2": ", ".join(f"{s:.2f}" for s in mix["s"]) if mix else "",
        t("gamma"): round(mix["gamma"], 2) if mix else None,
        t("reads"): variant_descriptions()[name],
    }


def _closer(name: str, head) -> None:
    test = head.meta["test"]
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(t("**When it says 80 %, is it right in 80 %?**"))
        alt = t(
            "{classifier}: how often it is right, by how sure it says it is; the mean gap is {gap:.1%}.",
            classifier=variant_titles()[name],
            gap=test["ece"],
        )
        draw(figures.reliability_figure(test["bins"], colour=figures.LAYER_COLOURS["2"]), key=f"bins.{name}", alt=alt)
        st.caption(
            t(
                "Mean gap {after:.1%} after, {before:.1%} before temperature scaling (T = {temperature:.2f}, set on validation texts; "
                "Guo et al. 2017).",
                after=test["ece"],
                before=head.meta["ece_uncalibrated"],
                temperature=head.temperature,
            )
        )
    with right:
        st.markdown(t("**What does it confuse?**"))
        draw(
            figures.confusion_figure(test["confusion"], head.labels),
            key=f"confusion.{name}",
            alt=confusion_alt(variant_titles()[name], head),
        )


def confusion_alt(title: str, head: Head) -> str:
    """What a confusion matrix shows, in words: how many are right, and the commonest mistake."""
    counts = np.array(head.meta["test"]["confusion"])
    wrong = counts - np.diag(np.diag(counts))
    true, said = np.unravel_index(wrong.argmax(), wrong.shape)
    told = {"classifier": title, "right": int(np.trace(counts)), "n": int(counts.sum()), "times": int(wrong.max())}
    told |= {"true": head.labels[true], "said": head.labels[said]}
    return t(
        "{classifier}, true labels against answers: {right:,} of {n:,} are right; {true} is taken for {said} most often ({times:,}).",
        **told,
    )
