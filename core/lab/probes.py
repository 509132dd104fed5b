"""Linear probes: how well a classifier predicts a token's tag from its vector (Alain and Bengio 2017).

One optimizer serves single layers, fixed mixes and the learned mix, so that accuracies can be compared: Adam on the softmax cross-entropy
with a rate falling to 0. For a fixed input the problem is convex and starts at zero; `seed` only orders the batches. For a probe of limited
rank `seed` also draws the first directions.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from ..common.device import seeded
from ..elmo.mix import ScalarMix, widen

BATCH = 1024  # tokens
EPOCHS = 20
LEAST_STEPS = 300  # where EPOCHS passes are fewer
LEARNING_RATE = 0.03
ROWS = 8192  # tokens handled at a time where no gradient is needed


@dataclass(frozen=True, slots=True, kw_only=True)
class MixProbe:
    """The result of a probe on the test tokens, and its layer mix."""

    accuracy: float
    weights: tuple[float, ...]  # s = softmax(w), one a layer
    right: np.ndarray = field(compare=False, repr=False)  # (N,) bool, test token by test token


class Probe(nn.Module):
    """softmax(W mix((h - mean) / spread) + b): a scalar mix and a linear classifier, learned together."""

    def __init__(self, mean: Tensor, spread: Tensor, n_tags: int, *, rank: int | None = None, seed: int = 0) -> None:
        """Take mean (L, D) and spread (D,), the same for all layers so that s weights the layers as they are. With a rank, W = U V."""
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("spread", spread)
        self.mix = ScalarMix(len(mean))
        dim = mean.shape[1]
        self.narrow = None if rank is None else nn.Parameter(torch.randn(rank, dim, generator=seeded(seed)) / dim**0.5)  # V
        self.weight = nn.Parameter(torch.zeros(n_tags, dim if rank is None else rank))  # W, or U
        self.bias = nn.Parameter(torch.zeros(n_tags))  # b

    def forward(self, layers: Tensor) -> Tensor:
        """Return scores of the tags (B, n_tags) for layers (L, B, D)."""
        mixed = self.mix((layers - self.mean[:, None]) / self.spread)  # (B, D)
        return nn.functional.linear(mixed if self.narrow is None else mixed @ self.narrow.T, self.weight, self.bias)


def learned_mix_probe(
    train_layers: np.ndarray,
    train_tags: Sequence[str],
    test_layers: np.ndarray,
    test_tags: Sequence[str],
    *,
    seed: int = 0,
    rank: int | None = None,
) -> MixProbe:
    """Return the test accuracy of a probe learned together with the layer mix (s and gamma).

    Layers are (L, N, D), tags (N,). With a rank, the probe reads no more than that many directions (Hewitt and Liang 2019).
    """
    tags, codes = np.unique(np.asarray(train_tags, str), return_inverse=True)
    probe = Probe(*map(torch.from_numpy, _mean_and_spread(train_layers)), len(tags), rank=rank, seed=seed)
    _train(probe, train_layers, torch.from_numpy(codes), seed)
    with torch.inference_mode():
        predictions = [probe(_part(test_layers, slice(k, k + ROWS))).argmax(dim=1) for k in range(0, len(test_tags), ROWS)]
        weights = tuple(probe.mix.scores.softmax(dim=0).tolist())
    right = tags[torch.cat(predictions).numpy()] == np.asarray(test_tags, str)
    return MixProbe(accuracy=float(right.mean()), weights=weights, right=right)


def commonest_tags(words: Sequence[str], tags: Sequence[str], test_words: Sequence[str], test_tags: Sequence[str]) -> float:
    """Return the accuracy of each spelling's most frequent training tag; unknown spellings get the most frequent tag of all."""
    overall = Counter(tags)
    counts = {}
    for word, tag in zip(words, tags, strict=True):
        counts.setdefault(word, Counter())[tag] += 1
    best = {word: max(value, key=lambda tag: (value[tag], overall[tag], tag)) for word, value in counts.items()}
    common = max(overall, key=lambda tag: (overall[tag], tag))
    return float(np.mean([best.get(word, common) == tag for word, tag in zip(test_words, test_tags, strict=True)]))


def _train(probe: Probe, layers: np.ndarray, codes: Tensor, seed: int) -> None:
    """Train on layers (L, N, D) and codes of tags (N,): EPOCHS passes, or LEAST_STEPS steps if these are more."""
    learned = [*probe.parameters()]
    if len(layers) == 1:  # nothing to weigh
        learned = [item for item in (probe.weight, probe.bias, probe.narrow) if item is not None]
    optimizer = torch.optim.Adam(learned, lr=LEARNING_RATE)
    rng = np.random.default_rng(seed)
    n_batches = -(-len(codes) // BATCH)
    steps = max(EPOCHS * n_batches, LEAST_STEPS)
    for step in range(steps):
        if step % n_batches == 0:
            order = rng.permutation(len(codes))
        rows = order[step % n_batches * BATCH :][:BATCH]
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - step / steps)
        loss = nn.functional.cross_entropy(probe(_part(layers, rows)), codes[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def _part(layers: np.ndarray, rows: np.ndarray | slice) -> Tensor:
    return torch.from_numpy(widen(layers[:, rows]))


def _mean_and_spread(layers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each layer's mean (L, D), and standard deviations of the equal mix (D,), 1 for constant features."""
    n = layers.shape[1]
    mean = layers.mean(axis=1, dtype=np.float64)
    squares = np.zeros(layers.shape[2])
    for k in range(0, n, ROWS):
        squares += ((layers[:, k : k + ROWS].mean(axis=0, dtype=np.float64) - mean.mean(axis=0)) ** 2).sum(axis=0)
    spread = np.sqrt(squares / n)
    return mean.astype(np.float32), np.where(spread > 1e-6, spread, 1).astype(np.float32)
