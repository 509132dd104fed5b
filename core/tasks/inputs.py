"""Text to passages (sentences of tokens) to one padded batch, and the input layers that the tasks' networks share.

ELMo was trained on sentences, so a paragraph is read sentence by sentence and the layers are joined. A passage shared by examples of a
batch is read once; `rows` maps examples to passages. The layer mix of a task is gamma * sum_j softmax(w)_j h_j (Peters et al. 2018, eq. 1)
over frozen layers, joined to the words' vectors. Where the paper found that to help, a second mix is joined to the LSTM's states.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.device import Dropout
from ..elmo.mix import ScalarMix
from ..elmo.recurrence import bidirectional
from ..learning.features import Layers
from ..static.vectors import StaticVectors
from ..text.sentence_ends import split_sentences
from ..text.tokens import token_spans
from .task import Passage, Shape, TaskRecipe, Tokens

MAX_BYTES = 16  # bytes of a word that the character network sees
N_BYTES = 257  # 0 is padding
BYTE_DIM = 16
WIDTH = 3  # bytes that a filter of the character network sees
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PassageBatch:
    """U different passages of at most T tokens, with V different words, for a batch of B examples."""

    mask: Tensor  # (U, T) bool, False where there is padding
    words: Tensor  # (U, T) int64, rows of the next three
    static: Tensor  # (V, S) float32, zeros where there is no vector
    has_static: Tensor  # (V,) bool: there is a vector
    characters: Tensor  # (V, MAX_BYTES) int64
    rows: Tensor  # (B,) int64: which passage is an example's
    layers: Tensor | None = None  # (L, U, T, D) float32

    @property
    def lengths(self) -> Tensor:
        """Return the number of tokens in each passage, (U,)."""
        return self.mask.sum(dim=1)


def flat(passage: Passage) -> Tokens:
    """Return the tokens of all sentences."""
    return tuple(token for sentence in passage for token in sentence)


def passage_of(text: str) -> tuple[Passage, list[Span]]:
    """Return a text's sentences as tokens, and the begin and end of each token in characters."""
    passage = []
    spans = []
    start = 0
    for sentence in split_sentences(text):
        start = text.index(sentence, start)
        plain, places = token_spans(sentence)
        if places:
            passage.append(tuple(plain.text[begin:end] for begin, end in places))
            spans += [(start + begin, start + end) for begin, end in (plain.span(*place) for place in places)]
        start += len(sentence)
    return tuple(passage), spans


def covered(spans: Sequence[Span], begin: int, end: int) -> Span | None:
    """Return the first and the last token with a character from `begin` to `end`, or None."""
    inside = [k for k, (first, last) in enumerate(spans) if first < end and last > begin]
    return (inside[0], inside[-1]) if inside else None


def make_texts(passages: Sequence[Passage], vectors: StaticVectors, layers: Layers | None) -> PassageBatch:
    """Return the padded batch of one passage of each example. An empty one is one unknown token, so that every row has a length."""
    passage_number: dict[Passage, int] = {}
    rows = torch.tensor([passage_number.setdefault(passage or (("",),), len(passage_number)) for passage in passages])
    different = [flat(passage) for passage in passage_number]
    word_number: dict[str, int] = {}
    shape = len(different), max(map(len, different))
    mask, words = torch.zeros(shape, dtype=torch.bool), torch.zeros(shape, dtype=torch.long)
    for row, tokens in enumerate(different):
        mask[row, : len(tokens)] = True
        words[row, : len(tokens)] = torch.tensor([word_number.setdefault(token, len(word_number)) for token in tokens])
    static, has_static = np.zeros((len(word_number), vectors.dim), np.float32), np.zeros(len(word_number), bool)
    places, vectors_there = vectors.vectors_of(tuple(word_number))
    static[places] = vectors_there
    has_static[places] = True
    characters = torch.from_numpy(np.stack([_bytes(token) for token in word_number])).long()
    read = None if layers is None else _join_layers(passage_number, layers, shape)
    return PassageBatch(mask, words, torch.from_numpy(static), torch.from_numpy(has_static), characters, rows, read)


def _join_layers(passages: Sequence[Passage], layers: Layers, shape: tuple[int, int]) -> Tensor:
    """Return (L, U, T, D): the layers of each sentence at its place in the passage, with zeros as padding."""
    sentences = list(dict.fromkeys(sentence for passage in passages for sentence in passage))
    result = dict(zip(sentences, layers(sentences), strict=True))
    n_layers, _, dim = result[sentences[0]].shape
    stack = np.zeros((n_layers, *shape, dim), np.float32)
    for row, passage in enumerate(passages):
        start = 0
        for sentence in passage:
            stack[:, row, start : start + len(sentence)] = result[sentence]
            start += len(sentence)
    return torch.from_numpy(stack)


@lru_cache(maxsize=100_000)
def _bytes(word: str) -> np.ndarray:
    """Return a word's first bytes, each plus one (MAX_BYTES,) int32; of a longer word its first and last halves."""
    data = word.encode("utf-8", "ignore")
    if len(data) > MAX_BYTES:
        data = data[: MAX_BYTES // 2] + data[-MAX_BYTES // 2 :]
    row = np.zeros(MAX_BYTES, np.int32)
    row[: len(data)] = np.frombuffer(data, np.uint8).astype(np.int32) + 1
    return row


class ReaderWords(nn.Module):
    """A network from texts to (U, T, E): each word's GloVe vector, its characters, and with ELMo the mix, concatenated."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.unknown = nn.Parameter(torch.zeros(shape.static_dim))  # for words GloVe lacks
        self.bytes = nn.Embedding(N_BYTES, BYTE_DIM, padding_idx=0)
        self.filters = nn.Conv1d(BYTE_DIM, recipe.character_dim, WIDTH, padding=1)
        self.mix = ScalarMix(shape.n_layers) if shape.n_layers else None
        self.dropout, self.elmo_dropout = Dropout(recipe.dropout, generator), Dropout(recipe.elmo_dropout, generator)
        self.dim = shape.static_dim + recipe.character_dim + shape.elmo_dim

    def forward(self, texts: PassageBatch) -> Tensor:
        """Return the words' vectors (U, T, E)."""
        spelled = self.filters(self.bytes(texts.characters).transpose(1, 2)).relu().amax(dim=2)  # (V, 16, C) -> (V, F)
        static = torch.where(texts.has_static[:, None], texts.static, self.unknown)  # (V, S)
        parts = [self.dropout(nn.functional.embedding(texts.words, torch.cat([static, spelled], dim=1)))]  # (U, T, S + F)
        if self.mix is not None:
            parts.append(self.elmo_dropout(self.mix(texts.layers)))  # (L, U, T, D) -> (U, T, D)
        return torch.cat(parts, dim=2)


class BiLSTM(nn.Module):
    """Layers of bidirectional LSTMs, (B, T, E) to (B, T, 2H), dropout before each; from the second on the input is added."""

    def __init__(self, width: int, hidden: int, *, depth: int = 1, dropout: float = 0.0, generator: Generator | None = None) -> None:
        super().__init__()
        self.lstms = nn.ModuleList(
            nn.LSTM(width if k == 0 else 2 * hidden, hidden, batch_first=True, bidirectional=True) for k in range(depth)
        )
        self.dropout = Dropout(dropout, generator)
        self.dim = 2 * hidden

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """Return the states (B, T, 2H) for vectors (B, T, E) and lengths (B,)."""
        for k, lstm in enumerate(self.lstms):
            states = bidirectional(lstm, self.dropout(x) if k else x, lengths)
            x = states + x if k else states
        return x


class Reader(nn.Module):
    """A network from texts to (U, T, dim): words, a bidirectional LSTM, and in some tasks ELMo once more."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.words = ReaderWords(shape, recipe, generator)
        self.lstm = BiLSTM(self.words.dim, recipe.hidden, depth=recipe.depth, dropout=recipe.dropout, generator=generator)
        self.output = ScalarMix(shape.n_layers) if recipe.output_elmo and shape.n_layers else None
        self.dropout, self.elmo_dropout = Dropout(recipe.dropout, generator), Dropout(recipe.elmo_dropout, generator)
        self.dim = self.lstm.dim + (shape.elmo_dim if self.output is not None else 0)

    def forward(self, texts: PassageBatch) -> Tensor:
        """Return the states (U, T, dim) of the passages."""
        states = self.dropout(self.lstm(self.words(texts), texts.lengths))
        return states if self.output is None else torch.cat([states, self.elmo_dropout(self.output(texts.layers))], dim=2)


def masked(scores: Tensor, mask: Tensor) -> Tensor:
    """Return scores with padding so low that a softmax ignores it."""
    return scores.masked_fill(~mask, -1e9)
