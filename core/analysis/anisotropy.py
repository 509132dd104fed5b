"""Measure how similar two random words are, layer by layer.

Contextual vectors fill a narrow cone, so a cosine of 0 does not mean "nothing in common": two random words have a higher one
(Ethayarajh 2019). Every page that mentions "two random words" uses the definition here. The level belongs to a model, not to the
selected corpus. TOKENS sentences of the model's language are drawn at random (seed 0; all, if there are fewer), and from each one
token with a letter. The level is the mean cosine of all pairs of different words among them (ignoring case), at one layer or
under one layer mix, with the range of nine pairs in ten. A model's measures.json stores it ("random"). For a model without
measures, FEWER sentences are read when it is first needed.

`SharedDirections` removes what all tokens share, the mean and the largest principal directions, after which random words have
nothing in common ("all but the top", Mu and Viswanath 2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..common.errors import BadInput
from ..elmo.mix import check_weights, layer_normalized, layer_weights, mixed
from ..elmo.models import Model
from ..files.artifacts import read_json
from ..index.sense_space import SenseSpace
from ..text.corpora import open_corpus

TOKENS = 1000  # for stored levels: half a million pairs
FEWER = 300  # for levels measured on demand; the mean is within about 0.05 of that of TOKENS
NINE_IN_TEN = (0.05, 0.95)
DIRECTIONS = (0, 1, 3, 8)  # numbers of directions removed after the mean


@dataclass(frozen=True, slots=True)
class Level:
    """Mean and range of the cosines of two random words."""

    mean: float
    low: float  # nine pairs in ten are between low
    high: float  # and high


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """N random tokens, each from a different sentence."""

    words: tuple[str, ...]  # casefolded
    layers: np.ndarray  # (N, L, D) float32
    occurrences: tuple[tuple[tuple[str, ...], int], ...] = ()  # the sentence of each, and its place there


def draw(encoder, sentences: Sequence[Sequence[str]], n: int = TOKENS, *, seed: int = 0) -> Drawn:
    """Draw a token with a letter from each of n random sentences, or from all if there are fewer.

    Raises BadInput if fewer than two different words can be drawn.
    """
    rng = np.random.default_rng(seed)
    words = []
    layers = []
    readable = [tokens for tokens in sentences if any(_is_word(token) for token in tokens)]
    chosen = [list(readable[k]) for k in np.sort(rng.permutation(len(readable))[:n])]
    places = [int(rng.choice([k for k, token in enumerate(tokens) if _is_word(token)])) for tokens in chosen]
    if len({tokens[k].casefold() for tokens, k in zip(chosen, places, strict=True)}) < 2:
        raise BadInput("A random level needs two sentences with different words in them.")
    for tokens, k, result in zip(chosen, places, encoder.encode(chosen), strict=True):
        words.append(tokens[k].casefold())
        layers.append(np.asarray(result[:, k], np.float32))
    return Drawn(tuple(words), np.stack(layers), tuple((tuple(tokens), k) for tokens, k in zip(chosen, places, strict=True)))


def random_cosines(tokens: Drawn, weights) -> np.ndarray:
    """Return the cosines (n,) of all pairs of different words under a layer mix."""
    return _cosines(tokens, mixed(tokens.layers, check_weights(weights, tokens.layers.shape[1]), axis=1, unit=True))


def _cosines(tokens: Drawn, rows: np.ndarray) -> np.ndarray:
    words = np.array(tokens.words)
    return (rows @ rows.T)[np.triu(words[:, None] != words, 1)]


def random_level(tokens: Drawn, weights, *, normalized: bool = False) -> Level:
    """Return the mean and the middle nine tenths of these cosines, optionally after layer normalization."""
    tokens = Drawn(tokens.words, layer_normalized(tokens.layers)) if normalized else tokens
    return _level(random_cosines(tokens, weights))


def level_in_senses(tokens: Drawn, space: SenseSpace) -> Level:
    """Return the level in the sense space, after subtracting the mean of all words."""
    return _level(_cosines(tokens, space.place(space.views(tokens.occurrences, tokens.layers))))


def _level(cosines: np.ndarray) -> Level:
    low, high = np.quantile(cosines, NINE_IN_TEN)
    return Level(float(cosines.mean()), float(low), float(high))


@dataclass(frozen=True, slots=True, eq=False)
class SharedDirections:
    """The mean (L, D) of the tokens in each layer, and the unit directions (L, K, D) in which they differ most."""

    mean: np.ndarray
    directions: np.ndarray

    @classmethod
    def of(cls, tokens: Drawn, k: int = DIRECTIONS[-1]) -> SharedDirections:
        """Learn the mean and the k largest directions from random tokens. Fewer than k + 1 tokens give fewer directions."""
        mean = tokens.layers.mean(axis=0)
        return cls(mean, np.stack([np.linalg.svd(rows, full_matrices=False)[2][:k] for rows in (tokens.layers - mean).swapaxes(0, 1)]))

    def away(self, tokens: Drawn, k: int) -> Drawn:
        """Return the tokens without the mean and the k largest directions."""
        rows = tokens.layers - self.mean
        along = np.einsum("nld,lkd->nlk", rows, self.directions[:, :k])
        return Drawn(tokens.words, rows - np.einsum("nlk,lkd->nld", along, self.directions[:, :k]))


def evaluate(model: Model, *, n: int = TOKENS, seed: int = 0) -> dict:
    """Return the level of each layer and of the equal mix on sentences of the model's language.

    "without" holds the levels after removing what other random tokens share.
    """
    sentences = [s.tokens for s in open_corpus(model.language.sentences, model.language)]
    tokens, others = (draw(model.encoder, sentences, n, seed=seed + k) for k in (0, 1))
    n_layers = tokens.layers.shape[1]
    shared = SharedDirections.of(others)
    names = {name: layer_weights(name, n_layers) for name in (*map(str, range(n_layers)), "mix")}
    result = {name: asdict(random_level(tokens, weights)) for name, weights in names.items()}
    freed = {k: shared.away(tokens, k) for k in DIRECTIONS}
    rounded = {
        name: {key: round(value, 4) for key, value in level.items()}
        | {"without": {str(k): round(float(random_cosines(rest, names[name]).mean()), 4) for k, rest in freed.items()}}
        for name, level in result.items()
    }
    return {"model": model.name, "corpus": model.language.sentences, "n": len(tokens.words), **rounded}


def draw_for(model: Model, measures: Mapping | None) -> Drawn:
    """Draw the tokens on which a model's stored levels were measured, or FEWER if none are stored."""
    sentences = [s.tokens for s in open_corpus(model.language.sentences, model.language)]
    return draw(model.encoder, sentences, (measures or {}).get("random", {}).get("n", FEWER))


def measures_of(folder: Path, fingerprint: str) -> dict | None:
    """Return the measures stored next to a model, or None without any for exactly these weights."""
    path = folder / "measures.json"
    stored = read_json(path, expect=dict) if path.is_file() else {}
    return stored.get("measures") if stored.get("fingerprint") == fingerprint else None


def level_of(measures: Mapping | None, layer: str) -> Level | None:
    """Return the stored level of a layer or of "mix", or None if it was not measured."""
    result = (measures or {}).get("random", {}).get(layer)
    return Level(result["mean"], result["low"], result["high"]) if result else None


def _is_word(token: str) -> bool:
    return any(map(str.isalpha, token))
