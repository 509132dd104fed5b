"""The optimizer of the LSTMs' matrices: momentum with the same strength in every direction.

A matrix's momentum G is replaced by the nearest matrix with orthonormal columns, G (G^T G)^(-1/2), before the step (Jordan
et al. 2024, "Muon"). Here the narrow side is the projection (128), so the inverse root of a small matrix is computed exactly
without iteration.
"""

from concurrent.futures import Executor
from functools import partial

import torch
from torch import Tensor

MOMENTUM = 0.95
LIKE_ADAM = 0.2  # root mean square of a step over the learning rate, as Adam's usually is (Liu et al. 2025, section 2.2)


class OrthogonalMomentum(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalized block by block, for matrices (n * rows, cols) of n stacked blocks, or transposed."""

    def __init__(self, parameters, lr: float, *, rows: int, threads: Executor | None = None) -> None:
        """Prepare the update of matrices. `rows`: the longer side of a block; a matrix with `rows` columns is one block, transposed.

        `threads` share the matrices.
        """
        super().__init__(parameters, {"lr": lr, "rows": rows, "momentum": MOMENTUM})
        self.map = threads.map if threads else map

    def step(self, closure=None) -> None:
        """Update all matrices once."""
        for group in self.param_groups:
            for _ in self.map(partial(self._step, group), (p for p in group["params"] if p.grad is not None)):
                pass

    @torch.no_grad()
    def _step(self, group: dict, parameter: Tensor) -> None:
        state = self.state[parameter]
        if not state:
            state["momentum"] = torch.zeros_like(parameter)
        state["momentum"].lerp_(parameter.grad, 1 - group["momentum"])
        ahead = parameter.grad.lerp(state["momentum"], group["momentum"])
        turned = ahead.shape[0] % group["rows"] != 0
        blocks = (ahead.t() if turned else ahead).reshape(-1, group["rows"], ahead.shape[0 if turned else 1])
        step = orthogonal(blocks).flatten(0, 1)
        parameter.add_(step.t() if turned else step, alpha=-group["lr"] * LIKE_ADAM * group["rows"] ** 0.5)


def orthogonal(blocks: Tensor) -> Tensor:
    """Return the nearest blocks (n, rows, cols), rows >= cols, with orthonormal columns; a zero block stays zero."""
    products = blocks.transpose(1, 2) @ blocks  # (n, cols, cols)
    if products.device.type == "mps":  # which has neither double precision nor this decomposition
        products = products.cpu()
    values, vectors = torch.linalg.eigh(products.double())  # (n, cols), (n, cols, cols)
    least = (values[:, -1:] * 1e-7).clamp_min(1e-30)  # directions this weak are rounding
    root = (vectors * values.clamp_min(least).rsqrt()[:, None]) @ vectors.transpose(1, 2)
    return blocks @ root.to(blocks.dtype).to(blocks.device)
