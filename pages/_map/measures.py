"""The measures of the Map page, how reliable a map is, and the sentences about both."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.aligned_umap import by_chance
from core.analysis.axes import sides
from core.analysis.word_maps import ALL_WORDS
from core.common import model_layers
from core.common.i18n import t
from core.common.markup import shorten
from core.figures.measures import accuracy_lines
from core.figures.style import layer_title
from core.senses.separation import SenseReport, less
from core.views.layouts import POLES, REST, UMAP, Layout
from pages._frame.choices import layer_name
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.lists import static_line

NAMED = 2  # words named on each side


def show_measures(word: str, layout: Layout) -> DeltaGenerator:
    """Show the accuracy of each space, the data it was measured on, and the data table. Return the column for more tables."""
    scores, static = layout.reports, layout.static
    first = next(iter(scores.values()))
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown(t("**Does the nearest sentence have the same sense?**"))
        figure, alt = accuracy(scores, static, base=first)
        draw(figure, key="map.scores", alt=alt)
    with right:
        st.caption(t("Full vectors, not the map; {n:,} labeled sentences, each left out in turn.", n=first.n), help=_describe_map(layout))
        lists.offer_table(_list_measures(layout), name=f"measures-{word}", label=t("Table of measures"), key="map.measures")
    return right


def accuracy(
    reports: Mapping[str, SenseReport], static: SenseReport | None, *, base: SenseReport, majority: bool = True
) -> tuple[go.Figure, str]:
    """Return a figure of the accuracy by space and its description, with the static vectors, and the report `base`'s chance and majority."""
    shares = {name: report.one_nn for name, report in reports.items()}
    lines = {"null": base.null_mean, "majority": base.majority if majority else None, "static": static.one_nn if static else None}
    named = ", ".join(f"{layer_title(name)} {share:.0%}" for name, share in shares.items())
    alt = t("Bars of 1-NN accuracy: {named}; chance {chance:.0%}.", named=named, chance=base.null_mean)
    return accuracy_lines(shares, **lines), f"{alt} {static_share(static)}".rstrip()


def static_share(static: SenseReport | None) -> str:
    """Describe the line of the static vectors for users who cannot see it. Return "" without one."""
    return t("Static vectors reach {share:.0%}.", share=static.one_nn) if static else ""


def compare_with_static(report: SenseReport, static: SenseReport | None, where: str) -> list[str]:
    return [static_line(static.one_nn, where, less(report, static))] if static else []


def write_notices(word: str, result: dict, static: SenseReport | None = None, space: str = "") -> list[str]:
    """State the accuracy of a space, or of the best one if `space` has none, and whether it exceeds chance."""
    named = None if word == ALL_WORDS else word
    if not result:
        return describe_scores(named, ("0", 0.0), 0.0, 0.0, 0.0, 0)
    name = space if space in result else max(result, key=lambda name: result[name].one_nn)
    report = result[name]
    zero = result["0"]  # the page shows layer 0's chance everywhere; each space has its own shuffles
    lines = describe_scores(named, (name, report.one_nn), zero.one_nn, zero.null_mean, report.null_95, report.n)
    if report.one_nn <= report.null_95 + 1e-9:  # not shown to be more than luck: nothing is worth comparing
        return lines
    # Compare the mix: the best space was selected by its accuracy
    return lines + compare_with_static(result["mix"], static, layer_title("mix"))


def _describe_map(layout: Layout) -> str:
    if layout.plan == UMAP:
        few = layout.maps.method.startswith("PCA")
        shifts = layout.maps.displacement
        method = t("PCA ({n} points: too few for UMAP)", n=len(layout.rows)) if few else t("aligned UMAP")
        values = {"method": method, "seed": layout.maps.config.seed, "share": sum(shifts) / max(1, len(shifts))}
        return t("Map: {method}, seed {seed}; dots move {share:.0%} of its width per layer on average.", **values)
    if layout.plan == POLES:
        return t("Axes: between the ends' mean unit vectors in each layer; zero is the mean of all dots.")
    return t("Map: principal components of each layer’s unit vectors, rotated to match.")


def _list_measures(layout: Layout) -> list[dict]:
    measured, static = layout.trustworthiness, layout.static
    lines = []
    for k, (name, report) in enumerate(layout.reports.items()):
        line = {
            t("layer"): layer_name(name),
            t("1-NN accuracy"): f"{report.one_nn:.1%}",
            t("95% interval"): t("{low:.1%} to {high:.1%}", low=report.one_nn_low, high=report.one_nn_high),
            t("shuffled labels"): f"{report.null_mean:.1%}",
            t("p, shuffled labels"): round(report.p, 4),
            t("majority sense"): f"{report.majority:.1%}",
            t("purity of nearest {k}", k=report.k): f"{report.purity:.1%}",
            t("silhouette"): round(report.silhouette, 3),
        }
        if static:
            difference = less(report, static)
            line[t("other words’ static vectors")] = f"{static.one_nn:.1%}"
            line[minus := t("minus these, points")] = round(100 * difference.mean, 1)
            line[f"{minus}, 95%"] = difference.cell()
        if name in measured:
            line[t("trustworthiness")] = t("undefined (equal vectors)") if np.isnan(measured[name]) else f"{measured[name]:.3f}"
            line[t("trustworthiness by chance")] = "" if np.isnan(measured[name]) else f"{by_chance(len(layout.rows)):.3f}"
        if layout.views:
            line[t("share of variance")] = f"{layout.views[k].plane.together:.1%}"
        lines.append(line | {t("sentences"): report.n})
    return lines


def describe_leans(words: Sequence[str], cosines: np.ndarray, layer: str, cosine: float, random: float | None) -> list[str]:
    """Name the words nearest to each star, count them, and compare the stars. The cosines are (2, N). Return HTML."""
    where = model_layers.in_use().at(layer, begins=True)
    leans = np.asarray(cosines[0], float) - np.asarray(cosines[1], float)
    result = sides(leans)
    n, first, second = len(result), int((result == 1).sum()), int((result == 2).sum())
    values = {"at": model_layers.in_use().at(layer), "cosine": cosine, "random": random}
    between = t("The cosine of your two words {at} is {cosine:.2f}.", **values)
    if random is not None:
        between = t("The cosine of your two words {at} is {cosine:.2f} (random pairs: {random:.2f} on average).", **values)
    if not n:
        return [t("Your corpus has no words near your sentences."), between]
    if not first and not second:
        if cosine > 0.9999:
            return [t("{at}, your two words have one vector, so no word is nearer to either.", at=where)]
        return [t("{at}, no word is clearly nearer to either sentence.", at=where), between]

    def name_nearest(side: int) -> str:
        order = [k for k in np.argsort(-np.asarray(cosines[side], float), kind="stable") if result[k] == side + 1]
        return ", ".join(f"“{shorten(words[k])}”" for k in order[:NAMED]) or t("no word")

    left, right = name_nearest(0), name_nearest(1)
    line = t("Nearer to the first sentence: {left}; to the second: {right}.", left=left, right=right)
    values = {"at": where, "n": n, "first": first, "second": second}
    return [line, t("{at}, of {n} words {first} are nearer to the first sentence, {second} to the second.", **values), between]


def describe_scores(word: str | None, best: tuple[str, float], zero: float, chance: float, usual: float, n: int) -> list[str]:
    """State how often the nearest of `n` sentences has the same meaning in one space (name, share), at layer 0 and by chance.

    `usual` bounds 95% of shuffles.
    """
    if not n:
        return [t("“{word}” has only one labeled sense here.", word=word) if word else t("No labeled word here has two senses.")]
    where = model_layers.in_use().at(best[0], begins=True)
    values = {"at": where, "best": best[1], "chance": chance, "n": n, "word": word}
    counted = t("Of {n:,} sentences, each left out in turn; chance {chance:.0%}.", **values)
    if word is not None:
        counted = t("Of {n:,} “{word}” sentences, each left out in turn; chance {chance:.0%}.", **values)
    if best[1] <= usual + 1e-9:
        values["at"] = model_layers.in_use().at(best[0])
        line = t("<b>Inconclusive</b>: {at}, {best:.0%} of nearest sentences share the sense; chance {chance:.0%}.", **values)
        return [line, counted, t("The model does not separate the senses, or the sentences are too few.")]
    if best[0] == "0":
        return [t("{at}, {best:.0%} of nearest sentences share the sense.", **values), counted]
    line = t("{at}, {best:.0%} of nearest sentences share the sense ({other} {zero:.0%}).", other=layer_title("0"), zero=zero, **values)
    return [line, counted, *([t("The senses overlap.")] if best[1] < 0.7 else [])]


def describe_occurrences(word: str, n: int, everything: int, groups: Sequence[tuple[str, int]] | None, layer: str) -> list[str]:
    """Describe a map of at least one occurrence without the user's sentences: its groups (name, size), or None if it has too few dots."""
    values = {"n": n, "word": word}
    first = t("“{word}” occurs once.", word=word) if n == 1 else t("All {n} occurrences of “{word}” are shown.", **values)
    if everything > n:
        first = t("{n} of {all} occurrences of “{word}” are shown, evenly over the corpus.", all=everything, **values)
    if groups is None:
        return [first, t("Too few to group.")]
    values = {"at": model_layers.in_use().at(layer, begins=True), "number": len(groups)}
    if len(groups) < 2:
        return [first, t("{at}, they form no clear groups.", **values)]
    values["groups"] = ", ".join(f"{name} ({size})" for name, size in groups)
    return [first, t("{at}, they form {number} groups, named by typical words: {groups}.", **values)]


def axis_titles(layout: Layout) -> tuple[str, str] | None:
    """Return the titles of the axes, or None if they have no meaning."""
    if layout.plan != POLES:
        return None
    right, left, up, down = (*layout.ends, REST, REST)[:4]
    x = t("← {low} · {high} →", low=left, high=right)
    return x, t("← {low} · {high} →", low=down, high=up) if up != REST else t("remaining variance")


def limit_of_umap() -> str:
    return t("UMAP keeps near dots near; distances between far dots mean little.")


def limit_of_plane(share: float, where: str) -> str:
    return t("This plane shows {share:.0%} of the variance in {where}; overlapping dots can be far apart.", share=share, where=where)
