"""Parts of Results about classifiers: the gain of ELMo by the number of labeled texts, and the quality of the bundled classifiers."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.classify import experiments, tasks
from core.classify.experiments import CONTROLS, ELMO, PLAIN, Size, lead_point, part_titles, range_of, rows_of, tabulate_contexts
from core.classify.model import variant_descriptions, variant_titles
from core.classify.scores import calibrated_ece
from core.classify.trainings import all_metas
from core.common.i18n import t
from core.common.markup import Markup, html
from core.common.significance import Paired
from core.figures.classifiers import confusion_figure, curves_figure, leads_figure, reliability_figure
from core.figures.style import GLOVE, LAYER_COLORS
from pages._cached import classifiers
from pages._cached.cache import keep
from pages._frame.choices import choice
from pages._frame.frame import notice
from pages._frame.markup import fragment
from pages._widgets import lists
from pages._widgets.charts import draw

COLORS = {
    PLAIN: GLOVE,
    "glove+static": "#B8A600",
    "glove+layer0": LAYER_COLORS["0"],
    "glove+random": "#7F7F7F",
    "glove+shuffled": "#CC79A7",
    ELMO: LAYER_COLORS["mix"],
}


def show_curve(lines: Sequence[dict]) -> None:
    """Show the accuracies, the differences to GloVe with intervals, what to notice, and the table."""
    result = keep("contexts", (), experiments.changed(), lambda: experiments.context_sizes(lines), most=2, weighed=False)
    st.markdown(t("#### Does ELMo help most when labels are few?"))
    titles = part_titles()
    n = result[0].tested
    st.caption(t("AG News: six classifiers that differ only in what is added to GloVe; a tenth of each subset for validation."))
    x = t("labeled rows")
    curve = {titles[kind]: [(size.labeled, float(size.accuracy[kind].mean())) for size in result] for kind in (ELMO, PLAIN)}
    over = {titles[kind]: [lead_point(size, size.over_glove[kind]) for size in result] for kind in result[0].over_glove}
    left, right = st.columns([2, 3], gap="large")
    with left:
        figure = curves_figure(curve, y=t("accuracy on {n:,} unseen news", n=n), percent=True, x=x, log_x=True).update_layout(height=430)
        draw(figure, key="results.curve", alt=t("Accuracy on unseen news by labeled rows: {names}.", names=", ".join(curve)))
    with right:
        colors = {titles[kind]: COLORS[kind] for kind in result[0].over_glove}
        alt = t("Points over GloVe alone by labeled rows, with intervals: {names}.", names=", ".join(over))
        draw(leads_figure(over, colors, x=x, y=t("points over GloVe alone")), key="results.context", alt=alt)
    st.caption(t("Bars: paired 95% intervals over subsets and texts. Filled: beyond chance (Holm). Shuffled LSTMs: Tenney et al. 2019."))
    notice(describe_context(result))
    lists.offer_table(tabulate_contexts(result), name="is-it-context", key="results.curve.twin")


def describe_context(sizes: Sequence[Size]) -> list[str]:
    """State where ELMo with GloVe helps beyond chance, whether it helps more with few labels, and what it beats."""
    titles = part_titles()
    leads = [size.over_glove[ELMO] for size in sizes]
    gains = ", ".join(t("{points} with {rows:,}", points=s.over_glove[ELMO].in_points(), rows=s.labeled) for s in sizes)
    values = {"each": gains, "shown": _describe_lead(sizes, lambda size: size.over_glove[ELMO])}
    lines = [t("ELMo’s gain over GloVe alone, in points: {each}; {shown}.", **values)]
    if len(sizes) > 1:
        few, many = leads[0], leads[-1]
        if few.low is not None and many.high is not None and few.low > max(0.0, many.high):
            lines.insert(0, t("ELMo helps most when labels are few, as in Peters et al. (2018, figure 1)."))
        elif few.mean > 0 and few.mean == max(lead.mean for lead in leads):
            lines.insert(0, t("ELMo gains most when labels are few; here the intervals overlap."))
    ahead = Markup("; ").join(
        t("{control}: {shown}", control=html("<b>{}</b>", titles[name]), shown=_describe_lead(sizes, lambda size, n=name: size.of_elmo[n]))
        for name in CONTROLS
    )
    lines.append(t("GloVe + ELMo minus each control: {ahead}.", ahead=ahead))
    of_words = any(size.of_elmo["glove+layer0"].verdict > 0 and size.of_elmo["glove+static"].verdict > 0 for size in sizes)
    if of_words and not any(size.of_elmo["glove+shuffled"].verdict > 0 for size in sizes):
        lines.append(t("So the surrounding words help; whether their order does is inconclusive."))
    return lines


def _describe_lead(sizes: Sequence[Size], lead: Callable[[Size], Paired]) -> str:
    """State at which sizes a lead is beyond chance."""
    ahead = [size for size in sizes if lead(size).verdict > 0]
    behind = [size for size in sizes if lead(size).verdict < 0]
    if behind:
        text = t("behind beyond chance with {rows}", rows=rows_of(behind))
        return text + t(", ahead with {rows}", rows=rows_of(ahead)) if ahead else text
    if not ahead:
        return t("inconclusive at every size")
    if len(ahead) == len(sizes):
        return t("beyond chance at every size ({points})", points=range_of(map(lead, ahead)))
    return t("beyond chance with {rows} ({points}), inconclusive with others", rows=rows_of(ahead), points=range_of(map(lead, ahead)))


@fragment
def show_scores() -> None:
    result = all_metas({title: mine.opened for title, mine in classifiers.own_heads().items()})
    st.markdown(t("#### The bundled classifiers on unseen texts"))
    titles = tasks.task_titles()
    default = "news-title" if "news-title" in result else next(iter(result))
    task = choice("scores_task", t("Task"), {n: titles.get(n, n) for n in result}, default, label_visibility="collapsed")
    metas = result[task]
    table = pd.DataFrame([_describe_head(name, meta) for name, meta in metas.items()]).sort_values(t("accuracy"), ascending=False)
    shares = (t("accuracy"), t("macro F1"))
    lists.grid(table, column_config={c: st.column_config.NumberColumn(format="percent") for c in shares})
    variants = variant_titles()
    name = choice("closer", t("Classifier"), {n: variants[n] for n in metas}, next(iter(metas)))
    meta = metas[name]
    _show_quality(name, meta)
    values = meta["sizes"] | {"data": meta["data"][:12], "seed": meta["seed"], "seconds": meta["seconds"], "date": meta["date"][:10]}
    texts = t("{train:,} training, {valid:,} validation, {test:,} test texts, none in two sets.", **values)
    st.caption(f"{texts} {t('Data {data}, seed {seed}, {seconds:.0f} s, {date}.', **values)}")
    lists.offer_table(table, name="scores", key="scores.twin", label=t("Export the table"))


def _describe_head(name: str, meta: dict) -> dict:
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


def _show_quality(name: str, meta: dict) -> None:
    test = meta["test"]
    title = variant_titles()[name]
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(t("**Confidence against accuracy**"))
        alt = t("{classifier}: accuracy by confidence; mean gap {gap:.1%}.", classifier=title, gap=test["ece"])
        draw(reliability_figure(test["bins"], color=LAYER_COLORS["2"]), key=f"bins.{name}", alt=alt)
        values = {"after": test["ece"], "before": meta["ece_uncalibrated"], "temperature": meta["temperature"]}
        st.caption(t("Mean gap {after:.1%}, {before:.1%} before temperature scaling (T = {temperature:.2f}; Guo et al. 2017).", **values))
        st.caption(describe_calibration(test))
    with right:
        st.markdown(t("**Confusions**"))
        draw_confusions(title, test["confusion"], meta["labels"], key=f"confusion.{name}")


def describe_calibration(test: dict) -> str:
    """State the calibration error, compared with that of a calibrated classifier with as many answers."""
    mean, highest = calibrated_ece(test["bins"])
    values = {"mean": mean, "most": highest, "n": test["n"]}
    values["verdict"] = t("the gap is beyond chance") if test["ece"] > highest else t("the gap may be chance")
    return t("Perfect calibration would show {mean:.1%}, at most {most:.1%} in 95% of samples of {n:,}: {verdict}.", **values)


def draw_confusions(title: str, confusion: Sequence[Sequence[int]], labels: Sequence[str], *, key: str) -> None:
    """Draw a confusion matrix. Its description has the number of right answers and the most frequent mistake."""
    counts = np.array(confusion)
    wrong = counts - np.diag(np.diag(counts))
    true, predicted = np.unravel_index(wrong.argmax(), wrong.shape)
    values = {"classifier": title, "right": int(np.trace(counts)), "n": int(counts.sum())}
    alt = t("{classifier}: all {right:,} of {n:,} right.", **values)
    if wrong.any():
        mistake = {"times": int(wrong.max()), "true": labels[true], "said": labels[predicted]}
        alt = t("{classifier}: {right:,} of {n:,} right; most often {true} is predicted as {said} ({times:,}).", **values, **mistake)
    draw(confusion_figure(confusion, labels), key=key, alt=alt)
