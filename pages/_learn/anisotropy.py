"""The lesson on anisotropy: densities of cosines by layer, of raw vectors, without the mean, and without the top directions."""

import pandas as pd
import streamlit as st

from core.common.i18n import format_number, t
from core.common.markup import html
from core.evaluation.anisotropy import GRID, MEAN, RANDOM, RAW, SENSE, TOP, WORD, Anisotropy, SharedPanel, of_table
from core.figures.lessons import ONE_SENSE, ONE_WORD, RANDOM_PAIRS, Dots, Row, density_rows, interval_dots
from core.figures.style import layer_color, layer_title
from core.views import levels
from pages._cached import opened
from pages._cached.views import of, workspace
from pages._frame.choices import coded_choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._learn.lessons import Lesson, certainty, details, exercise
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._word import verdict_words


@st.fragment
def show(in_use: InUse, lesson: Lesson) -> None:
    with show_errors():  # inside: an error in a fragment does not reach its caller
        over = workspace(in_use)
        opened.targets(in_use.corpus, over.names.model)  # waits for it, or says how far it is
        with st.spinner(t("Comparing word pairs…")):
            result = of("targets", of_table, over, most=4)
        _page(in_use, result, lesson)


def _page(in_use: InUse, anisotropy: Anisotropy, lesson: Lesson) -> None:
    names = {RAW: t("as they are"), MEAN: t("minus the mean"), TOP: t("minus top directions")}
    kinds = _kinds(anisotropy)
    picture = st.container()
    treatment = coded_choice(
        "cone", t("Vectors"), names, RAW, help=t("The mean first, then k principal components (Mu and Viswanath 2018).")
    )
    colors = {
        kinds[kind]: color for kind, color in ((RANDOM, RANDOM_PAIRS), (WORD, ONE_WORD), (SENSE, ONE_SENSE)) if kind in anisotropy.pairs
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
        alt = t("Cosine densities by layer, vectors {how}. Top-layer means: {kinds}.", **values)
        draw(density_rows(rows, GRID, colors, span=(-0.85, 1.0), key=f"cone.{treatment}"), key="lesson.cone", alt=alt)
        line = t("Numbers: means, in the legend’s order. All curves have equal height.")
        show_html('<p class="small">{}</p>', line)
    notice(_write_notices(anisotropy, treatment))
    exercise(lesson)
    with details(_how(anisotropy)):
        _self_similarity(panels, names[treatment])
        top = str(len(anisotropy.panels) - 1)
        if level := levels.level(workspace(in_use), top):
            values = verdict_words.random_sentence(level, top)
            show_html('<p class="small">{}</p>', t("Beyond this lesson’s words: {sentence}", sentence=values))
    lists.twin(_table(anisotropy, names, kinds), name="cone", key="lesson.cone.table")


def _self_similarity(panels: list[tuple[str, SharedPanel]], how: str) -> None:
    """Show the self-similarity of words by layer."""
    st.markdown(t("**Self-similarity by layer**, vectors {how}", how=how))
    dots = []
    for name, panel in panels:
        for values, each in ((t("self-similarity"), panel.alike), (t("explained variance"), panel.explained)):
            title = f"{layer_title(name)}, {values}"
            dots.append(Dots(title, each.mean, each.low, each.high, color=layer_color(name)))
    alt = t("Self-similarity and explained variance by layer, minus two different words.")
    figure = interval_dots(dots, title=t("minus two different words"), zero=0.0, key="cone.kept", per_cent=False)
    draw(figure, key="lesson.cone.kept", alt=alt)


def _kinds(anisotropy: Anisotropy) -> dict[str, str]:
    item = t("one word, two senses") if anisotropy.labeled else t("one word")
    return {
        RANDOM: t("two labeled words") if anisotropy.labeled else t("two words of this corpus"),
        WORD: item,
        SENSE: t("one word, one sense"),
    }


def _write_notices(anisotropy: Anisotropy, treatment: str) -> list[str]:
    layer = len(anisotropy.panels) - 1
    panel = anisotropy.panels[-1][treatment]
    gains = anisotropy.gains[-1]
    alike = panel.alike
    values = {
        "layer": layer,
        "two": _kinds(anisotropy)[RANDOM],
        "random": panel.mean[RANDOM],
        "own": panel.mean[RANDOM] + alike.mean,
        "more": alike.mean,
        "span": alike.span("+.2f", times=1),
        "certain": certainty(alike.verdict),
    }
    first = t(
        "At layer {layer}, {two} have a mean cosine of {random:.2f}, a word in two sentences {own:.2f}: {more:+.2f} ({span}), {certain}.",
        **values,
    )
    if treatment == RAW:
        return [first]
    gain = gains[treatment]
    values = {"gain": format_number(100 * gain.mean, "+.1f"), "span": gain.span(), "certain": certainty(gain.verdict)}
    if treatment == MEAN:
        return [first, t("Subtracting the mean changes the AUC by {gain} points ({span}), {certain}.", **values)]
    if not panel.k:
        return [first, t("No direction was worth removing: k = 0 on {n} other words.", n=len(anisotropy.controls))]
    beside = gains["control"]
    values |= {"k": panel.k, "control": certainty(beside.verdict)}
    return [
        first,
        t(
            "Removing {k} more directions changes the AUC by {gain} points ({span}), {certain}; compared with "
            "{k} random directions: {control}.",
            **values,
        ),
    ]


def _how(anisotropy: Anisotropy) -> str:
    return t(
        "{measured} words; k was chosen on {controls} others. AUC: how often a same-word pair is closer than "
        "a pair of two different words. Self-similarity: a word’s mean cosine across sentences. Explained variance: share "
        "along the first principal component. 95% intervals by word.",
        measured=len(anisotropy.measured),
        controls=len(anisotropy.controls),
    )


def _table(anisotropy: Anisotropy, names: dict[str, str], kinds: dict[str, str]) -> pd.DataFrame:
    rows = []
    for layer, each in enumerate(anisotropy.panels):
        for treatment, panel in each.items():
            row = {t("layer"): str(layer), t("vectors"): names[treatment], "k": panel.k}
            for kind in anisotropy.pairs:
                row |= {kinds[kind]: round(panel.mean[kind], 3), f"{kinds[kind]}, 5–95%": "[{:.2f} to {:.2f}]".format(*panel.span[kind])}
            for name, item in ((t("self-similarity"), panel.alike), (t("explained variance"), panel.explained)):
                row |= {name: round(item.mean, 3), f"{name}, 95%": item.cell(".3f", times=1)}
            rows.append(row | {"AUC": round(float(panel.auc.mean()), 4)})
    return pd.DataFrame(rows)
