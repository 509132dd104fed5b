"""The gain of ELMo over GloVe by the number of labeled texts, and how much of it is due to context."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.common.markup import Markup, html
from core.experiments import context_gains, variants
from core.experiments.context_gains import CONTROLS, ELMO, PLAIN, Lead, Size, part_titles, range_of, rows_of
from core.figures.classifiers import curves_figure, leads_figure
from core.figures.style import GLOVE, LAYER_COLORS
from pages._cached.kept import keep
from pages._frame.frame import notice
from pages._frame.markup import show_html
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
    """Show the accuracies, the differences to GloVe with intervals, what to notice, and the table. Show nothing without results."""
    result = keep("contexts", (), variants.changed(), lambda: context_gains.sizes(lines), most=2, weighed=False)
    if not result:
        return
    st.markdown(t("#### Does ELMo help most when labels are few?"))
    titles = part_titles()
    n = result[0].tested
    show_html(
        "{}",
        t(
            '<p class="small">AG News, title and text; six equal classifiers. Only what is added to GloVe differs. Tested on {n:,} texts; a tenth of each subset for validation.</p>',
            n=n,
        ),
    )
    x = t("labeled rows")
    curve = {titles[kind]: [(size.labeled, float(size.accuracy[kind].mean())) for size in result] for kind in (ELMO, PLAIN)}
    over = {
        titles[kind]: [
            (size.labeled, d.mean, d.low, d.high, bool(lead.verdict))
            for size in result
            for lead in [size.over_glove[kind]]
            for d in [lead.difference]
        ]
        for kind in result[0].over_glove
    }
    left, right = st.columns([2, 3], gap="large")
    with left:
        draw(
            curves_figure(curve, y=t("accuracy on {n:,} unseen news", n=n), percent=True, x=x, log_x=True).update_layout(height=430),
            key="results.curve",
            alt=t("Accuracy on unseen news by labeled rows: {names}.", names=", ".join(curve)),
        )
    with right:
        colors = {titles[kind]: COLORS[kind] for kind in result[0].over_glove}
        draw(
            leads_figure(over, colors, x=x, y=t("points over GloVe alone")),
            key="results.context",
            alt=t("Points over GloVe alone by labeled rows, with intervals: {names}.", names=", ".join(over)),
        )
    st.caption(
        t(
            "Bars: 95% intervals of the paired difference over subsets and test texts; filled: beyond chance (Holm). LSTMs shuffled: Tenney et al. (2019)."
        )
    )
    notice(describe_context(result))
    lists.twin(context_table(result), name="is-it-context", key="results.curve.twin")


def describe_context(sizes: Sequence[Size]) -> list[str]:
    """State where ELMo with GloVe helps beyond chance, whether it helps more with few labels, and what it beats."""
    titles = part_titles()
    leads = [size.over_glove[ELMO] for size in sizes]
    each = ", ".join(
        t("{points} with {rows:,}", points=lead.difference.in_points(), rows=size.labeled) for size, lead in zip(sizes, leads, strict=True)
    )
    lines = [
        t("ELMo’s gain over GloVe alone, in points: {each}; {shown}.", each=each, shown=_where(sizes, lambda size: size.over_glove[ELMO]))
    ]
    if len(sizes) > 1:
        few, many = leads[0].difference, leads[-1].difference
        if few.low is not None and many.high is not None and few.low > max(0.0, many.high):
            lines.insert(0, t("ELMo helps most when labels are few, as in Peters et al. (2018, figure 1)."))
        else:
            lines.insert(0, t("ELMo gains most when labels are few; here the intervals overlap."))
    ahead = Markup("; ").join(
        t("{control}: {shown}", control=html("<b>{}</b>", titles[name]), shown=_where(sizes, lambda size, n=name: size.of_elmo[n]))
        for name in CONTROLS
    )
    lines.append(t("GloVe + ELMo minus each control: {ahead}.", ahead=ahead))
    of_words = any(size.of_elmo["glove+layer0"].verdict > 0 and size.of_elmo["glove+static"].verdict > 0 for size in sizes)
    if of_words and not any(size.of_elmo["glove+shuffled"].verdict > 0 for size in sizes):
        lines.append(t("So the surrounding words help; whether their order does is inconclusive."))
    return lines


def _where(sizes: Sequence[Size], lead: Callable[[Size], Lead]) -> str:
    """State at which sizes a lead is beyond chance."""
    shown = [size for size in sizes if lead(size).verdict > 0]
    behind = [size for size in sizes if lead(size).verdict < 0]
    if behind:
        return t("behind beyond chance with {rows}", rows=rows_of(behind)) + (
            t(", ahead with {rows}", rows=rows_of(shown)) if shown else ""
        )
    if not shown:
        return t("inconclusive at every size")
    if len(shown) == len(sizes):
        return t("beyond chance at every size ({points})", points=range_of(map(lead, shown)))
    return t("beyond chance with {rows} ({points}), inconclusive with others", rows=rows_of(shown), points=range_of(map(lead, shown)))


def context_table(sizes: Sequence[Size]) -> pd.DataFrame:
    """Return a row for each size and set of inputs: the accuracy, and both differences with intervals and adjusted p."""
    rows = []
    titles = part_titles()
    for size in sizes:
        for kind, accuracy in size.accuracy.items():
            row = {
                t("labeled rows"): size.labeled,
                t("validation"): size.valid,
                t("subsets"): size.subsets,
                t("classifier"): titles[kind],
                t("accuracy"): round(float(accuracy.mean()), 4),
                t("± over subsets"): round(float(accuracy.std(ddof=1)), 4),
            }
            for title, leads in ((t("over GloVe alone"), size.over_glove), (t("GloVe + ELMo minus it"), size.of_elmo)):
                lead = leads.get(kind)
                row[title] = None if lead is None else round(lead.difference.mean, 4)
                row[f"{title}, 95%"] = "" if lead is None else lead.difference.cell("+.4f", times=1)
                row[f"{title}, p (Holm)"] = None if lead is None else round(lead.p, 4)
            rows.append(row)
    return pd.DataFrame(rows)


def scores_of(row: dict) -> dict:
    """Return a variant's scores as cells of a table."""
    spread = None if row["spread"] is None else round(row["spread"], 4)
    return {
        t("accuracy"): round(row["accuracy"], 4),
        t("± over seeds"): spread,
        t("macro F1"): round(row["macro_f1"], 4),
        t("seeds"): row["seeds"],
    }
