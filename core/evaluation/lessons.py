"""Read lessons.json next to a model: measurements for lessons that take minutes (`python -m core.lab lessons`)."""

from collections.abc import Mapping
from pathlib import Path

from ..common.significance import Paired, compare_pairs
from ..files import sums
from ..files.artifacts import read_json

FORMAT = 1
FILE = "lessons.json"
READ, PLACE, SUBSTITUTES = "1", "place", "substitutes"
SHUFFLED, UNTRAINED, STATIC, CHANCE = "shuffled", "untrained", "static", "chance"


def read(folder: Path, fingerprint: str) -> dict:
    """Return {part: measurements} of a model; empty if nothing was measured with these weights."""
    path = folder / FILE
    if not path.is_file():
        return {}
    sums.check(path)
    result = read_json(path, expect=dict)
    return result.get("parts", {}) if result.get("format") == FORMAT and result.get("fingerprint") == fingerprint else {}


def less(kept: Mapping, first: str, second: str) -> Paired:
    """Return one space minus another, paired by word."""
    return compare_pairs(kept["one_nn"][first], kept["one_nn"][second])


def mean_of(kept: Mapping, measure: str, name: str) -> float | None:
    """Return a space's mean over all words to three digits; None if it was not measured."""
    values = kept[measure].get(name)
    return round(sum(values) / len(values), 3) if values else None
