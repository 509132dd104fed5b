"""What a cosine is compared with: two random words at a layer, under a mix or in the sense space, as the model's measures have them, else
measured now; and the verdict on a pair."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..analysis import anisotropy
from ..analysis.anisotropy import Level
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from ..common.model_layers import MIX, SENSES
from ..elmo.mix import layer_weights, to_largest_1
from ..index.sense_space import SenseSpace
from ..senses import verdict
from ..senses.calibration import calibration_of
from ..senses.verdict import Verdict
from ..text.readings import WordInContext
from ..workspace import Word, Workspace, reads_as_model


@reads_as_model
def level(workspace: Workspace, space: str, *, normalized: bool = False) -> Level | None:
    """Return the level at a layer, "mix" or "senses"; None if the language has no sentences here, or the model no sense space."""
    if space == SENSES:
        return workspace.once("level in senses", lambda: _in_senses(workspace))
    n_layers = workspace.layers.n
    names = (*map(str, range(n_layers)), MIX)
    measured = workspace.once("levels", lambda: {name: anisotropy.level_of(_measures(workspace), name) for name in names})
    return (None if normalized else measured.get(space)) or _measure(workspace, tuple(layer_weights(space, n_layers)), normalized)


@reads_as_model
def level_of_mix(workspace: Workspace, weights: Sequence[float], *, normalized: bool = False) -> Level | None:
    """Return the level under any weights (L,)."""
    if np.count_nonzero(weights) == 1:
        return level(workspace, str(np.flatnonzero(weights)[0]), normalized=normalized)
    return _measure(workspace, tuple(to_largest_1(weights).round(3)), normalized)


@reads_as_model
def means(workspace: Workspace, spaces: Sequence[str], *, normalized: bool = False) -> dict[str, float]:
    """Layer -> the mean of that level, where it is known."""
    levels = {space: level(workspace, space, normalized=normalized) for space in spaces}
    return {space: each.mean for space, each in levels.items() if each is not None}


@reads_as_model
def sense_space(workspace: Workspace) -> SenseSpace:
    """The model's sense space. BadInput where it has none."""
    if (space := workspace.sense_space) is None:
        raise BadInput(t("{model} has no sense space: a layer is shown.", model=workspace.names.model))
    return space


@reads_as_model
def has_senses(workspace: Workspace) -> bool:
    """Return whether the model has a sense space."""
    return workspace.sense_space is not None


@dataclass(frozen=True, slots=True)
class Judgment:
    """The verdict on a word in two sentences, and what it was computed from."""

    one_word: bool  # whether both are forms of one word; two words get no verdict
    verdict: Verdict | None
    lemma: str  # the labeled word whose sentences vote; "" where none has labels
    layer: str  # that separates the word's meanings best: a figure opens there


@reads_as_model
def judgment(workspace: Workspace, first: WordInContext, second: WordInContext) -> Judgment:
    """Return the verdict on both words, by the labels of the selected corpus where it has some."""
    words = [Word(workspace, context) for context in (first, second)]
    result = verdict.compare(*words)
    layer = calibration_of(workspace).layer if result and not result.lemma else verdict.best_layer(workspace, words)
    return Judgment(result is not None, result, result.lemma if result else "", layer)


@reads_as_model
def best_layer(workspace: Workspace, words: Sequence[WordInContext]) -> str:
    """Return the layer, or "mix", that separates the meanings of the first of these words with labels best; else the best of all words."""
    return verdict.best_layer(workspace, [Word(workspace, context) for context in words])


def _in_senses(workspace: Workspace) -> Level | None:
    """Of FEWER words: half a second."""
    words, space = _random_words(workspace, few=True), workspace.sense_space
    return None if words is None or space is None else anisotropy.level_in_senses(words, space)


def _measure(workspace: Workspace, weights: tuple[float, ...], normalized: bool) -> Level | None:
    def compute() -> Level | None:
        words = workspace.once("random words", lambda: _random_words(workspace))
        return words and anisotropy.random_level(words, np.array(weights), normalized=normalized)

    return workspace.once("random level", compute, weights, normalized, most=64)


def _random_words(workspace: Workspace, *, few: bool = False) -> anisotropy.Drawn | None:
    try:
        return anisotropy.draw_for(workspace.model, None if few else _measures(workspace))
    except ElmoscopeError:  # a language without sentences of its own
        return None


def _measures(workspace: Workspace) -> dict | None:
    return anisotropy.measures_of(workspace.model.folder, workspace.model.fingerprint)
