"""Density curves of a verdict's evidence: histograms over pairs of the same meaning and of different ones, for Home's chart.

They are counted over the pairs that calibrate the evidence (`python -m core.lab verdicts --write`), and over the plain cosines of each
layer and the layer mix.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .evidence import weights_of

BINS = 40
OUTSIDE = 0.002  # share of the pairs at either end that is counted in the last bin: a few outliers would leave the rest no room
DIGITS = 5  # of a share, in the file


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """Histograms of one kind of evidence: the shares of the pairs in each of BINS equal bins, which sum to 1."""

    edges: np.ndarray  # (BINS + 1,)
    same: np.ndarray  # (BINS,) of pairs of the same meaning
    different: np.ndarray  # (BINS,) of pairs of different meanings


def count_density(values: Sequence[np.ndarray], same: Sequence[np.ndarray]) -> Density:
    """Count the values (n,) of each word's pairs; `same` (n,) bool marks the pairs of the same meaning."""
    weights, is_same, joined = np.concatenate([weights_of(selected) for selected in same]), np.concatenate(same), np.concatenate(values)
    low, high = np.quantile(joined, [OUTSIDE, 1 - OUTSIDE])
    edges = np.linspace(low, max(high, low + 1e-6), BINS + 1)
    inside = np.clip(joined, edges[0], edges[-1])
    counts = [np.histogram(inside[selected], edges, weights=weights[selected])[0] for selected in (is_same, ~is_same)]
    return Density(edges, *(counted / counted.sum() for counted in counts))


def densities_as_json(labeled: Mapping[str, Density], unlabeled: Mapping[str, Density]) -> dict:
    """Return the histograms of words with labels and of words without, as `read_densities` expects them."""
    return {
        set_name(is_labeled): {kind: _density_as_json(density) for kind, density in kinds.items()}
        for is_labeled, kinds in ((True, labeled), (False, unlabeled))
    }


def read_densities(record: Mapping) -> dict[str, dict[str, Density]]:
    """Read the histograms from JSON, by `set_name` and kind of evidence."""
    return {name: {kind: _read_density(item) for kind, item in kinds.items()} for name, kinds in record.items()}


def set_name(labeled: bool) -> str:
    """Return the JSON key for words with labels or without."""
    return "labeled" if labeled else "unlabeled"


def _density_as_json(density: Density) -> dict:
    low, high = (round(float(edge), DIGITS) for edge in density.edges[[0, -1]])
    return {"low": low, "high": high, "same": density.same.round(DIGITS).tolist(), "different": density.different.round(DIGITS).tolist()}


def _read_density(record: Mapping) -> Density:
    edges = np.linspace(record["low"], record["high"], BINS + 1)
    return Density(edges, *(np.array(record[name]) / sum(record[name]) for name in ("same", "different")))
