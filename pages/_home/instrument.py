"""Home's instrument: what home.js is sent, so that every place between the layers is answered in the reader's browser."""

from collections.abc import Callable
from pathlib import Path

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import shorten
from core.figures.style import BESIDE, GLOVE, OWN, layer_colour
from core.live.texts import home_texts
from core.views.pair import Pair
from pages._frame.choices import layer_name, what_layers_read
from pages._home.beside import Beside
from pages._widgets.instruments import get_settings, instrument
from pages._word import verdict_words

LIVE = "home.live"  # key of the component
_live = instrument("home", Path(__file__).parent)


def show(pair: Pair, other: Beside | None, layer: str, taken: Callable[[], None]) -> None:
    """Mount it; `taken` is called when the reader has let go, `get_settings` then has the layer."""
    _live(key=LIVE, data=_data(pair, other) | {"layer": layer, "seq": get_settings(LIVE).get("seq")}, on_set_change=taken)


def arrows_alt(pair: Pair, other: Beside | None, layer: str) -> str:
    """What the arrows show at a layer, in words."""
    at = model_layers.in_use().at(layer)
    values = {"first": shorten(pair.words[0]), "second": shorten(pair.words[1]), "at": at, "cosine": pair.cosines[layer]}
    message = t("“{first}” and “{second}” as arrows {at}: cosine {cosine:.2f}.", **values)
    if other is None:
        return message
    place = other.place(layer, model_layers.in_use())
    return f"{message} {t('Second model, {model}, {where}: {cosine:.2f}.', model=other.name, where=other.where(place), cosine=other.angles.cosine(place))}"


def bars_alt(pair: Pair, other: Beside | None) -> str:
    values = ", ".join(f"{name_of(name)} {value:.2f}" for name, value in pair.bars.items())
    message = t("Cosines: {values}.", values=values) + verdict_words.random_in_words(dict(pair.random))
    if other is None:
        return message
    return f"{message} {other.name}: {', '.join(f'{other.layers.short(name)} {other.angles.cosines[name]:.2f}' for name in other.layers.some)}."


def name_of(vectors: str) -> str:
    """GloVe, a layer or the mix, as in a list of both networks' numbers."""
    return vectors if vectors == "GloVe" else model_layers.in_use().of_model(vectors)


def second_model_title(other: Beside, space: str) -> str:
    """A space of the second model, as in a list of all numbers."""
    return t("{model}, {layer}", model=other.name, layer=other.layers.short(space))


def _data(pair: Pair, other: Beside | None) -> dict:
    names, known = list(pair.cosines), model_layers.in_use()
    none, single, double = (text := home_texts(known))["glove"]
    second = None
    if other:
        spaces = other.layers.spaces
        second = {"name": shorten(other.name, 24), "colour": BESIDE}
        second |= other.angles.as_lists | {"some": [spaces.index(name) for name in other.layers.some]}
    return pair.angles.as_lists | {
        "layers": names,
        "short": [layer_name(name) if name in known.some else "" for name in names],
        "colours": [layer_colour(name) for name in names],
        "random": [pair.random.get(name) for name in names],
        "glove": None if pair.static is None else min(1.0, max(-1.0, pair.static)),
        "glove_colour": GLOVE,
        "beside": second,
        "own_colours": OWN,
        "alts": [arrows_alt(pair, other, name) for name in names],
        "text": text
        | {
            "label": what_layers_read(),
            "glove": ["GloVe", none if pair.static is None else single if pair.same else double],
            "beside": t("{model}, {layer}", model=shorten(other.name, 24), layer="{layer}") if other else "",
            "bars": bars_alt(pair, other),
        },
    }
