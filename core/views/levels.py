"""What a cosine is compared with: two random words at a layer, under a mix or in the sense space, as the model's measures have them, else
measured now; and the judge of a pair, with the sense space that it reads."""

from collections.abc import Sequence

import numpy as np

from core.analysis import anisotropy
from core.analysis.anisotropy import Level
from core.common.errors import BadInput, ElmoscopeError
from core.common.i18n import t
from core.common.model_layers import MIX, SENSES
from core.elmo.mix import layer_weights, to_largest_1
from core.index.sense_space import SenseSpace
from core.senses.judge import Judge, Judgment
from core.text.readings import WordInContext
from core.workbench import Bench, reads_as_model


@reads_as_model
def level(bench: Bench, space: str, *, normalised: bool = False) -> Level | None:
    """Of a layer, "mix" or "senses"; None where the model's language has no sentences here, or the model no sense space."""
    if space == SENSES:
        return bench.once("level in senses", lambda: _in_senses(bench))
    n_layers = bench.layers.n
    names = (*map(str, range(n_layers)), MIX)
    measured = bench.once("levels", lambda: {name: anisotropy.level_of(_measures(bench), name) for name in names})
    return (None if normalised else measured.get(space)) or _measure(bench, tuple(layer_weights(space, n_layers)), normalised)


@reads_as_model
def level_of_mix(bench: Bench, weights: Sequence[float], *, normalised: bool = False) -> Level | None:
    """The same under any weights (L,): a layer's own where all the weight is its."""
    if np.count_nonzero(weights) == 1:
        return level(bench, str(np.flatnonzero(weights)[0]), normalised=normalised)
    return _measure(bench, tuple(to_largest_1(weights).round(3)), normalised)


@reads_as_model
def means(bench: Bench, spaces: Sequence[str], *, normalised: bool = False) -> dict[str, float]:
    """Layer -> the mean of that level, where it is known."""
    levels = {space: level(bench, space, normalised=normalised) for space in spaces}
    return {space: each.mean for space, each in levels.items() if each is not None}


@reads_as_model
def judge(bench: Bench) -> Judge:
    """The judge by the bench's model; `is_calibrated` says whether its first verdict waits for a measuring."""
    opener, model = bench.opener, bench.names.model

    def make() -> Judge:
        return Judge(
            bench.model,
            bench.language_vectors,
            table=lambda corpus: opener.targets(corpus, model),
            encode=lambda sentences: opener.sentences(model, sentences),
        )

    return bench.once("judge", make, bench.model)  # anew for a model whose files changed


@reads_as_model
def sense_space(bench: Bench) -> SenseSpace:
    """The model's sense space. BadInput where it has none."""
    if (space := judge(bench).sense_space) is None:
        raise BadInput(t("{model} has no sense space: a layer is shown.", model=bench.names.model))
    return space


@reads_as_model
def has_senses(bench: Bench) -> bool:
    """Whether the model has a sense space."""
    return judge(bench).sense_space is not None


@reads_as_model
def judgment(bench: Bench, first: WordInContext, second: WordInContext) -> Judgment:
    """The verdict on both words, by the labels of the corpus in use where it has some."""
    return judge(bench).judge(first, second, labels(bench))


@reads_as_model
def best_layer(bench: Bench, words: Sequence[WordInContext]) -> str:
    """The layer, or "mix", that tells the meanings of the first of these words with labels apart best; else the best of all words."""
    return judge(bench).layer(words, labels(bench))


@reads_as_model
def labels(bench: Bench) -> str:
    """The corpus in use, where it has labels."""
    return bench.corpus if bench.is_labelled else ""


def _in_senses(bench: Bench) -> Level | None:
    """Of FEWER words: half a second."""
    words, space = _random_words(bench, few=True), judge(bench).sense_space
    return None if words is None or space is None else anisotropy.level_in_senses(words, space)


def _measure(bench: Bench, weights: tuple[float, ...], normalised: bool) -> Level | None:
    def compute() -> Level | None:
        words = bench.once("random words", lambda: _random_words(bench))
        return words and anisotropy.random_level(words, np.array(weights), normalised=normalised)

    return bench.once("random level", compute, weights, normalised, most=64)


def _random_words(bench: Bench, *, few: bool = False) -> anisotropy.Drawn | None:
    try:
        return anisotropy.draw_for(bench.model, None if few else _measures(bench))
    except ElmoscopeError:  # a language without sentences of its own
        return None


def _measures(bench: Bench) -> dict | None:
    return anisotropy.measures_of(bench.model.folder, bench.model.fingerprint)
