"""The angle between a word's two vectors in each layer, and GloVe's: what angle.js is sent, and what a hand has set there."""

from pathlib import Path

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import shorten
from core.figures.maps import angle_figure, cosine_bars
from core.figures.style import GLOVE, OWN, layer_colour
from core.live.texts import angle_texts
from core.views.pair import Pair
from pages._frame.choices import layer_name, what_layers_read
from pages._widgets.charts import note
from pages._widgets.instruments import get_settings, instrument, sequence
from pages._word import pair_layer, verdict_words

KEY, LAYER = "how.angle", "angle_layer"  # of the component, and in the session
_angle = instrument("angle", Path(__file__).parent)


def show(pair: Pair) -> str:
    """Draw the arrows and the cosines; return the layer that is shown, and note both for what is taken along."""
    spaces = list(pair.cosines)
    layer = st.session_state.get(LAYER)
    layer = layer if layer in spaces else model_layers.in_use().top
    _angle(key=KEY, data=_data(pair) | {"layer": layer, "seq": sequence(KEY)}, on_set_change=lambda: _take(spaces))
    labels = t("1st"), t("2nd")
    note(
        lambda: angle_figure(pair.cosines[layer], labels, same_word=pair.same, layer=layer, glove=pair.static),
        key="angle",
        alt=describe_arrows(pair, layer),
    )
    note(lambda: cosine_bars(pair.bars, chosen=layer, random=pair.random), key="bars", alt=describe_bars(pair))
    return layer


def describe_arrows(pair: Pair, layer: str) -> str:
    """Return what the arrows show at a layer, in words."""
    at = model_layers.in_use().at(layer)
    values = {"first": shorten(pair.words[0]), "second": shorten(pair.words[1]), "at": at, "cosine": pair.cosines[layer]}
    return t("“{first}” and “{second}” as arrows {at}: cosine {cosine:.2f}.", **values)


def describe_bars(pair: Pair) -> str:
    """Return what the bars show, in words."""
    names = model_layers.in_use().of_model
    values = ", ".join(f"{name if name == 'GloVe' else names(name)} {value:.2f}" for name, value in pair.bars.items())
    return t("Cosines: {values}.", values=values) + verdict_words.random_in_words(dict(pair.random))


def _take(spaces: list[str]) -> None:
    if (layer := get_settings(KEY).get("layer")) in spaces:
        st.session_state[LAYER] = layer
        pair_layer.keep(layer)


def _data(pair: Pair) -> dict:
    names, known = list(pair.cosines), model_layers.in_use()
    none, single, double = (text := angle_texts(known))["glove"]
    return pair.angles.as_lists | {
        "layers": names,
        "short": [layer_name(name) if name in known.some else "" for name in names],
        "colours": [layer_colour(name) for name in names],
        "random": [pair.random.get(name) for name in names],
        "glove": None if pair.static is None else min(1.0, max(-1.0, pair.static)),
        "glove_colour": GLOVE,
        "own_colours": OWN,
        "alts": [describe_arrows(pair, name) for name in names],
        "text": text
        | {
            "label": what_layers_read(),
            "glove": ["GloVe", none if pair.static is None else single if pair.same else double],
            "bars": describe_bars(pair),
        },
    }
