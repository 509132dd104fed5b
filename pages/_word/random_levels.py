"""Where two words drawn by lot stand: the level that a cosine on a page is held against."""

from core.analysis import anisotropy
from core.analysis.anisotropy import Drawn, Level
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.elmo.layer_norm import layer_normalised
from core.elmo.mix import layer_weights
from core.evaluation.card import read_card
from core.figures.style import layer_title
from core.text.corpora import open_corpus
from pages._cached import opened
from pages._cached.kept import kept
from pages._frame.in_use import InUse


def level(in_use: InUse, layer: str, *, normalised: bool = False) -> Level | None:
    """Of a layer or "mix", as the model's measures have it, else measured now; None where its language has no sentences here."""
    return (None if normalised else _kept(in_use.model).get(layer)) or _measured(in_use.model, layer, normalised)


def means(in_use: InUse, layers, *, normalised: bool = False) -> dict[str, float]:
    """Layer -> the mean of that level, where it is known; of normalised layers if told so."""
    found = {name: level(in_use, name, normalised=normalised) for name in layers}
    return {name: one.mean for name, one in found.items() if one is not None}


def in_words(means: dict[str, float]) -> str:
    """The same as an end of what a picture is described by, a blank in front; "" where there is none."""
    named = ", ".join(f"{layer_title(name)} {mean:.2f}" for name, mean in means.items())
    return " " + t("Two words drawn by lot have on average: {values}.", values=named) if named else ""


def sentence(found: Level, layer: str) -> str:
    """Where two words drawn by lot stand, as a sentence."""
    told = {"where": layer_title(layer), "mean": found.mean, "low": found.low, "high": found.high}
    return t(
        "At {where} two words drawn by lot have a cosine of {mean:.2f} on average, nine pairs in ten between {low:.2f} and {high:.2f}.",
        **told,
    )


@kept(16)
def _kept(model_name: str) -> dict[str, Level]:
    model = opened.model(model_name)
    measures = read_card(model.folder, model.fingerprint).measures
    names = (*map(str, range(model.encoder.n_layers)), "mix")
    return {name: found for name in names if (found := anisotropy.level_of(measures, name))}


@kept(64)
def _measured(model_name: str, layer: str, normalised: bool) -> Level | None:
    drawn = _drawn(model_name)
    if drawn and normalised:
        drawn = Drawn(drawn.words, layer_normalised(drawn.layers))
    return drawn and anisotropy.random_level(drawn, layer_weights(layer, drawn.layers.shape[1]))


@kept(3)
def _drawn(model_name: str) -> Drawn | None:
    model = opened.model(model_name)
    try:
        sentences = open_corpus(model.language.sentences, model.language)
        return anisotropy.draw(model.encoder, [s.tokens for s in sentences], anisotropy.FEWER)
    except ElmoscopeError:  # a language without sentences of its own
        return None
