"""One meaning or two: the verdict on the word in question, the same on every page that shows it (core.views.pair).

`on(in_use, first, second)` holds that verdict, whatever layer a page shows: it is always read where this word's meanings are told apart
best, which is the layer that pictures of the word open at (pair_layer.py). `verdict_words` puts it in words.
"""

import streamlit as st

from core.common.i18n import t
from core.common.markup import plain
from core.senses.judge import Judgment
from core.text.readings import WordInContext
from core.views import levels, pair
from core.views.pair import Pair, PairRequest
from pages._cached.kept import within_run
from pages._cached.views import bench, view
from pages._frame import question
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen


def of_pair(in_use: InUse, first: Chosen, second: Chosen) -> Pair:
    """All that is known of both words."""
    _measure(in_use)
    return view(pair.compute, bench(in_use), PairRequest(first=first.in_context, second=second.in_context))


def layer_in_question(in_use: InUse) -> str:
    """The same of the two sentences that the visitor typed, on whichever page; of a word without a second sentence, its own best layer."""
    words = question.words()
    return on(in_use, *words).layer if len(words) == 2 else layer_of(in_use, *words)


@within_run
def layer_of(in_use: InUse, *words: WordInContext) -> str:
    """The layer that tells the meanings of the first of these words with labels apart best; else the best of all words."""
    over = bench(in_use)
    return levels.best_layer(over, words)


@within_run
def on(in_use: InUse, first: WordInContext, second: WordInContext) -> Judgment:
    """The verdict on both sentences' words in question, and the layer that tells that word's meanings apart best."""
    _measure(in_use)
    over = bench(in_use)
    return levels.judgment(over, first, second)


def _measure(in_use: InUse) -> None:
    """What a model's first verdict waits for."""
    judge = levels.judge(bench(in_use))
    if not judge.is_calibrated:
        with st.spinner(t("Calibrating {model}, once…", model=plain(judge.model.layers.called))):
            judge.ground()
