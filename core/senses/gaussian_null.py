"""Draw Gaussian clouds that scatter as given directions do, and measure how clear their best clusters are.

This is the null of SigClust (Liu et al. 2008): clusters are more than those of one cloud only if hardly any such cloud has clearer ones.
With fewer rows than dimensions the result depends on the cloud's variances, see `one_cloud`. core.senses.clusters draws the conclusion.
"""

from dataclasses import dataclass

import numpy as np

from ..common.directions import unit
from .separation import silhouette

NUMBERS = range(2, 9)  # numbers of clusters that are tried
CORRECTIONS = 4  # rounds that correct the null's variances
POWER = 4  # steps of the power method
STEPS = 5  # k-means steps for each number of clusters when silhouettes are compared with those of clouds
ROUNDING = 1e-6  # rounding error of products of rows, which may be equal


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """A Gaussian along its own axes, from which directions are drawn."""

    variances: np.ndarray  # (D,) largest first
    mean: np.ndarray  # (D,)

    def draw(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw directions (n, D) float32 of length 1."""
        rows = rng.standard_normal((n, len(self.mean)), np.float32) * np.sqrt(self.variances) + self.mean
        return unit(rows)


def one_cloud(rows: np.ndarray, rng: np.random.Generator) -> Cloud:
    """Fit a Gaussian cloud from which n directions have, on average, the variances of the rows (n, D).

    Rotation does not change silhouettes, so only the variances along a cloud's axes matter. Sample variances are more uneven than the true
    ones, the more so the fewer the rows. Ledoit and Wolf's shrinkage (2004) evens them out, but too far if a few axes hold most of the
    variance, as here. Each axis is then corrected a few times by how the drawn clouds' variances differ from the rows'.
    """
    n, size = rows.shape
    mean = rows.mean(axis=0)
    _, singular_values, axes = np.linalg.svd(rows - mean, full_matrices=False)
    n_axes = len(singular_values)
    wanted = singular_values**2 / n  # the rows' variances
    along = np.zeros(size, np.float32)
    along[:n_axes] = axes @ mean
    if n_axes < size:
        along[n_axes] = np.sqrt(max(float(mean @ mean - along[:n_axes] @ along[:n_axes]), 0.0))  # the part of the mean outside all axes
    if not wanted.sum() > 1e-9:
        return Cloud(np.zeros(size, np.float32), along)
    # Of (1 - share) sample covariance + share * one variance for all axes, the share that is nearest to the true one (theorem 3.2).
    mean_fourth_power = float((np.einsum("nd,nd->n", rows - mean, rows - mean) ** 2).mean())
    squares = float((wanted**2).sum())
    share = min((mean_fourth_power - squares) / n / max(squares - wanted.sum() ** 2 / size, 1e-12), 1.0)
    variances = np.full(size, share * wanted.sum() / size)
    variances[:n_axes] += (1 - share) * wanted
    variances = np.maximum(variances, 0.0)  # below 0 where rows repeat each other
    seen = min(n - 1, size)  # axes that n rows can span
    for _ in range(CORRECTIONS):
        sampled = np.mean([_variances(Cloud(variances.astype(np.float32), along).draw(n, rng)) for _ in range(3)], axis=0)
        ratio = wanted[:seen] / np.maximum(sampled[:seen], 1e-12)
        variances[:seen] *= ratio
        variances[seen:] *= ratio[-10:].mean()
        variances = np.sort(variances)[::-1]
    return Cloud(variances.astype(np.float32), along)


def silhouettes(rows: np.ndarray) -> np.ndarray:
    """Return the mean silhouette over 1 - cosine of quick k-means clusters for each of NUMBERS (numbers,).

    Each number starts where the one before ended, its loosest cluster cut across its longest axis (PCA-Part, Su and Dy 2004). So nothing is
    random, and two hundred clouds are clustered in the time that `clusters`, with its ten starts, takes for a few.
    """
    rows = _turn(rows)
    similarities = rows @ rows.T
    labels = np.zeros(len(rows), int)
    results = []
    for number in NUMBERS:
        members = np.eye(number, dtype=np.float32)[labels]
        sizes = members.sum(axis=0)
        sums = members.T @ rows
        within = np.bincount(labels, np.einsum("nd,nd->n", rows, rows), number) - (sums * sums).sum(axis=1) / np.maximum(sizes, 1)
        loosest = int(np.where(sizes > 0, within, -np.inf).argmax())  # of equal rows, some clusters may be empty
        members_of_loosest = np.flatnonzero(labels == loosest)
        part = rows[members_of_loosest] - sums[loosest] / max(sizes[loosest], 1)
        labels = labels.copy()
        labels[members_of_loosest[part @ _longest_axis(part) > 0]] = number - 1
        for _ in range(STEPS):
            members = np.eye(number, dtype=np.float32)[labels]
            centers = members.T @ rows / np.maximum(members.sum(axis=0), 1)[:, None]
            nearest = (rows @ centers.T - (centers * centers).sum(axis=1) / 2).argmax(axis=1)
            if (nearest == labels).all():
                break
            labels = nearest
        results.append(silhouette(similarities, labels))
    return np.array(results)


def _turn(rows: np.ndarray) -> np.ndarray:
    """Return rows (n, n) with the same products as (n, D) if that is much smaller. Clusters and silhouettes stay the same."""
    n, size = rows.shape
    if 2 * n > size:
        return rows
    products = (rows @ rows.T).astype(np.float64) + ROUNDING * np.eye(n)
    try:
        return np.linalg.cholesky(products).astype(np.float32)
    except np.linalg.LinAlgError:  # rows that repeat each other
        values, vectors = np.linalg.eigh(products)
        return (vectors * np.sqrt(np.maximum(values, 0))).astype(np.float32)


def _longest_axis(rows: np.ndarray) -> np.ndarray:
    """Estimate the direction (D,) in which centered rows (m, D) vary most, by a few steps of the power method."""
    axis = rows[np.einsum("nd,nd->n", rows, rows).argmax()]
    for _ in range(POWER):
        axis = (rows @ axis) @ rows
        axis = axis / max(float(np.linalg.norm(axis)), 1e-12)
    return axis


def _variances(rows: np.ndarray) -> np.ndarray:
    """Return the variances along the rows' own axes, (min(n, D),), largest first."""
    rows = rows - rows.mean(axis=0)
    square = rows @ rows.T if len(rows) < rows.shape[1] else rows.T @ rows
    return np.maximum(np.linalg.eigvalsh(square)[::-1], 0) / len(rows)
