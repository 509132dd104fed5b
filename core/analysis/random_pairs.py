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
from contextlib import suppress
from dataclasses import asdict, dataclass

import numpy as np

from ..common.errors import BadInput, ElmoscopeError
from ..common.model_layers import MIX, SENSES
from ..elmo.mix import check_weights, layer_normalized, layer_weights, mixed, to_largest_1
from ..elmo.models import Model
from ..files.artifacts import read_json
from ..text.corpora import open_corpus
from ..workspace import Workspace, reads_as_model

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
    """Draw a token with a letter from each of n random sentences, or all if fewer. Raises BadInput without two different words."""
    rng = np.random.default_rng(seed)
    readable = [tokens for tokens in sentences if any(map(_is_word, tokens))]
    chosen = [list(readable[k]) for k in np.sort(rng.permutation(len(readable))[:n])]
    places = [int(rng.choice([k for k, token in enumerate(tokens) if _is_word(token)])) for tokens in chosen]
    occurrences = tuple((tuple(tokens), k) for tokens, k in zip(chosen, places, strict=True))
    words = tuple(tokens[k].casefold() for tokens, k in occurrences)
    if len(set(words)) < 2:
        raise BadInput("A random level needs two sentences with different words in them.")
    layers = np.stack([layers[:, k] for layers, k in zip(encoder.encode(chosen), places, strict=True)])
    return Drawn(words, np.asarray(layers, np.float32), occurrences)


def random_cosines(tokens: Drawn, weights) -> np.ndarray:
    """Return the cosines (n,) of all pairs of different words under a layer mix."""
    return _cosines(tokens, mixed(tokens.layers, check_weights(weights, tokens.layers.shape[1]), axis=1, unit=True))


def _cosines(tokens: Drawn, rows: np.ndarray) -> np.ndarray:
    words = np.array(tokens.words)
    return (rows @ rows.T)[np.triu(words[:, None] != words, 1)]


def level_under(tokens: Drawn, weights, *, normalized: bool = False) -> Level:
    """Return the mean and the middle nine tenths of these cosines under a layer mix, optionally after layer normalization."""
    tokens = Drawn(tokens.words, layer_normalized(tokens.layers)) if normalized else tokens
    return _level(random_cosines(tokens, weights))


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
        centered = (tokens.layers - mean).swapaxes(0, 1)  # (L, N, D)
        return cls(mean, np.stack([np.linalg.svd(rows, full_matrices=False)[2][:k] for rows in centered]))

    def away(self, tokens: Drawn, k: int) -> Drawn:
        """Return the tokens without the mean and the k largest directions."""
        rows = tokens.layers - self.mean
        along = np.einsum("nld,lkd->nlk", rows, self.directions[:, :k])
        return Drawn(tokens.words, rows - np.einsum("nlk,lkd->nld", along, self.directions[:, :k]))


def evaluate(model: Model, *, n: int = TOKENS) -> dict:
    """Return the level of each layer and the equal mix on the language's sentences; "without" what other random tokens share."""
    sentences = [s.tokens for s in open_corpus(model.language.sentences, model.language)]
    tokens, others = (draw(model.encoder, sentences, n, seed=seed) for seed in (0, 1))
    n_layers = tokens.layers.shape[1]
    shared = SharedDirections.of(others)
    freed = {str(k): shared.away(tokens, k) for k in DIRECTIONS}
    result = {"model": model.name, "corpus": model.language.sentences, "n": len(tokens.words)}
    for name in (*map(str, range(n_layers)), MIX):
        weights = layer_weights(name, n_layers)
        result[name] = {key: round(value, 4) for key, value in asdict(level_under(tokens, weights)).items()}
        result[name]["without"] = {k: round(float(random_cosines(rest, weights).mean()), 4) for k, rest in freed.items()}
    return result


@reads_as_model
def random_level(workspace: Workspace, space: str, *, normalized: bool = False) -> Level | None:
    """Return the cosines of two random words at a layer, "mix" or "senses"; None without sentences or without a sense space."""
    if space == SENSES:

        def measure_in_senses() -> Level | None:  # on FEWER words, which takes half a second
            tokens, senses = _random_words(workspace, FEWER), workspace.sense_space
            if tokens is None or senses is None:
                return None
            return _level(_cosines(tokens, senses.place(senses.views(tokens.occurrences, tokens.layers))))

        return workspace.once("level in senses", measure_in_senses)
    stored = None if normalized else workspace.once("levels", lambda: level_of(_measures(workspace.model), space), space, most=32)
    return stored or _measure(workspace, tuple(layer_weights(space, workspace.layers.n)), normalized)


@reads_as_model
def random_level_of_mix(workspace: Workspace, weights: Sequence[float], *, normalized: bool = False) -> Level | None:
    """Return the cosines of two random words under any weights (L,)."""
    if np.count_nonzero(weights) == 1:
        return random_level(workspace, str(np.flatnonzero(weights)[0]), normalized=normalized)
    return _measure(workspace, tuple(to_largest_1(weights).round(3)), normalized)


@reads_as_model
def mean_random_cosines(workspace: Workspace, spaces: Sequence[str], *, normalized: bool = False) -> dict[str, float]:
    """Return the mean of the level in each space that has one."""
    levels = {space: random_level(workspace, space, normalized=normalized) for space in spaces}
    return {space: level.mean for space, level in levels.items() if level is not None}


def _measure(workspace: Workspace, weights: tuple[float, ...], normalized: bool) -> Level | None:
    def measure() -> Level | None:
        n = (_measures(workspace.model) or {}).get("random", {}).get("n", FEWER)  # the tokens of the stored levels, if there are any
        tokens = workspace.once("random words", lambda: _random_words(workspace, n))
        return tokens and level_under(tokens, np.array(weights), normalized=normalized)

    return workspace.once("random level", measure, weights, normalized, most=64)


def _random_words(workspace: Workspace, n: int) -> Drawn | None:
    """Draw tokens from sentences of the model's language, or return None for a language without sentences."""
    with suppress(ElmoscopeError):
        return draw(workspace.model.encoder, workspace.language_texts, n)
    return None


def _measures(model: Model) -> dict | None:
    """Return the measures stored next to a model, or None without any for exactly these weights."""
    path = model.folder / "measures.json"
    stored = read_json(path, expect=dict) if path.is_file() else {}
    return stored.get("measures") if stored.get("fingerprint") == model.fingerprint else None


def level_of(measures: Mapping | None, layer: str) -> Level | None:
    """Return the stored level of a layer or of "mix", or None if it was not measured."""
    result = (measures or {}).get("random", {}).get(layer)
    return Level(result["mean"], result["low"], result["high"]) if result else None


def _is_word(token: str) -> bool:
    return any(map(str.isalpha, token))
