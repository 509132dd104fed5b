"""Two random words: the level that a cosine on a page is held against, as core.analysis.anisotropy defines it, for every page."""

import numpy as np

from core.analysis import anisotropy
from core.analysis.anisotropy import Drawn, Level
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.elmo.mix import layer_weights
from core.evaluation.card import read_card
from core.figures.style import layer_title
from pages._cached import opened
from pages._cached.kept import kept
from pages._frame.in_use import InUse


def level(in_use: InUse, layer: str, *, normalised: bool = False) -> Level | None:
    """Of a layer or "mix", as the model's measures have it, else measured now; None where its language has no sentences here."""
    weights = layer_weights(layer, opened.model(in_use.model).encoder.n_layers)
    return (None if normalised else _kept(in_use.model).get(layer)) or _measured(in_use.model, tuple(weights), normalised)


def level_of_mix(in_use: InUse, weights: np.ndarray, *, normalised: bool = False) -> Level | None:
    """The same under any weights (L,): a layer's own where all the weight is its."""
    if np.count_nonzero(weights) == 1:
        return level(in_use, str(np.argmax(weights)), normalised=normalised)
    return _measured(in_use.model, tuple(np.asarray(weights).round(3)), normalised)


def means(in_use: InUse, layers, *, normalised: bool = False) -> dict[str, float]:
    """Layer -> the mean of that level, where it is known; of normalised layers if told so."""
    found = {name: level(in_use, name, normalised=normalised) for name in layers}
    return {name: one.mean for name, one in found.items() if one is not None}


def in_words(means: dict[str, float]) -> str:
    """The same as an end of what a picture is described by, a blank in front; "" where there is none."""
    named = ", ".join(f"{layer_title(name)} {mean:.2f}" for name, mean in means.items())
    return " " + t("Two random words have on average: {values}.", values=named) if named else ""


def sentence(found: Level, layer: str) -> str:
    """Where two random words stand, as a sentence."""
    told = {"where": layer_title(layer), "mean": found.mean, "low": found.low, "high": found.high}
    return t(
        "At {where} two random words have a cosine of {mean:.2f} on average, nine pairs in ten between {low:.2f} and {high:.2f}.", **told
    )


@kept(16)
def _kept(model_name: str) -> dict[str, Level]:
    model = opened.model(model_name)
    measures = read_card(model.folder, model.fingerprint).measures
    names = (*map(str, range(model.encoder.n_layers)), "mix")
    return {name: found for name in names if (found := anisotropy.level_of(measures, name))}


@kept(64)
def _measured(model_name: str, weights: tuple[float, ...], normalised: bool) -> Level | None:
    drawn = _drawn(model_name)
    return drawn and anisotropy.random_level(drawn, np.array(weights), normalised=normalised)


@kept(3)
def _drawn(model_name: str) -> Drawn | None:
    model = opened.model(model_name)
    try:
        return anisotropy.drawn_for(model, read_card(model.folder, model.fingerprint).measures)
    except ElmoscopeError:  # a language without sentences of its own
        return None
