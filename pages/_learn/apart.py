"""The lesson on distributions: the cosines of same-sense and different-sense pairs by layer, and a threshold with both errors."""

import pandas as pd
import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.significance import LEVEL
from core.evaluation import apart
from core.evaluation.anisotropy import GRID
from core.evaluation.apart import Spread
from core.figures.lessons import ONE_SENSE, ONE_WORD, Row, density_rows
from core.figures.style import layer_title
from core.workspace import Workspace
from pages._cached.views import of
from pages._frame.choices import BOUND
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors
from pages._learn import lesson_store
from pages._learn.lessons import Lesson, certainty, details, exercise
from pages._widgets import lists
from pages._widgets.charts import draw


@st.fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    with show_errors():  # inside: an error in a fragment does not reach its caller
        over = lesson_store.labeled(in_use)
        with st.spinner(t("Comparing word pairs…")):
            result = {name: of("targets", apart.measure_spread, over, name, most=16) for name in over.layers.spaces}
        _page(over, result, lesson)


def _page(over: Workspace, every: dict[str, Spread], lesson: Lesson) -> None:
    top = list(every)[-2]  # the last layer; the mix stands behind it
    picture = st.container()
    left, right = st.columns([1, 2], gap="medium")
    word = lesson_store.word_of(every[top].words, "apart_word", left)
    result = every if word not in every[top].words else {name: value.of(word) for name, value in every.items()}
    threshold = right.slider(
        t("Threshold"),
        0.0,
        1.0,
        every[top].balanced(),
        0.01,
        key="apart_at",
        help=t("From this cosine up, a pair counts as one sense."),
        **BOUND,
    )
    same_sense, two_senses = t("same sense"), t("different senses")
    rows, table = [], []
    for name, each in result.items():
        errors = each.errors(threshold)
        auc = each.auc()
        same, other = each.means()
        values = {"auc": f"{auc.mean + 0.5:.2f}", "missed": f"{errors.missed:.0%}", "passed": f"{errors.passed:.0%}"}
        note = t("AUC {auc}<br>missed {missed}<br>false alarms {passed}", **values)
        curves = dict(zip((same_sense, two_senses), each.densities(), strict=True))
        rows.append(Row(model_layers.in_use().short(name), note, curves))
        table.append(
            {
                t("layer"): name,
                same_sense: round(same, 3),
                two_senses: round(other, 3),
                "AUC": round(auc.mean + 0.5, 3),
                "AUC, 95%": auc.cell(".3f", times=1, more=0.5),
                t("threshold"): threshold,
                t("missed"): round(errors.missed, 3),
                t("false alarms"): round(errors.passed, 3),
            }
        )
    with picture:
        errors = result[top].errors(threshold)
        values = {"at": threshold, "layer": layer_title(top), "missed": errors.missed, "passed": errors.passed}
        alt = t(
            "Cosine densities by layer, same and different senses. At threshold {at:.2f}, {layer}: {missed:.0%} "
            "missed, {passed:.0%} false alarms.",
            **values,
        )
        figure = density_rows(rows, GRID, {same_sense: ONE_SENSE, two_senses: ONE_WORD}, span=(-0.5, 1.0), key="apart", at=threshold)
        draw(figure, key="lesson.apart", alt=alt)
    notice(_write_notices(over, result[top], top, word))
    exercise(lesson)
    details(_how(len(every[top].words)))
    lists.twin(pd.DataFrame(table), name="apart", key="lesson.apart.table")
    aucs = {name: each.aucs() for name, each in every.items()}
    by_word = [{t("word"): w, **{f"AUC, {layer_title(name)}": round(each[w], 3) for name, each in aucs.items()}} for w in aucs[top]]
    lists.twin(pd.DataFrame(by_word), name="apart-words", label=t("By word"), key="lesson.apart.words")


def _write_notices(over: Workspace, spread: Spread, layer: str, word: str) -> list[str]:
    auc = spread.auc()
    gap = spread.gap()
    same, other = spread.means()
    values = {"layer": layer_title(layer), "same": same, "other": other, "share": auc.mean + 0.5}
    if len(spread.words) == 1:
        p = of("targets", apart.shuffled_p, over, next(iter(spread.words)), layer)
        certain = t("significant") if p <= LEVEL else t("not significant")
        return [
            t(
                "At {layer}, “{word}” has a mean cosine of {same:.2f} within a sense, {other:.2f} across. The "
                "same-sense pair is closer in {share:.0%} of cases (chance 50%), {certain} (p {p:.3f}).",
                **values,
                word=word,
                certain=certain,
                p=p,
            )
        ]
    values |= {"less": gap.mean, "less_span": gap.span("+.2f", times=1), "means": certainty(gap.verdict)}
    values |= {"span": auc.span(".0%", times=1, more=0.5), "certain": certainty(auc.verdict)}
    return [
        t(
            "At {layer}, same-sense pairs have a mean cosine of {same:.2f}, different-sense pairs {other:.2f}: "
            "{less:+.2f} ({less_span}), {means}.",
            **values,
        ),
        t("The same-sense pair is closer in {share:.0%} of cases ({span}; chance 50%), {certain}.", **values),
    ]


def _how(words: int) -> str:
    return t(
        "AUC: how often the same-sense pair is closer, averaged over {words} words. 95% intervals by word. "
        "The initial threshold fits these same pairs, so its errors are optimistic.",
        words=words,
    )
