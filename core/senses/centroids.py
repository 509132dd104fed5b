"""To which sense of a word a sentence is given by the senses' middles: what all labeled sentences say, where votes are the nearest ones'.

A sense's middle is the sum of its labeled sentences' directions. A sentence is given to the senses in proportion to
exp(SHARPNESS * cosine with their middles); how far two sentences are given to the same is the product of their shares, summed.
"""

import numpy as np

from core.common.directions import unit

SHARPNESS = 10.0  # of 5, 10 and 20 the one whose verdicts on words held out cost the fewest nats (tests/bench/verdicts.py)


def shares(directions: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_senses: int) -> np.ndarray:
    """Unit rows (n, D) and their senses (n,), others (q, D) -> the share of each of these in each sense, (q, C); 0 where a sense has no row."""
    members = np.eye(n_senses)[labels]  # (n, C)
    cosines = np.where(members.any(axis=0), rows @ unit(members.T @ directions).T, -np.inf)
    raised = np.exp(SHARPNESS * (cosines - cosines.max(axis=1, keepdims=True)))
    return raised / raised.sum(axis=1, keepdims=True)
