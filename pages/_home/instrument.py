"""Home's instrument: what home.js is sent, so that every place between the layers is answered in the reader's browser."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.common import model_layers
from core.common.i18n import t
from core.figures.style import BESIDE, GLOVE, OWN, layer_colour, layer_title
from pages._frame.choices import layer_name, what_layers_read
from pages._home.numbers import Beside, Numbers
from pages._widgets.instruments import instrument
from pages._word import random_levels

LIVE = "home.live"  # key of the component
_live = instrument("home", Path(__file__).parent)


def show(found: Numbers, layer: str, taken: Callable[[], None]) -> None:
    """Mount it; `taken` is called when the reader has let go, `layer_set` is then the layer."""
    _live(key=LIVE, data=_data(found) | {"layer": layer, "seq": _said().get("seq")}, on_set_change=taken)


def layer_set() -> str | None:
    """The layer that the reader's browser says was set, whether there is one of that name or not."""
    layer = _said().get("layer")
    return layer if isinstance(layer, str) else None


def _said() -> dict:
    said = (st.session_state.get(LIVE) or {}).get("set")
    return said if isinstance(said, dict) else {}


def slider_label() -> str:
    return t("Layer of {model}. {told}", model=model_layers.in_use().called, told=what_layers_read())


def arrows_alt(found: Numbers, layer: str) -> str:
    """What the arrows show at a layer, in words."""
    told = {"first": found.words[0][:40], "second": found.words[1][:40], "where": layer_title(layer), "cosine": found.cosines[layer]}
    said = t(
        "Two arrows, “{first}” of the first sentence and “{second}” of the second, at {where}: the cosine of their angle is {cosine:.2f}.",
        **told,
    )
    if (other := found.beside) is None:
        return said
    place = other.place(layer, model_layers.in_use())
    return f"{said} {t('Beside them the same two in {model}, {where}: {cosine:.2f}.', model=other.name, where=other.where(place), cosine=other.cosine(place))}"


def bars_alt(found: Numbers) -> str:
    values = ", ".join(f"{name_of(name)} {value:.2f}" for name, value in found.bars.items())
    said = t("Bars of the cosine of the two vectors: {values}.", values=values) + random_levels.in_words(dict(found.random))
    if (other := found.beside) is None:
        return said
    return f"{said} {other.name}: {', '.join(f'{other.known.title(name)} {other.cosines[name]:.2f}' for name in other.known.some)}."


def title(found: Numbers) -> str:
    if found.one_word or found.same:
        return t("How alike are the two vectors of “{word}”?", word=found.words[0][:18])
    return t("How alike are the two words?")


def caption() -> str:
    return t("Cosine of the two vectors: 1 is the same direction; a grey line stands where two random words stand on average.")


def name_of(vectors: str) -> str:
    """GloVe, a layer or the mix, as in a list of both networks' numbers."""
    return vectors if vectors == "GloVe" else model_layers.in_use().of_model(vectors)


def beside_name(other: Beside, space: str) -> str:
    """A space of the second model, as in a list of all numbers."""
    return t("{model}, {layer}", model=other.name, layer=other.known.title(space))


def _beside(other: Beside | None) -> dict | None:
    if other is None:
        return None
    names = other.known.spaces
    return {
        "name": other.name if len(other.name) <= 24 else other.name[:23] + "…",
        "names": [other.known.title(name) for name in names],
        "some": [names.index(name) for name in other.known.some],
        "stops": other.stops.tolist(),
        "cross": other.cross.ravel().tolist(),
        "own": [one.tolist() for one in other.own],
        "values": list(other.cosines.values()),
        "colour": BESIDE,
    }


def _data(found: Numbers) -> dict:
    names = found.layers
    known = model_layers.in_use()
    one = t("one vector") if found.same else t("two vectors")
    return {
        "layers": names,
        "names": [layer_title(name) for name in names],
        "short": [layer_name(name) if name in known.some else "" for name in names],
        "colours": [layer_colour(name) for name in names],
        "stops": found.stops.tolist(),
        "cross": found.cross.ravel().tolist(),
        "own": [one.tolist() for one in found.own],
        "values": list(found.cosines.values()),
        "random": [found.random.get(name) for name in names],
        "glove": None if found.static is None else min(1.0, max(-1.0, found.static)),
        "glove_colour": GLOVE,
        "beside": _beside(found.beside),
        "own_colours": OWN,
        "alts": [arrows_alt(found, name) for name in names],
        "text": {
            "label": slider_label(),
            "labels": [t("1st"), t("2nd")],
            "glove": ["GloVe", t("has no vector") if found.static is None else one],
            "elmo": t("{model}, {layer}", model=known.called, layer="{layer}"),
            "beside": t("{model}, {layer}", model=found.beside.name[:24], layer="{layer}") if found.beside else "",
            "between": t("between {a} and {b}", a="{a}", b="{b}"),
            "apart": t("{degrees}° apart, cosine {cosine}", degrees="{degrees}", cosine="{cosine}"),
            "value": t("{where}: {degrees}° apart, cosine {cosine}", where="{where}", degrees="{degrees}", cosine="{cosine}"),
            "title": title(found),
            "caption": caption(),
            "bars": bars_alt(found),
        },
    }
