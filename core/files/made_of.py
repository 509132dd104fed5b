"""What a work that goes on later was begun with: all that decides it, kept beside it, and how another one differs."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from ..common.markup import shorten
from .artifacts import file_sha256, short

SHOWN, LONGEST = 3, 120  # differences named at most, letters of each value


def sum_texts(files: Iterable[str | Path]) -> list[list[str]]:
    """[name, sha256 of its bytes] of each file, in order; MissingArtifact names one that is not there."""
    return [[Path(file).name, file_sha256(file)] for file in files]


def say_differences(before: dict, now: dict) -> str:
    """What is another, the old and the new of it; "" where all is the same.

    >>> say_differences({"seed": 0, "of": {"dim": 2}}, {"seed": 5, "of": {"dim": 2}})
    'seed: 0, now 5'
    """
    old, new = dict(_flat(before)), dict(_flat(now))
    named = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
    lines = [f"{name}: {_say(old.get(name))}, now {_say(new.get(name))}" for name in named[:SHOWN]]
    return "; ".join([*lines, *(["…"] if len(named) > SHOWN else [])])


def _flat(record: dict, above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _say(value: object) -> str:
    if isinstance(value, list) and value and all(isinstance(each, list) and len(each) == 2 for each in value):
        value = " ".join(f"{name} ({short(str(digest))})" for name, digest in value)
    text = "none" if value is None else str(value)
    return shorten(text, LONGEST)
