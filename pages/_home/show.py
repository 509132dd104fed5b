"""Home: the verdict on the word, and its picture: the angle between its two vectors in each layer, beside GloVe's.

The picture moves under the hand (home.js); where the browser cannot run it, Plotly draws it (plain.py).
"""

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common.i18n import t
from core.common.markup import html
from core.text.tokens import bare
from pages._cached import opened
from pages._export import record
from pages._frame import language
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html, shown_errors
from pages._home import expected, instrument, notices, plain
from pages._home.numbers import Numbers, beside, numbers
from pages._widgets import instruments, lists
from pages._widgets.charts import note
from pages._widgets.inputs import Chosen
from pages._word import pair_layer, random_levels, share_card, verdict, verdict_words
from pages._word.engines import compare_engines

PLAIN = "home.plain"  # in the session: this browser cannot run the instrument
# What is set stands in Streamlit's controls, and so in the address.
HIDDEN = "<style>.st-key-home_controls, .st-key-home_direction, .st-key-home-told {display: none;}</style>"


def show(in_use: InUse, first: Chosen, second: Chosen, place: DeltaGenerator) -> None:
    """The verdict in its place, the picture where this is called."""
    in_use = opened.about(in_use, first.looked_up, second.looked_up)
    with place:
        _verdict(in_use, first, second)
    _picture(in_use, first, second)
    compare_engines(in_use, [first, second])


def _verdict(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """The answer to the page's question, in large type; a click away, the language that a foreign word is of."""
    found = verdict.on(in_use, first, second)
    word = bare(first.word)
    if foreign := language.foreign(word, second.word):
        said, small = t("Another language"), language.say_foreign(foreign[0])
    elif found is not None:
        said = verdict_words.title(found)
        small = f"{verdict_words.certainty(found)} {verdict_words.reason(found, word)}"
    elif verdict.is_word(first) and verdict.is_word(second):
        said, small = t("Two different words"), t("Tap the same word in both sentences.")
    else:
        said, small = t("Not a word"), t("Tap a word in each sentence.")
    show_html('<p class="verdict" role="status"><b>{}</b> <span>{}</span></p>', said, small)
    record.now().note("notice", html("<b>{}</b> {}", said, small), "verdict")
    for other in foreign[:1]:
        language.offer_its_language(other, "home.read")


def _picture(in_use: InUse, first: Chosen, second: Chosen) -> None:
    found = numbers(in_use, first, second)
    if in_use.beside:
        with shown_errors():  # the first model's answer stands whatever becomes of the second's
            found = replace(found, beside=beside(in_use, first, second))
    by_streamlit = bool(st.session_state.get(PLAIN))
    chips = st.container(key="home_expected")
    layer = _drawn(in_use, found, first, second, by_streamlit=by_streamlit)
    words = []
    with shown_errors():  # after the picture, which waits for no softmax
        words = expected.show(in_use, first, second, chips, by_streamlit=by_streamlit)
    level = random_levels.level(in_use, layer)
    seen = notices.Seen(found.words, found.one_word, found.cosines, layer, level, found.in_glove)
    zeros = [notices.zeros()] if found.static is None and all(found.in_glove) else []
    notice(notices.noticed(seen) + zeros + ([notices.beside(found.beside, layer)] if found.beside else []))
    pair_layer.note(in_use, layer)
    rows = [{t("vectors"): instrument.name_of(k), t("cosine"): round(v, 4)} for k, v in found.bars.items()]
    if found.beside:
        rows += [{t("vectors"): instrument.beside_name(found.beside, k), t("cosine"): round(v, 4)} for k, v in found.beside.cosines.items()]
    share_card.note(in_use, first, second, layer)
    lists.twin(pd.DataFrame(rows), name="cosines", key="home.table")
    expected.twin(words)


def _drawn(in_use: InUse, found: Numbers, first: Chosen, second: Chosen, *, by_streamlit: bool) -> str:
    """The picture, and the layer that it shows."""
    if by_streamlit:
        layer = _layer(in_use, found.layers)
        plain.draw_picture(found, layer)
        return layer
    st.html(HIDDEN)
    with st.container(key="home_controls"):
        layer = _layer(in_use, found.layers)
    with st.container(key="home_picture"):
        instrument.show(found, layer, partial(_take_set, found.layers))
    instruments.told("home", {"key": repr((in_use.model, in_use.corpus, first, second))}, _take_plain)
    for key, make, alt in plain.figures(found, layer):
        note(make, key=key, alt=alt)
    return layer


def _layer(in_use: InUse, spaces: list[str]) -> str:
    return pair_layer.choose("layer", in_use, spaces=spaces, label=instrument.slider_label())


def _take_set(layers: list[str]) -> None:
    if (layer := instrument.layer_set()) in layers:
        st.session_state["layer"] = layer
        pair_layer.keep(layer)


def _take_plain() -> None:
    st.session_state[PLAIN] = True
