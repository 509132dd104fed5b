"""Start a biLM's training from static vectors, and fit its char-CNN to the vectors that training found.

`start_from` gives the softmax and the input table the static vectors as their first columns, so that the first step
already reads and writes words it knows. `fit_characters` teaches the char-CNN to spell a table of vectors: first its
projection in closed form over the filters as they are, then all of it by gradient.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from core.elmo.model import CharacterCNN
from core.elmo.pretrain import Trainer
from core.text import character_ids


def start_from(trainer: Trainer, words: list[str], vectors: np.ndarray, *, scale: float = 0.25) -> int:
    """Copy `vectors` (n, d <= P - 3) of lower-case `words` into softmax and table; returns how many types had one.

    Three more columns of the table say how a type is written: capitalised, all capitals, with a digit.
    """
    row = {word: k for k, word in enumerate(words)}
    types = trainer.corpus.types[: trainer.config.table_types]
    numbers = np.array([k for k, t in enumerate(types) if k > 1 and t.lower() in row])
    found = torch.from_numpy(vectors[[row[types[k].lower()] for k in numbers]]).float()
    found = (found - found.mean(0)) / found.std()
    d = found.shape[1]
    with torch.no_grad():
        slots = trainer.targets(torch.from_numpy(numbers))
        named = slots != 2
        trainer.softmax.weight.mul_(0.3)
        trainer.softmax.weight[slots[named], :d] = found[named] * scale
        chance = trainer.sampler.p.log().float()
        trainer.softmax.bias.copy_(chance - chance.mean())
        table = trainer.table.weight
        table[numbers, :d] = found * 2 * scale
        written = [(t[:1].isupper(), len(t) > 1 and t.isupper(), any(c.isdigit() for c in t)) for t in types]
        table[: len(types), d : d + 3] = torch.tensor(written, dtype=torch.float32)
        table[:2, d:] = torch.randn(2, table.shape[1] - d) * 0.5  # the two boundaries
    return len(numbers)


def fit_characters(
    characters: CharacterCNN, types: list[str], target: Tensor, *, seconds: float, batch: int = 192, rate: float = 1e-3, seed: int = 0
) -> Iterator[tuple[float, float]]:
    """Fit to `target` (n, P), types most frequent first; yields (seconds, mean squared error) once a step.

    Types are drawn by the square root of frequency after Zipf's law; the rate falls to a twentieth over `seconds`.
    """
    chances = np.sqrt(1.0 / (np.arange(len(types)) + 10.0))
    chances /= chances.sum()
    rng, started = np.random.default_rng(seed), time.perf_counter()
    optimizer = torch.optim.Adam(characters.parameters(), lr=rate, betas=(0.9, 0.99), fused=True)
    while (spent := time.perf_counter() - started) < seconds:
        picked = rng.choice(len(types), 4 * batch, p=chances)
        picked = picked[np.argsort([len(types[k]) for k in picked], kind="stable")]  # like lengths in one product
        for part in rng.permutation(np.array_split(picked, 4)):
            for group in optimizer.param_groups:
                group["lr"] = rate * max(0.05, 1 - spent / seconds)
            spelt = characters(torch.from_numpy(character_ids([types[k] for k in part])))
            loss = (spelt - target[part]).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        yield spent, loss.item()


def solve_projection(characters: CharacterCNN, types: list[str], target: Tensor, *, ridge: float = 1e-2) -> float:
    """Set the char-CNN's last layer to the ridge regression of `target` (n, P) on its filters; returns the R^2."""
    with torch.no_grad():
        order = sorted(range(len(types)), key=lambda k: len(types[k]))
        parts = [characters.after_highways(characters.pooled(torch.from_numpy(character_ids([types[k] for k in order[i : i + 512]])))) for i in range(0, len(order), 512)]
        x, y = torch.cat(parts), target[order]
        mean_x, mean_y = x.mean(0), y.mean(0)
        a, b = x - mean_x, y - mean_y
        gram = a.t() @ a
        solution = torch.linalg.solve(gram + ridge * gram.diagonal().mean() * torch.eye(len(gram)), a.t() @ b)
        characters.projection.weight.copy_(solution.t())
        characters.projection.bias.copy_(mean_y - mean_x @ solution)
        return 1 - float((a @ solution - b).square().sum() / b.square().sum())
