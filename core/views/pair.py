"""One word in two sentences: the verdict, its picture, and what any mix of the layers needs of both vectors."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ..common.model_layers import Layers
from ..elmo.mix import along, mix_cosines, pair_products, stops
from ..senses.scene import Scene
from ..text.readings import WordInContext
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model
from . import levels, scene
from .levels import Judgment

READS = ("model", "vectors", "corpus")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRequest:
    """Two words in question."""

    first: WordInContext
    second: WordInContext


@dataclass(frozen=True, slots=True, eq=False)
class Angles:
    """The products of two vectors of one model that any layer mix needs."""

    layers: Layers
    stops: np.ndarray  # (L + 1, L) weights: each layer alone, then the mix
    cross: np.ndarray  # (L, L) layer products, first word with second
    own: tuple[np.ndarray, np.ndarray]  # (L(L+1)/2,) of each with itself
    cosines: Mapping[str, float]  # by layer, last the mix

    def cosine(self, place: float) -> float:
        """At a place between two stops."""
        weights = along(place, self.stops)
        return float(mix_cosines(self.cross[None], self.own[0], self.own[1][None], weights)[0])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Pair:
    """All results about two words in their sentences."""

    words: tuple[str, str]  # without what clings to them
    judgment: Judgment
    scene: Scene | None  # None where no labeled sentence has both words, and the model has no sense space
    angles: Angles
    static: float | None  # GloVe's cosine; None where one has no vector, or one of no length
    in_static: tuple[bool, bool]
    random: Mapping[str, float]  # mean cosine of two random words, where it is known
    cosines: Mapping[str, float] = field(init=False)  # by layer, and last the mix
    bars: Mapping[str, float] = field(init=False)  # all cosines, GloVe's first where it has one
    same: bool = field(init=False)  # whether both are one spelling, letter case aside: one vector to GloVe
    one_word: bool = field(init=False)  # whether both are forms of one word, letter case aside

    def __post_init__(self) -> None:
        first, second = (word.casefold() for word in self.words)
        cosines = self.angles.cosines
        bars = dict(cosines) if self.static is None else {"GloVe": self.static, **cosines}
        derived = {"cosines": cosines, "bars": bars, "same": first == second, "one_word": self.judgment.one_word}
        for name, value in derived.items():
            object.__setattr__(self, name, value)


@reads_as_model
def compute(workspace: Workspace, request: PairRequest) -> Pair:
    """The answer; MissingArtifact where the vectors in use are not there."""
    both = request.first, request.second
    turned = angles(workspace, *both)
    return Pair(
        words=(bare(both[0].word), bare(both[1].word)),
        judgment=levels.judgment(workspace, *both),
        scene=scene.compute(workspace, *both),
        angles=turned,
        static=workspace.vectors.cosine(both[0].word, both[1].word),
        in_static=tuple(workspace.vectors.vector(word.word) is not None for word in both),
        random=levels.means(workspace, turned.layers.spaces),
    )


@reads_as_model
def angles(workspace: Workspace, first: WordInContext, second: WordInContext) -> Angles:
    """Return the products of both words' vectors, which need no labels and no static vectors."""
    a, b = (query.layers for query in workspace.queries((first, second)))
    cross, *own = pair_products(a, b)
    weights = stops(len(a))
    values = mix_cosines(cross[None], own[0], own[1][None], weights)[:, 0]
    return Angles(workspace.layers, weights, cross, tuple(own), dict(zip(workspace.layers.spaces, map(float, values), strict=True)))
