"""Home's picture and "What decides": the data for their widgets, and the settings that the user changed there."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from core.common.markup import shorten
from core.common.model_layers import SENSES
from core.figures.influence import curves_figure
from core.figures.maps import scene_figure
from core.figures.style import layer_title
from core.live.texts import scene_texts
from core.live.widgets import NONE, curves_data, decisive_rows, describe, occurrences, plain_rows, say_probability, scene_data
from core.senses.scene import Scene
from core.views.pair import Pair
from pages._cached.views import workspace
from pages._frame import question
from pages._frame.in_use import InUse
from pages._frame.parameters import gone_through_history, read_parameter, write_parameter
from pages._widgets.charts import note
from pages._widgets.components import get_settings, make_component, map_widget, sequence
from pages._widgets.inputs import Chosen
from pages._word import verdict

KEY, CURVES = "home.live", "home.curves"  # of the components
SPACE, DRAWN, OPENED = "layer", "home.drawn", "home.opened"  # in the session; the first is in the address too
_curves = make_component("curves", Path(__file__).parent)


def show(in_use: InUse, pair: Pair, scene: Scene, chosen: Mapping[int, Chosen]) -> str:
    """Draw the picture and the curves; return the space that is shown."""
    space = _space(scene)
    with st.container(key="home_picture"):
        left, right = st.columns([2, 1], gap="medium")
        with left:
            _picture(scene, chosen, space)
        with right:
            _decides(in_use, pair, scene, space)
    return space


def _picture(scene: Scene, chosen: Mapping[int, Chosen], space: str) -> None:
    state = st.session_state
    word = chosen[1].word
    data = scene_data(scene, word, chosen)
    news = {"key": data["key"], "view": space, "dot": NONE, "picked": [], "seq": sequence(KEY)}
    opens = space == SENSES and not state.get(OPENED)
    state[OPENED], state[DRAWN] = True, scene
    map_widget(key=KEY, data=data | {"news": news, "opens": opens}, on_set_change=_take_set)
    sentences = [(item.tokens, item.position) for item in chosen.values()]
    alt = scene_texts(labeled=scene.labeled)["alt"].format(word=shorten(word), n=len(scene.texts), where=layer_title(space))
    note(lambda: scene_figure(scene, space, sentences), key="scene", alt=alt)


def _decides(in_use: InUse, pair: Pair, scene: Scene, space: str) -> None:
    model, judgment, usual = workspace(in_use).model, pair.judgment, verdict.usual_layer(in_use)
    rows, plain, sure = decisive_rows(model, judgment), plain_rows(model, judgment, pair.cosines), say_probability(judgment)
    _curves(key=CURVES, data=curves_data(rows, plain, scene.spaces, usual, sure))
    every_row = [*rows, *([gray] if (gray := plain.get(space, plain.get(usual))) else [])]
    if every_row:
        note(lambda: curves_figure(every_row), key="curves", alt=describe(rows, sure))


def _space(scene: Scene) -> str:
    """Return the space that is shown: the address's or the hand's, else the last, the sense space."""
    state = st.session_state
    if SPACE not in state or gone_through_history():
        state[SPACE] = read_parameter(SPACE)
        if state[SPACE] in scene.spaces:
            verdict.keep_layer(state[SPACE])
    last = scene.spaces[-1]
    space = state[SPACE] if state[SPACE] in scene.spaces else last
    write_parameter(SPACE, None if space == last else space)
    return space


def _take_set() -> None:
    """Select the space that the user dragged to, or put the sentence of a clicked dot into the second box. This is a callback."""
    scene, given = st.session_state.get(DRAWN), get_settings(KEY)
    if scene is None:
        return
    if (space := given.get("view")) in scene.spaces:
        st.session_state[SPACE] = space
        verdict.keep_layer(space)
    if scene.labeled and type(row := given.get("taken")) is int and 0 <= row < len(scene.texts):
        sentence = occurrences(scene)[row]
        question.put(b=sentence.sentence, word=sentence.word)
        st.session_state["bi"] = sentence.position
