"""Text to passages (sentences of tokens) to one padded batch: GloVe rows, characters, and ELMo's layers of each sentence.

ELMo was trained on sentences, so a paragraph is read sentence by sentence and the layers are joined. A passage shared by examples of a
batch is read once; `rows` maps examples to passages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from ..learning.features import Layers
from ..static.vectors import StaticVectors
from ..text.tokens import split_sentences, token_spans

MAX_BYTES = 16  # of a word that the character network sees
N_BYTES = 257  # 0 is padding
Tokens = tuple[str, ...]
Passage = tuple[Tokens, ...]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PassageBatch:
    """U different passages of at most T tokens, with V different words, for a batch of B examples."""

    mask: Tensor  # (U, T) bool, False where there is padding
    words: Tensor  # (U, T) int64, rows of the next three
    static: Tensor  # (V, S) float32, zeros where there is no vector
    known: Tensor  # (V,) bool: there is a vector
    characters: Tensor  # (V, MAX_BYTES) int64
    rows: Tensor  # (B,) int64: which passage is an example's
    layers: Tensor | None = None  # (L, U, T, D) float32

    @property
    def lengths(self) -> Tensor:
        return self.mask.sum(dim=1)  # (U,)


def flat(passage: Passage) -> Tokens:
    """Return the tokens of all sentences."""
    return tuple(token for sentence in passage for token in sentence)


def passage_of(text: str) -> tuple[Passage, list[Span]]:
    """Return a text's sentences as tokens, and the begin and end of each token in characters."""
    passage = []
    spans = []
    at = 0
    for sentence in split_sentences(text):
        at = text.index(sentence, at)
        plain, places = token_spans(sentence)
        if places:
            passage.append(tuple(plain.text[begin:end] for begin, end in places))
            spans += [(at + begin, at + end) for begin, end in (plain.span(*place) for place in places)]
        at += len(sentence)
    return tuple(passage), spans


def covered(spans: Sequence[Span], begin: int, end: int) -> Span | None:
    """Return the first and the last token with a character from `begin` to `end`; None if there is none."""
    inside = [k for k, (first, last) in enumerate(spans) if first < end and last > begin]
    return (inside[0], inside[-1]) if inside else None


def make_texts(passages: Sequence[Passage], vectors: StaticVectors, layers: Layers | None) -> PassageBatch:
    """Return the padded batch of one passage of each example. An empty one is one unknown token, so that every row has a length."""
    number: dict[Passage, int] = {}
    rows = torch.tensor([number.setdefault(passage or (("",),), len(number)) for passage in passages])
    different = [flat(passage) for passage in number]
    word: dict[str, int] = {}
    shape = len(different), max(map(len, different))
    mask, words = torch.zeros(shape, dtype=torch.bool), torch.zeros(shape, dtype=torch.long)
    for row, tokens in enumerate(different):
        mask[row, : len(tokens)] = True
        words[row, : len(tokens)] = torch.tensor([word.setdefault(token, len(word)) for token in tokens])
    static, known = np.zeros((len(word), vectors.dim), np.float32), np.zeros(len(word), bool)
    places, vectors_there = vectors.vectors_of(tuple(word))
    static[places], known[places] = vectors_there, True
    characters = torch.from_numpy(np.stack([_bytes(token) for token in word])).long()
    read = None if layers is None else _join_layers(number, layers, shape)
    return PassageBatch(mask, words, torch.from_numpy(static), torch.from_numpy(known), characters, rows, read)


def _join_layers(passages: Sequence[Passage], layers: Layers, shape: tuple[int, int]) -> Tensor:
    """Return (L, U, T, D): the layers of each sentence at its place in the passage, with zeros as padding."""
    sentences = list(dict.fromkeys(sentence for passage in passages for sentence in passage))
    result = dict(zip(sentences, layers(sentences), strict=True))
    n_layers, _, dim = result[sentences[0]].shape
    stack = np.zeros((n_layers, *shape, dim), np.float32)
    for row, passage in enumerate(passages):
        at = 0
        for sentence in passage:
            stack[:, row, at : at + len(sentence)] = result[sentence]
            at += len(sentence)
    return torch.from_numpy(stack)


@lru_cache(maxsize=100_000)
def _bytes(word: str) -> np.ndarray:
    """Return a word's first bytes, each plus one (MAX_BYTES,) uint16; of a longer word its first and last halves."""
    data = word.encode("utf-8", "ignore")
    if len(data) > MAX_BYTES:
        data = data[: MAX_BYTES // 2] + data[-MAX_BYTES // 2 :]
    row = np.zeros(MAX_BYTES, np.int32)
    row[: len(data)] = np.frombuffer(data, np.uint8).astype(np.int32) + 1
    return row
