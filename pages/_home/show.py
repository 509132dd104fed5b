"""Home: the verdict on the word, and its picture: the angle between its two vectors in each layer, beside GloVe's.

The picture moves under the hand (home.js).
"""

from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import html
from core.senses.judge import is_word
from core.text import languages
from core.text.tokens import bare
from core.views import levels
from core.views.pair import Pair, angles
from pages._cached.views import about, bench
from pages._export import record
from pages._frame import language
from pages._frame.choices import what_layers_read
from pages._frame.frame import notice
from pages._frame.in_use import InUse, short_name
from pages._frame.markup import show_errors, show_html
from pages._home import expected, figures, instrument, notices
from pages._home.beside import Beside
from pages._widgets import instruments, lists
from pages._widgets.charts import note
from pages._widgets.inputs import Chosen
from pages._word import pair_layer, verdict, verdict_words


def show(in_use: InUse, first: Chosen, second: Chosen, place: DeltaGenerator) -> None:
    """The verdict in its place, the picture where this is called."""
    in_use = about(in_use, first.in_context, second.in_context)
    _prepare(in_use, first, second)
    with place:
        _verdict(in_use, first, second)
    _picture(in_use, first, second)


def _prepare(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """Compute all that takes time before anything is drawn: what is out of date is then replaced at once. Errors are shown where it is drawn."""
    with suppress(ElmoscopeError):
        pair = verdict.of_pair(in_use, first, second)
        for space in pair.cosines:
            levels.level(bench(in_use), space)
        expected.compute(in_use, first, second)


def _verdict(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """The answer to the page's question, in large type; a click away, the language that a foreign word is of."""
    judgment = verdict.on(in_use, first.in_context, second.in_context).verdict
    word = bare(first.word)
    if foreign := language.foreign(word, second.word):
        title, reason = t("Another language"), language.say_foreign(foreign[0])
    elif judgment is not None:
        title = verdict_words.title(judgment)
        reason = f"{judgment.say_certainty()} {verdict_words.reason(judgment, word)}"
    elif all(is_word(each.in_context, languages.in_use()) for each in (first, second)):
        title, reason = t("Two different words"), t("Tap the same word in both sentences.")
    else:
        title, reason = t("Not a word"), t("Tap a word in each sentence.")
    show_html('<p class="verdict" role="status"><b>{}</b> <span>{}</span></p>', title, reason)
    record.now().note("notice", html("<b>{}</b> {}", title, reason), "verdict")
    for other in foreign[:1]:
        language.offer_its_language(other, "home.read")


def _picture(in_use: InUse, first: Chosen, second: Chosen) -> None:
    pair = verdict.of_pair(in_use, first, second)
    other = None
    if in_use.beside:
        with show_errors():  # the first model's answer stands whatever becomes of the second's
            turned = angles(bench(in_use).beside(in_use.beside), first.in_context, second.in_context)
            other = Beside(short_name(in_use.beside), turned)
    chips = st.container(key="home_expected")
    layer = _draw(in_use, pair, other)
    words = []
    with show_errors():  # after the picture, which waits for no softmax
        words = expected.show(in_use, first, second, chips)
    zeros = [notices.zeros()] if pair.static is None and all(pair.in_static) else []
    notice(
        notices.write_notices(pair, layer, levels.level(bench(in_use), layer))
        + zeros
        + ([notices.describe_second_model(other, layer)] if other else [])
    )
    if pair.judgment.verdict is not None:
        pair_layer.note(pair.judgment.layer, layer)
    rows = [(instrument.name_of(k), round(v, 4)) for k, v in pair.bars.items()]
    rows += [(instrument.second_model_title(other, k), round(v, 4)) for k, v in other.angles.cosines.items()] if other else []
    lists.twin(pd.DataFrame(rows, columns=[t("vectors"), t("cosine")]), name="cosines", key="home.table")
    expected.twin(words)


def _draw(in_use: InUse, pair: Pair, other: Beside | None) -> str:
    """The picture, and the layer that it shows."""
    spaces = list(pair.cosines)
    instruments.hide("home", "home_controls", "home_direction")
    with st.container(key="home_controls"):
        layer = pair_layer.choose("layer", in_use, spaces=spaces, label=what_layers_read())
    with st.container(key="home_picture"):
        instrument.show(pair, other, layer, partial(_take_set, spaces))
    for key, make, alt in figures.figures(pair, other, layer):
        note(make, key=key, alt=alt)
    return layer


def _take_set(layers: list[str]) -> None:
    if (layer := instruments.get_settings(instrument.LIVE).get("layer")) in layers:
        st.session_state["layer"] = layer
        pair_layer.keep(layer)
