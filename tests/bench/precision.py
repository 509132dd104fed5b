"""Measure how near the vectors of weights in fewer bits stay, for the bundled model and our own labeled sentences.

Nearness is the mean cosine of every token's vector to float32's, and how many of the ten nearest labeled tokens stay the same.
"""

import numpy as np

from core.common.directions import unit
from core.elmo.encoder import Encoder
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index.tables import open_table
from core.text.corpora import BUNDLED_CORPUS, open_corpus

COSINE, OVERLAP, NEAREST = 0.999, 0.98, 10


def _near(precision: str, n: int) -> dict[str, float]:
    """Return the mean and lowest cosine to float32's vectors, and the overlap of nearest tokens, for the bundled model."""
    model, labeled = open_model(BUNDLED_MODEL), open_corpus(BUNDLED_CORPUS)
    sentences = [labeled[k] for k in np.random.default_rng(0).permutation(len(labeled))[:n]]
    own = [list(sentence.tokens) for sentence in sentences]
    places = [sentence.targets[0].position if sentence.targets else 0 for sentence in sentences]
    exact = model.encoder.encode(own)
    result = Encoder(model.encoder.model, precision=precision).encode(own)
    cosines = np.concatenate([(unit(a) * unit(b)).sum(axis=-1) for a, b in zip(exact, result, strict=True)], axis=1)[1:]  # (L - 1, tokens)
    table = open_table(BUNDLED_CORPUS, model, targets_only=True).basic
    stored = unit(table.rows.take(np.arange(len(table))))  # (N, L, D)
    shared = []
    for layer in range(1, stored.shape[1]):
        lists = [np.stack([layers[layer, p] for layers, p in zip(side, places, strict=True)]) for side in (exact, result)]
        item, other = (np.argsort(-(queries @ stored[:, layer].T), axis=1, kind="stable")[:, :NEAREST] for queries in lists)
        shared += [len(np.intersect1d(a, b)) / NEAREST for a, b in zip(item, other, strict=True)]
    return {"cosine": float(cosines.mean()), "lowest": float(cosines.min()), "overlap": float(np.mean(shared)), "sentences": n}
