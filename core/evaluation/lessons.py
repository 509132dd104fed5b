"""Read what the lessons show of measurements that take minutes, from lessons.json next to a model (`python -m core.lab lessons`)."""

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
    """{part: what it measured} of a model; empty where nothing was measured of these very weights."""
    path = folder / FILE
    if not path.is_file():
        return {}
    sums.check(path)
    result = read_json(path, expect=dict)
    return result.get("parts", {}) if result.get("format") == FORMAT and result.get("fingerprint") == fingerprint else {}


def less(kept: Mapping, first: str, second: str) -> Paired:
    """One space minus another, word by word, words drawn."""
    return compare_pairs(kept["one_nn"][first], kept["one_nn"][second])


def mean_of(kept: Mapping, measure: str, name: str) -> float | None:
    """A space's figure over all words, to three digits; None where it was not measured."""
    values = kept[measure].get(name)
    return round(sum(values) / len(values), 3) if values else None
