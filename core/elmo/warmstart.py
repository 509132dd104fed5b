"""Start a biLM's training from static vectors, and fit its char-CNN to the vectors that training found.

`start_from` gives the softmax and the input table the static vectors as their first columns, so that the first step
already reads and writes words it knows. The char-CNN learns to spell a table of vectors in three steps: `start_filters`
makes each wide filter answer to one frequent word, `solve_projection` finds the last layer in closed form over the
filters as they are, `fit_characters` then moves all of it by gradient.
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


def start_filters(characters: CharacterCNN, types: list[str], *, widest: int = 3, scale: float = 8.0) -> int:
    """Let each filter of the `widest` widths answer 1 to one frequent spelling and about 0 to all others; returns how many.

    A filter is the spelling's own characters, begin and end marks included, so that only that window reaches its
    threshold: one wrong character of seven costs a seventh of `scale`. Longer words are met by their beginnings.
    """
    filters = sorted(characters.convolutions, key=lambda c: c.kernel_size[0])[-widest:]
    free, seen = {c.kernel_size[0]: list(range(c.out_channels)) for c in filters}, set()
    with torch.no_grad():
        for word in types:
            ids = character_ids([word])[0]
            n = len(word.encode("utf-8", "ignore")) + 2
            room = [c for c in filters if free[c.kernel_size[0]] and (c.kernel_size[0] >= n or c is filters[-1])]
            if not room:
                continue
            width = room[0].kernel_size[0]
            if (window := tuple(ids[:width])) in seen:
                continue
            seen.add(window)
            k = free[width].pop(0)
            spelt = characters.embedding.weight[torch.tensor(window)]  # (width, 16)
            room[0].weight[k] = (spelt * scale / spelt.square().sum()).t()
            room[0].bias[k] = 1.0 - scale
            if not any(free.values()):
                break
    return len(seen)


def fit_characters(
    characters: CharacterCNN, types: list[str], target: Tensor, *, seconds: float, batch: int = 192, rate: float = 2e-4, seed: int = 0
) -> Iterator[tuple[float, float]]:
    """Fit to `target` (n, P), types most frequent first; yields (seconds, mean squared error) once a step.

    Types are drawn by `importance`; the rate falls to a twentieth over `seconds`.
    """
    chances = importance(len(types))
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


def importance(n: int) -> np.ndarray:
    """How much the type of each frequency rank counts, (n,): between its share of tokens (1 / rank) and one vote a type."""
    return (np.arange(n) + 10.0) ** -0.75


def solve_projection(characters: CharacterCNN, types: list[str], target: Tensor, *, ridge: float = 1e-2) -> float:
    """Set the char-CNN's last layer to the ridge regression of `target` (n, P) on its filters, types weighed by
    `importance`; returns the weighted R^2.
    """
    with torch.no_grad():
        order = sorted(range(len(types)), key=lambda k: len(types[k]))
        parts = [characters.after_highways(characters.pooled(torch.from_numpy(character_ids([types[k] for k in order[i : i + 512]])))) for i in range(0, len(order), 512)]
        x, y = torch.cat(parts), target[order]
        weight = torch.from_numpy(importance(len(types))[order]).float()[:, None]
        weight /= weight.sum()
        mean_x, mean_y = (x * weight).sum(0), (y * weight).sum(0)
        a, b = (x - mean_x) * weight.sqrt(), (y - mean_y) * weight.sqrt()
        gram = a.t() @ a
        solution = torch.linalg.solve(gram + ridge * gram.diagonal().mean() * torch.eye(len(gram)), a.t() @ b)
        characters.projection.weight.copy_(solution.t())
        characters.projection.bias.copy_(mean_y - mean_x @ solution)
        return 1 - float((a @ solution - b).square().sum() / b.square().sum())
