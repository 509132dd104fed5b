"""Turn token lists into one padded batch: word numbers, GloVe rows, and ELMo's layers, with a mask for padding.

A function supplies the layers: training reads them from disk (core.learning.features), a live answer computes them with the
encoder. Nothing else differs between the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..common.device import PROCESSOR
from ..elmo.encoder import Encoder
from ..learning.features import Layers
from ..static.vectors import StaticVectors

MOST_SEEN = 200_000  # spellings whose numbers are cached
UNKNOWN = 0  # number of every word that the vocabulary lacks
Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """B texts of at most T tokens. Parts that a network does not use may be None."""

    mask: Tensor  # (B, T) bool, False where there is padding
    words: Tensor  # (B, T) int64, numbers in the vocabulary
    static: Tensor | None = None  # (B, T, S) float32, zeros where there is no vector
    has_static: Tensor | None = None  # (B, T) bool: there is a static vector
    layers: Tensor | None = None  # (L, B, T, D) float32

    @property
    def lengths(self) -> Tensor:
        """Return the number of tokens in each text, (B,), in the processor's memory."""
        return self.mask.sum(dim=1).cpu()  # packing needs it there


class TextVocabulary:
    """The training data's lowercase words, most frequent first. Number 0 is every other word."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._number = {word: k for k, word in enumerate(self.words, start=1)}
        self._seen: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.words) + 1  # with UNKNOWN

    def number(self, word: str) -> int:
        """Return a word's number, 0 for an unknown word."""
        return self._number.get(word.lower(), UNKNOWN)

    def numbers(self, text: Tokens) -> np.ndarray:
        """Return word numbers (T,) int64."""
        if len(seen := self._seen) > MOST_SEEN:
            self._seen = seen = {}
        result = (seen.get(token) for token in text)  # as it is spelled: every epoch needs all of them
        return np.array(
            [seen.setdefault(token, self.number(token)) if number is None else number for token, number in zip(text, result, strict=True)],
            np.int64,
        )

    @classmethod
    def of(cls, texts: Iterable[Tokens], *, min_count: int, max_words: int) -> TextVocabulary:
        """Build the vocabulary of the words that occur at least `min_count` times."""
        counts = Counter(token.lower() for text in texts for token in text)
        ranked = sorted((word for word, n in counts.items() if n >= min_count), key=lambda word: (-counts[word], word))
        return cls(ranked[:max_words])


def make_batch(
    texts: Sequence[Tokens],
    vocabulary: TextVocabulary,
    *,
    vectors: StaticVectors | None = None,
    layers: Layers | None = None,
    device: torch.device = PROCESSOR,
) -> Batch:
    """Return the padded batch of some texts on a device. An empty text is one unknown token, so that every row has a length."""
    texts = [text or ("",) for text in texts]
    shape = len(texts), max(map(len, texts))
    mask, words = torch.zeros(shape, dtype=torch.bool), torch.zeros(shape, dtype=torch.long)
    for row, text in enumerate(texts):
        mask[row, : len(text)] = True
        words[row, : len(text)] = torch.from_numpy(vocabulary.numbers(text))
    static, has_static = _static(texts, shape, vectors) if vectors is not None else (None, None)
    parts = (mask, words, static, has_static, pad(layers(texts), shape[1]) if layers is not None else None)
    return Batch(*(None if part is None else part.to(device) for part in parts))


def pad(arrays: Sequence[np.ndarray], width: int) -> Tensor:
    """Stack layers (L, T_b, D) into (L, B, T, D) float32 with zeros after each text's end."""
    n_layers, _, dim = arrays[0].shape
    stack = np.zeros((n_layers, len(arrays), width, dim), np.float32)
    for row, array in enumerate(arrays):
        stack[:, row, : array.shape[1]] = array
    return torch.from_numpy(stack)


def live_layers(encoder: Encoder) -> Layers:
    """Return a function that computes the layers of texts, each text once."""
    computed: dict[Tokens, np.ndarray] = {}

    def layers(texts: Sequence[Tokens]) -> list[np.ndarray]:
        missing = [text for text in dict.fromkeys(texts) if text not in computed]
        if missing:
            computed.update(zip(missing, encoder.encode([list(text) for text in missing]), strict=True))
        return [computed[text] for text in texts]

    return layers


def _static(texts: Sequence[Tokens], shape: tuple[int, int], vectors: StaticVectors) -> tuple[Tensor, Tensor]:
    """Return GloVe rows (B, T, S), of the lowercase spelling if only that exists, and which tokens have one (B, T)."""
    static, has_vector = np.zeros((*shape, vectors.dim), np.float32), np.zeros(shape, bool)
    for row, text in enumerate(texts):
        places, rows = vectors.vectors_of(text)
        static[row, places], has_vector[row, places] = rows, True
    return torch.from_numpy(static), torch.from_numpy(has_vector)
