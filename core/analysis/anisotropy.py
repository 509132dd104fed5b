"""Two random words: the cosine of two words that have nothing to do with each other, layer by layer.

Contextual vectors lie in a narrow cone, so that a cosine of 0 is not "nothing in common": two random words have more (Ethayarajh
2019). What every page calls "two random words" is defined here, and only here. It belongs to a model, not to the corpus in use: TOKENS
sentences of the model's language are drawn at random (seed 0; all, where there are fewer), from each one token with a letter, every
such token as likely; the level is that of all pairs of two different words among them (letter case aside), at one layer or under one
mix: their mean cosine, and between what nine pairs in ten lie. It is kept in a model's measures.json ("random", `python -m core
evaluate random`); of a model without measures FEWER sentences are read when it is first wanted.

`random_level(drawn, weights)` is the level under any mix; `level_of(measures, layer)` the one that was kept. `SharedDirections` is what all tokens
share, their mean and their largest principal directions: without it, random words have nothing in common ("all but the top", Mu
and Viswanath 2018). What else that changes is measured beside our sentences (core.evaluation.own_sentences); `embed` gives ELMo's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from ..common.errors import BadInput
from ..elmo.layer_norm import layer_normalized
from ..elmo.mix import check_weights, layer_weights, mixed
from ..elmo.models import Model
from ..files.artifacts import read_json
from ..index.sense_space import SENSES, SenseSpace
from ..text.corpora import open_corpus

TOKENS = 1000  # drawn for what is kept: half a million pairs
FEWER = 300  # where it is measured while somebody waits: the mean within 0.05 or so of that of TOKENS
NINE_IN_TEN = (0.05, 0.95)
DIRECTIONS = (0, 1, 3, 8)  # taken away after the mean


@dataclass(frozen=True, slots=True)
class Level:
    """Of the cosines of two random words."""

    mean: float
    low: float  # nine pairs in ten lie between ...
    high: float  # ... these two


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """N tokens, each of another sentence."""

    words: tuple[str, ...]  # casefolded
    layers: np.ndarray  # (N, L, D) float32
    occurrences: tuple[tuple[tuple[str, ...], int], ...] = ()  # the sentence of each, and its place there


def draw(encoder, sentences: Sequence[Sequence[str]], n: int = TOKENS, *, seed: int = 0) -> Drawn:
    """A token with a letter of each of n random sentences; all of them where there are fewer. BadInput where two are not to be had."""
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


def random_cosines(drawn: Drawn, weights) -> np.ndarray:
    """The cosines (n,) of all pairs of different words under a mix."""
    return _cosines(drawn, mixed(drawn.layers, check_weights(weights, drawn.layers.shape[1]), axis=1, unit=True))


def _cosines(drawn: Drawn, rows: np.ndarray) -> np.ndarray:
    words = np.array(drawn.words)
    return (rows @ rows.T)[np.triu(words[:, None] != words, 1)]


def random_level(drawn: Drawn, weights, *, normalized: bool = False) -> Level:
    """Mean and middle nine tenths of these cosines, of normalized layers if told so."""
    drawn = Drawn(drawn.words, layer_normalized(drawn.layers)) if normalized else drawn
    return _level(random_cosines(drawn, weights))


def level_in_senses(drawn: Drawn, space: SenseSpace) -> Level:
    """The same in the sense space, minus the mean of all words."""
    return _level(_cosines(drawn, space.place(space.views(drawn.occurrences, drawn.layers))))


def _level(cosines: np.ndarray) -> Level:
    low, high = np.quantile(cosines, NINE_IN_TEN)
    return Level(float(cosines.mean()), float(low), float(high))


@dataclass(frozen=True, slots=True, eq=False)
class SharedDirections:
    """What the vectors of a layer share: their mean (L, D), and the directions (L, K, D) in which they differ most, of length 1."""

    mean: np.ndarray
    directions: np.ndarray

    @classmethod
    def of(cls, drawn: Drawn, k: int = DIRECTIONS[-1]) -> SharedDirections:
        """Learned on random tokens; of fewer than k + 1 there are fewer directions."""
        mean = drawn.layers.mean(axis=0)
        return cls(mean, np.stack([np.linalg.svd(rows, full_matrices=False)[2][:k] for rows in (drawn.layers - mean).swapaxes(0, 1)]))

    def away(self, drawn: Drawn, k: int) -> Drawn:
        """The same tokens without the mean and the k largest directions."""
        rows = drawn.layers - self.mean
        along = np.einsum("nld,lkd->nlk", rows, self.directions[:, :k])
        return Drawn(drawn.words, rows - np.einsum("nlk,lkd->nld", along, self.directions[:, :k]))


def evaluate(model: Model, *, n: int = TOKENS, seed: int = 0, space: SenseSpace | None = None) -> dict:
    """The level of each layer and of the equal mix, from the sentences of the model's language; `without` what other tokens share. With a
    `space` "senses" is the sense space."""
    sentences = [s.tokens for s in open_corpus(model.language.sentences, model.language)]
    drawn, others = (draw(model.encoder, sentences, n, seed=seed + k) for k in (0, 1))
    n_layers = drawn.layers.shape[1]
    shared = SharedDirections.of(others)
    names = {name: layer_weights(name, n_layers) for name in (*map(str, range(n_layers)), "mix")}
    result = {name: asdict(random_level(drawn, weights)) for name, weights in names.items()}
    freed = {k: shared.away(drawn, k) for k in DIRECTIONS}
    rounded = {
        name: {key: round(value, 4) for key, value in level.items()}
        | {"without": {str(k): round(float(random_cosines(rest, names[name]).mean()), 4) for k, rest in freed.items()}}
        for name, level in result.items()
    }
    if space:
        rounded[SENSES] = {key: round(value, 4) for key, value in asdict(level_in_senses(drawn, space)).items()}
    return {"model": model.name, "corpus": model.language.sentences, "n": len(drawn.words), **rounded}


def draw_for(model: Model, measures: Mapping | None) -> Drawn:
    """The tokens that a model's kept levels are of, so that any mix is held against the same ones; FEWER where none are kept."""
    sentences = [s.tokens for s in open_corpus(model.language.sentences, model.language)]
    return draw(model.encoder, sentences, (measures or {}).get("random", {}).get("n", FEWER))


def measures_of(folder: Path, fingerprint: str) -> dict | None:
    """What measures.json beside a model says was measured of these very weights; None where there is none."""
    path = folder / "measures.json"
    stored = read_json(path, expect=dict) if path.is_file() else {}
    return stored.get("measures") if stored.get("fingerprint") == fingerprint else None


def level_of(measures: Mapping | None, layer: str) -> Level | None:
    """What a model's measures hold of a layer or "mix"; None where it was not measured."""
    result = (measures or {}).get("random", {}).get(layer)
    return Level(result["mean"], result["low"], result["high"]) if result else None


def _is_word(token: str) -> bool:
    return any(map(str.isalpha, token))
