"""The lesson on the role of context: a layer compared with layer 0, shuffled words, an untrained biLM and the static context."""

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common.i18n import t
from core.common.significance import Paired, compare_pairs
from core.evaluation.context import CHANCE, SHUFFLED, STATIC, UNTRAINED, less
from core.figures.lessons import RANDOM_PAIRS, Dots, interval_dots
from core.figures.style import GLOVE, layer_color, layer_title
from pages._frame.choices import coded_choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._learn import lesson_store
from pages._learn.lessons import Lesson, details, exercise, interval
from pages._widgets import lists
from pages._widgets.charts import draw


@st.fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    lesson_store.draw_kept(in_use.model, "context", lambda measured: _page(measured, lesson))


def _page(result: dict, lesson: Lesson) -> None:
    layers = [name for name in result["one_nn"] if name.isdecimal() and name != "0"]
    picture = st.container()
    left, right = st.columns([2, 1], gap="medium")
    with left:
        layer = coded_choice("context_layer", t("Layer"), {name: layer_title(name) for name in layers}, layers[0])
    word = lesson_store.word_of(result["words"], "context_word", right)
    titles = _titles(result, layer)
    draw_accuracy(picture, result, titles, "context", word)
    beside = {name: less(result, layer, name) for name in titles if name != layer}
    notice(_write_notices(result, titles, layer, beside))
    exercise(lesson)
    details(_how(result))
    table = [
        {t("vectors"): titles[name][0], t("difference, points"): round(100 * value.mean, 1), "95%": value.cell(), "p": round(value.p, 4)}
        for name, value in beside.items()
    ]
    label = t("{layer} minus each other", layer=layer_title(layer))
    lists.twin(pd.DataFrame(table), name="context", label=label, key="lesson.context.table")
    lesson_store.show_by_word(result, titles, "context")


def draw_accuracy(picture: DeltaGenerator, measured: dict, titles: dict[str, tuple[str, str]], key: str, word: str | None) -> None:
    """Draw the 1-NN accuracy with its interval, a row for each kind of vectors (name and color). Mark the dots of `word`."""
    rows = []
    for name, (title, color) in titles.items():
        values = measured["one_nn"][name]
        mean = compare_pairs(values, [0.0] * len(values))
        rows.append(Dots(title, mean.mean, mean.low, mean.high, dict(zip(measured["words"], values, strict=True)), color))
    with picture:
        values = ", ".join(f"{row.name} {row.mean:.0%}" for row in rows)
        alt = t("Nearest sentence has the same sense: {named}.", named=values)
        figure = interval_dots(rows, title=t("nearest sentence has the same sense"), zero=None, key=key, marked=word or "")
        draw(figure, key=f"lesson.{key}", alt=alt)


def _titles(result: dict, layer: str) -> dict[str, tuple[str, str]]:
    """Return the names and colors of the rows, in order."""
    titles = {
        layer: (layer_title(layer), layer_color(layer)),
        STATIC: (t("static vectors"), GLOVE),
        f"{SHUFFLED} {layer}": (t("{layer}, context shuffled", layer=layer_title(layer)), "#009E73"),
        f"{UNTRAINED} {layer}": (t("{layer}, untrained", layer=layer_title(layer)), "#CC79A7"),
        "0": (layer_title("0"), layer_color("0")),
        CHANCE: (t("chance"), RANDOM_PAIRS),
    }
    return {name: title for name, title in titles.items() if name in result["one_nn"]}


def _write_notices(result: dict, titles: dict, layer: str, beside: dict[str, Paired]) -> list[str]:
    lines = []
    values = result["one_nn"][layer]
    if STATIC in beside:
        facts = {"layer": layer_title(layer), "share": sum(values) / len(values), "difference": interval(beside[STATIC])}
        lines.append(
            t(
                "At {layer}, the nearest sentence has the same sense in {share:.0%} of cases; compared with static vectors: {difference}.",
                **facts,
            )
        )
    facts = {"shuffled": interval(beside[f"{SHUFFLED} {layer}"]), "untrained": interval(beside[f"{UNTRAINED} {layer}"])}
    lines.append(t("Compared with shuffled context: {shuffled}; with untrained LSTMs: {untrained}.", **facts))
    return lines


def _how(result: dict) -> str:
    return t(
        "{n:,} sentences of {words} words, each left out once; one dot per word. Static: the other words' "
        "vectors summed, most frequent excluded. Shuffled text is also unnatural, so that difference is not "
        "order alone. Untrained: random LSTMs above the trained layer 0. 95% intervals, paired by word.",
        n=result["n"],
        words=len(result["words"]),
    )
