"""Layer normalization of a token's layers before they are weighed (Peters et al. 2018, section 3.2; Ba et al. 2016).

Each layer's D numbers of a token minus their mean, divided by their standard deviation (population): all layers get the length sqrt(D).
AllenNLP's ScalarMix (do_layer_norm) takes mean and deviation over a whole batch: for a batch of one token, the same as here.

Products of normalized layers follow from those of the layers as they are: with means m and deviations d,
(a - m_a)(b - m_b) / (d_a d_b) = (a.b - D m_a m_b) / (d_a d_b), and d^2 = a.a / D - m_a^2. So no vector is read again.
"""

import numpy as np

from .mix import widen

EPSILON = 1e-13  # added to the variance, lest there be a division by 0
FLAT = 1e-6  # variance over mean square: numbers that differ less from each other than float16 tells apart have no direction
_AT_ONCE = 4_096  # rows widened at a time


def layer_normalized(layers: np.ndarray) -> np.ndarray:
    """(..., D) -> (..., D) float32: minus its mean, divided by its deviation; zeros where all D numbers are one."""
    wide = widen(layers)
    means = wide.mean(axis=-1, dtype=np.float64)
    squares = np.einsum("...d,...d->...", wide, wide, dtype=np.float64)
    d = deviations(squares, means, wide.shape[-1])
    return (wide - means[..., None].astype(np.float32)) / d[..., None].astype(np.float32)


def means_of(layers: np.ndarray) -> np.ndarray:
    """(N, L, D) -> (N, L) float64: every layer's mean, some rows at a time."""
    out = np.empty(layers.shape[:2])
    for k in range(0, len(layers), _AT_ONCE):
        out[k : k + _AT_ONCE] = widen(layers[k : k + _AT_ONCE]).mean(axis=2, dtype=np.float64)
    return out


def deviations(squares: np.ndarray, means: np.ndarray, size: int) -> np.ndarray:
    """Products with itself and means, any shape -> the deviations; infinite where all numbers are one, so that zeros come of them."""
    square = np.asarray(squares, np.float64) / size
    variance = square - means**2
    return np.where(variance > FLAT * square, np.sqrt(np.maximum(variance, 0.0) + EPSILON), np.inf)


def gram_deviations(gram: np.ndarray, means: np.ndarray, size: int) -> np.ndarray:
    """(N, L(L+1)/2), (N, L) -> (N, L): the deviations from the products of core.elmo.mix.gram."""
    rows, columns = np.triu_indices(means.shape[1])
    return deviations(gram[:, rows == columns], means, size)


def normalized_gram(gram: np.ndarray, means: np.ndarray, d: np.ndarray, size: int) -> np.ndarray:
    """`core.elmo.mix.gram` of the normalized layers: (N, L(L+1)/2), means and deviations (N, L) -> the same shape, float32."""
    out = np.empty(gram.shape, np.float32, order="F")  # as core.elmo.mix.mix_cosines reads it soonest
    for k, (i, j) in enumerate(zip(*np.triu_indices(means.shape[1]), strict=True)):
        out[:, k] = (gram[:, k] - size * means[:, i] * means[:, j]) / (d[:, i] * d[:, j])
    return out


def normalized_cross(cross: np.ndarray, own: tuple[np.ndarray, np.ndarray], rows: tuple[np.ndarray, np.ndarray], size: int) -> np.ndarray:
    """Products of a query's normalized layers with those of N rows: (N, L, L), means and deviations (L,), (N, L) -> (N, L, L)."""
    (means, d), (row_means, row_d) = own, rows
    n, n_layers = cross.shape[:2]
    out = np.empty((n_layers, n_layers, n), np.float32)  # as core.elmo.mix.mix_cosines reads it soonest
    for i in range(n_layers):
        for j in range(n_layers):
            out[i, j] = (cross[:, i, j] - size * means[i] * row_means[:, j]) / (d[i] * row_d[:, j])
    return out.transpose(2, 0, 1)
