"""Anisotropy: what all vectors of a layer share, and the effect of removing it."""

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
    """Show the cosine of two random words and the accuracy before and after. Show nothing if they were not measured."""
    random, senses = measures.get("random", {}), measures.get("sentences", {})
    layers = [name for name in random if name.isdecimal() and "without" in random[name] and "without" in senses.get(name, {})]
    if not layers:
        return
    with st.expander(t("Anisotropy: what all vectors share"), icon=":material/compress:", key="model.anisotropy"):
        _tell(layers, random, senses)


def _tell(layers: list[str], random: dict, senses: dict) -> None:
    show_html(
        "{}",
        t(
            "<p class='small'>Without their mean and main directions, random words are unrelated (Ethayarajh 2019, Mu and Viswanath 2018). "
            "Right-hand columns: change in sense accuracy, in points (95% interval).</p>"
        ),
    )
    lists.grid(pd.DataFrame([_row(name, random[name], senses[name]) for name in layers]), key="model.cone")
    notice(_write_notices(layers, senses))


def _row(layer: str, random: dict, senses: dict) -> dict[str, str]:
    return {
        t("layer"): layer_title(layer),
        t("random pairs"): f"{random['mean']:.2f}",
        t("minus mean"): f"{round(random['without']['0'], 2) + 0.0:.2f}",  # no minus before 0.00
        t("minus 8 directions"): f"{round(random['without'][MOST], 2) + 0.0:.2f}",
        t("sense accuracy"): f"{senses['one_nn']:.1%}",
        t("mean removed"): read_back(senses["without"]["0"]).in_points(),
        t("8 directions removed"): read_back(senses["without"][MOST]).in_points(),
        t("word mean removed"): read_back(senses["centered_less"]).in_points(),
    }


def _write_notices(layers: list[str], senses: dict) -> list[str]:
    read = [name for name in layers if name != "0"]  # layer 0 has one vector for all of a word's sentences
    verdicts = {name: read_back(senses[name]["without"][MOST]).verdict for name in read}
    shared = [name for name in read if verdicts[name] > 0]
    harmed = [name for name in read if verdicts[name] < 0]
    own = [name for name in read if read_back(senses[name]["centered_less"]).verdict > 0]
    lines = [
        t("Removing what all words share helps at {layers}.", layers=_join_titles(shared))
        if shared
        else t("Removing what all words share significantly helps at no layer.")
    ]
    if harmed:
        lines.append(t("Removing 8 directions hurts at {layers}.", layers=_join_titles(harmed)))
    if own:
        lines.append(t("Removing each word’s mean helps at {layers}: only Home’s verdict does so.", layers=_join_titles(own)))
    return lines


def _join_titles(layers: list[str]) -> str:
    return ", ".join(map(layer_title, layers))
