"""LSTM weights with fewer bits, for speed. Off by default, and close enough to float32 for uses of the vectors.

float16 halves the bytes that every step reads; sums stay float32. int8 multiplies integers with a scale for each output of a weight matrix
and one for each input row, so that a sentence's vectors do not depend on its batch. The input projections stay float16, because the
recurrence would accumulate their errors. int8 products use oneDNN on plain tensors, float16 FBGEMM; torch has both on x86. Its quantized
tensor types, which are deprecated, are not used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import torch
from torch import Tensor

from ..common.config import FLOAT32, INT8, PRECISIONS
from ..common.device import of
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from .model import BiLM, ProjectedLSTM, State
from .recurrence import LstmProducts, infer

ENGINE = "fbgemm"
_PACKING = threading.Lock()
# oneDNN adds pairs of products in 16 bits where the processor has no better: 2 * 255 * 63 is the most that never overflows.
ROW_MOST, ZERO, WEIGHT_MOST = 127, 128, 63
LEAST = 1e-12  # of a scale: rows of zeros


def stacks(model: BiLM, precision: str) -> BiLM | NarrowStacks:
    """Return the LSTM stacks of a model at a precision. Raises BadInput if it does not exist or is not available on this machine."""
    if precision not in PRECISIONS:
        raise BadInput(t("Unknown precision “{precision}”; use {known}.", precision=shorten(precision), known=", ".join(PRECISIONS)))
    if precision == FLOAT32:
        return model
    if (device := of(model)).type != "cpu":
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
            [NarrowLSTM(layer, precision) for layer in layers] for layers in (model.forward_layers, model.backward_layers)
        )


class NarrowLSTM:
    """One direction's layer, called like core.elmo.model.ProjectedLSTM."""

    def __init__(self, layer: ProjectedLSTM, precision: str) -> None:
        self.hidden = layer.projection.shape[1]
        self.clips = layer.clips
        with _PACKING:  # the engine is a setting of the process
            before, torch.backends.quantized.engine = torch.backends.quantized.engine, ENGINE
            try:
                with torch.no_grad():
                    packed = _int8 if precision == INT8 else _float16
                    state = packed(layer.state_weight)
                    self.products = LstmProducts(
                        _float16(layer.input_weight, layer.bias), lambda g, h: g.add_(state(h)), packed(layer.projection)
                    )
            finally:
                torch.backends.quantized.engine = before

    def __call__(self, x: Tensor, batch_sizes: list[int], state: State | None = None) -> tuple[Tensor, State]:
        """Run the layer over packed rows like core.elmo.model.ProjectedLSTM.forward."""
        return infer(x, batch_sizes, self.clips, self.hidden, self.products, state)


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
