"""The sampled softmax: a few thousand negatives stand for the whole vocabulary, corrected by how often they are drawn.

Jean et al. 2015, as TensorFlow's sampled_softmax_loss with a log-uniform sampler.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from core.elmo.language_model import Softmax


class LogUniformSampler:
    """Distinct words by p(rank r) = log((r + 2) / (r + 1)) / log(V + 1), near Zipf's law."""

    def __init__(self, n_words: int, n_samples: int, device: torch.device | None = None) -> None:
        ranks = torch.arange(n_words, dtype=torch.float64)
        self.p = torch.log((ranks + 2) / (ranks + 1)) / math.log(n_words + 1)
        self.n_samples = min(n_samples, n_words)
        low, high = 1.0, 1e9  # how many draws give n_samples distinct words on average
        for _ in range(80):
            tries = math.sqrt(low * high)
            low, high = (tries, high) if self._distinct(tries).sum() < self.n_samples else (low, tries)
        counts = self._distinct(low).clamp_min(1e-12).log().float()  # log of each word's chance to be drawn
        self.log_count = counts if device is None else counts.to(device)

    def _distinct(self, tries: float) -> Tensor:
        return -torch.expm1(tries * torch.log1p(-self.p))

    def draw(self, generator: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """Negatives (K,) and log of their expected counts (K,), drawn from `generator` (None: torch's own), on the processor."""
        chosen = torch.multinomial(self.p.float(), self.n_samples, generator=generator).to(self.log_count.device)
        return chosen, self.log_count[chosen]


def sampled_softmax_loss(softmax: Softmax, h: Tensor, targets: Tensor, negatives: Tensor, counts: Tensor, sampler) -> Tensor:
    """Mean -log p(targets) over targets and negatives, logits less the log of their expected counts; h is (N, P)."""
    true = (h * softmax.weight[targets]).sum(1) + softmax.bias[targets] - sampler.log_count[targets]  # (N,)
    place = torch.full((len(softmax.bias),), -1, dtype=torch.long, device=h.device)
    place[negatives] = torch.arange(len(negatives), device=h.device)
    hit = place[targets]  # where a row's own target stands among the negatives: it must not count twice
    return _SampledLoss.apply(h, softmax.weight[negatives], softmax.bias[negatives] - counts, true, hit) / len(h)


class _SampledLoss(torch.autograd.Function):
    """Sum over rows of log(exp(true) + sum_k exp(h w_k + b_k)) - true, a few rows at a time, gradient on the way.

    The (N, K) logits never exist as a whole: a block stays in the processor's cache from product to gradient.
    """

    @staticmethod
    def forward(ctx, h, weight, bias, true, hit, rows=256):
        d_h = torch.empty_like(h)
        d_weight = torch.zeros_like(weight)
        d_bias = torch.zeros_like(bias)
        d_true = torch.empty_like(true)
        total = 0.0
        for k in range(0, len(h), rows):
            block, part = h[k : k + rows], true[k : k + rows, None]
            logits = torch.addmm(bias, block, weight.t())  # (rows, K)
            struck = (hit[k : k + rows] >= 0).nonzero()[:, 0]
            logits[struck, hit[k : k + rows][struck]] = -1e9
            highest = torch.maximum(logits.amax(1, keepdim=True), part)
            p = logits.sub_(highest).exp_()
            right = (part - highest).exp_()
            norm = p.sum(1, keepdim=True) + right
            total += (norm.log() + highest - part).sum().item()
            p.div_(norm)
            torch.mm(p, weight, out=d_h[k : k + rows])
            d_weight.addmm_(p.t(), block)
            d_bias += p.sum(0)
            d_true[k : k + rows] = (right / norm)[:, 0] - 1
        ctx.save_for_backward(d_h, d_weight, d_bias, d_true)
        return h.new_full((), total)

    @staticmethod
    def backward(ctx, grad):
        return *(grad * g for g in ctx.saved_tensors), None, None
