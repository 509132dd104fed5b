"""To which sense of a word a sentence is given by the senses' middles: what all labelled sentences say, where votes are the nearest ones'.

A sense's middle is the sum of its labelled sentences' directions. A sentence is given to the senses in proportion to
exp(SHARPNESS * cosine with their middles); how far two sentences are given to the same is the product of their shares, summed.
"""

import numpy as np

SHARPNESS = 10.0  # of 5, 10 and 20 the one whose verdicts on words held out cost the fewest nats (tests/bench/verdicts.py)


def shares(directions: np.ndarray, labels: np.ndarray, asked: np.ndarray, n_senses: int) -> np.ndarray:
    """Unit rows (n, D) and their senses (n,), another (D,) -> its share in each sense, (C,)."""
    middles = np.eye(n_senses)[labels].T @ directions  # (C, D)
    return _shares(middles @ asked, (middles**2).sum(axis=1), np.bincount(labels, minlength=n_senses))


def agreements(cosines: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(n, n) cosines of a word's sentences and their senses (n,) -> how far each pair agrees, (n, n), both left out of the middles."""
    members = np.eye(labels.max() + 1)[labels]  # (n, C)
    sums = cosines @ members  # (n, C): of each sentence with the senses' sums
    squared = members * np.diagonal(cosines)[:, None]  # 1 in its sense; 0 of a sentence that has no direction
    own, other, apart = squared[:, None], squared[None], cosines[:, :, None]
    products = sums[:, None] - own - other * apart  # (n, n, C): of i with the sums less i and j
    squares = (
        np.einsum("nc,nc->c", members, sums) - 2 * own * sums[:, None] - 2 * other * sums[None] + own + other + 2 * own * other * apart
    )
    found = _shares(products, squares, members.sum(axis=0) - members[:, None] - members[None])
    return np.einsum("ijc,jic->ij", found, found)


def _shares(products: np.ndarray, squares: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Products with the senses' sums, the sums' squared lengths, how many make each, all (..., C) -> shares; 0 where none does."""
    cosines = np.where(sizes > 0, products / np.sqrt(np.maximum(squares, 1e-9)), -np.inf)
    raised = np.exp(SHARPNESS * (cosines - cosines.max(axis=-1, keepdims=True)))
    return raised / raised.sum(axis=-1, keepdims=True)
