"""The sampled softmax of pre-training.

It replaces the vocabulary by a few thousand negatives, corrected by how often they are drawn (Jean et al. 2015, as TensorFlow's
sampled_softmax_loss with a log-uniform sampler).
"""

import math

import numpy as np
import torch
from torch import Tensor

from ..common.device import PROCESSOR
from ..elmo.language_model import Softmax


class LogUniformSampler:
    """A sampler of distinct words with p(rank r) = log((r + 2) / (r + 1)) / log(V + 1), close to Zipf's law."""

    def __init__(self, n_words: int, n_samples: int, device: torch.device = PROCESSOR) -> None:
        ranks = torch.arange(n_words, dtype=torch.float64)
        self.p = torch.log((ranks + 2) / (ranks + 1)) / math.log(n_words + 1)
        self.n_samples = min(n_samples, n_words)
        low, high = 1.0, 1e9  # how many draws give n_samples distinct words on average
        for _ in range(80):
            tries = math.sqrt(low * high)
            low, high = (tries, high) if self._distinct(tries).sum() < self.n_samples else (low, tries)
        self.log_count = self._distinct(low).clamp_min(1e-12).log().float().to(device)  # log of each word's chance to be drawn

    def _distinct(self, tries: float) -> Tensor:
        return -torch.expm1(tries * torch.log1p(-self.p))

    def draw(self, generator: torch.Generator | None = None) -> Tensor:
        """Draw negatives (K,) one after the other from `generator` (None: torch's global one), on the processor."""
        return torch.multinomial(self.p.float(), self.n_samples, generator=generator).to(self.log_count.device)


def sampled_loss(softmax: Softmax, h: Tensor, targets: Tensor, negatives: Tensor, log_count: Tensor) -> Tensor:
    """Return the mean -log p of targets (n,) over them and distinct negatives (K,), from h (n, P). Both are numbers of the softmax's words.

    `log_count` (words of the softmax,), the log of the probability of being among those drawn, is subtracted from the logits. The softmax's
    rows for both are selected once, for one dense gradient.
    """
    rows = torch.cat([negatives, targets])
    sizes = [len(negatives), len(targets)]
    weight, own_weight = softmax.weight[rows].split(sizes)
    bias, own_bias = softmax.bias[rows].split(sizes)
    place = torch.full((len(softmax.bias),), -1, dtype=torch.long, device=targets.device)
    place[negatives] = torch.arange(len(negatives), device=targets.device)
    hit = place[targets]  # the place of a row's own target among the negatives: it must not count twice
    true = (h * own_weight).sum(1) + own_bias - log_count[targets]  # (n,)
    return _SampledLoss.apply(h, weight, bias - log_count[negatives], true, hit) / len(h)


class _SampledLoss(torch.autograd.Function):
    """Sum over rows of log(exp(true) + sum_k exp(h w_k + b_k)) - true, computed in blocks together with the gradient.

    The (N, K) logits are never stored completely: a block stays in the processor's cache from product to gradient.
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


def next_rows(batch_sizes: list[int], device: torch.device = PROCESSOR) -> tuple[Tensor, Tensor]:
    """Return (targets, contexts): the packed rows of tokens that follow another in their sentence, and the rows before them."""
    sizes = np.array(batch_sizes)
    targets = np.arange(sizes[0], sizes.sum())
    contexts = targets - np.repeat(sizes[:-1], sizes[1:])
    return torch.from_numpy(targets).to(device), torch.from_numpy(contexts).to(device)
