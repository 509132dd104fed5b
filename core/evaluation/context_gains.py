"""Summarize the runs of core.lab.context_curve: how far each set of parts leads over another, by number of labeled texts.

Differences are paired by subset and by test text, with intervals over both (core.common.significance.crossed). The p values of all
comparisons of one question at one size are adjusted together (Holm).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..classify.scores import unpacked
from ..common.i18n import t
from ..common.significance import FEWEST, LEVEL, Paired, crossed, holm, points

SUBSETS = {0.01: 10, 0.03: 10, 0.1: 10}  # share of the labeled rows -> subsets of that size
EXPERIMENTS = {f"context-{share:g}": share for share in SUBSETS}
PARTS = ("glove", "glove+static", "glove+layer0", "glove+random", "glove+shuffled", "glove+elmo")
PLAIN, ELMO = "glove", "glove+elmo"
CONTROLS = ("glove+layer0", "glove+shuffled", "glove+random", "glove+static")  # of the question whether it is context


@dataclass(frozen=True, slots=True)
class Lead:
    """The lead of one set of parts over another."""

    difference: Paired
    p: float  # adjusted for the other comparisons of the same question at this size

    @property
    def verdict(self) -> int:
        """Return 1 for a significant lead, -1 for a significant deficit, 0 otherwise."""
        return self.difference.verdict if self.p < LEVEL else 0


@dataclass(frozen=True, slots=True)
class Size:
    """All runs of one number of labeled texts."""

    share: float  # of the labeled rows
    labeled: int  # texts, to train and to validate on
    valid: int  # of them, to validate on
    tested: int
    subsets: int
    accuracy: dict[str, np.ndarray]  # of each set of parts: (S,)
    over_glove: dict[str, Lead]  # each set of parts minus GloVe alone
    of_elmo: dict[str, Lead]  # GloVe + ELMo minus each of CONTROLS


def part_titles() -> dict[str, str]:
    """Return the titles of the sets of parts."""
    return {
        "glove": t("GloVe alone"),
        "glove+static": t("GloVe + other words’ GloVe"),
        "glove+layer0": t("GloVe + layer 0 alone"),
        "glove+random": t("GloVe + ELMo, LSTMs shuffled"),
        "glove+shuffled": t("GloVe + ELMo, words shuffled"),
        "glove+elmo": t("GloVe + ELMo"),
    }


def sizes(lines: Sequence[dict]) -> list[Size]:
    """Return the sizes, smallest first, with a run of every set of parts for at least FEWEST subsets."""
    result = (_size(share, [line for line in lines if line["experiment"] == name]) for name, share in EXPERIMENTS.items())
    return [size for size in result if size is not None]


def rows_of(sizes: Iterable[Size]) -> str:
    """Return the number of labeled texts of each size."""
    return ", ".join(f"{size.labeled:,}" for size in sizes)


def range_of(leads: Iterable[Lead]) -> str:
    """Return one difference in points, or the smallest and largest of several."""
    means = sorted(lead.difference.mean for lead in leads)
    least, most = (f"{'+' if mean > 0 else ''}{points(mean)}" for mean in (means[0], means[-1]))
    return least if least == most else t("{low} to {high}", low=least, high=most)


def _size(share: float, lines: Sequence[dict]) -> Size | None:
    by_subset: dict[int, dict[str, dict]] = {}
    for line in lines:
        by_subset.setdefault(line["seed"], {})[line["variant"]] = line
    whole = [by_subset[number] for number in sorted(by_subset) if set(PARTS) <= by_subset[number].keys()]
    if len(whole) < FEWEST:
        return None
    n, sizes = whole[0][PLAIN]["n"], whole[0][PLAIN]["sizes"]
    right = {kind: np.stack([unpacked(rows[kind]["right"], n) for rows in whole]).astype(np.int8) for kind in PARTS}  # (S, N)
    pairs = [(kind, PLAIN) for kind in PARTS[1:]] + [(ELMO, kind) for kind in CONTROLS]
    result = crossed(np.stack([right[first] - right[second] for first, second in pairs]))
    over, beside = result[: len(PARTS) - 1], result[len(PARTS) - 1 :]
    return Size(
        share=share,
        labeled=sizes["train"] + sizes["valid"],
        valid=sizes["valid"],
        tested=n,
        subsets=len(whole),
        accuracy={kind: rows.mean(axis=1) for kind, rows in right.items()},
        over_glove=dict(zip(PARTS[1:], _leads(over), strict=True)),
        of_elmo=dict(zip(CONTROLS, _leads(beside), strict=True)),
    )


def _leads(paireds: Sequence[Paired]) -> list[Lead]:
    return [Lead(difference, float(p)) for difference, p in zip(paireds, holm([d.p for d in paireds]), strict=True)]
