"""Home's widgets: the picture, "What decides", and the words that ELMo expects in place of each target word."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import shorten
from core.common.model_layers import SENSES
from core.elmo.substitutes import BOTH, InPlace, put_in
from core.figures.influence import curves_figure
from core.figures.maps import scene_figure
from core.figures.style import OWN, layer_title
from core.live.texts import expected_texts, scene_texts
from core.live.widgets import NONE, curves_data, decisive_rows, describe, occurrences, plain_rows, say_probability, scene_data
from core.senses.scene import Scene
from core.senses.verdict import is_word
from core.text import languages
from core.text.tokens import bare
from core.views import substitutes
from core.views.pair import Pair
from core.views.substitutes import SubstitutesRequest
from pages._cached.cache import view, workspace
from pages._frame import language, question
from pages._frame.in_use import InUse
from pages._frame.markup import plain
from pages._frame.parameters import gone_through_history, read_parameter, write_parameter
from pages._widgets import verdict
from pages._widgets.charts import note
from pages._widgets.components import SHARED, get_settings, make_component, map_widget, sequence
from pages._widgets.inputs import Chosen

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
    judgment, usual, densities = pair.judgment, verdict.usual_layer(in_use), verdict.densities(in_use, pair.judgment)
    rows, plain, sure = decisive_rows(densities, judgment), plain_rows(densities, pair.cosines), say_probability(judgment)
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
    scene, settings = st.session_state.get(DRAWN), get_settings(KEY)
    if scene is None:
        return
    if (space := settings.get("view")) in scene.spaces:
        st.session_state[SPACE] = space
        verdict.keep_layer(space)
    if scene.labeled and type(row := settings.get("taken")) is int and 0 <= row < len(scene.texts):
        sentence = occurrences(scene)[row]
        question.put(b=sentence.sentence, word=sentence.word)
        st.session_state["bi"] = sentence.position


EXPECTED = "home.expected"  # key of the component
_read = {end: (Path(__file__).parent / f"expected.{end}").read_text("utf-8") for end in ("js", "css")}
_chips = st.components.v2.component("elmoscope_expected", html='<div class="expected"></div>', css=_read["css"], js=SHARED + _read["js"])


def show_expected(in_use: InUse, first: Chosen, second: Chosen, place: DeltaGenerator) -> list[InPlace]:
    """Draw the chips in their place, where the model can name words; return what they hold."""
    with place:
        try:
            places = expect_words(in_use, first, second)
            if places is None:
                return []
        except ElmoscopeError as error:  # a transformer, or published weights without a softmax
            st.caption(plain(str(error)))
            return []
        _chips(key=EXPECTED, data=_data(places), on_put_change=_take_put)
    return places


def expect_words(in_use: InUse, first: Chosen, second: Chosen) -> list[InPlace] | None:
    """Return the words expected in both places; None for what is no word of the language."""
    words = first.in_context, second.in_context
    if language.foreign(bare(first.word), second.word) or not all(is_word(word, languages.in_use()) for word in words):
        return None
    return view(substitutes.compute, workspace(in_use), SubstitutesRequest(words=words, direction=BOTH))


def put(side: str, word: str) -> None:
    """Replace the selected word of a sentence in a callback. The other sentence keeps its selection."""
    current = question.settle()  # with what was typed since the chips were drawn
    number = question.SIDES.index(side)
    if current.positions[number] is None:
        return
    for key, tokens, position in zip(question.SIDES, current.tokens, current.positions, strict=True):
        if position is not None and key != side:
            st.session_state[f"{key}i"], st.session_state[f"{key}.tapped"] = position, tokens[position]
    text, position = put_in(current.texts[number], current.tokens[number], current.positions[number], word)
    question.put(**{side: text[: limits().max_text]}, word=word)
    st.session_state[f"{side}i"] = position


def _take_put() -> None:
    side, _, word = str((st.session_state.get(EXPECTED) or {}).get("put") or "").partition(":")
    if side in question.SIDES and 0 < len(word) <= question.LONGEST:
        put(side, word)


def _data(places: Sequence[InPlace]) -> dict:
    largest = max((answer.probability for place in places for answer in place.substitutes), default=1.0)
    return expected_texts() | {
        "sides": [
            {
                "side": side,
                "which": which,
                "color": color,
                "words": [
                    {
                        "word": answer.word,
                        "size": round((answer.probability / largest) ** 0.5, 3),
                        "label": t("{word}, {p:.1%}: insert", word=answer.word, p=answer.probability),
                    }
                    for answer in (place.substitutes if place.is_good else ())
                ],
            }
            for side, which, color, place in zip(question.SIDES, (t("1st"), t("2nd")), OWN, places, strict=True)
        ]
    }
