"""Start a biLM's training from static vectors, and fit its char-CNN to the vectors that training found.

`start_from` gives the softmax and the input table the static vectors as their first columns, so that the first step
already reads and writes words it knows. The char-CNN learns to spell a table of vectors in two steps: `start_filters`
makes each wide filter answer to one frequent word and each narrow one to one n-gram, `solve_projection` finds the last
layer in closed form over them; the joint training then moves all of it by gradient.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import torch
from torch import Tensor, nn

from core.elmo.model import CharacterCNN
from core.elmo.pretrain import Trainer
from core.text import PADDING, character_ids


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


def start_filters(characters: CharacterCNN, types: list[str], *, whole: int = 2, scale: float = 8.0) -> int:
    """Let each filter answer 1 to one window of characters and about 0 to all others; returns how many are set.

    The `whole` widest widths get frequent spellings with their begin and end marks (longer ones by their beginning), the
    narrower widths the weightiest character n-grams, so that unknown words are spelt from parts (as in Bojanowski et al.
    2017). A filter is its window's own characters: one wrong of seven costs a seventh of `scale` and stays silent.
    """
    encoded = [character_ids([word])[0][: len(word.encode("utf-8", "ignore")) + 2] for word in types]
    by_width = sorted(characters.convolutions, key=lambda c: c.kernel_size[0])
    n_set = 0
    for convolution in by_width[: len(by_width) - whole]:
        n_set += _set_windows(convolution, characters, _weightiest(encoded, convolution.kernel_size[0]), scale)
    taken: set[int] = set()
    for convolution in by_width[len(by_width) - whole :]:
        width, last = convolution.kernel_size[0], convolution is by_width[-1]
        windows: dict[tuple, int] = {}
        for number, ids in enumerate(encoded):
            if len(windows) < convolution.out_channels and number not in taken and (len(ids) <= width or last):
                padded = (*ids[:width].tolist(), *[PADDING] * (width - len(ids)))
                if windows.setdefault(padded, number) == number:
                    taken.add(number)
        n_set += _set_windows(convolution, characters, list(windows), scale)
    return n_set


def _weightiest(encoded: list[np.ndarray], width: int) -> list[tuple]:
    """Character n-grams of one width by the importance of the types they stand in, weightiest first."""
    weights: Counter[tuple] = Counter()
    for ids, weight in zip(encoded, importance(len(encoded)).tolist(), strict=True):
        listed = ids.tolist()
        for window in {tuple(listed[k : k + width]) for k in range(len(listed) - width + 1)}:
            weights[window] += weight
    return [window for window, _ in weights.most_common()]


def _set_windows(convolution: nn.Conv1d, characters: CharacterCNN, windows: list[tuple], scale: float) -> int:
    if not windows:  # a tiny corpus: no spelling is left for this width
        return 0
    chosen = torch.tensor(windows[: convolution.out_channels])
    with torch.no_grad():
        spelt = characters.embedding.weight[chosen]  # (n, width, 16)
        convolution.weight[: len(chosen)] = (spelt * scale / spelt.square().sum((1, 2), keepdim=True)).transpose(1, 2)
        convolution.bias[: len(chosen)] = 1.0 - scale
    return len(chosen)


def importance(n: int) -> np.ndarray:
    """How much the type of each frequency rank counts, (n,): between its share of tokens (1 / rank) and one vote a type."""
    return (np.arange(n) + 10.0) ** -0.75


def solve_projection(characters: CharacterCNN, types: list[str], target: Tensor, *, ridge: float = 1e-2) -> float:
    """Set the char-CNN's last layer to the ridge regression of `target` (n, P) on its filters, types weighed by
    `importance`; returns the weighted R^2.
    """
    order = sorted(range(len(types)), key=lambda k: len(types[k]))
    weights = torch.from_numpy(importance(len(types))).float()
    n = characters.projection.in_features + 1
    gram, moment, total = torch.zeros(n, n), torch.zeros(n, target.shape[1]), 0.0
    mean = (target * weights[:, None]).sum(0) / weights.sum()
    with torch.no_grad():
        for start in range(0, len(order), 512):
            part = order[start : start + 512]
            ids = torch.from_numpy(character_ids([types[k] for k in part]))
            x = nn.functional.pad(characters.after_highways(characters.pooled(ids)), (0, 1), value=1.0)  # a one for the bias
            weighed = x * weights[part][:, None]
            gram.addmm_(x.t(), weighed)
            moment.addmm_(weighed.t(), target[part])
            total += float(((target[part] - mean).square().sum(1) * weights[part]).sum())
        penalty = torch.full((n,), ridge * float(gram.diagonal()[:-1].mean()))
        penalty[-1] = 0.0
        solution = torch.linalg.solve(gram + penalty.diag(), moment)
        characters.projection.weight.copy_(solution[:-1].t())
        characters.projection.bias.copy_(solution[-1])
        squared = float(
            (target.square() * weights[:, None]).sum() - 2 * (solution * moment).sum() + (solution * (gram @ solution)).sum()
        )
    return 1 - squared / total
