"""Histograms of the evidence over pairs of the same and of different meanings: how much a value says.

They are made with the calibration (`python -m core.lab verdicts --write`), over pairs of labeled sentences that no vote has seen. Words
weigh alike, and so do pairs of the same and of different meanings. The gray ones are the plain cosines of each layer and the layer mix.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..elmo.models import Model
from ..files.artifacts import read_json
from ..index.tables import bundled_folder
from .calibration import FILE
from .votes import weights_of

BINS = 40
OUTSIDE = 0.002  # share of the pairs at either end that is counted in the last bin: a few outliers would leave the rest no room
DIGITS = 5  # of a share, in the file


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """Histograms of one kind of evidence: the shares of the pairs in each of BINS equal bins, which sum to 1."""

    edges: np.ndarray  # (BINS + 1,)
    same: np.ndarray  # (BINS,) of pairs of the same meaning
    different: np.ndarray  # (BINS,) of pairs of different meanings


def densities(model: Model, *, labeled: bool) -> dict[str, Density]:
    """Return the histograms of a model by kind of evidence (core.senses.calibration), layer ("0", "1", ...) and "mix", for words with labels
    or without; {} for a model that none were made with."""
    folder = bundled_folder(model)
    record = read_json(folder / FILE, expect=dict) if folder and (folder / FILE).is_file() else {}
    bundled = record.get("densities", {}).get(_set(labeled), {})
    return {kind: _from_json(record) for kind, record in bundled.items()}


def count(values: Sequence[np.ndarray], same: Sequence[np.ndarray]) -> Density:
    """Count the values (n,) of each word's pairs; `same` (n,) bool says which are of the same meaning."""
    weights, is_same, joined = np.concatenate([weights_of(of) for of in same]), np.concatenate(same), np.concatenate(values)
    low, high = np.quantile(joined, [OUTSIDE, 1 - OUTSIDE])
    edges = np.linspace(low, max(high, low + 1e-6), BINS + 1)
    inside = np.clip(joined, edges[0], edges[-1])
    counts = [np.histogram(inside[of], edges, weights=weights[of])[0] for of in (is_same, ~is_same)]
    return Density(edges, *(each / each.sum() for each in counts))


def as_json(labeled: Mapping[str, Density], unlabeled: Mapping[str, Density]) -> dict:
    """Return both sets as `densities` reads them."""
    return {
        _set(is_labeled): {kind: _as_json(each) for kind, each in of.items()} for is_labeled, of in ((True, labeled), (False, unlabeled))
    }


def _set(labeled: bool) -> str:
    return "labeled" if labeled else "unlabeled"


def _as_json(density: Density) -> dict:
    low, high = (round(float(edge), DIGITS) for edge in density.edges[[0, -1]])
    return {"low": low, "high": high, "same": density.same.round(DIGITS).tolist(), "different": density.different.round(DIGITS).tolist()}


def _from_json(record: Mapping) -> Density:
    edges = np.linspace(record["low"], record["high"], BINS + 1)
    return Density(edges, *(np.array(record[name]) / sum(record[name]) for name in ("same", "different")))
