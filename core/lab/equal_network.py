"""One network for all sets of parts, so that two scores differ only because of the parts.

Each number of a part is standardized over the training tokens, and averaged over the tokens of a text. A part of several layers is mixed by
learned weights (Peters et al. 2018, eq. 1). All parts are projected to the same width, followed by ReLU, dropout and classes. During
training, words are dropped from the mean (deep averaging network, Iyyer et al. 2015). The dropout rate is chosen from the same values for
all, on validation texts.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from scipy.sparse import csr_array
from torch import Tensor, nn

from ..classify.data import Dataset
from ..classify.scores import nll
from ..classify.train import texts_of, truth_of
from ..common.device import Dropout, first_weights, seeded
from ..elmo.mix import ScalarMix

Tokens = tuple[str, ...]


class Part:
    """A function from a text to its tokens' numbers (L, T, D) float32, NaN for tokens without any."""

    def __init__(self, layers: Callable[[Tokens], np.ndarray]) -> None:
        self._layers = layers
        self._sums: dict[Tokens, tuple[int, np.ndarray, np.ndarray]] = {}

    def __call__(self, tokens: Tokens) -> np.ndarray:
        """Return a text's numbers (L, T, D)."""
        return self._layers(tokens)

    def sums(self, tokens: Tokens) -> tuple[int, np.ndarray, np.ndarray]:
        """Return the number of tokens with numbers, their sum and their sum of squares, (L, D) float32; cached for the next run."""
        if tokens not in self._sums:
            layers = self(tokens)
            there = layers[:, ~np.isnan(layers[0, :, 0])]
            self._sums[tokens] = there.shape[1], there.sum(axis=1), np.square(there).sum(axis=1)
        return self._sums[tokens]


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualConfig:
    """Settings shared by every set of parts."""

    width: int = 64  # numbers to which the parts are projected
    dropouts: tuple[float, ...] = (0.2, 0.5)  # of the parts' and of the projected numbers; the best on validation is taken
    word_dropout: float = 0.3  # share of tokens that are left out of a text's mean while training
    learning_rate: float = 5e-3
    smallest_batch: int = 16  # texts; a twentieth of the training texts where that is more, but not more than ...
    largest_batch: int = 64
    epochs: int = 40  # at most
    patience: int = 5  # epochs without a lower validation loss, then training ends
    clip_norm: float = 5.0


@dataclass(frozen=True, slots=True)
class Scale:
    """The means and deviations (L, D) that standardize a part over the training tokens."""

    mean: np.ndarray
    spread: np.ndarray

    def numbers(self, layers: np.ndarray) -> np.ndarray:
        """Standardize a text's numbers (L, T, D) into (T, L * D) float32. A token without numbers has zeros."""
        scaled = np.nan_to_num((layers - self.mean[:, None]) / self.spread[:, None])
        return scaled.transpose(1, 0, 2).reshape(layers.shape[1], -1)

    def mean_numbers(self, part: Part, text: Tokens) -> np.ndarray:
        """Return the mean of `numbers` over a text's tokens, (L * D,)."""
        n, total, _ = part.sums(text)
        return ((total - n * self.mean) / self.spread / max(len(text), 1)).reshape(-1)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The result of the best dropout rate, and its answers on the test texts."""

    dropout: float
    valid_losses: tuple[float, ...]  # of every dropout, nats
    epochs: int  # of the best
    seconds: float  # of all
    mix: dict | None
    logits: np.ndarray  # (N, C) of the test texts


class EqualNetwork(nn.Module):
    """A network from text means (B, F), all parts' layers concatenated, to logits (B, C)."""

    def __init__(self, shapes: Sequence[tuple[int, int]], config: EqualConfig, *, dropout: float, classes: int, seed: int) -> None:
        """Build the network for `shapes`: (layers, numbers) of each part."""
        super().__init__()
        self.shapes = list(shapes)
        generator = seeded(seed)
        self.mixes = nn.ModuleList(ScalarMix(n) if n > 1 else nn.Identity() for n, _ in shapes)
        self.project = nn.Linear(sum(dim for _, dim in shapes), config.width)
        self.output = nn.Linear(config.width, classes)
        self.dropout = Dropout(dropout, generator)
        first_weights(self, generator)

    def forward(self, means: Tensor) -> Tensor:
        """Return logits (B, C) for text means (B, F)."""
        pieces = self.dropout(means).split([n * dim for n, dim in self.shapes], dim=1)
        parts = [
            mix(piece.unflatten(1, shape).movedim(1, 0)) if shape[0] > 1 else piece
            for mix, shape, piece in zip(self.mixes, self.shapes, pieces, strict=True)
        ]
        return self.output(self.dropout(torch.relu(self.project(torch.cat(parts, dim=1)))))

    def mix(self) -> dict | None:
        """Return the learned weights s and gamma of the part that has layers to mix."""
        for part in self.mixes:
            if isinstance(part, ScalarMix):
                return {"s": part.scores.detach().softmax(0).tolist(), "gamma": part.gamma.item()}
        return None


def fit(parts: Sequence[Part], dataset: Dataset, config: EqualConfig, seed: int) -> Fitted:
    """Train a network on these parts with each dropout rate. The one with the lowest validation loss answers the test texts."""
    started = time.perf_counter()
    scales = [_scale(part, texts_of(dataset.train)) for part in parts]
    means = _words_left_out(parts, scales, texts_of(dataset.train), config, seed)
    truth = torch.from_numpy(truth_of(dataset.train))
    true_valid = truth_of(dataset.valid)
    valid, test = (_means(parts, scales, texts_of(examples)) for examples in (dataset.valid, dataset.test))
    size = min(config.largest_batch, max(config.smallest_batch, len(truth) // 20))

    def train_once(dropout: float) -> tuple[float, int, EqualNetwork]:
        """Train until the validation loss stops falling; return that loss, its epoch, and the network at that time."""
        shapes = [scale.mean.shape for scale in scales]
        network = EqualNetwork(shapes, config, dropout=dropout, classes=len(dataset.labels), seed=seed)
        optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
        best = np.inf
        best_epoch = 0
        best_weights = {}
        for epoch in range(1, config.epochs + 1):
            network.train()
            for batch in torch.from_numpy(np.random.default_rng([seed, 2, epoch]).permutation(len(truth))).split(size):
                optimizer.zero_grad(set_to_none=True)
                nn.functional.cross_entropy(network(means(epoch)[batch]), truth[batch]).backward()
                nn.utils.clip_grad_norm_(network.parameters(), config.clip_norm)
                optimizer.step()
            loss = nll(_logits(network, valid), true_valid)
            if loss < best:
                best = loss
                best_epoch = epoch
                best_weights = {name: x.clone() for name, x in network.state_dict().items()}
            elif epoch - best_epoch >= config.patience:
                break
        network.load_state_dict(best_weights)
        return best, best_epoch, network

    tried = [train_once(dropout) for dropout in config.dropouts]
    best = min(range(len(tried)), key=lambda k: tried[k][0])
    losses = tuple(run[0] for run in tried)
    _, epochs, network = tried[best]
    seconds = time.perf_counter() - started
    return Fitted(config.dropouts[best], losses, epochs, seconds, network.mix(), _logits(network, test))


def _words_left_out(parts: Sequence[Part], scales: Sequence[Scale], texts: Sequence[Tokens], config: EqualConfig, seed: int):
    """Return a function from epoch to text means (N, F) without the words dropped in it, the same for every dropout rate.

    A text that would lose all words is averaged completely.
    """
    results = [np.concatenate([scale.numbers(part(text)) for part, scale in zip(parts, scales, strict=True)], 1) for text in texts]
    tokens = np.concatenate(results)  # (all tokens, F)
    lengths = np.array([len(text) for text in texts])
    row = np.repeat(np.arange(len(texts)), lengths)

    @cache
    def means(epoch: int) -> Tensor:
        is_used = np.random.default_rng([seed, 1, epoch]).random(len(tokens)) >= config.word_dropout
        is_used |= (np.bincount(row[is_used], minlength=len(texts)) == 0)[row]
        weights = 1 / np.bincount(row[is_used], minlength=len(texts))[row[is_used]]
        places = weights.astype(np.float32), (row[is_used], np.flatnonzero(is_used))
        return torch.from_numpy(csr_array(places, shape=(len(texts), len(tokens))) @ tokens)

    return means


def _means(parts: Sequence[Part], scales: Sequence[Scale], texts: Sequence[Tokens]) -> Tensor:
    """Return text means (N, F) over all words."""
    means = [np.stack([scale.mean_numbers(part, text) for text in texts]) for part, scale in zip(parts, scales, strict=True)]
    return torch.from_numpy(np.concatenate(means, axis=1).astype(np.float32))


def _logits(network: EqualNetwork, means: Tensor) -> np.ndarray:
    network.eval()
    with torch.inference_mode():
        return network(means).numpy()


def _scale(part: Part, texts: Sequence[Tokens]) -> Scale:
    """Return means and deviations over the tokens of the training texts that have numbers."""
    counts, totals, squares = zip(*(part.sums(text) for text in texts), strict=True)
    n = max(sum(counts), 1)
    mean = sum(totals) / n
    spread = np.sqrt(np.maximum(sum(squares) / n - np.square(mean), 0))
    return Scale(mean.astype(np.float32), np.where(spread > 1e-6, spread, 1.0).astype(np.float32))
