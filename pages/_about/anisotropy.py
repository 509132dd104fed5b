"""Anisotropy on the page About the model: what all vectors of a layer share, and what it changes to take it off."""

import pandas as pd
import streamlit as st

from core.common.i18n import t
from core.common.significance import read_back
from core.figures.style import layer_title
from pages._frame.frame import notice
from pages._frame.markup import show_html
from pages._widgets import lists

MOST = "8"  # directions taken off, of those that were measured


def show(measures: dict) -> None:
    """Cosines of two random words, and the right sense's share, before and after; nothing where they were not measured so."""
    random, senses = measures.get("random", {}), measures.get("sentences", {})
    layers = [name for name in random if name.isdecimal() and "without" in random[name] and "without" in senses.get(name, {})]
    if not layers:
        return
    st.markdown(t("#### A narrow cone"))
    show_html(
        "{}",
        t(
            '<p class="small">All vectors of a layer share a mean and a few directions in which most of them differ (Ethayarajh 2019; Mu and Viswanath '
            "2018). Without these, two random words have nothing in common. Whether a word’s nearest sentence then has its sense more often is "
            "another question: the right-hand columns answer it on our labelled sentences, in points, with 95 % intervals over the words.</p>"
        ),
    )
    lists.grid(pd.DataFrame([_row(name, random[name], senses[name]) for name in layers]), key="model.cone")
    notice(_noticed(layers, senses))


def _row(layer: str, random: dict, senses: dict) -> dict[str, str]:
    return {
        t("layer"): layer_title(layer),
        t("two random words, cosine"): f"{random['mean']:.2f}",
        t("without the mean"): f"{round(random['without']['0'], 2) + 0.0:.2f}",  # no minus before 0.00
        t("and without 8 directions"): f"{round(random['without'][MOST], 2) + 0.0:.2f}",
        t("nearest has the sense"): f"{senses['one_nn']:.1%}",
        t("mean of all words off"): _points(senses["without"]["0"]),
        t("8 directions off, too"): _points(senses["without"][MOST]),
        t("each word’s own mean off"): _points(senses["centred_less"]),
    }


def _points(facts: dict) -> str:
    difference = read_back(facts)
    return f"{100 * difference.mean:+.1f} ({difference.ends()})"


def _noticed(layers: list[str], senses: dict) -> list[str]:
    read = [name for name in layers if name != "0"]  # layer 0 has one vector for all of a word's sentences
    verdicts = {name: read_back(senses[name]["without"][MOST]).verdict for name in read}
    shared = [name for name in read if verdicts[name] > 0]
    harmed = [name for name in read if verdicts[name] < 0]
    own = [name for name in read if read_back(senses[name]["centred_less"]).verdict > 0]
    lines = [
        t("Taking off what all words share helps at {layers}, by more than chance.", layers=_named(shared))
        if shared
        else t("Taking off what all words share parts the senses no better at any layer, by more than chance.")
    ]
    if harmed:
        lines.append(t("At {layers} the 8 directions even hold some of what parts them.", layers=_named(harmed)))
    if own:
        lines.append(
            t(
                "Taking off each word’s own mean does, at {layers}: so Home’s verdict compares a word’s sentences without it. Lists, maps and files give "
                "ELMo’s own vectors.",
                layers=_named(own),
            )
        )
    return lines


def _named(layers: list[str]) -> str:
    return ", ".join(map(layer_title, layers))
