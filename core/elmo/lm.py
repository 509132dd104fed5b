"""The biLM as a language model: what it expects next and before, and how surprised it was.

Both directions share one softmax over a vocabulary of the most frequent types (Peters et al. 2018, section 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.text import SENTENCE_BEGIN, SENTENCE_END

UNKNOWN = "<UNK>"
SPECIALS = (SENTENCE_BEGIN, SENTENCE_END, UNKNOWN)  # ids 0, 1, 2 of a vocabulary


class Softmax(nn.Module):
    """p(word | context) = softmax(W h + b): the output layer shared by both directions."""

    def __init__(self, n_words: int, projection: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_words, projection))
        self.bias = nn.Parameter(torch.zeros(n_words))
        nn.init.normal_(self.weight, std=projection**-0.5)

    def forward(self, h: Tensor) -> Tensor:
        """(N, P) -> log-probabilities (N, V)."""
        return torch.addmm(self.bias, h, self.weight.t()).log_softmax(dim=1)

    def log_probability(self, h: Tensor, targets: Tensor, *, rows: int = 512) -> Tensor:
        """log p(targets) under the full softmax, (N,), a few rows at a time so that memory stays bounded."""
        parts = [self(h[k : k + rows]).gather(1, targets[k : k + rows, None])[:, 0] for k in range(0, len(h), rows)]
        return torch.cat(parts) if parts else h.new_empty(0)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words the softmax can name; any other token is <UNK>."""

    words: tuple[str, ...]
    ids: dict[str, int]

    @classmethod
    def of(cls, words: list[str]) -> Vocabulary:
        return cls(tuple(words), {word: k for k, word in enumerate(words)})

    def id(self, token: str) -> int:
        return self.ids.get(token, SPECIALS.index(UNKNOWN))

    def __len__(self) -> int:
        return len(self.words)
