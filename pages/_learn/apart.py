"""The lesson on distributions: cosines of pairs of one sense and of two by layer, and a threshold with both its errors."""

import pandas as pd
import streamlit as st

from core.analysis.word_maps import ALL_WORDS
from core.common.i18n import t
from core.common.significance import LEVEL
from core.evaluation.anisotropy import GRID
from core.evaluation.apart import Spread
from core.figures.lessons import ONE_SENSE, ONE_WORD, Row, density_rows
from core.figures.style import layer_title
from pages._cached import opened
from pages._frame.choices import BOUND
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html, shown_errors
from pages._learn import lesson_store
from pages._learn.lessons import Lesson, certainty, exercise
from pages._widgets import lists
from pages._widgets.charts import draw


@st.fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    with shown_errors():  # inside: an error in a fragment does not reach its caller
        corpus = lesson_store.labelled(in_use)
        with st.spinner(t("Comparing pairs of words…")):
            spaces = lesson_store.spaces(opened.targets(corpus, in_use.model))
            result = {name: lesson_store.spread(corpus, in_use.model, name) for name in spaces}
        _page(corpus, in_use, result, lesson)


def _page(corpus: str, in_use: InUse, every: dict[str, Spread], lesson: Lesson) -> None:
    top = list(every)[-2]  # the last layer; the mix stands behind it
    picture = st.container()
    left, right = st.columns([1, 2], gap="medium")
    words = [ALL_WORDS, *every[top].words]
    word = (
        left.selectbox(t("Word"), words, format_func=lambda item: t("all words") if item == ALL_WORDS else item, key="apart_word", **BOUND)
        or ALL_WORDS
    )
    result = every if word not in every[top].words else {name: value.of(word) for name, value in every.items()}
    threshold = right.slider(
        t("Threshold: from this cosine on, a pair is called one sense"), 0.0, 1.0, every[top].balanced(), 0.01, key="apart_at", **BOUND
    )
    one, two = t("pairs of one sense"), t("pairs of two senses")
    rows, facts = [], []
    for name, each in result.items():
        errors = each.errors(threshold)
        auc = each.auc()
        same, other = each.means()
        values = {"auc": f"{auc.mean + 0.5:.2f}", "missed": f"{errors.missed:.0%}", "passed": f"{errors.passed:.0%}"}
        note = t("AUC {auc}<br>missed {missed}<br>wrongly passed {passed}", **values)
        curves = dict(zip((one, two), each.densities(), strict=True))
        rows.append(Row(layer_title(name), note, curves))
        facts.append(
            {
                t("layer"): name,
                one: round(same, 3),
                two: round(other, 3),
                "AUC": round(auc.mean + 0.5, 3),
                "AUC, 95 %": auc.cell(".3f", times=1, more=0.5),
                t("threshold"): threshold,
                t("missed"): round(errors.missed, 3),
                t("wrongly passed"): round(errors.passed, 3),
            }
        )
    with picture:
        errors = result[top].errors(threshold)
        values = {"at": threshold, "layer": layer_title(top), "missed": errors.missed, "passed": errors.passed}
        alt = t(
            "Densities of cosines of pairs of one sense and of two, a row a layer; at the threshold {at:.2f} {layer} misses "
            "{missed:.0%} and wrongly passes {passed:.0%}.",
            **values,
        )
        figure = density_rows(rows, GRID, {one: ONE_SENSE, two: ONE_WORD}, span=(-0.5, 1.0), key="apart", at=threshold)
        draw(figure, key="lesson.apart", alt=alt)
    notice(_noticed(corpus, in_use, result[top], top, word))
    show_html('<p class="small">{}</p>', _how(len(every[top].words)))
    exercise(lesson)
    lists.twin(pd.DataFrame(facts), name="apart", key="lesson.apart.table")
    aucs = {name: each.aucs() for name, each in every.items()}
    by_word = [{t("word"): w, **{f"AUC, {layer_title(name)}": round(each[w], 3) for name, each in aucs.items()}} for w in aucs[top]]
    lists.twin(pd.DataFrame(by_word), name="apart-words", label=t("Every word as a table"), key="lesson.apart.words")


def _noticed(corpus: str, in_use: InUse, spread: Spread, layer: str, word: str) -> list[str]:
    auc = spread.auc()
    gap = spread.gap()
    same, other = spread.means()
    values = {"layer": layer_title(layer), "same": same, "other": other, "share": auc.mean + 0.5}
    if len(spread.words) == 1:
        p = lesson_store.shuffled_p(corpus, in_use.model, next(iter(spread.words)), layer)
        certain = t("by more than chance") if p <= LEVEL else t("not shown to be more than chance")
        return [
            t(
                "At {layer} two sentences with “{word}” in one sense have a cosine of {same:.2f} on average, in two senses "
                "{other:.2f}; of one pair of each the pair of one sense is the nearer in {share:.0%} of cases, where a coin gives 50 %: {certain} (shuffled senses, p {p:.3f}).",
                **values,
                word=word,
                certain=certain,
                p=p,
            )
        ]
    values |= {"less": gap.mean, "less_span": gap.span("+.2f", times=1), "means": certainty(gap.verdict)}
    values |= {"span": auc.span(".0f", more=50), "certain": certainty(auc.verdict)}
    return [
        t(
            "At {layer} two sentences of one sense have a cosine of {same:.2f} on average, two of two senses one of {other:.2f}: "
            "a difference of {less:+.2f} ({less_span}), {means}.",
            **values,
        ),
        t(
            "Of one pair of each kind the pair of one sense is the nearer in {share:.0%} of cases ({span}, in per cent), where a coin gives 50 %: {certain}.",
            **values,
        ),
    ]


def _how(words: int) -> str:
    return t(
        "AUC: how often, of one pair of each kind, the pair of one sense is the nearer; ties count half. Everything is worked "
        "out within each of {words} words and averaged, so that every word counts alike; "
        "intervals: 95 %, drawn by word. The threshold is at first the one with the fewest errors at the top layer, found on these very pairs.",
        words=words,
    )
