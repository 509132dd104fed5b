"""ELMo's biLM (Peters et al. 2018; Jozefowicz et al. 2016 for the char-CNN).

characters -> convolutions, max over time -> highway -> projection P          layer 0: [x | x]
           -> forward LSTM stack, backward LSTM stack (independent)           layers 1, 2: [forward | backward]

Sentences are packed: longest first, time-major, without padding, so a step computes only real tokens.
`batch_sizes[t]` sentences have at least t + 1 tokens, and their rows of step t are adjacent.
Gate order in memory is input, forget, output, new cell (so that one sigmoid covers three adjacent gates).
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.config import ModelShape
from ..common.device import first_weights
from ..text.tokens import BEGIN_WORD, END_WORD, N_CHARACTER_IDS, character_ids
from .recurrence import run_lstm

State = tuple[Tensor, Tensor]  # output (B, P) and cell (B, H) of one LSTM layer


class Highway(nn.Module):
    """y = g * relu(W_t x + b_t) + (1 - g) * x with g = sigmoid(W_c x + b_c) (Srivastava et al. 2015, eq. 3)."""

    def __init__(self, size: int, generator: Generator | None = None) -> None:
        super().__init__()
        self.transform = nn.Linear(size, size)
        self.carry = nn.Linear(size, size)
        nn.init.normal_(self.transform.weight, std=size**-0.5, generator=generator)
        nn.init.normal_(self.carry.weight, std=size**-0.5, generator=generator)
        nn.init.zeros_(self.transform.bias)
        nn.init.constant_(self.carry.bias, -2.0)  # starts by passing its input on

    def forward(self, x: Tensor) -> Tensor:
        """Apply the highway layer to rows (N, F)."""
        gate = torch.sigmoid(self.carry(x))
        return torch.lerp(x, torch.relu(self.transform(x)), gate)


class CharacterCNN(nn.Module):
    """A token's vector (N, P) from its spelling alone, as character ids (N, 50) or of the length that the shape states."""

    def __init__(self, shape: ModelShape, generator: Generator | None = None) -> None:
        super().__init__()
        self.embedding = nn.Embedding(N_CHARACTER_IDS, shape.character_dim, padding_idx=0)
        self.convolutions = nn.ModuleList(nn.Conv1d(shape.character_dim, n, width) for width, n in shape.filters)
        self.highways = nn.ModuleList(Highway(shape.n_filters, generator) for _ in range(shape.n_highway))
        self.projection = nn.Linear(shape.n_filters, shape.projection)
        for part in (self.embedding, *self.convolutions, self.projection):
            first_weights(part, generator)
        self.widest = max(width for width, _ in shape.filters)
        self.max_characters = shape.max_characters
        self.anchored = [False] * len(shape.filters)  # see `anchor`
        for convolution in self.convolutions:
            nn.init.uniform_(convolution.weight, -0.05, 0.05, generator=generator)
            nn.init.zeros_(convolution.bias)

    def ids(self, words: list[str]) -> Tensor:
        """Return the character ids of words, (N, max_characters), on the model's device."""
        return torch.from_numpy(character_ids(words, self.max_characters)).to(self.embedding.weight.device)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the vectors (N, P) of character ids."""
        return self.projection(self.after_highways(self.pooled(ids)))

    def pooled(self, ids: Tensor) -> Tensor:
        """Return each filter's maximum over the token, (N, filters), from character ids (N, 50)."""
        if len(ids) == 1:  # torch takes another algorithm for a batch of one, whose sums differ in the fifth digit
            return self.pooled(ids.expand(2, -1))[:1]
        # Behind the end mark every window is the same run of padding: one of them is enough.
        used = int((ids == END_WORD).int().argmax(dim=1).max()) + 1 if len(ids) else 1
        ids = ids[:, : used + self.widest]
        x = self.embedding(ids).transpose(1, 2)  # (N, 16, characters)
        answers = []
        for convolution, anchored in zip(self.convolutions, self.anchored, strict=True):
            windows = x[:, :, : convolution.kernel_size[0]] if anchored else x
            answers.append(torch.relu(convolution(windows).amax(dim=2)))
        return torch.cat(answers, dim=1)

    @torch.no_grad()
    def anchor(self) -> list[bool]:
        """Find the convolutions that can only be active at a token's first character, so that `pooled` skips other places.

        Only a token's first character can be the begin mark. If no other run of characters can lift any filter above zero (by its
        largest product there, and by Cauchy-Schwarz behind it), the maximum over places is that of the first place. Call it
        again after the weights have changed.
        """
        others = torch.cat([self.embedding.weight[:BEGIN_WORD], self.embedding.weight[BEGIN_WORD + 1 :]])
        longest = others.norm(dim=1).max()
        for k, convolution in enumerate(self.convolutions):
            first, behind = convolution.weight[:, :, 0], convolution.weight[:, :, 1:]
            highest = convolution.bias + (others @ first.t()).amax(dim=0) + behind.norm(dim=1).sum(dim=1) * longest
            self.anchored[k] = bool((highest <= 0).all())
        return self.anchored

    def after_highways(self, x: Tensor) -> Tensor:
        """Return the filters' maxima after all highway layers."""
        for highway in self.highways:
            x = highway(x)
        return x


class ProjectedLSTM(nn.Module):
    """One direction's LSTM layer with clipped cell and clipped projection (Sak et al. 2014, eqs. 1-7, no peepholes)."""

    def __init__(self, shape: ModelShape, generator: Generator | None = None) -> None:
        super().__init__()
        p, h = shape.projection, shape.hidden
        self.input_weight = nn.Parameter(torch.empty(4 * h, p))
        self.state_weight = nn.Parameter(torch.empty(4 * h, p))
        self.bias = nn.Parameter(torch.zeros(4 * h))
        self.projection = nn.Parameter(torch.empty(p, h))
        self.clips = (shape.cell_clip, shape.projection_clip)
        for weight in (self.input_weight, self.state_weight, self.projection):
            nn.init.normal_(weight, std=weight.shape[1] ** -0.5, generator=generator)
        with torch.no_grad():
            self.bias[h : 2 * h] = 1.0  # forget gate: remember by default

    def forward(self, x: Tensor, batch_sizes: list[int], state: State | None = None) -> tuple[Tensor, State]:
        """Return packed outputs (N, P) of packed rows (N, P), and every sentence's last state in packed order."""
        return run_lstm(x, batch_sizes, self, state)


class BiLM(nn.Module):
    """The complete model: a char-CNN, and a stack of LSTM layers for each direction."""

    def __init__(self, shape: ModelShape, generator: Generator | None = None) -> None:
        """Draw the first weights from `generator`; None uses torch's global generator."""
        super().__init__()
        self.shape = shape
        self.characters = CharacterCNN(shape, generator)
        self.forward_layers = nn.ModuleList(ProjectedLSTM(shape, generator) for _ in range(shape.n_layers))
        self.backward_layers = nn.ModuleList(ProjectedLSTM(shape, generator) for _ in range(shape.n_layers))

    def run_direction(
        self, x: Tensor, batch_sizes: list[int], *, backward: bool, states: list[State] | None = None
    ) -> tuple[list[Tensor], list[State]]:
        """Run one stack over packed tokens in its reading order. Returns n_layers outputs (N, P) and the last states."""
        outputs, last = [], []
        for j, layer in enumerate(self.backward_layers if backward else self.forward_layers):
            y, state = layer(x, batch_sizes, states[j] if states else None)
            x = y + x if j and self.shape.skip_connections else y
            outputs.append(x)
            last.append(state)
        return outputs, last


@dataclass(frozen=True, slots=True)
class PackedBatch:
    """Sentences with their boundaries in packed order (see core.elmo.model)."""

    ids: np.ndarray  # (N,) int64 type ids
    batch_sizes: list[int]  # sentences that are at least t + 1 long
    reverse: np.ndarray  # (N,) row of the mirrored position in the same sentence


def pack(sentences: list[np.ndarray]) -> tuple[PackedBatch, np.ndarray]:
    """Pack sentences. Also returns their order (sentence numbers, longest first)."""
    lengths = np.array([len(s) for s in sentences])
    order = np.argsort(-lengths, kind="stable")
    sorted_lengths = lengths[order]
    longest = int(sorted_lengths[0]) if len(sorted_lengths) else 0
    batch_sizes = np.searchsorted(-sorted_lengths, -np.arange(1, longest + 1), side="right")
    starts = np.concatenate([[0], np.cumsum(batch_sizes)])
    ids = np.empty(int(lengths.sum()), np.int64)
    reverse = np.empty_like(ids)
    for rank, number in enumerate(order):
        rows = starts[: sorted_lengths[rank]] + rank
        ids[rows] = sentences[number]
        reverse[rows] = rows[::-1]
    return PackedBatch(ids, batch_sizes.tolist(), reverse), order
