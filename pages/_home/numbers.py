"""The numbers of Home's picture: what any mix of the layers needs of the two words in question, and their cosines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.common.model_layers import Layers
from core.elmo.mix import mixed_cosines, pair_products, stops
from core.text.tokens import bare
from pages._cached import opened
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen
from pages._word import random_levels, verdict


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
    random: Mapping[str, float]  # mean cosine of two words drawn by lot, where it is known
    in_glove: tuple[bool, bool]

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
    a, b = (opened.query(in_use.model, c.tokens, c.position).layers for c in (first, second))
    weights, (cross, *own) = stops(len(a)), pair_products(a, b)
    values = mixed_cosines(cross[None], own[0], own[1][None], weights)[:, 0]
    cosines = dict(zip(Layers(len(a)).spaces, map(float, values), strict=True))
    vectors = opened.vectors(in_use.vectors)
    return Numbers(
        (bare(first.word), bare(second.word)),
        verdict.of_one_word(in_use, first, second),
        weights,
        cross,
        tuple(own),
        cosines,
        vectors.cosine(first.word, second.word),
        random_levels.means(in_use, cosines),
        tuple(vectors.vector(chosen.word) is not None for chosen in (first, second)),
    )
