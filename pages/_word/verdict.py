"""The verdict on the target word, one meaning or two, the same on every page (core.views.pair).

`on(in_use, first, second)` returns it. It does not depend on the visible layer: it uses the layer that separates the senses of this word
best. Figures open at the model's default layer (pair_layer.py). `verdict_words` describes it.
"""

from contextlib import suppress

import streamlit as st

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import plain
from core.senses.judge import Judgment
from core.text.readings import WordInContext
from core.views import levels, pair
from core.views.pair import Pair, PairRequest
from pages._cached.kept import within_run
from pages._cached.views import about, view, workspace
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen


def of_pair(in_use: InUse, first: Chosen, second: Chosen) -> Pair:
    """Return the pair view of both words."""
    return _pair(in_use, first.in_context, second.in_context)


@within_run
def usual_layer(in_use: InUse) -> str:
    """Return the layer that separates meanings best over all labeled words."""
    return levels.best_layer(workspace(in_use), ())


@within_run
def on(in_use: InUse, first: WordInContext, second: WordInContext) -> Judgment:
    """Return the verdict on the target words of both sentences, and the layer that separates the meanings of the word best."""
    if about(in_use, first, second) == in_use:
        with suppress(ElmoscopeError):  # without static vectors there is a verdict, but no pair
            return _pair(in_use, first, second).judgment  # the pair is computed once for everything on the page
    _measure(in_use)
    over = workspace(in_use)
    return levels.judgment(over, first, second)


def _pair(in_use: InUse, first: WordInContext, second: WordInContext) -> Pair:
    _measure(in_use)
    return view(pair.compute, workspace(in_use), PairRequest(first=first, second=second))


def _measure(in_use: InUse) -> None:
    """Prepare what a model's first verdict needs."""
    judge = levels.judge(workspace(in_use))
    if not judge.is_calibrated:
        with st.spinner(t("Calibrating {model}, once…", model=plain(judge.model.layers.called))):
            judge.ground()
