"""Draw a lesson: its figure, what to notice, the question for a class, how it was measured, and its tables.

The lessons from stored measurements are here too.
"""

import numpy as np
import streamlit as st

from core.common.i18n import t
from core.common.markup import code, command
from core.common.significance import compare_pairs, read_back
from core.figures.lessons import RANDOM_PAIRS, Dots, interval_dots, rank_lines
from core.figures.style import GLOVE, layer_color, layer_title
from core.views.card import CHANCE, PLACE, READ, SHUFFLED, STATIC, SUBSTITUTES, UNTRAINED, less, mean_of, read_lessons
from pages._cached import cache
from pages._frame.choices import choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import fragment, plain, show_html
from pages._learn import live_lessons
from pages._learn.live_lessons import LessonPage, choose_word, format_interval
from pages._learn.slides import Lesson
from pages._widgets import lists
from pages._widgets.charts import draw

Titles = dict[str, tuple[str, str]]  # the name and the color of each kind of vectors, in the order of the rows


@fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    name = lesson.name
    picture = st.container()
    if name in LIVE:
        page = LIVE[name](in_use)
    else:
        model = cache.model(in_use.model)
        measured = read_lessons(model.folder, model.fingerprint).get(name)
        if measured is None:
            offered = command("python", "-m", "core.lab", "lessons", options=[("model", model.name)])
            st.info(t("Not computed for {model} yet. In a terminal (minutes): {command}", model=plain(model.name), command=code(offered)))
            return
        page = STORED[name](measured)
    with picture:
        draw(page.figure, key=f"lesson.{name}", alt=page.alt)
        if page.caption:
            show_html('<p class="small">{}</p>', page.caption)
    notice(list(page.notices))
    page.draw_more()
    show_html('<div class="notice"><b>{}</b> {}</div>', t("For a class."), lesson.exercise)
    with st.expander(t("Details"), icon=":material/info:", key="lesson.details"):
        show_html('<p class="small">{}</p>', page.method)
        page.draw_details()
    lists.offer_table(page.table, name=name, label=page.table_label, key=f"lesson.{name}.table")
    if page.by_word is not None:
        lists.offer_table(page.by_word, name=f"{name}-words", label=t("By word"), key=f"lesson.{name}.words")


def compare_contexts(measured: dict) -> LessonPage:
    """Compare a layer with layer 0, shuffled words, an untrained biLM and the static context."""
    layers = [name for name in measured["one_nn"] if name.isdecimal() and name != "0"]
    left, right = st.columns([2, 1], gap="medium")
    with left:
        layer = choice("context_layer", t("Layer"), {name: layer_title(name) for name in layers}, layers[0])
    word = choose_word(measured["words"], "context_word", right)
    where = layer_title(layer)
    shares = measured["one_nn"]
    titles = {
        layer: (where, layer_color(layer)),
        STATIC: (t("static vectors"), GLOVE),
        f"{SHUFFLED} {layer}": (t("{layer}, context shuffled", layer=where), "#009E73"),
        f"{UNTRAINED} {layer}": (t("{layer}, untrained", layer=where), "#CC79A7"),
        "0": (layer_title("0"), layer_color("0")),
        CHANCE: (t("chance"), RANDOM_PAIRS),
    }
    titles = {name: title for name, title in titles.items() if name in shares}
    differences = {name: less(measured, layer, name) for name in titles if name != layer}
    values = {key: format_interval(differences[f"{kind} {layer}"]) for key, kind in (("shuffled", SHUFFLED), ("untrained", UNTRAINED))}
    notices = [t("Compared with shuffled context: {shuffled}; with untrained LSTMs: {untrained}.", **values)]
    if STATIC in differences:
        values = {"layer": where, "share": sum(shares[layer]) / len(shares[layer]), "difference": format_interval(differences[STATIC])}
        line = t("At {layer}, {share:.0%} of nearest sentences share the sense; compared with static vectors: {difference}.", **values)
        notices.insert(0, line)
    table = [
        {t("vectors"): titles[name][0], t("difference, points"): round(100 * value.mean, 1), "95%": value.cell(), "p": round(value.p, 4)}
        for name, value in differences.items()
    ]
    return LessonPage(
        **_draw_accuracy(measured, titles, "context", word),
        notices=notices,
        method=t(
            "{n:,} sentences of {words} words, each left out once; one dot per word. Static: the other words' "
            "vectors summed, most frequent excluded. Shuffled text is also unnatural, so that difference is not "
            "order alone. Untrained: random LSTMs above the trained layer 0. 95% intervals, paired by word.",
            n=measured["n"],
            words=len(measured["words"]),
        ),
        table=table,
        table_label=t("{layer} minus each other", layer=where),
    )


def read_before(measured: dict) -> LessonPage:
    """Compare what the model has read before the word (its position, its substitutes) with layer 1."""
    word = choose_word(measured["words"], "before_word", st.container(), width=260)
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
    titles = {name: title for name, title in titles.items() if name in measured["one_nn"]}
    best = SUBSTITUTES if SUBSTITUTES in titles else PLACE
    shares = {name: sum(values) / len(values) for name, values in measured["one_nn"].items()}
    values = {"before": shares[best], "after": shares[READ], "difference": format_interval(less(measured, best, READ))}
    notices = [t("Before the word, {before:.0%} of nearest sentences share the sense, at layer 1 {after:.0%}: {difference}.", **values)]
    shuffled = format_interval(less(measured, best, f"{SHUFFLED} {best}"))
    if STATIC in shares:
        static = format_interval(less(measured, best, STATIC))
        notices.append(t("Compared with static vectors: {static}; with shuffled sentences: {shuffled}.", static=static, shuffled=shuffled))
    else:
        notices.append(t("Compared with shuffled sentences: {shuffled}.", shuffled=shuffled))
    table = []
    for name in sorted(titles, key=lambda name: name != READ):
        accuracy, ari = mean_of(measured, "one_nn", name), mean_of(measured, "ari", name)
        row = {t("vectors"): titles[name][0], "1-NN %": round(100 * accuracy, 1), "ARI": ari}
        if name != READ:
            value = less(measured, name, READ)
            row |= {t("minus layer 1, points"): round(100 * value.mean, 1), "95%": value.cell(), "p": round(value.p, 4)}
        table.append(row)
    return LessonPage(
        **_draw_accuracy(measured, titles, "before", word),
        caption=t("Each word’s mean is subtracted first, so the numbers differ from those of “Is it context?”."),
        notices=notices,
        method=t(
            "{n:,} sentences of {words} words, each left out once; one dot per word. Each word’s mean is "
            "subtracted. LSTM states: forward before the word, backward after it. 95% intervals, paired by word.",
            n=measured["n"],
            words=len(measured["words"]),
        ),
        table=table,
    )


def probe_random_tags(measured: dict) -> LessonPage:
    """Compare the accuracy of probes on tags and on random tags by the rank of the probe."""
    layers = measured["layers"]
    layer = choice("control_layer", t("Layer"), {name: layer_title(name) for name in layers}, list(layers)[-1])
    ranks = layers[layer]
    lines = {t("real tags"): [item["tags"] for item in ranks.values()], t("random tags"): [item["control"] for item in ranks.values()]}
    low, *_, high = ranks
    selectivity = {"a": ranks[low]["selectivity"]["mean"], "b": ranks[high]["selectivity"]["mean"]}
    values = {"layer": layer_title(layer), "least": low, "most": high, **selectivity}
    level = t("word’s most frequent tag"), measured["type"]
    rows = [
        {t("layer"): name, t("probe rank"): int(rank), t("real tags"): round(item["tags"], 4), t("random tags"): round(item["control"], 4)}
        | {t("selectivity"): round(item["selectivity"]["mean"], 4)}
        | {t("selectivity, 95%"): read_back(item["selectivity"]).cell(".3f", times=1)}
        for name, by_rank in layers.items()
        for rank, item in by_rank.items()
    ]
    return LessonPage(
        figure=rank_lines(list(map(int, ranks)), lines, level=level, title=t("probe rank"), key="control"),
        alt=t("Accuracy on real and random tags at {layer}. Selectivity: {a:.0%} at rank {least}, {b:.0%} at rank {most}.", **values),
        notices=_describe_selectivity(layers, layer),
        method=t(
            "{tags} tags; {train:,} training tokens; {test:,} test tokens of words seen in training ({unseen:,} "
            "others excluded). Random tags: one per word, {types:,} words, mean of 3 draws. 95% intervals by "
            "sentence. The taggers make errors.",
            **{"train": measured["n_train"], "test": measured["n"]} | {key: measured[key] for key in ("tags", "unseen", "types")},
        ),
        table=rows,
    )


def _describe_selectivity(layers: dict, layer: str) -> list[str]:
    """State the most selective rank of a layer, and the most selective layer at the highest rank."""
    ranks = layers[layer]
    best = max(ranks, key=lambda rank: ranks[rank]["selectivity"]["mean"])
    values = {"layer": layer_title(layer), "rank": best, "tags": ranks[best]["tags"], "control": ranks[best]["control"]}
    values["selectivity"] = format_interval(read_back(ranks[best]["selectivity"]))
    first = t("At {layer}, rank {rank} is most selective: {tags:.0%} of real, {control:.0%} of random tags, {selectivity}.", **values)
    rank = list(ranks)[-1]
    by_layer = {name: read_back(by_rank[rank]["selectivity"]) for name, by_rank in layers.items()}
    leader = max(by_layer, key=lambda name: by_layer[name].mean)
    best = by_layer.pop(leader)
    values = {"rank": rank, "layer": layer_title(leader), "selectivity": format_interval(best)}
    if any(value.low is None for value in (best, *by_layer.values())):
        return [first, t("At rank {rank}, {layer} is the most selective: {selectivity}.", **values)]
    if all(value.high < best.low for value in by_layer.values()):
        return [first, t("At rank {rank}, {layer} is clearly the most selective: {selectivity}.", **values)]
    return [first, t("At rank {rank}, {layer} leads, but intervals overlap: {selectivity}.", **values)]


def _draw_accuracy(measured: dict, titles: Titles, key: str, word: str) -> dict:
    """Return the figure, `alt` and `by_word` of the 1-NN accuracy of each kind of vectors, with the dots of `word` marked."""
    rows = []
    for name, (title, color) in titles.items():
        values = measured["one_nn"][name]
        mean = compare_pairs(values, [0.0] * len(values))
        rows.append(Dots(title, mean.mean, mean.low, mean.high, dict(zip(measured["words"], values, strict=True)), color))
    alt = t("Nearest sentence has the same sense: {named}.", named=", ".join(f"{row.name} {row.mean:.0%}" for row in rows))
    figure = interval_dots(rows, title=t("nearest sentence has the same sense"), zero=None, key=key, marked=word)
    shares = {title: np.round(measured["one_nn"][name], 3).tolist() for name, (title, _) in titles.items()}
    return {"figure": figure, "alt": alt, "by_word": {t("word"): measured["words"], **shares}}


LIVE = {"cone": live_lessons.compare_random_pairs, "apart": live_lessons.find_threshold, "homonyms": live_lessons.compare_relations}
STORED = {"context": compare_contexts, "before": read_before, "control": probe_random_tags}
