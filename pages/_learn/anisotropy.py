"""The lesson on anisotropy: densities of cosines by layer, as they are, less the mean, less the first directions."""

import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.common.markup import html
from core.evaluation.anisotropy import GRID, MEAN, RANDOM, RAW, SENSE, TOP, WORD, Anisotropy
from core.figures.lessons import ONE_SENSE, ONE_WORD, RANDOM_PAIRS, Dots, Row, density_rows, interval_dots
from core.figures.style import layer_colour, layer_title
from core.views import levels
from pages._cached import opened
from pages._cached.views import bench
from pages._frame.choices import coded_choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html, shown_errors
from pages._learn import lesson_store
from pages._learn.lessons import Lesson, certainty, exercise
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._word import verdict_words


@st.fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    with shown_errors():  # inside: an error in a fragment does not reach its caller
        opened.targets(in_use.corpus, in_use.model)  # waits for it, or says how far it is
        with st.spinner(t("Comparing pairs of words…")):
            result = lesson_store.crowd(in_use.corpus, in_use.model)
        _page(in_use, result, lesson)


def _page(in_use: InUse, anisotropy: Anisotropy, lesson: Lesson) -> None:
    names = {RAW: t("as they are"), MEAN: t("less their mean"), TOP: t("less the first directions, too")}
    kinds = _kinds(anisotropy)
    picture = st.container()
    treatment = coded_choice(
        "cone",
        t("Vectors"),
        names,
        RAW,
        help=t("The mean of all vectors is what they share; directions are those of largest variance about it (Mu and Viswanath 2018)."),
    )
    colours = {
        kinds[kind]: colour for kind, colour in ((RANDOM, RANDOM_PAIRS), (WORD, ONE_WORD), (SENSE, ONE_SENSE)) if kind in anisotropy.pairs
    }
    panels = [(str(k), each[treatment]) for k, each in enumerate(anisotropy.panels)]
    rows = []
    for name, panel in panels:
        taken = html("k = {}<br>", panel.k) if treatment == TOP else ""
        means = " · ".join(f"{panel.mean[kind]:.2f}" for kind in anisotropy.pairs)
        rows.append(Row(layer_title(name), taken + means, {kinds[kind]: panel.density[kind] for kind in anisotropy.pairs}))
    with picture:
        last = panels[-1][1]
        values = {"how": names[treatment], "kinds": ", ".join(f"{kinds[kind]} {last.mean[kind]:.2f}" for kind in anisotropy.pairs)}
        alt = t("Densities of cosines, a row a layer, vectors {how}; means at the top layer: {kinds}.", **values)
        draw(density_rows(rows, GRID, colours, span=(-0.85, 1.0), key=f"cone.{treatment}"), key="lesson.cone", alt=alt)
        said = t("Each curve is as high as the others; under each layer its means, in the order of the legend. Every word counts alike.")
        show_html('<p class="small">{}</p>', said)
    notice(_noticed(anisotropy, treatment))
    st.markdown(t("**What a word keeps of itself**, above random tokens, vectors {how}", how=names[treatment]))
    dots = []
    for name, panel in panels:
        for values, each in ((t("likeness to itself"), panel.alike), (t("variance along one direction"), panel.explained)):
            title = f"{layer_title(name)}, {values}"
            dots.append(Dots(title, each.mean, each.low, each.high, colour=layer_colour(name)))
    alt = t("By layer, a word's likeness to itself and the variance that one direction explains, less those of random tokens.")
    figure = interval_dots(dots, title=t("above random tokens"), zero=0.0, key="cone.kept", per_cent=False)
    draw(figure, key="lesson.cone.kept", alt=alt)
    show_html('<p class="small">{}</p>', _how(anisotropy))
    top = str(len(anisotropy.panels) - 1)
    if level := levels.level(bench(in_use), top):
        values = verdict_words.random_sentence(level, top)
        show_html(
            '<p class="small">{}</p>',
            t("The pairs above are of the lesson's own words. Of any words of the language: {sentence}", sentence=values),
        )
    exercise(lesson)
    lists.twin(_table(anisotropy, names, kinds), name="cone", key="lesson.cone.table")


def _kinds(anisotropy: Anisotropy) -> dict[str, str]:
    item = t("one word, two senses") if anisotropy.labelled else t("one word")
    return {
        RANDOM: t("two labelled words") if anisotropy.labelled else t("two tokens of this corpus"),
        WORD: item,
        SENSE: t("one word, one sense"),
    }


def _noticed(anisotropy: Anisotropy, treatment: str) -> list[str]:
    layer = len(anisotropy.panels) - 1
    panel = anisotropy.panels[-1][treatment]
    gains = anisotropy.gains[-1]
    alike = panel.alike
    values = {
        "layer": layer,
        "two": _kinds(anisotropy)[RANDOM],
        "lot": panel.mean[RANDOM],
        "own": panel.mean[RANDOM] + alike.mean,
        "more": alike.mean,
        "span": alike.span("+.2f", times=1),
        "certain": certainty(alike.verdict),
    }
    first = t(
        "At layer {layer} {two} have a cosine of {lot:.2f}, a word with itself {own:.2f}: a difference of {more:+.2f} ({span}), {certain}.",
        **values,
    )
    if treatment == RAW:
        return [first]
    gain = gains[treatment]
    values = {"gain": f"{100 * gain.mean:+.1f}", "span": gain.span(), "certain": certainty(gain.verdict)}
    if treatment == MEAN:
        return [
            first,
            t(
                "Without the mean the share of cases in which one word's pair is nearer than one of two words changes by {gain} points ({span}), {certain}.",
                **values,
            ),
        ]
    if not panel.k:
        return [first, t("On the {n} other words no direction was worth taking off besides the mean: k = 0.", n=len(anisotropy.controls))]
    beside = gains["control"]
    values |= {"k": panel.k, "n": len(anisotropy.controls), "control": certainty(beside.verdict)}
    return [
        first,
        t(
            "Without the first {k} directions, as many as did best on {n} other words, the share of cases in which one word's "
            "pair is nearer than one of two words changes by another {gain} points ({span}), {certain}; against as many random directions: {control}.",
            **values,
        ),
    ]


def _how(anisotropy: Anisotropy) -> str:
    return t(
        "Measured on {measured} words; k was chosen on {controls} others, by how often a word's pairs are nearer than random pairs. A word's likeness to itself is its mean "
        "cosine over two of its occurrences; the variance is the share that lies along the first direction of its vectors, less "
        "that of as many random tokens. Intervals: 95 %, drawn by word.",
        measured=len(anisotropy.measured),
        controls=len(anisotropy.controls),
    )


def _table(anisotropy: Anisotropy, names: dict[str, str], kinds: dict[str, str]) -> pd.DataFrame:
    rows = []
    for layer, each in enumerate(anisotropy.panels):
        for treatment, panel in each.items():
            row = {t("layer"): str(layer), t("vectors"): names[treatment], "k": panel.k}
            for kind in anisotropy.pairs:
                row |= {kinds[kind]: round(panel.mean[kind], 3), f"{kinds[kind]}, 5–95 %": "[{:.2f} – {:.2f}]".format(*panel.span[kind])}
            for name, item in ((t("likeness to itself"), panel.alike), (t("variance along one direction"), panel.explained)):
                row |= {name: round(item.mean, 3), f"{name}, 95 %": item.cell(".3f", times=1)}
            rows.append(row | {"AUC": round(float(panel.auc.mean()), 4)})
    return pd.DataFrame(rows)
