"""The layer mix, its cosine from layer products, and layer normalization.

The layer mix of a task is gamma * sum_j s_j h_j with s = softmax(w) (Peters et al. 2018, eq. 1). The cosine of two mixes
needs only dot products of layers: with C = A B^T, G_a = A A^T and G_b = B B^T, all (L, L),
cos = s^T C s / sqrt(s^T G_a s * s^T G_b s). gamma cancels and never changes a cosine.

Layer normalization before mixing (section 3.2; Ba et al. 2016) subtracts the mean of each layer's D numbers and divides by their standard
deviation: all layers get the length sqrt(D). AllenNLP's ScalarMix (do_layer_norm) uses the mean and deviation of a complete batch; for a
batch of one token it is the same. Products of normalized layers follow from those of the original layers: with means m and deviations d,
(a - m_a)(b - m_b) / (d_a d_b) = (a.b - D m_a m_b) / (d_a d_b), and d^2 = a.a / D - m_a^2. So no vector is read again.
"""

from collections.abc import Mapping, Sequence, Set

import numpy as np
import torch
from torch import Tensor, nn

from ..common import directions
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten

EPSILON = 1e-13  # added to the variance in layer normalization to avoid a division by 0
FLAT = 1e-6  # variance over mean square; below it float16 cannot distinguish the numbers
_AT_ONCE = 4_096  # rows widened at a time


class ScalarMix(nn.Module):
    """A learned layer mix (Peters et al. 2018, eq. 1): gamma * sum_j softmax(w)_j h_j."""

    def __init__(self, n_layers: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(n_layers))  # w, (L,)
        self.gamma = nn.Parameter(torch.ones(()))

    def forward(self, layers: Tensor) -> Tensor:
        """Return the layer mix (..., D) of layers (L, ..., D)."""
        return self.gamma * torch.tensordot(self.scores.softmax(dim=0), layers, dims=1)


def check_weights(weights, n_layers: int) -> np.ndarray:
    """Return weights s (L,) float64, scaled if float32 would lose them. Raises BadInput unless L numbers within 1e6 of 0, not all zero."""
    is_ordered = not isinstance(weights, Mapping | Set | str | bytes | bytearray) and not hasattr(weights, "columns")
    try:
        items = list(weights)
        if not is_ordered or any(map(np.iscomplexobj, items)):  # the items of a dict or a table are its keys
            raise TypeError
        values = np.asarray([float(item) for item in items])
    except (TypeError, ValueError, OverflowError):
        values = ", ".join(map(str, weights)) if isinstance(weights, list | tuple) else " ".join(str(weights).split())
        raise BadInput(t("Layer weights must be numbers, got {weights}.", weights=shorten(values))) from None
    if len(values) != n_layers:
        counts = {"n": n_layers, "given": len(values)}
        raise BadInput(t("Give {n} layer weights, one per layer, not {given}.", **counts))
    if not 0 < (largest := np.abs(values).max()) <= 1e6:  # NaN is not, and products must stay within float32
        shown = ", ".join(f"{value:g}" for value in values)
        raise BadInput(t("Layer weights must be between -1,000,000 and 1,000,000 and not all zero, got {weights}.", weights=shown))
    return to_largest_1(values) if largest < np.finfo(np.float32).tiny else values


def to_largest_1(weights) -> np.ndarray:
    """Scale weights (L,) so that the largest is 1 or -1. No cosine changes, and small weights neither round nor underflow to zero."""
    values = np.asarray(weights, np.float64)
    return values / (np.abs(values).max() or 1.0)


def mixed(layers: np.ndarray, weights, gamma: float = 1.0, *, axis: int = 0, unit: bool = False) -> np.ndarray:
    """Return gamma * sum_j s_j h_j of layers (L, ..., D) (or with L on another axis), float32 or wider; `unit` scales to length 1."""
    if unit:  # a power of 2 changes no digit; otherwise tiny weights would give vectors too short to scale
        weights = np.ldexp(weights, -np.frexp(np.abs(weights).max())[1])
    mix = gamma * np.tensordot(np.asarray(weights, np.result_type(layers, np.float32)), layers, axes=(0, axis))
    return directions.unit(mix) if unit else mix


def mean_lengths(layers: np.ndarray) -> np.ndarray:
    """Return the mean length (L,) of each layer's vectors (N, L, D)."""
    return np.linalg.norm(widen(layers), axis=2).mean(axis=0)


def pulls(weights: np.ndarray, lengths: np.ndarray | float = 1.0) -> np.ndarray:
    """Return each layer's share (L,) of the layer mix: |s_j| times the layer's mean length, normalized to a sum of 1."""
    parts = np.abs(to_largest_1(weights)) * lengths
    return parts / max(float(parts.sum()), 1e-30)


def widen(numbers: np.ndarray) -> np.ndarray:
    """Convert float16 to float32, by torch, which uses the processor's instruction (numpy takes twenty times as long)."""
    if numbers.dtype != np.float16:
        return numbers.astype(np.float32)
    writeable = numbers if numbers.flags.writeable else numbers.copy()  # torch warns about read-only arrays
    return torch.from_numpy(writeable).float().numpy()


def gram(layers: np.ndarray) -> np.ndarray:
    """Return the dot products (N, L(L+1)/2) float32 of each token's layers (N, L, D), upper triangle by rows."""
    rows, columns = np.triu_indices(layers.shape[1])
    wide = widen(layers)
    return np.stack([np.einsum("nd,nd->n", wide[:, i], wide[:, j]) for i, j in zip(rows, columns, strict=True)], axis=1)


def squared_norms(gram_rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return s^T G s of every row from (N, L(L+1)/2) and weights (L,) or (K, L), as (N,) or (K, N). Off-diagonal products count twice."""
    rows, columns = np.triu_indices(weights.shape[-1])
    factors = weights[..., rows] * weights[..., columns] * np.where(rows == columns, 1.0, 2.0)
    squares = factors.astype(gram_rows.dtype) @ gram_rows.T
    return np.maximum(squares, 0.0, out=squares)


def mix_cosines(cross: np.ndarray, query_gram: np.ndarray, gram_rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the cosines (N,) of a query's mix with every row's mix from layer products; (K, N) for K mixes (K, L).

    cross (N, L, L) holds query layer i times row layer j; query_gram (L(L+1)/2,); gram_rows (N, L(L+1)/2). Both are read fastest if one
    product of all rows is contiguous in memory (np.empty((L, L, N)).transpose(2, 0, 1)). The cosine of a mix of length 0 is 0.
    """
    largest = np.abs(weights).max(axis=-1, keepdims=True)
    weights = weights / np.where(largest > 0, largest, 1.0)  # a common factor changes no cosine, but could vanish in float32
    pairs = (weights[..., :, None] * weights[..., None, :]).reshape(*weights.shape[:-1], -1)  # s_i s_j, (L * L,)
    products = pairs.astype(cross.dtype) @ cross.reshape(len(cross), pairs.shape[-1]).T
    lengths = squared_norms(gram_rows, weights)
    lengths *= squared_norms(query_gram[None], weights)
    np.sqrt(lengths, out=lengths)
    short = lengths <= 1e-12
    if short.any():
        lengths[short], products[short] = 1.0, 0.0
    products /= lengths
    return np.clip(products, -1.0, 1.0, out=products)


def layer_weights(layer: str, n_layers: int, weights: str | None = None, *, senses: bool = False) -> np.ndarray:
    """Return the weights of a layer ("0", ...), or of "mix": 'a,b,c' or equal ones. With `senses` the error names the sense space too."""
    if layer == "mix":
        return check_weights(weights.split(",") if weights else [1 / n_layers] * n_layers, n_layers)
    if layer not in map(str, range(n_layers)):
        values = {"layer": shorten(layer), "top": n_layers - 1}
        if senses:
            raise BadInput(t("There is no layer '{layer}'. Use 0 to {top}, 'mix' or 'senses'.", **values))
        raise BadInput(t("There is no layer '{layer}'. Use 0 to {top} or 'mix'.", **values))
    return np.eye(n_layers)[int(layer)]


def stops(n_layers: int) -> np.ndarray:
    """Return the weights (L + 1, L) at the stops of a layer slider: each layer alone, then all equally."""
    return np.vstack([np.eye(n_layers), np.full(n_layers, 1 / n_layers)])


def scores(shares: Sequence[float], limit: float) -> np.ndarray:
    """Return raw scores (L,) within `limit` and summing to 0 whose softmax is close to these shares."""
    logs = np.log(np.maximum(shares, 1e-9))
    return np.clip(logs - logs.mean(), -limit, limit).round(1)


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
    out = np.empty(gram.shape, np.float32, order="F")  # the order that core.elmo.mix.mix_cosines reads fastest
    for k, (i, j) in enumerate(zip(*np.triu_indices(means.shape[1]), strict=True)):
        out[:, k] = (gram[:, k] - size * means[:, i] * means[:, j]) / (d[:, i] * d[:, j])
    return out


def normalized_cross(cross: np.ndarray, query: tuple[np.ndarray, np.ndarray], rows: tuple[np.ndarray, np.ndarray], size: int) -> np.ndarray:
    """Return the products (N, L, L) of a query's normalized layers with those of N rows."""
    (means, d), (row_means, row_d) = query, rows
    n, n_layers = cross.shape[:2]
    out = np.empty((n_layers, n_layers, n), np.float32)  # the order that core.elmo.mix.mix_cosines reads fastest
    for i in range(n_layers):
        for j in range(n_layers):
            out[i, j] = (cross[:, i, j] - size * means[i] * row_means[:, j]) / (d[i] * row_d[:, j])
    return out.transpose(2, 0, 1)
