"""Words ranked by how well the model separates their senses, and a chart of all labeled words."""

from collections.abc import Callable
from html import unescape

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.limits import BOX
from core.figures.lessons import ranking_figure, words_figure
from core.figures.maps import selected_data
from core.figures.style import layer_title
from core.senses.separation import WordGain, count_significant
from core.text.corpora import Labeled, list_words_in
from core.views.layouts import open_gains, word_gains
from pages._cached.cache import view_part, workspace
from pages._frame.choices import layer_name
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._widgets import lists
from pages._widgets.charts import draw

OFFERED = 12  # words of which nothing is shown, one click away


def show(in_use: InUse, word: str, view: str) -> None:
    """Show the ranking at the visible layer, or for the layer mix if all layers are visible."""
    result = view_part("targets", word_gains, workspace(in_use), most=8)
    if len(result) < 2:
        return
    layer = view if view in model_layers.in_use().spaces else "mix"
    order = sorted(result, key=lambda w: -result[w][layer].gain)
    unshown = [w for w in reversed(order) if not result[w][layer].shown]
    st.caption(
        t(
            "1-NN accuracy in {where} above chance, with 95% intervals. Hollow: within 95% of shuffles. Small dots: other "
            "layers. Bars: maximum. Click a dot to open its word.",
            where=layer_title(layer),
        )
    )
    middle = (len(order) + 1) // 2
    halves = [(t("Best separated"), order[:middle], "best"), (t("Worst separated"), order[middle:], "worst")]
    for column, (title, words, half) in zip(st.columns(2, gap="medium"), halves, strict=True):
        with column:
            st.markdown(f"**{title}**")
            key = f"map.ranking.{half}"
            rows = {
                w: {n: (g.gain, g.low - g.null_mean, g.high - g.null_mean, 1 - g.null_mean, g.shown) for n, g in result[w].items()}
                for w in words
            }
            figure = ranking_figure(rows, layer=layer, word=word if word in words else "", key=key)
            values = {"first": words[0], "last": words[-1], "where": layer_title(layer)}
            alt = t("Words from {first} to {last} by accuracy above chance in {where}.", **values)
            draw(figure, key=key, on_select=opener(key), selection_mode="points", alt=alt)
    notice(_describe(result, order, unshown, layer))
    st.caption(
        t(
            "Inconclusive: shuffled senses do as well in over 5% of cases, which proves no failure. Wiedemann et al. (2019, "
            "[arXiv 1909.10430](https://arxiv.org/abs/1909.10430)) saw few sense regions for “bank” in the published ELMo, without testing single words."
        )
    )
    if unshown and layer != "0":
        st.pills(t("Open an inconclusive word"), unshown[:OFFERED], key="map.unshown", on_change=_open_unshown)
    lists.offer_table(_table(result, order), name="words-ranked", label=t("Table of {n} words", n=len(order)), key="map.ranking")


def opener(key: str) -> Callable[[], None]:
    """Return a callback that opens the word of the dot that the user clicked in the chart `key`."""

    def open_it() -> None:
        data = next(iter(selected_data(st.session_state[key])), None)
        if isinstance(data, str):
            st.session_state.map_word = unescape(data)[: BOX["word"]]

    return open_it


def _open_unshown() -> None:
    if word := st.session_state["map.unshown"]:
        st.session_state.map_word, st.session_state["map.unshown"] = word, None


def _describe(result: dict, order: list[str], unshown: list[str], layer: str) -> list[str]:
    if layer == "0":
        return [t("Layer 0 sees only spelling: choose another layer.")]
    family = count_significant([result[w][layer] for w in order])
    values = {"at": model_layers.in_use().at(layer, begins=True), "good": len(order) - len(unshown), "n": len(order), "best": order[0]}
    values |= {"gain": result[order[0]][layer].gain, "discovered": family.discovered, "holm": family.holm}
    lines = [
        t(
            "{at}, {good} of {n} words beat chance (expected by luck: 5%), “{best}” most ({gain:+.0%}); corrected for "
            "{n} tests, {discovered} (Benjamini–Hochberg) or {holm} (Holm).",
            **values,
        )
    ]
    return [*lines, t("Inconclusive: {words}.", words=", ".join(f"“{w}”" for w in unshown))] if unshown else lines


def _table(result: dict, order: list[str]) -> list[dict]:
    lines = []
    for w in order:
        first = next(iter(result[w].values()))
        line = {t("word"): w, t("senses"): first.senses, t("sentences"): first.n}
        for name, g in result[w].items():
            layer = layer_name(name)
            line[t("above chance, layer {layer}", layer=layer)] = round(g.gain, 4)
            interval = t("{low:.1%} to {high:.1%}", low=g.low - g.null_mean, high=g.high - g.null_mean)
            line[t("95% interval, layer {layer}", layer=layer)] = f"[{interval}]"
            line[t("p, layer {layer}", layer=layer)] = round(g.p, 4)
            line[t("result, layer {layer}", layer=layer)] = "" if g.shown else t("inconclusive")
        lines.append(line)
    return lines


def show_every_word(in_use: InUse, word: str, layer: str) -> None:
    """Show the chart of all words, what to notice and the table; nothing for a table that was not bundled."""
    result, words = open_gains(workspace(in_use)), list_words_in(in_use.corpus)
    if not result or not words:
        return
    st.subheader(t("All {n} labeled words", n=len(words)))
    names = {"noun": t("noun"), "verb": t("verb"), "adjective": t("adjective"), "adverb": t("adverb"), "several": t("several")}
    visible_words = _select_words(words, names, result, layer)
    if not visible_words:
        st.info(t("No word matches the filters."), icon=":material/filter_alt_off:")
        return
    gains, n = {w: result[w][layer] for w in visible_words}, len(visible_words)
    points = {w: (g.null_mean, g.one_nn, g.senses, words[w].part_of_speech) for w, g in gains.items()}
    key = "map.every.picture"
    alt = t("{n} words: 1-NN accuracy in {where} against chance.", n=n, where=layer_title(layer))
    figure = words_figure(points, names, layer=layer, word=word, key=key)
    draw(figure, key=key, on_select=opener(key), selection_mode="points", alt=alt)
    notice(_describe_words(gains, words, names, layer))
    rows = [
        {t("word"): w, t("part of speech"): names[words[w].part_of_speech], t("senses"): g.senses, t("sentences"): g.n}
        | {t("1-NN accuracy"): round(g.one_nn, 3), t("shuffled labels"): round(g.null_mean, 3), t("above chance"): round(g.gain, 3)}
        | {t("95% interval"): t("{low:.1%} to {high:.1%}", low=g.low, high=g.high), "p": round(g.p, 4)}
        | {t("result"): "" if g.shown else t("inconclusive")}
        for w, g in gains.items()
    ]
    lists.offer_table(rows, name="all-words", label=t("Table of {n} words", n=n), key="map.every.table")


def _select_words(labeled_words: dict[str, Labeled], names: dict[str, str], result: dict, layer: str) -> list[str]:
    """Return the words that pass the filters, those with the least separated senses first."""
    row = st.columns([4, 3, 3], vertical_alignment="bottom")
    pos = row[0].pills(t("Part of speech"), list(names), format_func=names.get, selection_mode="multi", key="map.every.pos")
    numbers = sorted({fact.senses for fact in labeled_words.values()})
    senses = row[1].pills(t("Senses"), numbers, selection_mode="multi", key="map.every.senses")
    only = row[2].toggle(t("Only inconclusive"), key="map.every.only")
    words = [
        w
        for w, value in labeled_words.items()
        if w in result
        and (not pos or value.part_of_speech in pos)
        and (not senses or value.senses in senses)
        and not (only and result[w][layer].shown)
    ]
    return sorted(words, key=lambda w: result[w][layer].gain)


def _describe_words(gains: dict[str, WordGain], words: dict[str, Labeled], names: dict[str, str], layer: str) -> list[str]:
    family = count_significant(list(gains.values()))
    mean, chance = (sum(values) / len(gains) for values in zip(*((g.one_nn, g.null_mean) for g in gains.values()), strict=True))
    values = {"at": model_layers.in_use().at(layer, begins=True), "mean": mean, "n": family.n, "chance": chance}
    lines = [
        t(
            "{at}, 1-NN accuracy averages {mean:.0%} over {n} words (chance {chance:.0%}); {discovered} beat chance after "
            "Benjamini–Hochberg correction.",
            discovered=family.discovered,
            **values,
        )
    ]
    by_pos = {name: [g.gain for w, g in gains.items() if words[w].part_of_speech == pos] for pos, name in names.items()}
    means = {name: sum(values) / len(values) for name, values in by_pos.items() if len(values) >= 5}
    if len(means) > 1:
        said = ", ".join(t("{name} {gain:+.0%}", name=name, gain=gain) for name, gain in sorted(means.items(), key=lambda x: -x[1]))
        lines.append(t("Above chance by part of speech: {said}.", said=said))
    return lines
