"""Alternatives to ELMo as inputs next to GloVe, which show what part of ELMo helps.

Every part gives numbers for each token: (L, T, D), NaN for tokens without any. The alternatives to ELMo's layers are its layer 0 alone (no
context), its layers for the shuffled sentence (no word order), the layers of a biLM with shuffled LSTM weights (nothing learned; the
char-CNN stays trained, as in Tenney et al. 2019, section 4), and the static context: the sum of the other words' vectors.
"""

import copy
import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import torch

from ..common.device import seeded
from ..elmo.encoder import Encoder
from ..learning.features import Layers
from ..static.vectors import COMMONEST, StaticVectors

Tokens = tuple[str, ...]


class Part:
    """A function from a text to its tokens' numbers (L, T, D) float32, NaN for tokens without any."""

    def __init__(self, layers: Callable[[Tokens], np.ndarray]) -> None:
        self._layers = layers
        self._sums: dict[Tokens, tuple[int, np.ndarray, np.ndarray]] = {}

    def __call__(self, tokens: Tokens) -> np.ndarray:
        return self._layers(tokens)

    def sums(self, tokens: Tokens) -> tuple[int, np.ndarray, np.ndarray]:
        """Return the number of tokens with numbers, their sum and their sum of squares, (L, D) float32; cached for the next run."""
        if tokens not in self._sums:
            layers = self(tokens)
            there = layers[:, ~np.isnan(layers[0, :, 0])]
            self._sums[tokens] = there.shape[1], there.sum(axis=1), np.square(there).sum(axis=1)
        return self._sums[tokens]


def static_part(vectors: StaticVectors) -> Part:
    """Return the part of each token's static vector, (1, T, D)."""

    def part(tokens: Tokens) -> np.ndarray:
        return _rows(vectors, tokens, {})[None]

    return Part(part)


def context_part(vectors: StaticVectors, *, commonest: int = COMMONEST) -> Part:
    """Return the part of each token's static context, (1, T, D): the sum of the other tokens' vectors (core.static.vectors)."""
    common: dict[str, None] = dict.fromkeys(vectors.words[:commonest])

    def part(tokens: Tokens) -> np.ndarray:
        own = np.nan_to_num(_rows(vectors, tokens, common))
        return (own.sum(axis=0) - own)[None]

    return Part(part)


def layers_part(layers: Layers, *, alone: bool = False) -> Part:
    """Return the part of a biLM's layers (L, T, D); if `alone`, of layer 0 without its repetition, (1, T, D / 2)."""

    def part(tokens: Tokens) -> np.ndarray:
        result = layers([tokens])[0]
        return result[:1, :, : result.shape[2] // 2] if alone else result

    return Part(part)


class ShuffledOrder:
    """An encoder that reads each text with shuffled words. Every token keeps its place in the result."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.n_layers, self.dim = encoder, encoder.n_layers, encoder.dim

    def encode(self, sentences: list[list[str]]) -> list[np.ndarray]:
        """Return layers (L, T, D) float32 for each token list."""
        orders = [shuffled_order(tokens) for tokens in sentences]
        result = self.encoder.encode([[tokens[k] for k in order] for tokens, order in zip(sentences, orders, strict=True)])
        return [layers[:, np.argsort(order)] for layers, order in zip(result, orders, strict=True)]


class RandomLSTMs:
    """An encoder with the same char-CNN and shuffled LSTM weights."""

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
        """Return layers (L, T, D) float32 for each token list."""
        words = sorted({token for tokens in sentences for token in tokens})
        if words:
            self.encoder.know(words, self.reader.word_vectors(words))  # the char-CNN is the same: not asked twice
        return self.encoder.encode(sentences)


def shuffled_order(tokens: Sequence[str]) -> np.ndarray:
    """Return a random order (T,) of a text's positions that depends only on the text."""
    digest = hashlib.sha256("\0".join(tokens).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big")).permutation(len(tokens))


def _rows(vectors: StaticVectors, tokens: Tokens, without: dict[str, None]) -> np.ndarray:
    """Return vectors (T, D), NaN for unknown spellings and those left out."""
    rows = np.full((len(tokens), vectors.dim), np.nan, np.float32)
    for row, token in zip(rows, tokens, strict=True):
        spelling = vectors.spelling(token)
        if spelling is not None and spelling not in without:
            row[:] = vectors.vector(spelling)
    return rows
