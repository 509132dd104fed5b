"""Density curves of the evidence, for Home's chart: histograms of pairs of the same meaning and of different ones.

They are stored with a table's calibration (core.senses.calibration). The plain cosines of each layer and of the layer mix have theirs too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..files.artifacts import read_json
from ..workspace import Workspace
from .calibration import FILE
from .evidence import weights_of

BINS = 40  # bins of a histogram
OUTSIDE = 0.002  # share of the pairs at either end that is counted in the last bin: a few outliers would leave the rest no room
DIGITS = 5  # digits of a share in the file


@dataclass(frozen=True, slots=True, eq=False)
class Density:
    """Histograms of one kind of evidence: the shares of the pairs in each of BINS equal bins, which sum to 1."""

    edges: np.ndarray  # (BINS + 1,)
    same: np.ndarray  # (BINS,) of pairs of the same meaning
    different: np.ndarray  # (BINS,) of pairs of different meanings

    @property
    def as_lists(self) -> dict:
        """Return the histograms for JSON."""
        low, high = (round(float(edge), DIGITS) for edge in self.edges[[0, -1]])
        return {"low": low, "high": high, "same": self.same.round(DIGITS).tolist(), "different": self.different.round(DIGITS).tolist()}


def count_density(values: Sequence[np.ndarray], same: Sequence[np.ndarray]) -> Density:
    """Count the values (n,) of each word's pairs; `same` (n,) bool marks the pairs of the same meaning."""
    weights = np.concatenate([weights_of(of_word) for of_word in same])
    is_same = np.concatenate(same)
    every_value = np.concatenate(values)
    low, high = np.quantile(every_value, [OUTSIDE, 1 - OUTSIDE])
    edges = np.linspace(low, max(high, low + 1e-6), BINS + 1)
    inside = np.clip(every_value, edges[0], edges[-1])
    counts = [np.histogram(inside[selected], edges, weights=weights[selected])[0] for selected in (is_same, ~is_same)]
    return Density(edges, *(counted / counted.sum() for counted in counts))


def densities_as_json(labeled: Mapping[str, Density], unlabeled: Mapping[str, Density]) -> dict:
    """Return the histograms of words with labels and of words without, for JSON."""
    sets = {"labeled": labeled, "unlabeled": unlabeled}
    return {name: {kind: density.as_lists for kind, density in kinds.items()} for name, kinds in sets.items()}


def densities_of(workspace: Workspace, *, labeled: bool) -> Mapping[str, Density]:
    """Return a model's histograms by kind of evidence, layer ("0", "1", ...) and "mix"; {} for a model without any."""
    stored = workspace.once("densities", lambda: _read_stored(workspace), workspace.model) or {}
    return stored.get("labeled" if labeled else "unlabeled", {})


def _read_stored(workspace: Workspace) -> dict[str, dict[str, Density]] | None:
    """Read the result of `densities_as_json` from the file of a calibration; None without labeled sentences."""
    if (table := workspace.labeled_sentences) is None:
        return None
    record = read_json(table.folder / FILE, expect=dict) if (table.folder / FILE).is_file() else {}

    def as_density(item: Mapping) -> Density:
        edges = np.linspace(item["low"], item["high"], BINS + 1)
        return Density(edges, *(np.array(item[name]) / sum(item[name]) for name in ("same", "different")))

    return {name: {kind: as_density(item) for kind, item in kinds.items()} for name, kinds in record.get("densities", {}).items()}
