"""The words of Compare: what to notice, the neighbors of a word in both spaces, and the table of all words."""

import numpy as np
import pandas as pd
import streamlit as st

from core.common.errors import BadInput
from core.common.i18n import t, tn
from core.common.limits import BOX
from core.common.markup import html, shorten
from core.common.model_layers import MIX, SENSES
from core.common.significance import LEVEL, format_p
from core.figures.style import GLOVE, layer_color
from core.text import languages
from core.views.compare import MARK, SpacesCompared, find_form
from pages._frame import examples
from pages._frame.choices import text_box
from pages._frame.markup import plain
from pages._widgets import lists

OFFERED = 8  # words one click away


def write_notices(result: SpacesCompared) -> list[str]:
    """Describe the two figures in two sentences."""
    c = result.comparison
    a, b = result.names
    values = {"k": c.k, "mean": float(c.shared.mean()), "a": a, "b": b, "n": len(c.words), "luck": c.chance * c.k}
    first = t("{a} and {b} share <b>{mean:.1f}</b> of a word’s {k} neighbors on average ({n:,} words, chance {luck:.2f})", **values)
    none, everything = float((c.shared == 0).mean()), float((c.shared == c.k).mean())
    if everything > 0.99:
        second = t("nearly every list is identical")
    else:
        second = t("{none:.0%} of words share none", none=none)
    values = {"cka": result.cka_pair, "luck": round(result.paired.random, 2) + 0.0, "p": format_p(result.paired.p), "n": result.paired.n}
    if result.paired.p > LEVEL:
        whole = t("Linear CKA, debiased, is <b>{cka:.2f}</b>: inconclusive (with {n:,} words shuffled {luck:.2f}, {p}).", **values)
    else:
        whole = t("Linear CKA, debiased, is <b>{cka:.2f}</b> (with {n:,} words shuffled {luck:.2f}, {p}).", **values)
    return [html("{}; {}.", first, second), whole]


def measures(result: SpacesCompared) -> list[str]:
    """State how far each side differs from itself, and how far words moved between corpora."""
    lines = [
        t("Two halves of {name} share {mean:.1f} neighbors ({n:,} words).", name=name, mean=mean, n=n) for name, mean, n in result.halves
    ]
    if result.shared:
        lines.append(
            tn(
                "{n:,} sentence is in both corpora, which makes their words alike.",
                "{n:,} sentences are in both corpora, which makes their words alike.",
                result.shared,
            )
        )
    s = result.shift
    if s is not None and (known := ~np.isnan(s.within)).any():
        lines.append(
            t(
                "1 − cosine: {between:.2f} between corpora, {within:.2f} between halves ({excess:+.2f}); {share:.0%} of words moved more than halves do.",
                excess=float(s.excess[known].mean()),
                between=float(s.between[known].mean()),
                within=float(s.within[known].mean()),
                share=float((s.excess[known] > 0).mean()),
            )
        )
    return lines


def word_in_both(result: SpacesCompared) -> None:
    """Show a word's two lists of neighbors side by side."""
    c = result.comparison
    target = st.session_state.get("w") or examples.first_word()
    first, offered = result.words_to_open(target, list(examples.pairs()), OFFERED, languages.in_use())
    st.markdown(t("**A word in both**"))
    places = st.columns([4, 2], vertical_alignment="bottom")
    places[0].pills(t("Examples"), offered, key="cmp_example", on_change=_take_example, label_visibility="collapsed")
    typed = text_box("cmp_word", t("Word"), "", BOX["word"], place=places[1], placeholder=first).strip()
    word = find_form(typed or first, c.words, languages.in_use())
    if not typed and not find_form(target, c.words, languages.in_use()):
        message = t("“{word}” is not in both; “{other}” is shown.", word=plain(shorten(target)), other=word)
        st.caption(message)
    if not word:
        raise BadInput(t("“{word}” is not in both. Choose another.", word=shorten(typed)))
    k = c.words.index(word)
    both = set(c.first[k]) & set(c.second[k])
    pairs = zip(st.columns(2, gap="large"), result.names, (c.first, c.second), c.cosines, c.random, strict=True)
    for column, name, neighbors, cosines, random in pairs:
        with column:
            layer = name.rpartition(MARK)[2]
            color = layer_color(layer) if layer.isdecimal() or layer in (MIX, SENSES) else GLOVE
            lists.heading(
                t("“{word}” in {name}", word=word, name=name),
                color,
                t("{n} of {k} in both · cosine; any two of these words {mean:.2f}", n=len(both), k=c.k, mean=random),
            )
            lists.word_lines(
                [
                    (c.words[other], float(cosine), t("in both") if other in both else "")
                    for other, cosine in zip(neighbors[k], cosines[k], strict=True)
                ]
            )


def _take_example() -> None:
    if chosen := st.session_state.cmp_example:
        st.session_state.cmp_word = chosen


def table_of(result: SpacesCompared, order: np.ndarray) -> pd.DataFrame:
    """Return the data table with a row for each word, in the given order."""
    c = result.comparison
    words = np.array(c.words, object)
    columns = {
        t("word"): words[order],
        t("shared neighbors"): c.shared[order],
        t("Jaccard"): c.jaccard[order].round(3),
        t("correlation of cosines"): c.profile[order].round(3),
    }
    if result.shift is not None:
        columns |= {
            t("distance between corpora"): result.shift.between[order].round(3),
            t("distance of halves"): result.shift.within[order].round(3),
            t("difference"): result.shift.excess[order].round(3),
        }
    for name, lists_ in zip(result.names, (c.first, c.second), strict=True):
        columns[t("nearest in {name}", name=name)] = [", ".join(words[row]) for row in lists_[order]]
    return pd.DataFrame(columns)
