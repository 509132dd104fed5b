"""What can stand beside GloVe in the place of ELMo, so that one sees what of ELMo it is that helps.

Every part gives numbers of each token: (L, T, D), NaN where a token has none. Beside ELMo's layers there are its layer 0 alone
(which knows no context), its layers of the sentence in a shuffled order (the same words, no order), the layers of a biLM whose
LSTMs' weights are shuffled (the same shape, nothing learned; the char-CNN is kept as trained, as by Tenney et al. 2019, "What do
you learn from context?", section 4), and the static context: the sum of the other words' vectors, without any network.
"""

import copy
import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import torch

from ..common.device import seeded
from ..elmo.encoder import Encoder
from ..learning.features import Layers
from ..static.context import COMMONEST
from ..static.vectors import StaticVectors

Tokens = tuple[str, ...]


class Part:
    """Called with a text: its tokens' numbers (L, T, D) float32, NaN where a token has none."""

    def __init__(self, layers: Callable[[Tokens], np.ndarray]) -> None:
        self._layers = layers
        self._sums: dict[Tokens, tuple[int, np.ndarray, np.ndarray]] = {}

    def __call__(self, tokens: Tokens) -> np.ndarray:
        return self._layers(tokens)

    def sums(self, tokens: Tokens) -> tuple[int, np.ndarray, np.ndarray]:
        """Over the tokens that have numbers: how many, the sum and the sum of squares, (L, D) float32; kept for the next run."""
        if tokens not in self._sums:
            layers = self(tokens)
            there = layers[:, ~np.isnan(layers[0, :, 0])]
            self._sums[tokens] = there.shape[1], there.sum(axis=1), np.square(there).sum(axis=1)
        return self._sums[tokens]


def static_part(vectors: StaticVectors) -> Part:
    """(1, T, D): each token's own vector."""

    def part(tokens: Tokens) -> np.ndarray:
        return _rows(vectors, tokens, {})[None]

    return Part(part)


def context_part(vectors: StaticVectors, *, commonest: int = COMMONEST) -> Part:
    """(1, T, D): of each token the sum of the other tokens' vectors, as core.static.context has it of one word."""
    common: dict[str, None] = dict.fromkeys(vectors.words[:commonest])

    def part(tokens: Tokens) -> np.ndarray:
        own = np.nan_to_num(_rows(vectors, tokens, common))
        return (own.sum(axis=0) - own)[None]

    return Part(part)


def layers_part(layers: Layers, *, alone: bool = False) -> Part:
    """(L, T, D) of what gives a biLM's layers; `alone`: (1, T, D / 2), layer 0, which is the token vector twice, once."""

    def part(tokens: Tokens) -> np.ndarray:
        result = layers([tokens])[0]
        return result[:1, :, : result.shape[2] // 2] if alone else result

    return Part(part)


class ShuffledOrder:
    """An encoder's layers of each text with its words in another order; every token has its vectors at its own place."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.n_layers, self.dim = encoder, encoder.n_layers, encoder.dim

    def encode(self, sentences: list[list[str]]) -> list[np.ndarray]:
        """Token lists -> (L, T, D) float32 each."""
        orders = [shuffled_order(tokens) for tokens in sentences]
        result = self.encoder.encode([[tokens[k] for k in order] for tokens, order in zip(sentences, orders, strict=True)])
        return [layers[:, np.argsort(order)] for layers, order in zip(result, orders, strict=True)]


class RandomLSTMs:
    """An encoder of the same shape: the same char-CNN, and each of its LSTMs' weights somewhere else in its matrix."""

    def __init__(self, encoder: Encoder, *, seed: int = 0) -> None:
        self.reader, self.n_layers, self.dim = encoder, encoder.n_layers, encoder.dim
        model = copy.deepcopy(encoder.model)
        generator = seeded(seed)
        for stack in (model.forward_layers, model.backward_layers):
            for weights in stack.parameters():
                flat = weights.data.reshape(-1)
                weights.data = flat[torch.randperm(len(flat), generator=generator)].reshape(weights.shape)
        self.encoder = Encoder(model, name=f"{encoder.name}, LSTMs shuffled")

    def encode(self, sentences: list[list[str]]) -> list[np.ndarray]:
        """Token lists -> (L, T, D) float32 each."""
        words = sorted({token for tokens in sentences for token in tokens})
        if words:
            self.encoder.know(words, self.reader.word_vectors(words))  # the char-CNN is the same: not asked twice
        return self.encoder.encode(sentences)


def shuffled_order(tokens: Sequence[str]) -> np.ndarray:
    """(T,) a random order of a text's places, which the text alone decides."""
    digest = hashlib.sha256("\0".join(tokens).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big")).permutation(len(tokens))


def _rows(vectors: StaticVectors, tokens: Tokens, without: dict[str, None]) -> np.ndarray:
    """(T, D): vectors, NaN where there is none or the spelling is among those left out."""
    rows = np.full((len(tokens), vectors.dim), np.nan, np.float32)
    for row, token in zip(rows, tokens, strict=True):
        spelling = vectors.spelling(token)
        if spelling is not None and spelling not in without:
            row[:] = vectors.vector(spelling)
    return rows
