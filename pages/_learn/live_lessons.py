"""The contents of a lesson, and the lessons computed from the selected sentences.

These are cosines of random pairs, a threshold between senses, and kinds of sense relations.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.random_pairs import random_level
from core.analysis.word_maps import ALL_WORDS
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import format_number, t
from core.common.markup import html
from core.common.significance import FEWEST, LEVEL, Paired
from core.figures.lessons import ONE_SENSE, ONE_WORD, RANDOM_PAIRS, Dots, Row, density_rows, interval_dots, word_dots
from core.figures.style import SENSE_COLORS, layer_color, layer_title
from core.senses import cosines, relations
from core.senses.cosines import GRID, MEAN, RANDOM, RAW, SENSE, TOP, WORD, Anisotropy, SharedPanel, Spread, of_table
from core.senses.relations import HOMONYM, KINDS, METAPHOR, METONYMY, OTHER, RELATED, Likeness, Pairs
from core.workspace import Workspace
from pages._cached import cache
from pages._cached.cache import keep, view_part, workspace
from pages._frame.choices import choice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_html
from pages._frame.parameters import bound
from pages._widgets.charts import draw


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPage:
    """The results of a lesson, which `lesson_show` draws in this order."""

    figure: go.Figure
    alt: str  # describes the figure
    caption: str = ""  # below the figure
    notices: Sequence[str]
    draw_more: Callable[[], None] = lambda: None  # below the notices
    method: str  # how the numbers were measured
    draw_details: Callable[[], None] = lambda: None  # below the method
    table: Sequence[Mapping]  # its rows
    table_label: str = ""
    by_word: Sequence[Mapping] | Mapping[str, Sequence] | None = None  # the rows or the columns of a table of words


def choose_word(words: Iterable[str], key: str, place: DeltaGenerator, **options) -> str:
    titles = {ALL_WORDS: t("all words")} | {word: word for word in words}
    return place.selectbox(t("Word"), list(titles), format_func=titles.get, **bound(key, **options)) or ALL_WORDS


def format_interval(difference: Paired) -> str:
    values = {"mean": format_number(100 * difference.mean, "+.1f"), "span": difference.span(), "certain": certainty(difference.verdict)}
    return t("{mean} points ({span}), {certain}", **values)


def certainty(decided: bool | int) -> str:
    return t("significant") if decided else t("not significant")


def compare_random_pairs(in_use: InUse) -> LessonPage:
    """Compare the cosines of random pairs, of a word and of a sense, before and after removing what all vectors share."""
    over = workspace(in_use)
    cache.targets(in_use.corpus, over.names.model)  # waits for the table, or shows its progress
    with st.spinner(t("Comparing word pairs…")):
        result = view_part("targets", of_table, over, most=4)
    names = {RAW: t("as they are"), MEAN: t("minus the mean"), TOP: t("minus top directions")}
    kinds = {
        RANDOM: t("two labeled words") if result.labeled else t("two words of this corpus"),
        WORD: t("one word, two senses") if result.labeled else t("one word"),
        SENSE: t("one word, one sense"),
    }
    kinds = {kind: title for kind, title in kinds.items() if kind in result.panels[0][RAW].mean}
    treatment = choice("cone", t("Vectors"), names, RAW, help=t("The mean first, then k principal components (Mu and Viswanath 2018)."))
    colors = {RANDOM: RANDOM_PAIRS, WORD: ONE_WORD, SENSE: ONE_SENSE}
    panels = [by_treatment[treatment] for by_treatment in result.panels]
    rows = []
    for k, panel in enumerate(panels):
        note = (html("k = {}<br>", panel.k) if treatment == TOP else "") + " · ".join(f"{panel.mean[kind]:.2f}" for kind in kinds)
        rows.append(Row(layer_title(str(k)), note, {title: panel.density[kind] for kind, title in kinds.items()}))
    means = ", ".join(f"{title} {panels[-1].mean[kind]:.2f}" for kind, title in kinds.items())
    by_title = {title: colors[kind] for kind, title in kinds.items()}
    return LessonPage(
        figure=density_rows(rows, GRID, by_title, span=(-0.85, 1.0), key=f"cone.{treatment}"),
        alt=t("Cosine densities by layer, vectors {how}. Top-layer means: {kinds}.", how=names[treatment], kinds=means),
        caption=t("Numbers: means, in the legend’s order. All curves have equal height."),
        notices=_describe_pairs(result, treatment, kinds[RANDOM]),
        method=t(
            "{measured} words; k was chosen on {controls} others. AUC: how often a same-word pair is closer than "
            "a pair of two different words. Self-similarity: a word’s mean cosine across sentences. Explained variance: share "
            "along the first principal component. 95% intervals by word.",
            measured=len(result.measured),
            controls=len(result.controls),
        ),
        draw_details=partial(_draw_self_similarity, over, panels, names[treatment]),
        table=result.table(names | kinds),
    )


def _draw_self_similarity(over: Workspace, panels: list[SharedPanel], how: str) -> None:
    """Draw the self-similarity of words by layer, and state the random pairs of the model."""
    st.markdown(t("**Self-similarity by layer**, vectors {how}", how=how))
    dots = [
        Dots(f"{layer_title(str(k))}, {title}", value.mean, value.low, value.high, color=layer_color(str(k)))
        for k, panel in enumerate(panels)
        for title, value in ((t("self-similarity"), panel.alike), (t("explained variance"), panel.explained))
    ]
    alt = t("Self-similarity and explained variance by layer, minus two different words.")
    figure = interval_dots(dots, title=t("minus two different words"), zero=0.0, key="cone.kept", per_cent=False)
    draw(figure, key="lesson.cone.kept", alt=alt)
    top = str(len(panels) - 1)
    if level := random_level(over, top):
        values = {"at": model_layers.in_use().at(top), "mean": level.mean, "low": level.low, "high": level.high}
        sentence = t("90% of random pairs {at} are between {low:.2f} and {high:.2f}, {mean:.2f} on average.", **values)
        show_html('<p class="small">{}</p>', t("Beyond this lesson’s words: {sentence}", sentence=sentence))


def _describe_pairs(result: Anisotropy, treatment: str, random_title: str) -> list[str]:
    """State how alike random pairs and a word are at the top layer, and what the treatment changes."""
    panel = result.panels[-1][treatment]
    gains = result.gains[-1]
    alike = panel.alike
    first = t(
        "At layer {layer}, {two} have a mean cosine of {random:.2f}, one word in two sentences {own:.2f}: {more:+.2f} ({span}), {certain}.",
        layer=len(result.panels) - 1,
        two=random_title,
        random=panel.mean[RANDOM],
        own=panel.mean[RANDOM] + alike.mean,
        more=alike.mean,
        span=alike.span("+.2f", times=1),
        certain=certainty(alike.verdict),
    )
    if treatment == RAW:
        return [first]
    gain = gains[treatment]
    values = {"gain": format_number(100 * gain.mean, "+.1f"), "span": gain.span(), "certain": certainty(gain.verdict)}
    if treatment == MEAN:
        return [first, t("Subtracting the mean changes the AUC by {gain} points ({span}), {certain}.", **values)]
    if not panel.k:
        return [first, t("No direction was worth removing: k = 0 on {n} other words.", n=len(result.controls))]
    second = t("Removing {k} more directions changes the AUC by {gain} points ({span}), {certain}.", k=panel.k, **values)
    return [first, second, t("Compared with {k} random directions: {control}.", k=panel.k, control=certainty(gains["control"].verdict))]


def find_threshold(in_use: InUse) -> LessonPage:
    """Compare the cosines of same-sense and different-sense pairs by layer, with both errors of a threshold."""
    over = workspace(in_use)
    if not (over.is_labeled and len(over.targets.labeled_rows())):
        if not (bundled := over.language.sentences):
            raise BadInput(t("This lesson needs sense-labeled sentences. Choose some under “Model and data”."))
        st.caption(t("{corpus} has no labeled senses, so this lesson uses {own}.", corpus=plain(in_use.corpus), own=plain(bundled)))
        over = workspace(replace(in_use, corpus=bundled))
    with st.spinner(t("Comparing word pairs…")):
        spreads = {name: view_part("targets", cosines.measure_spread, over, name, most=16) for name in over.layers.spaces}
    top = list(spreads)[-2]  # the last layer, before the mix
    left, right = st.columns([1, 2], gap="medium")
    word = choose_word(spreads[top].words, "apart_word", left)
    result = {name: spread.of(word) for name, spread in spreads.items()} if word in spreads[top].words else spreads
    about = t("From this cosine up, a pair counts as one sense.")
    threshold = right.slider(t("Threshold"), **bound("apart_at", value=spreads[top].balanced()), help=about)
    same_sense, two_senses = t("same sense"), t("different senses")
    rows, table = [], []
    for name, spread in result.items():
        missed, passed = spread.errors(threshold)
        auc = spread.auc()
        same, across = spread.means()
        values = {"auc": f"{auc.mean + 0.5:.2f}", "missed": f"{missed:.0%}", "passed": f"{passed:.0%}"}
        note = t("AUC {auc}<br>missed {missed}<br>false alarms {passed}", **values)
        curves = dict(zip((same_sense, two_senses), spread.densities(), strict=True))
        rows.append(Row(model_layers.in_use().short(name), note, curves))
        table.append(
            {
                t("layer"): name,
                same_sense: round(same, 3),
                two_senses: round(across, 3),
                "AUC": round(auc.mean + 0.5, 3),
                "AUC, 95%": auc.cell(".3f", times=1, more=0.5),
                t("threshold"): threshold,
                t("missed"): round(missed, 3),
                t("false alarms"): round(passed, 3),
            }
        )
    missed, passed = result[top].errors(threshold)
    aucs = {name: spread.aucs() for name, spread in spreads.items()}
    by_word = [{t("word"): w} | {f"AUC, {layer_title(name)}": round(auc[w], 3) for name, auc in aucs.items()} for w in aucs[top]]
    colors = {same_sense: ONE_SENSE, two_senses: ONE_WORD}
    values = {"at": threshold, "layer": layer_title(top), "missed": missed, "passed": passed}
    return LessonPage(
        figure=density_rows(rows, GRID, colors, span=(-0.5, 1.0), key="apart", threshold=threshold),
        alt=t("Cosine densities by layer. At threshold {at:.2f}, {layer}: {missed:.0%} missed, {passed:.0%} false alarms.", **values),
        notices=_describe_spread(over, result[top], top),
        method=t(
            "AUC: how often the same-sense pair is closer, averaged over {words} words. 95% intervals by word. The initial threshold fits these same pairs, so its errors are optimistic.",
            words=len(spreads[top].words),
        ),
        table=table,
        by_word=by_word,
    )


def _describe_spread(over: Workspace, spread: Spread, layer: str) -> list[str]:
    auc, gap, (same, across) = spread.auc(), spread.gap(), spread.means()
    values = {"layer": layer_title(layer), "same": same, "other": across}
    if len(spread.words) == 1:
        word = next(iter(spread.words))
        p = view_part("targets", cosines.shuffled_p, over, word, layer)
        first = t("At {layer}, “{word}” has a mean cosine of {same:.2f} within a sense, {other:.2f} across.", word=word, **values)
        values = {"share": auc.mean + 0.5, "certain": certainty(p < LEVEL), "p": p}
        return [first, t("The same-sense pair is closer in {share:.0%} of cases (chance 50%), {certain} (p {p:.3f}).", **values)]
    first = t(
        "At {layer}, same-sense pairs have a mean cosine of {same:.2f}, different-sense pairs {other:.2f}: {less:+.2f} ({less_span}), {means}.",
        less=gap.mean,
        less_span=gap.span("+.2f", times=1),
        means=certainty(gap.verdict),
        **values,
    )
    values = {"share": auc.mean + 0.5, "span": auc.span(".0%", times=1, more=0.5), "certain": certainty(auc.verdict)}
    return [first, t("The same-sense pair is closer in {share:.0%} of cases ({span}; chance 50%), {certain}.", **values)]


def compare_relations(in_use: InUse) -> LessonPage:
    """Compare how well homonyms and kinds of related senses separate, and self-similarity by frequency and number of senses."""
    language = workspace(in_use).language
    if not language.sentences or not relations.read(language.code):
        raise BadInput(t("Sense relations are not labeled in this language. Choose another model under “Model and data”."))
    if in_use.corpus != language.sentences:
        st.caption(t("This lesson uses {own}, the language’s labeled sentences.", own=plain(language.sentences)))
    over = workspace(replace(in_use, corpus=language.sentences))
    spaces = over.layers.spaces
    layer = choice("relation_layer", t("Layer"), {name: model_layers.in_use().short(name) for name in spaces}, spaces[-2])
    pairs = view_part("targets", relations.pairs_of, over, over.language.code, layer, most=16)
    reads = over.reads("model", "vectors", "corpus")
    ranks = keep("likeness", reads, layer, lambda: relations.likeness(over.targets, over.language_vectors, pairs), most=16)
    titles = {HOMONYM: t("homonyms, unrelated"), METAPHOR: t("metaphor, by similarity"), METONYMY: t("metonymy, by association")}
    titles[OTHER] = t("otherwise related")
    scored = list(zip(pairs.relations, map(float, pairs.auc), strict=True))
    rows = []
    for number, kind in enumerate(KINDS):
        if kind in pairs.kinds:
            item = pairs.kinds[kind]
            dots = {relation.name: auc for relation, auc in scored if relation.kind == kind}
            rows.append(Dots(f"{titles[kind]} ({len(dots)})", item.value, item.low, item.high, dots, SENSE_COLORS[number]))
    table = [
        {t("word"): relation.word, t("sense"): relation.senses[0], t("other sense"): relation.senses[1]}
        | {t("relation"): titles[relation.kind], "AUC": round(auc, 3), t("reason"): relation.reason}
        for relation, auc in scored
    ]
    values = {"layer": layer_title(layer), "kinds": ", ".join(f"{row.name} {row.mean:.0%}" for row in rows)}
    return LessonPage(
        figure=interval_dots(rows, title=t("same-sense pair is closer"), zero=0.5, key="homonyms"),
        alt=t("How often the same-sense pair is closer at {layer}, by relation: {kinds}.", **values),
        notices=[_describe_relations(pairs, layer), *_describe_ranks(ranks)],
        draw_more=partial(_draw_ranks, ranks, layer),
        method=t(
            "The relations are our own judgment; the table gives reasons. 95% intervals resample the {words} "
            "words. Senses have equally many sentences, so more senses lower self-similarity by design.",
            words=len({relation.word for relation in pairs.relations}),
        ),
        table=table,
        table_label=t("Pairs, relations, reasons"),
    )


def _draw_ranks(ranks: dict[str, Likeness], layer: str) -> None:
    st.markdown(t("**Self-similarity**: a word’s mean cosine across sentences, minus any two labeled words’"))
    axes = {"frequency": t("frequency rank"), "senses": t("labeled senses")}
    for column, (name, axis) in zip(st.columns(2, gap="medium"), axes.items(), strict=True):
        with column:
            options = {"across": axis, "up": t("self-similarity"), "log": name == "frequency", "key": f"like.{name}"}
            figure = word_dots(ranks[name].values, ranks[name].alike, ranks[name].words, color=layer_color(layer), **options)
            draw(figure, key=f"lesson.homonyms.{name}", alt=t("Self-similarity of each word by {axis}.", axis=axis))


def _describe_relations(pairs: Pairs, layer: str) -> str:
    where = layer_title(layer)
    if HOMONYM not in pairs.kinds or RELATED not in pairs.ahead:
        return t("Only one relation is labeled: nothing to compare at {layer}.", layer=where)
    ahead = pairs.ahead[RELATED]
    if ahead.low is None:
        homonyms = {relation.word for relation in pairs.relations if relation.kind == HOMONYM}
        related = {relation.word for relation in pairs.relations if relation.kind != HOMONYM}
        values = {"homonyms": len(homonyms), "related": len(related), "least": FEWEST, "layer": where}
        return t("Labeled homonyms: {homonyms} words; related senses: {related}. Comparing them at {layer} needs {least} each.", **values)
    return t(
        "At {layer}, the same-sense pair is closer in {one} of cases for homonyms, {other} for related senses: {more} points ({low} to {high}), {certain}.",
        layer=where,
        one=pairs.kinds[HOMONYM].in_percent,
        other=pairs.kinds[RELATED].in_percent,
        more=format_number(100 * ahead.value, "+.1f"),
        low=format_number(100 * ahead.low, "+.1f"),
        high=format_number(100 * ahead.high, "+.1f"),
        certain=certainty(ahead.low > 0 or ahead.high < 0),
    )


def _describe_ranks(ranks: dict[str, Likeness]) -> list[str]:
    if any(item.rank is None for item in ranks.values()):
        return []
    parts = {}
    for name in ("frequency", "senses"):
        rank = ranks[name].rank
        values = {"rho": rank.value, "low": rank.low, "high": rank.high, "certain": certainty(rank.low > 0 or rank.high < 0)}
        parts[name] = t("ρ = {rho:+.2f} ({low:+.2f} to {high:+.2f}), {certain}", **values)
    return [t("Self-similarity and frequency rank: {frequency}; and number of senses: {senses}.", **parts)]
