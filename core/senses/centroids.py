"""To which sense of a word a sentence is given by the senses' middles: what all labeled sentences say, where votes are the nearest ones'.

A sense's middle is the sum of its labeled sentences' directions. A sense that is labeled in two parts of speech ("to tap somebody", "a tap
on the shoulder") has a middle in each, and the nearer one counts: noun and verb lie so far apart that between them is nothing. A sentence
is given to the senses in proportion to exp(SHARPNESS * cosine with their middles); how far two sentences are given to the same is the
product of their shares, summed.
"""

import numpy as np

from ..common.directions import unit

SHARPNESS = 10.0  # of 5, 10 and 20 the one whose verdicts on words held out cost the fewest nats (core.lab.verdicts)
FEWEST = 3  # sentences of a sense in a part of speech that have a middle of their own


def shares(directions: np.ndarray, labels: np.ndarray, rows: np.ndarray, n_senses: int, pos: np.ndarray | None = None) -> np.ndarray:
    """Unit rows (n, D), their senses (n,) and parts of speech (n,), others (q, D) -> the share of each of these in each sense, (q, C); 0
    where a sense has no row."""
    groups, sense = (labels, np.arange(n_senses)) if pos is None else _groups(labels, pos)
    cosines = np.full((len(rows), n_senses), -np.inf)
    members = np.eye(len(sense))[groups]  # (n, G)
    to_middles = rows @ unit(members.T @ directions).T  # (q, G)
    for group in np.flatnonzero(members.any(axis=0)):
        cosines[:, sense[group]] = np.maximum(cosines[:, sense[group]], to_middles[:, group])
    raised = np.exp(SHARPNESS * (cosines - cosines.max(axis=1, keepdims=True)))
    return raised / raised.sum(axis=1, keepdims=True)


def _groups(labels: np.ndarray, pos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) which rows have a middle together, and each group's sense (G,); fewer than FEWEST go with their sense's commonest part of speech."""
    groups, senses = np.empty(len(labels), int), []
    for sense in np.unique(labels):
        here = np.flatnonzero(labels == sense)
        names, counts = np.unique(pos[here], return_counts=True)
        main = counts.argmax()
        own = [k for k in range(len(names)) if k == main or counts[k] >= FEWEST]
        number = {names[k]: len(senses) + n for n, k in enumerate(own)}
        groups[here] = [number.get(name, number[names[main]]) for name in pos[here]]
        senses += [sense] * len(own)
    return groups, np.array(senses)
