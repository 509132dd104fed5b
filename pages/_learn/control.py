"""The lesson on the control task: accuracy on tags and on random tags by the rank of the probe, for each layer."""

import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.common.significance import read_back
from core.figures.lessons import rank_lines
from core.figures.style import layer_title
from pages._frame.choices import coded_choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._learn import lesson_store
from pages._learn.lessons import Lesson, details, exercise, interval
from pages._widgets import lists
from pages._widgets.charts import draw


@st.fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    lesson_store.draw_kept(in_use.model, "control", lambda measured: _page(measured, lesson))


def _page(result: dict, lesson: Lesson) -> None:
    layers = result["layers"]
    picture = st.container()
    layer = coded_choice("control_layer", t("Layer"), {name: layer_title(name) for name in layers}, list(layers)[-1])
    ranks = layers[layer]
    lines = {t("real tags"): [each["tags"] for each in ranks.values()], t("random tags"): [each["control"] for each in ranks.values()]}
    with picture:
        least = next(iter(ranks))
        most = list(ranks)[-1]
        values = {"layer": layer_title(layer), "least": least, "most": most}
        values |= {"a": ranks[least]["selectivity"]["mean"], "b": ranks[most]["selectivity"]["mean"]}
        alt = t(
            "Accuracy by probe rank at {layer}, real and random tags. Selectivity: {a:.0%} at rank {least}, {b:.0%} at rank {most}.",
            **values,
        )
        named = t("word’s most frequent tag")
        figure = rank_lines(list(map(int, ranks)), lines, level=(named, result["type"]), title=t("probe rank"), key="control")
        draw(figure, key="lesson.control", alt=alt)
    notice(_write_notices(layers, layer))
    exercise(lesson)
    details(_how(result))
    rows = [
        {
            t("layer"): name,
            t("probe rank"): int(rank),
            t("real tags"): round(each["tags"], 4),
            t("random tags"): round(each["control"], 4),
            t("selectivity"): round(each["selectivity"]["mean"], 4),
            t("selectivity, 95%"): read_back(each["selectivity"]).cell(".3f", times=1),
        }
        for name, of_layer in layers.items()
        for rank, each in of_layer.items()
    ]
    lists.twin(pd.DataFrame(rows), name="control", key="lesson.control.table")


def _write_notices(layers: dict, layer: str) -> list[str]:
    ranks = layers[layer]
    best = max(ranks, key=lambda rank: ranks[rank]["selectivity"]["mean"])
    each, most = ranks[best], list(ranks)[-1]
    values = {"layer": layer_title(layer), "rank": best, "tags": each["tags"], "control": each["control"]}
    lines = [
        t(
            "At {layer}, rank {rank} is the most selective: {tags:.0%} of real tags, {control:.0%} of random tags, {selectivity}.",
            **values,
            selectivity=interval(read_back(each["selectivity"])),
        )
    ]
    by_layer = {name: read_back(of_layer[most]["selectivity"]) for name, of_layer in layers.items()}
    first = max(by_layer, key=lambda name: by_layer[name].mean)
    others = [value for name, value in by_layer.items() if name != first]
    values = {"rank": most, "layer": layer_title(first), "selectivity": interval(by_layer[first])}
    if any(item.low is None for item in by_layer.values()):
        lines.append(t("At rank {rank}, {layer} is the most selective: {selectivity}.", **values))
    elif all(item.high < by_layer[first].low for item in others):
        lines.append(t("At rank {rank}, {layer} is clearly the most selective: {selectivity}.", **values))
    else:
        lines.append(t("At rank {rank}, {layer} leads, but intervals overlap: {selectivity}.", **values))
    return lines


def _how(result: dict) -> str:
    return t(
        "{tags} tags; {train:,} training tokens; {test:,} test tokens of words seen in training ({unseen:,} "
        "others excluded). Random tags: one per word, {types:,} words, mean of 3 draws. 95% intervals by "
        "sentence. The taggers make errors.",
        tags=result["tags"],
        train=result["n_train"],
        test=result["n"],
        unseen=result["unseen"],
        types=result["types"],
    )
