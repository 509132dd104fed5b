"""Learn the linear map of the sense space (core.index.sense_space) from labeled words.

Linear discriminant analysis (Fisher 1936; Rao 1948) pooled over words: the scatter of a word's senses around the word's mean against
the scatter within its senses. Each word has the same weight, and the within-scatter is shrunken toward a sphere. Directions are scaled by
a small power of how well they separate senses: complete whitening of the bundled sentences, which were written to show their sense,
does worse on other texts.
"""

from collections.abc import Sequence

import numpy as np

from ..common.errors import BadInput
from ..index.sense_space import FOLDS, Learned, SenseSpace, fold_of

SHRINKAGE, DIMENSIONS, POWER = 0.5, 128, 0.25
Labeled = tuple[str, np.ndarray, np.ndarray]  # a word, its views (n, V), its senses (n,)
Scatter = tuple[np.ndarray, np.ndarray]  # within senses, between senses, (V, V) each


def learn(space: SenseSpace, words: Sequence[Labeled], *, dimensions: int = DIMENSIONS) -> Learned:
    """Return the maps of all words except each tenth, the map of all words, and the mean of the parts over words."""
    plain = SenseSpace(space.encoder, space.substitutes, space.vectors)
    scatters = [_scatter(plain.place(views, views.mean(axis=0)), senses) for _, views, senses in words]
    folds = np.array([fold_of(word) for word, _, _ in words])
    maps = []
    for fold in range(FOLDS + 1):
        seen = [scatter for scatter, fold_of_word in zip(scatters, folds, strict=True) if fold_of_word != fold]
        if not seen:
            raise BadInput(f"{len(words)} words are too few to learn a sense space from.")
        within, between = (sum(parts) / len(seen) for parts in zip(*seen, strict=True))
        maps.append(_map(within, between, dimensions))
    mean = np.mean([views.mean(axis=0) for _, views, _ in words], axis=0)
    return Learned(np.stack(maps), mean.astype(np.float32), frozenset(word for word, _, _ in words))


def _scatter(rows: np.ndarray, senses: np.ndarray) -> Scatter:
    """Return the scatter of one word's centered rows (n, V), divided by n."""
    within, between = np.zeros((2, rows.shape[1], rows.shape[1]))
    for sense in np.unique(senses):
        members = rows[senses == sense].astype(np.float64)
        middle = members.mean(axis=0)
        within += (members - middle).T @ (members - middle) / len(rows)
        between += len(members) / len(rows) * np.outer(middle, middle)
    return within, between


def _map(within: np.ndarray, between: np.ndarray, dimensions: int) -> np.ndarray:
    """Return the directions (V, D) that separate senses best, best first."""
    size = len(within)
    sphere = np.trace(within) / size * np.eye(size)
    widths, directions = np.linalg.eigh((1 - SHRINKAGE) * within + SHRINKAGE * sphere)
    whitened = directions / np.sqrt(widths)
    ratios, turned = np.linalg.eigh(whitened.T @ between @ whitened)
    best = np.argsort(-ratios)[:dimensions]
    ratios = np.maximum(ratios[best], 0) / max(float(ratios[best[0]]), 1e-12)
    return (whitened @ turned[:, best] * ratios**POWER).astype(np.float32)
