"""ELMo's biLM (Peters et al. 2018; Jozefowicz et al. 2016 for the char-CNN), also with LSTM weights in fewer bits.

characters -> convolutions, max over time -> highway -> projection P          layer 0: [x | x]
           -> forward LSTM stack, backward LSTM stack (independent)           layers 1, 2: [forward | backward]

Sentences are packed: longest first, time-major, without padding, so a step computes only real tokens.
`batch_sizes[t]` sentences have at least t + 1 tokens, and their rows of step t are adjacent.
Gate order in memory is input, forget, output, new cell (so that one sigmoid covers three adjacent gates).

Fewer bits are for speed, off by default, and close enough to float32 for uses of the vectors. float16 halves the bytes that every step
reads; sums stay float32. int8 multiplies integers with a scale for each output of a weight matrix and one for each input row, so that a
sentence's vectors do not depend on its batch. The input projections stay float16, because the recurrence would accumulate their errors.
int8 products use oneDNN on plain tensors, float16 FBGEMM; torch has both on x86. Its quantized tensor types, which are deprecated, are not
used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Generator, Tensor, nn

from ..common.config import FLOAT32, INT8, PRECISIONS, ModelShape
from ..common.device import device_of, initialize
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import check_choice
from ..text.tokens import BEGIN_WORD, END_WORD, N_CHARACTER_IDS, character_ids
from .recurrence import LstmProducts, State, infer, run_lstm

ENGINE = "fbgemm"
# oneDNN adds pairs of products in 16 bits where the processor has no better: 2 * 255 * 63 is the most that never overflows.
ROW_MOST, ZERO, WEIGHT_MOST = 127, 128, 63
LEAST = 1e-12  # the smallest scale, for rows of zeros


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
        self.highways = nn.Sequential(*(Highway(shape.n_filters, generator) for _ in range(shape.n_highway)))
        self.projection = nn.Linear(shape.n_filters, shape.projection)
        for part in (self.embedding, *self.convolutions, self.projection):
            initialize(part, generator)
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
        return self.projection(self.highways(self.pooled(ids)))

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


def stacks(model: BiLM, precision: str) -> BiLM | NarrowStacks:
    """Return the LSTM stacks of a model at a precision. Raises BadInput if it does not exist or is not available on this machine."""
    check_choice(t("precision"), precision, PRECISIONS)
    if precision == FLOAT32:
        return model
    if (device := device_of(model)).type != "cpu":
        raise BadInput(t("{precision} runs only on the CPU. Use float32 on {device}.", precision=precision, device=device.type))
    if ENGINE not in torch.backends.quantized.supported_engines or not torch.backends.mkldnn.is_available():
        raise BadInput(t("{precision} needs FBGEMM and oneDNN, missing in this torch. Use float32.", precision=precision))
    return NarrowStacks(model, precision)


class NarrowStacks:
    """Both stacks of a biLM with weights in fewer bits. The model itself is unchanged."""

    run_direction = BiLM.run_direction

    def __init__(self, model: BiLM, precision: str) -> None:
        self.shape = model.shape
        self.forward_layers, self.backward_layers = (
            [_narrow(layer, precision) for layer in layers] for layers in (model.forward_layers, model.backward_layers)
        )


def _narrow(layer: ProjectedLSTM, precision: str) -> Callable:
    """Return a function that is called like `layer` and reads packed copies of its weights."""
    packed = _int8 if precision == INT8 else _float16
    with torch.no_grad():
        state_product = packed(layer.state_weight)
        inputs, output = _float16(layer.input_weight, layer.bias), packed(layer.projection)
    products = LstmProducts(inputs, lambda gates, h: gates.add_(state_product(h)), output)
    return lambda x, batch_sizes, state: infer(x, batch_sizes, layer.clips, layer.projection.shape[1], products, state)


def _float16(weight: Tensor, bias: Tensor | None = None) -> Callable[[Tensor], Tensor]:
    """Return a product (n, in) -> (n, out) in float32 with float16 weights."""
    packed = torch.ops.quantized.linear_prepack_fp16(weight.detach(), bias)
    return lambda x: torch.ops.quantized.linear_dynamic_fp16(x, packed)


def _int8(weight: Tensor) -> Callable[[Tensor], Tensor]:
    """Return a product (n, in) -> (n, out) of int8 numbers, summed in 32 bits and scaled back."""
    scales = weight.abs().amax(dim=1).clamp_min_(LEAST) / WEIGHT_MOST  # (out,)
    packed = torch.ops.onednn.qlinear_prepack((weight / scales[:, None]).round_().to(torch.int8), None)
    zeros = torch.zeros(len(weight), dtype=torch.long)  # of the weights; ZERO is the rows'
    least, middle = torch.tensor(LEAST), torch.tensor(ZERO + 0.5)

    def product(x: Tensor) -> Tensor:
        largest = torch.linalg.vector_norm(x, torch.inf, dim=1, keepdim=True)  # (n, 1)
        scale = torch.add(least, largest, alpha=1 / ROW_MOST)
        integers = torch.addcdiv(middle, x, scale).to(torch.uint8)  # which cuts, and so rounds
        options = None, 1.0, 0, torch.float32, "none", [], ""  # no bias, float32, nothing after the product
        result = torch.ops.onednn.qlinear_pointwise(integers, 1.0, ZERO, packed, scales, zeros, *options)
        return result.mul_(scale)

    return product
