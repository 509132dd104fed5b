"""Linear discriminants of a word's senses: two axes that keep sentences of one sense together and separate the senses.

Fisher's discriminants (1936), with every covariance shrunken toward a sphere (Ledoit and Wolf 2004) by a fixed share, since a word has
fewer labeled sentences than a vector has numbers. Every sense counts alike. These are the axes of scikit-learn's
`LinearDiscriminantAnalysis` (solver "eigen"), without the second that its import takes.
"""

import numpy as np

from ..common.directions import unit

SHRINKAGE = 0.6
FOLDS = 8
POINT = 1e-2  # unit vectors that differ by less are one point: what float16 rounds
THIN = 1e-4  # a direction that is narrower than the widest by this factor holds nothing but rounding


def fit_axes(x: np.ndarray, senses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the two axes that separate the senses best.

    Two senses have one discriminant: the second axis is then the widest direction of the rest.

    Parameters
    ----------
    x : (n, d) rows, d at least 2.
    senses : (n,) the sense of each row.

    Returns
    -------
    mean : (d,) of the rows.
    axes : (2, d) orthonormal.
    """
    mean = x.mean(axis=0)
    centered = x - mean
    _, widths, directions = np.linalg.svd(centered, full_matrices=False)
    if is_point(x):
        return mean, np.eye(2, x.shape[1], dtype=x.dtype)
    span = directions[widths > THIN * widths[0]]
    discriminants = _discriminants(centered @ span.T, senses) @ span
    first = discriminants[0] if len(discriminants) else directions[0]
    if len(discriminants) > 1:
        second = discriminants[1]
    else:
        _, rest_widths, rest = np.linalg.svd(centered - np.outer(centered @ first, first), full_matrices=False)
        # Rows on a line leave nothing: any direction will do
        second = rest[0] if rest_widths[0] > THIN * widths[0] else np.eye(len(first))[np.abs(first).argmin()]
    return mean, np.stack([first, unit(second - (second @ first) * first)]).astype(x.dtype)


def lay_out(x: np.ndarray, senses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Place each row on axes that were fitted without it, where an unseen sentence would be.

    The senses are cut into FOLDS parts. The places of a part come from axes of the other parts, turned onto those of all rows.

    Parameters
    ----------
    x : (n, d) rows.
    senses : (n,) the sense of each row.

    Returns
    -------
    places : (n, 2) of the rows.
    mean : (d,) and axes : (2, d) of all rows, for other rows: (rows - mean) @ axes.T.
    """
    mean, axes = fit_axes(x, senses)
    on_all = (x - mean) @ axes.T
    # The rows' own coordinates: the axes depend on nothing else, and every fold is fitted in fewer numbers
    coordinates = (x - mean) @ np.linalg.svd(x - mean, full_matrices=False)[2].T
    folds = assign_folds(senses)
    places = np.zeros((len(x), 2), x.dtype)
    for fold in np.unique(folds):
        seen = folds != fold
        if not seen.any():
            continue
        seen_mean, seen_axes = fit_axes(coordinates[seen], senses[seen])
        on_seen = (coordinates - seen_mean) @ seen_axes.T  # the mean of the seen rows is at 0
        center = on_all[seen].mean(axis=0)
        places[~seen] = on_seen[~seen] @ turn_onto(on_seen[seen], on_all[seen] - center) + center
    return places, mean, axes


def posteriors(x: np.ndarray, senses: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Estimate how likely each sense is for rows that no axis has seen, if beforehand all are equally likely.

    Every sense is a Gaussian cloud, and all have one shrunken covariance: linear discriminant analysis with all its axes.

    Parameters
    ----------
    x : (n, d) rows.
    senses : (n,) the sense of each row.
    points : (m, d) other rows.

    Returns
    -------
    (m, k) one column for each sense of x, in order; a row sums to 1.
    """
    mean, names = x.mean(axis=0), np.unique(senses)
    even = np.full((len(points), len(names)), 1 / len(names))
    if is_point(x):
        return even
    _, widths, directions = np.linalg.svd(x - mean, full_matrices=False)
    span = directions[widths > THIN * widths[0]].T
    seen, others = (x - mean) @ span, (points - mean) @ span
    within = np.mean([_shrunken_covariance(seen[senses == name]) for name in names], axis=0)
    if np.trace(within) < 1e-12:  # nothing varies within a sense: no covariance to measure distances by
        return even
    means = np.stack([seen[senses == name].mean(axis=0) for name in names])
    slopes = np.linalg.solve(within, means.T)  # (d, k)
    scores = others @ slopes - 0.5 * np.einsum("kd,dk->k", means, slopes)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def is_point(x: np.ndarray) -> bool:
    """Return whether all rows (n, d) are one point, as a spelling's vectors at layer 0 are."""
    return bool(np.linalg.norm(x - x.mean(axis=0), axis=1).max() < POINT)


def assign_folds(senses: np.ndarray) -> np.ndarray:
    """Assign a fold to each row (n,), so that every sense gives each fold the same share of its rows."""
    folds = np.empty(len(senses), int)
    for sense in np.unique(senses):
        rows = np.random.default_rng(0).permutation(np.flatnonzero(senses == sense))
        folds[rows] = np.arange(len(rows)) % FOLDS
    return folds


def turn_onto(moving: np.ndarray, fixed: np.ndarray) -> np.ndarray:
    """Find the rotation or reflection (2, 2) that brings centered places (n, 2) nearest to others (n, 2): moving @ turn (Schönemann 1966)."""
    u, _, v = np.linalg.svd(moving.T @ fixed)
    return u @ v


def nearest_clouds(places: np.ndarray, senses: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return for each point (m, 2) the sense whose places (n, 2) have the nearest mean."""
    names = np.unique(senses)
    means = np.stack([places[senses == name].mean(axis=0) for name in names])
    return names[np.square(points[:, None] - means).sum(axis=2).argmin(axis=1)]


def left_out_clouds(places: np.ndarray, senses: np.ndarray) -> np.ndarray:
    """Return for each place (n, 2) the sense whose cloud is nearest, by means without itself."""
    others = ~np.eye(len(places), dtype=bool)
    return np.array(
        [nearest_clouds(places[is_other], senses[is_other], place[None])[0] for is_other, place in zip(others, places, strict=True)]
    )


def _discriminants(x: np.ndarray, senses: np.ndarray) -> np.ndarray:
    """Return unit directions (k, d), best first: two, one for two senses, none if nothing varies within a sense or there is one sense."""
    names = np.unique(senses)
    within = np.mean([_shrunken_covariance(x[senses == name]) for name in names], axis=0)
    if len(names) < 2 or np.trace(within) < 1e-12:
        return np.empty((0, x.shape[1]))
    between = _shrunken_covariance(x) - within
    widths, directions = np.linalg.eigh(within)
    whitened = directions / np.sqrt(widths)
    _, turned = np.linalg.eigh(whitened.T @ between @ whitened)
    return unit((whitened @ turned[:, ::-1]).T[: min(2, len(names) - 1)])


def _shrunken_covariance(x: np.ndarray) -> np.ndarray:
    """Return the shrunken covariance (d, d) of rows (n, d)."""
    centered = (x - x.mean(axis=0)).astype(np.float64)
    covariance = centered.T @ centered / len(x)
    return (1 - SHRINKAGE) * covariance + SHRINKAGE * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
