"""The lesson on what is known before the word is read: its position and its substitutes, compared with layer 1."""

import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.evaluation.context import CHANCE, SHUFFLED, STATIC, UNTRAINED, less, mean_of
from core.evaluation.lessons import PLACE, READ, SUBSTITUTES
from core.figures.lessons import RANDOM_PAIRS
from core.figures.style import GLOVE, layer_color, layer_title
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._learn import lesson_store
from pages._learn.context import draw_accuracy
from pages._learn.lessons import Lesson, details, exercise, interval
from pages._widgets import lists


@st.fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    lesson_store.draw_kept(in_use.model, "before", lambda kept: _page(kept, lesson))


def _page(kept: dict, lesson: Lesson) -> None:
    picture = st.container()
    word = lesson_store.word_of(kept["words"], "before_word", st.container(), width=260)
    titles = _titles(kept)
    draw_accuracy(picture, kept, titles, "before", word)
    picture.caption(t("Each word’s mean is subtracted first, so the numbers differ from those of “Is it context?”."))
    notice(_write_notices(kept))
    exercise(lesson)
    details(_how(kept))
    beside = {name: less(kept, name, READ) for name in titles if name != READ}
    table = [{t("vectors"): titles[READ][0], "1-NN %": round(100 * mean_of(kept, "one_nn", READ), 1), "ARI": mean_of(kept, "ari", READ)}]
    table += [
        {t("vectors"): titles[name][0], "1-NN %": round(100 * mean_of(kept, "one_nn", name), 1), "ARI": mean_of(kept, "ari", name)}
        | {t("minus layer 1, points"): round(100 * value.mean, 1), "95%": value.cell(), "p": round(value.p, 4)}
        for name, value in beside.items()
    ]
    lists.twin(pd.DataFrame(table), name="before", key="lesson.before.table")
    lesson_store.show_by_word(kept, titles, "before")


def _titles(kept: dict) -> dict[str, tuple[str, str]]:
    """Return the names and colors of the rows, in order."""
    titles = {
        SUBSTITUTES: (t("before: substitutes"), "#E69F00"),
        PLACE: (t("before: LSTM states"), "#009E73"),
        READ: (t("after: {layer}", layer=layer_title(READ)), layer_color(READ)),
        STATIC: (t("static vectors"), GLOVE),
        f"{SHUFFLED} {SUBSTITUTES}": (t("substitutes, shuffled"), "#F0C66B"),
        f"{SHUFFLED} {PLACE}": (t("LSTM states, shuffled"), "#7CC7B0"),
        f"{UNTRAINED} {PLACE}": (t("random LSTM states"), "#CC79A7"),
        CHANCE: (t("chance"), RANDOM_PAIRS),
    }
    return {name: title for name, title in titles.items() if name in kept["one_nn"]}


def _write_notices(kept: dict) -> list[str]:
    best = SUBSTITUTES if SUBSTITUTES in kept["one_nn"] else PLACE
    shares = {name: sum(values) / len(values) for name, values in kept["one_nn"].items()}
    lines = [
        t(
            "Before reading the word, the nearest sentence has the same sense in {before:.0%} of cases, at layer "
            "1 in {after:.0%}: {difference}.",
            before=shares[best],
            after=shares[READ],
            difference=interval(less(kept, best, READ)),
        )
    ]
    differences = {"shuffled": interval(less(kept, best, f"{SHUFFLED} {best}"))}
    if STATIC in shares:
        return [
            *lines,
            t(
                "Compared with static vectors: {static}; with shuffled sentences: {shuffled}.",
                static=interval(less(kept, best, STATIC)),
                **differences,
            ),
        ]
    return [*lines, t("Compared with shuffled sentences: {shuffled}.", **differences)]


def _how(kept: dict) -> str:
    return t(
        "{n:,} sentences of {words} words, each left out once; one dot per word. Each word’s mean is "
        "subtracted. LSTM states: forward before the word, backward after it. 95% intervals, paired by word.",
        n=kept["n"],
        words=len(kept["words"]),
    )
