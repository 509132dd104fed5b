"""Trustworthiness of a map (Venna and Kaski 2001), and its value for a random layout."""

import numpy as np

from ..common.directions import unit_rows
from ..common.errors import BadInput

SAME = 1e-5  # cosine distance under which two vectors are one: float16 storage makes 2e-7, another context over 1e-3
SAMPLE = 3_000  # points on which it is measured, at most
NEAREST = 12  # neighbors asked for
UNDECIDED = 0.05  # share of points whose nearest may be drawn from more that tie


def trustworthiness(vectors: np.ndarray, coordinates: np.ndarray, k: int = NEAREST) -> float:
    """Return the trustworthiness of a map (N, 2) of vectors (N, D) under the cosine, on at most 3,000 random points.

    NaN where the vectors do not rank neighbors: in layer 0 all occurrences of a spelling have one vector, the k nearest of most points
    are tied, and any layout would be right. Occasional ties share their ranks.
    """
    from scipy.stats import rankdata

    vectors = unit_rows(vectors)
    sample = np.random.default_rng(0).permutation(len(vectors))[:SAMPLE]
    if len(vectors) != len(coordinates) or k < 1:
        raise BadInput(f"Trustworthiness needs the same points, and k from 1; got {len(vectors)}, {len(coordinates)}, k = {k}.")
    n = len(sample)
    if n < 3:
        return 1.0  # nothing can be misplaced
    k = min(k, (n - 1) // 2)
    group = equal_rows(vectors[sample])
    first = np.unique(group, return_index=True)[1]
    distinct = vectors[sample][first]
    apart = (1 - distinct @ distinct.T)[np.ix_(group, group)].astype(np.float64)  # equal vectors are equally far, to the last bit
    apart[group[:, None] == group] = 0
    np.fill_diagonal(apart, -1)  # oneself ranks 0
    neighbors = np.partition(apart, (k, k + 1), axis=1)  # (n, n)
    if (neighbors[:, k + 1] - neighbors[:, k] <= 0).mean() > UNDECIDED:
        return float("nan")
    flat = np.asarray(coordinates, np.float64)[sample]
    ways = np.linalg.norm(flat[:, None] - flat, axis=2)
    np.fill_diagonal(ways, np.inf)
    on_map = np.argpartition(ways, k - 1, axis=1)[:, :k]
    ranks = np.take_along_axis(rankdata(apart, axis=1), on_map, axis=1) - 1  # (n, k), from 1
    return float(1 - np.maximum(ranks - k, 0).sum() * 2 / (n * k * (2 * n - 3 * k - 1)))


def by_chance(n_points: int, k: int = NEAREST) -> float:
    """Return the mean trustworthiness of a random layout of n points.

    Each other point is a map neighbor with probability k / (n - 1). A rank r beyond k costs r - k, and these sum to m (m + 1) / 2 over the
    m = n - 1 - k ranks. Nearly 1/2 if k is far below n.
    """
    n = min(n_points, SAMPLE)
    if n < 3:
        return 1.0
    k = min(k, (n - 1) // 2)
    m = n - 1 - k
    return 1 - m * (m + 1) / ((n - 1) * (2 * n - 3 * k - 1))


def equal_rows(space: np.ndarray) -> np.ndarray:
    """Return numbers (N,) from 0 for unit rows (N, D), the same for equal rows."""
    marked = np.column_stack([space, ~space.any(axis=1)])  # so that a zero vector equals the other zero vectors
    first = np.concatenate([(marked[n : n + 1024] @ marked.T > 1 - SAME).argmax(axis=1) for n in range(0, len(marked), 1024)])
    return np.unique(first[first], return_inverse=True)[1]
