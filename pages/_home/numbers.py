"""The numbers of Home's picture: what any mix of the layers needs of the two words in question, and their cosines."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.common.i18n import t
from core.common.model_layers import MIX, Layers
from core.elmo.mix import along, mixed_cosines, pair_products, stops
from core.text.tokens import bare
from pages._cached import opened
from pages._frame.in_use import InUse, short_name
from pages._widgets.inputs import Chosen
from pages._word import random_levels, verdict

AT_STOP = 0.02  # of the way between two layers: nearer than that is the layer itself


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """The same two words in a second model, at the same depth as the first: bottom beside bottom, top beside top, mix beside mix."""

    name: str
    known: Layers
    stops: np.ndarray  # (L + 1, L) weights
    cross: np.ndarray  # (L, L) layer products, first word with second
    own: tuple[np.ndarray, np.ndarray]  # (L(L+1)/2,) of each with itself
    cosines: Mapping[str, float]

    def place(self, space: str, first: Layers) -> float:
        """How far along this model's stops a space of the first model lies; home.js has the same of any place."""
        top = self.known.n - 1
        return top + 1.0 if space == MIX else int(space) * top / max(1, first.n - 1)

    def where(self, place: float) -> str:
        """What is there: a space's name, or of the two that it lies between."""
        low = int(place)
        share = place % 1
        if share < AT_STOP or share > 1 - AT_STOP:
            return self.known.title(self.known.spaces[round(place)])
        a, b = (self.known.title(self.known.spaces[k]) for k in (low, low + 1))
        return t("between {a} and {b}", a=a, b=b)

    def cosine(self, place: float) -> float:
        weights = along(place, self.stops)
        return float(mixed_cosines(self.cross[None], self.own[0], self.own[1][None], weights)[0])


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Of two words in question, by layer and last the mix."""

    words: tuple[str, str]  # without what clings to them
    one_word: bool  # forms of one word, letter case aside
    stops: np.ndarray  # (L + 1, L) weights
    cross: np.ndarray  # (L, L) layer products, first word with second
    own: tuple[np.ndarray, np.ndarray]  # (L(L+1)/2,) of each with itself
    cosines: Mapping[str, float]
    static: float | None  # GloVe's cosine
    random: Mapping[str, float]  # mean cosine of two random words, where it is known
    in_glove: tuple[bool, bool]
    beside: Beside | None = None

    @property
    def layers(self) -> list[str]:
        return list(self.cosines)

    @property
    def bars(self) -> dict[str, float]:
        """All cosines, GloVe's first where it has one."""
        return ({} if self.static is None else {"GloVe": self.static}) | dict(self.cosines)

    @property
    def same(self) -> bool:
        """Whether both are one spelling, letter case aside: one vector to GloVe."""
        return self.words[0].casefold() == self.words[1].casefold()


def numbers(in_use: InUse, first: Chosen, second: Chosen) -> Numbers:
    weights, cross, own, cosines = _turned(in_use.model, first, second)
    vectors = opened.vectors(in_use.vectors)
    return Numbers(
        (bare(first.word), bare(second.word)),
        verdict.of_one_word(in_use, first, second),
        weights,
        cross,
        own,
        cosines,
        vectors.cosine(first.word, second.word),
        random_levels.means(in_use, cosines),
        tuple(vectors.vector(chosen.word) is not None for chosen in (first, second)),
    )


def beside(in_use: InUse, first: Chosen, second: Chosen) -> Beside:
    """The second model's numbers of the same two words."""
    weights, cross, own, cosines = _turned(in_use.beside, first, second)
    known = opened.model(in_use.beside).layers
    return Beside(short_name(in_use.beside), known, weights, cross, own, cosines)


def _turned(model: str, first: Chosen, second: Chosen) -> tuple[np.ndarray, np.ndarray, tuple, dict[str, float]]:
    """A model's stops, layer products and cosines of the two words."""
    a, b = (query.layers for query in opened.queries(model, (first.asked, second.asked)))
    weights = stops(len(a))
    cross, *own = pair_products(a, b)
    values = mixed_cosines(cross[None], own[0], own[1][None], weights)[:, 0]
    return weights, cross, tuple(own), dict(zip(Layers(len(a)).spaces, map(float, values), strict=True))
