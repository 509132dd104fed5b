"""A chart of all labeled words of a language, with a table to sort and filter."""

import pandas as pd
import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.figures.style import layer_title
from core.figures.trust import words_figure
from core.text.labeled_words import Labeled, list_words_in
from core.views.layouts import open_gains
from pages._cached.views import workspace
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._map.ranking import opener, significant
from pages._widgets import lists
from pages._widgets.charts import draw


def show(in_use: InUse, word: str, layer: str) -> None:
    """Show the chart of all words, what to notice and the table; nothing for a table that was not bundled."""
    result, words = open_gains(workspace(in_use)), list_words_in(in_use.corpus)
    if not result or not words:
        return
    st.subheader(t("All {n} labeled words", n=len(words)))
    names = _parts_of_speech()
    visible_words = _select_words(words, names, result, layer)
    if not visible_words:
        st.info(t("No word matches the filters."), icon=":material/filter_alt_off:")
        return
    points = {
        w: (result[w][layer].null_mean, result[w][layer].one_nn, result[w][layer].senses, words[w].part_of_speech) for w in visible_words
    }
    key = "map.every.picture"
    draw(
        words_figure(points, names, layer=layer, word=word, key=key),
        key=key,
        on_select=opener(key),
        selection_mode="points",
        alt=t("{n} words: 1-NN accuracy in {where} against chance.", n=len(visible_words), where=layer_title(layer)),
    )
    notice(_describe(result, visible_words, words, names, layer))
    lists.twin(
        _table(result, visible_words, words, names, layer),
        name="all-words",
        label=t("Table of {n} words", n=len(visible_words)),
        key="map.every.table",
    )


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


def _describe(result: dict, visible_words: list[str], words: dict[str, Labeled], names: dict[str, str], layer: str) -> list[str]:
    gains = {w: result[w][layer] for w in visible_words}
    family = significant(result, visible_words, layer)
    mean = sum(g.one_nn for g in gains.values()) / len(gains)
    chance = sum(g.null_mean for g in gains.values()) / len(gains)
    lines = [
        t(
            "{at}, 1-NN accuracy averages {mean:.0%} over {n} words (chance {chance:.0%}); {discovered} beat chance after "
            "Benjamini–Hochberg correction.",
            at=model_layers.in_use().at(layer, begins=True),
            mean=mean,
            n=family.n,
            chance=chance,
            discovered=family.discovered,
        )
    ]
    by_pos = {name: [g.gain for w, g in gains.items() if words[w].part_of_speech == pos] for pos, name in names.items()}
    means = {name: sum(each) / len(each) for name, each in by_pos.items() if len(each) >= 5}
    if len(means) > 1:
        said = ", ".join(t("{name} {gain:+.0%}", name=name, gain=gain) for name, gain in sorted(means.items(), key=lambda x: -x[1]))
        lines.append(t("Above chance by part of speech: {said}.", said=said))
    return lines


def _table(result: dict, visible_words: list[str], words: dict[str, Labeled], names: dict[str, str], layer: str) -> pd.DataFrame:
    lines = []
    for w in visible_words:
        g = result[w][layer]
        lines.append(
            {
                t("word"): w,
                t("part of speech"): names[words[w].part_of_speech],
                t("senses"): g.senses,
                t("sentences"): g.n,
                t("1-NN accuracy"): round(g.one_nn, 3),
                t("shuffled labels"): round(g.null_mean, 3),
                t("above chance"): round(g.gain, 3),
                t("95% interval"): t("{low:.1%} to {high:.1%}", low=g.low, high=g.high),
                "p": round(g.p, 4),
                t("result"): "" if g.shown else t("inconclusive"),
            }
        )
    return pd.DataFrame(lines)


def _parts_of_speech() -> dict[str, str]:
    return {"noun": t("noun"), "verb": t("verb"), "adjective": t("adjective"), "adverb": t("adverb"), "several": t("several")}
