"""Layer normalization of a token's layers before mixing (Peters et al. 2018, section 3.2; Ba et al. 2016).

Each layer's D numbers of a token minus their mean, divided by their (population) standard deviation: all layers get the length sqrt(D).
AllenNLP's ScalarMix (do_layer_norm) uses the mean and deviation of a complete batch; for a batch of one token it is the same.

Products of normalized layers follow from those of the original layers: with means m and deviations d,
(a - m_a)(b - m_b) / (d_a d_b) = (a.b - D m_a m_b) / (d_a d_b), and d^2 = a.a / D - m_a^2. So no vector is read again.
"""

import numpy as np

from .mix import widen

EPSILON = 1e-13  # added to the variance to avoid a division by 0
FLAT = 1e-6  # variance over mean square; below it float16 cannot distinguish the numbers
_AT_ONCE = 4_096  # rows widened at a time


def layer_normalized(layers: np.ndarray) -> np.ndarray:
    """Return normalized layers (..., D) float32; zeros if all D numbers are equal."""
    wide = widen(layers)
    means = wide.mean(axis=-1, dtype=np.float64)
    squares = np.einsum("...d,...d->...", wide, wide, dtype=np.float64)
    d = deviations(squares, means, wide.shape[-1])
    return (wide - means[..., None].astype(np.float32)) / d[..., None].astype(np.float32)


def means_of(layers: np.ndarray) -> np.ndarray:
    """Return the mean (N, L) float64 of every layer (N, L, D), computed in blocks."""
    out = np.empty(layers.shape[:2])
    for k in range(0, len(layers), _AT_ONCE):
        out[k : k + _AT_ONCE] = widen(layers[k : k + _AT_ONCE]).mean(axis=2, dtype=np.float64)
    return out


def deviations(squares: np.ndarray, means: np.ndarray, size: int) -> np.ndarray:
    """Return the deviations from squared norms and means of any shape; infinite if all numbers are equal, so that results are zero."""
    square = np.asarray(squares, np.float64) / size
    variance = square - means**2
    return np.where(variance > FLAT * square, np.sqrt(np.maximum(variance, 0.0) + EPSILON), np.inf)


def gram_deviations(gram: np.ndarray, means: np.ndarray, size: int) -> np.ndarray:
    """Return the deviations (N, L) from layer products (N, L(L+1)/2) of core.elmo.mix.gram and means (N, L)."""
    rows, columns = np.triu_indices(means.shape[1])
    return deviations(gram[:, rows == columns], means, size)


def normalized_gram(gram: np.ndarray, means: np.ndarray, d: np.ndarray, size: int) -> np.ndarray:
    """Return `core.elmo.mix.gram` (N, L(L+1)/2) float32 of normalized layers from that of the original layers."""
    out = np.empty(gram.shape, np.float32, order="F")  # as core.elmo.mix.mix_cosines reads it soonest
    for k, (i, j) in enumerate(zip(*np.triu_indices(means.shape[1]), strict=True)):
        out[:, k] = (gram[:, k] - size * means[:, i] * means[:, j]) / (d[:, i] * d[:, j])
    return out


def normalized_cross(cross: np.ndarray, query: tuple[np.ndarray, np.ndarray], rows: tuple[np.ndarray, np.ndarray], size: int) -> np.ndarray:
    """Return the products (N, L, L) of a query's normalized layers with those of N rows."""
    (means, d), (row_means, row_d) = query, rows
    n, n_layers = cross.shape[:2]
    out = np.empty((n_layers, n_layers, n), np.float32)  # as core.elmo.mix.mix_cosines reads it soonest
    for i in range(n_layers):
        for j in range(n_layers):
            out[i, j] = (cross[:, i, j] - size * means[i] * row_means[:, j]) / (d[i] * row_d[:, j])
    return out.transpose(2, 0, 1)
