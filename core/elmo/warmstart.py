"""Start a biLM's training from static vectors, and fit its char-CNN to the vectors that training found.

`start_from` gives the softmax and the input table the static vectors as their first columns, so that the first step
already reads and writes words it knows. The char-CNN learns to spell a table of vectors in two steps: `start_filters`
makes each wide filter answer to one frequent word and each narrow one to one n-gram, `solve_projection` finds the last
layer by least squares over them; the joint training then moves all of it by gradient.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import torch
from scipy import sparse
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
    2017). A filter is its window's own characters: one wrong of w costs a w-th of `scale`, or 1, and it stays silent.
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
    chosen, scale = torch.tensor(windows[: convolution.out_channels]), max(scale, float(convolution.kernel_size[0]))
    with torch.no_grad():
        spelt = characters.embedding.weight[chosen]  # (n, width, 16)
        convolution.weight[: len(chosen)] = (spelt * scale / spelt.square().sum((1, 2), keepdim=True)).transpose(1, 2)
        convolution.bias[: len(chosen)] = 1.0 - scale
    return len(chosen)


def importance(n: int) -> np.ndarray:
    """How much the type of each frequency rank counts, (n,): between its share of tokens (1 / rank) and one vote a type."""
    return (np.arange(n) + 10.0) ** -0.75


def solve_projection(
    characters: CharacterCNN, types: list[str], target: Tensor, *, whole: int = 2, ridge: float = 1e-2, word_ridge: float = 1e-3
) -> float:
    """Set the char-CNN's last layer to a ridge regression of `target` (n, P) on its filters; returns R^2 weighed by `importance`.

    The n-grams are solved first, over types that count more alike, so that they learn what spelling says of any word; the filters
    of whole words, the `whole` widest widths, then learn what is left. They are sparse: conjugate gradients solve them.
    """
    parts, words = _features(characters, types, 0 if len(characters.highways) else whole)  # a highway mixes both kinds
    n_grams = parts.shape[1] - 1
    even = torch.from_numpy(importance(len(types)) ** 0.5).float()
    gram, moment = parts.t() @ (parts * even[:, None]), parts.t() @ (target * even[:, None])
    penalty = torch.full((n_grams + 1,), ridge * float(gram.diagonal()[:-1].mean()))
    penalty[-1] = 0.0  # the bias
    solution = torch.linalg.solve(gram + penalty.diag(), moment)
    left = (target - parts @ solution).numpy()
    weights = importance(len(types)).astype(np.float32)
    of_words = _conjugate_gradients(words, weights, left, word_ridge)
    with torch.no_grad():
        characters.projection.weight.copy_(torch.cat([solution[:-1], torch.from_numpy(of_words)]).t())
        characters.projection.bias.copy_(solution[-1])
    missed = np.square(left - words @ of_words).sum(1)
    mean = (target.numpy() * weights[:, None]).sum(0) / weights.sum()
    return float(1 - (missed * weights).sum() / (np.square(target.numpy() - mean).sum(1) * weights).sum())


def _features(characters: CharacterCNN, types: list[str], whole: int) -> tuple[Tensor, sparse.csr_array]:
    """Filters' answers to each type: n-grams and a one for the bias (n, F + 1), whole words (n, W); widths stand in rising order."""
    n_words = sum(c.out_channels for c in characters.convolutions[len(characters.convolutions) - whole :])
    n_grams = characters.projection.in_features - n_words
    order = sorted(range(len(types)), key=lambda k: len(types[k]))
    parts, words, rows = torch.ones(len(types), n_grams + 1), [], []
    with torch.no_grad():
        for start in range(0, len(order), 256):
            part = order[start : start + 256]
            x = characters.after_highways(characters.pooled(torch.from_numpy(character_ids([types[k] for k in part]))))
            parts[part, :-1] = x[:, :n_grams]
            words.append(sparse.csr_array(x[:, n_grams:].numpy()))
            rows += part
    return parts, sparse.vstack(words, format="csr")[np.argsort(rows)]


def _conjugate_gradients(
    x: sparse.csr_array, weights: np.ndarray, target: np.ndarray, ridge: float, steps: int = 60
) -> np.ndarray:
    """Solve (X^T D X + ridge * mean(D)) W = X^T D T for all columns of T at once, preconditioned by the diagonal: (W, P)."""
    weighed = x.T.multiply(weights[None]).tocsr().astype(np.float32)  # X^T D
    ridge = ridge * float(weights.mean())
    diagonal = (weighed.multiply(x.T).sum(axis=1) + ridge)[:, None].astype(np.float32)
    solution = np.zeros((x.shape[1], target.shape[1]), np.float32)
    residual = weighed @ target
    ahead = towards = residual / diagonal
    size = (residual * ahead).sum(0)
    for _ in range(steps):
        image = weighed @ (x @ towards) + ridge * towards
        step = size / np.maximum((towards * image).sum(0), 1e-30)
        solution += step * towards
        residual -= step * image
        ahead = residual / diagonal
        size, before = (residual * ahead).sum(0), size
        towards = ahead + size / np.maximum(before, 1e-30) * towards
    return solution
