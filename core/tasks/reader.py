"""The shared input layers of the task networks: GloVe, characters and optionally ELMo's mix, and bidirectional LSTMs.

The layer mix of a task is gamma * sum_j softmax(w)_j h_j (Peters et al. 2018, eq. 1) over frozen layers, joined to the words' vectors.
Where the paper found that to help, a second mix is joined to the LSTM's states.
"""

import torch
from torch import Generator, Tensor, nn

from ..common.device import Dropout
from ..elmo.mix import ScalarMix
from ..elmo.recurrence import bidirectional
from .inputs import N_BYTES, PassageBatch
from .task import Shape, TaskRecipe

BYTE_DIM = 16
WIDTH = 3  # bytes that a filter of the character network sees


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
        spelled = self.filters(self.bytes(texts.characters).transpose(1, 2)).relu().amax(dim=2)  # (V, 16, C) -> (V, F)
        static = torch.where(texts.known[:, None], texts.static, self.unknown)  # (V, S)
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
        states = self.dropout(self.lstm(self.words(texts), texts.lengths))
        return states if self.output is None else torch.cat([states, self.elmo_dropout(self.output(texts.layers))], dim=2)


def masked(scores: Tensor, mask: Tensor) -> Tensor:
    """Return scores with padding so low that a softmax ignores it."""
    return scores.masked_fill(~mask, -1e9)
