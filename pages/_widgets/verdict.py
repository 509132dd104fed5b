"""The verdict on the target word, one meaning or two, the same on every page (core.views.pair).

The verdict does not depend on the visible layer: it uses the layer that separates the senses of this word best. Figures open at the model's
default layer, until the user chooses another.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from core.common import model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import Markup, html, plain
from core.senses.calibration import calibration_of, is_calibrated
from core.senses.densities import Density, densities_of
from core.senses.verdict import CLOSE, ONE, TWO, Verdict
from core.views import pair
from core.views.pair import Judgment, Pair, PairRequest
from pages._cached.cache import view, within_run, workspace
from pages._frame.choices import layer_choice
from pages._frame.in_use import InUse
from pages._frame.parameters import read_parameter
from pages._widgets.inputs import Chosen

CHOSEN_LAYER = "pair.layer"  # the session's key of the layer that the user or the URL chose on any of these pages


def compare_pair(in_use: InUse, first: Chosen, second: Chosen) -> Pair:
    _measure(in_use)
    return view(pair.compute, workspace(in_use), PairRequest(first=first.in_context, second=second.in_context))


@within_run
def usual_layer(in_use: InUse) -> str:
    """Return the layer that separates meanings best over all labeled words."""
    return calibration_of(workspace(in_use)).layer


def densities(in_use: InUse, judgment: Judgment) -> Mapping[str, Density]:
    """Return the histograms of the evidence that counts for a verdict, by kind."""
    return densities_of(workspace(in_use), labeled=bool(judgment.lemma))


@within_run
def judge(in_use: InUse, first: Chosen, second: Chosen) -> Judgment:
    """Return the verdict on the target words of both sentences, and the layer that separates the meanings of the word best."""
    with suppress(ElmoscopeError):  # without static vectors there is a verdict, but no pair
        return compare_pair(in_use, first, second).judgment  # the pair is computed once for everything on the page
    _measure(in_use)
    return pair.judge(workspace(in_use), first.in_context, second.in_context)


def _measure(in_use: InUse) -> None:
    """Prepare what a model's first verdict needs."""
    over = workspace(in_use)
    if not is_calibrated(over):
        with st.spinner(t("Calibrating {model}, once…", model=plain(over.layers.called))):
            calibration_of(over)


def say_verdict(verdict: Verdict) -> str:
    return {ONE: t("One meaning"), TWO: t("Two meanings")}.get(verdict.says, t("Too close to call"))


def title_with_senses(verdict: Verdict) -> Markup:
    """Return the verdict as HTML, with the names of its senses if they agree with it."""
    names = verdict.senses
    if names is None or None in names or verdict.says == CLOSE or verdict.outvoted:
        return html("{}", say_verdict(verdict))
    first, second = (html("<i>{}</i>", name) for name in names)
    if verdict.says == ONE:
        return t("One meaning: {sense}", sense=first)
    return t("Two meanings: {first} and {second}", first=first, second=second)


def choose_layer(key: str, in_use: InUse, *, spaces: Sequence[str] = (), usual: str = "", **options: Any) -> str:
    """Draw a page's control `key` and return the layer that it holds: `usual`, if given, until the user chooses another."""
    state = st.session_state
    spaces = spaces or model_layers.in_use().spaces
    usual = usual or usual_layer(in_use)
    usual = usual if usual in spaces else model_layers.in_use().top
    if f"{key}.seen_by_pair" not in state:  # a link that names a layer is a choice
        state[f"{key}.seen_by_pair"] = True
        in_url = read_parameter(key)
        if in_url in spaces and in_url not in model_layers.in_use().spaces:  # a view that is no layer
            state[key] = in_url
        elif in_url and in_url != usual:
            keep_layer(in_url)
    wanted = state[CHOSEN_LAYER] if state.get(CHOSEN_LAYER) in spaces else usual
    by_itself = f"{key}.by_itself"  # the layer at which this page opened and that nobody chose
    if state.get(key) not in spaces or (state[key] in (*model_layers.in_use().spaces, state.get(by_itself)) and state[key] != wanted):
        state[key] = state[by_itself] = wanted
    return layer_choice(key, spaces, usual, on_change=_chosen_by_hand, args=(key, usual), **options)


def keep_layer(layer: str) -> None:
    """Let the other pages open at this layer too. A view that is not a layer stays with its page."""
    if layer in model_layers.in_use().spaces:
        st.session_state[CHOSEN_LAYER] = layer


def _chosen_by_hand(key: str, usual: str) -> None:
    st.session_state.pop(f"{key}.by_itself", None)
    keep_layer(st.session_state.get(key) or usual)
