"""Losses of pre-training: the sampled softmax, and optional losses that predict words farther away.

The sampled softmax replaces the vocabulary by a few thousand negatives, corrected by how often they are drawn (Jean et al. 2015, as
TensorFlow's sampled_softmax_loss with a log-uniform sampler).
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from ..elmo.language_model import Softmax


class LogUniformSampler:
    """A sampler of distinct words with p(rank r) = log((r + 2) / (r + 1)) / log(V + 1), close to Zipf's law."""

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

    def draw(self, generator: torch.Generator | None = None) -> Tensor:
        """Draw negatives (K,) one after the other from `generator` (None: torch's global one), on the processor."""
        return torch.multinomial(self.p.float(), self.n_samples, generator=generator).to(self.log_count.device)


class SampledSoftmax:
    """A batch's targets among its negatives. The softmax's rows for both are selected once, for one dense gradient."""

    def __init__(self, softmax: Softmax, targets: Tensor, negatives: Tensor) -> None:
        """Store targets (N,) and distinct negatives (K,), as numbers of the softmax's words."""
        rows = torch.cat([negatives, targets])
        self.weight, self.own_weight = softmax.weight[rows].split([len(negatives), len(targets)])
        self.bias, self.own_bias = softmax.bias[rows].split([len(negatives), len(targets)])
        self.targets, self.negatives = targets, negatives
        place = torch.full((len(softmax.bias),), -1, dtype=torch.long, device=targets.device)
        place[negatives] = torch.arange(len(negatives), device=targets.device)
        self.hit = place[targets]  # the place of a row's own target among the negatives: it must not count twice

    def loss(self, h: Tensor, rows: Tensor, log_count: Tensor, n: int | None = None) -> Tensor:
        """Return the mean -log p of the targets of `rows` (n',) over them and the first n negatives (None: all), from h (n', P).

        `log_count` (words of the softmax,), the log of the probability of being among n drawn, is subtracted from the logits.
        """
        negatives = self.negatives[:n]
        targets = self.targets[rows]
        true = (h * self.own_weight[rows]).sum(1) + self.own_bias[rows] - log_count[targets]  # (n',)
        hit = self.hit[rows]
        hit = torch.where(hit < len(negatives), hit, -1)
        return _SampledLoss.apply(h, self.weight[:n], self.bias[:n] - log_count[negatives], true, hit) / len(h)


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


NEAREST = 2  # the next word is the language model's own
WORDS, AROUND, BAG = TARGETS = "words", "around", "bag"  # words ahead; one ahead, one behind, and so on; the mean of those ahead
RARITY = 1e-3  # a of the weights a / (a + p(word)) (Arora et al. 2017, "smooth inverse frequency")


class TopicMaps(nn.Module):
    """One linear map for each layer, direction and side, initialized as the identity."""

    def __init__(self, n_layers: int, projection: int, *, sides: int = 1) -> None:
        super().__init__()
        self.maps = nn.Parameter(torch.eye(projection).repeat(sides, 2, n_layers, 1, 1))  # (ahead, behind; directions; layers, P, P)

    def forward(self, layer: int, h: Tensor, *, backward: bool, behind: bool = False) -> Tensor:
        """Map states of a layer (n, P) to predictions of words ahead or behind, (n, P)."""
        return h @ self.maps[int(behind), int(backward), layer]


def rows_ahead(batch_sizes: list[int], distance: int, device: torch.device | None = None) -> tuple[Tensor, Tensor]:
    """Return (targets, contexts): the rows of tokens with another token `distance` before them in their sentence, and of those."""
    starts = np.concatenate([[0], np.cumsum(batch_sizes)]).astype(np.int64)
    after = batch_sizes[distance:]
    targets = [np.arange(n) + s for n, s in zip(after, starts[distance:-1], strict=True)] or [np.arange(0)]
    contexts = [np.arange(n) + s for n, s in zip(after, starts[: len(after)], strict=True)] or [np.arange(0)]
    result = (torch.from_numpy(np.concatenate(rows)) for rows in (targets, contexts))
    return tuple(rows if device is None else rows.to(device) for rows in result)


def draw_distances(n: int, reach: int, generator: torch.Generator) -> list[int]:
    """Draw `n` different distances from NEAREST to `reach`."""
    choice = torch.randperm(reach - NEAREST + 1, generator=generator)[:n] + NEAREST
    return choice.tolist()


def words_loss(
    states: Sequence[Tensor],
    mapped: Callable[..., Tensor],
    content: Tensor,
    batch_sizes: list[int],
    distances: list[tuple[int, bool]],
    softmax_loss: Callable[[Tensor, Tensor], Tensor],
) -> Tensor:
    """Return the sum over layers of the loss of the content words at those (distance, behind), the mean of each distance's mean.

    `mapped(layer, h, behind=)` is `TopicMaps`' for one direction; `softmax_loss(h, rows)` is the loss of the actual words.
    """
    results = []
    for distance, behind in distances:
        later, earlier = rows_ahead(batch_sizes, distance, content.device)
        rows, contexts = (earlier, later) if behind else (later, earlier)
        wanted = content[rows]
        if bool(wanted.any()):
            rows, contexts = rows[wanted], contexts[wanted]
            results += [softmax_loss(mapped(j, h[contexts], behind=behind), rows) for j, h in enumerate(states)]
    return torch.stack(results).sum() / len(distances) if results else states[0].new_zeros(())


def bag_loss(
    states: Sequence[Tensor], mapped: Callable[[int, Tensor], Tensor], vectors: Tensor, batch_sizes: list[int], reach: int
) -> Tensor:
    """Return the sum over layers of the mean of 1 - cosine to the sum of `vectors` (N, P) of the tokens NEAREST to `reach` ahead.

    Tokens that are not content words have zero vectors.
    """
    bags = torch.zeros_like(vectors)
    for distance in range(NEAREST, min(reach, len(batch_sizes) - 1) + 1):
        rows, contexts = rows_ahead(batch_sizes, distance, bags.device)
        bags.index_add_(0, contexts, vectors[rows])
    rows = (bags.square().sum(1) > 0).nonzero()[:, 0]
    if not len(rows):
        return states[0].new_zeros(())
    bags = bags[rows]
    cosines = [nn.functional.cosine_similarity(mapped(j, h[rows]), bags).mean() for j, h in enumerate(states)]
    return len(states) - torch.stack(cosines).sum()
