"""Long answers made short, and the differences between two of them: for tests.bench.answers."""

import json
import math
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

TOLERANCE = 1e-6
TIMES = ("seconds", "milliseconds")  # keys of an answer and columns of a table that differ in every run
SHORT, MANY, FIRST = 24, 12, 20  # numbers of a list that are kept whole, other items of one, the first of a longer one


def reduce(value: Any) -> Any:
    """Shorten long lists, round numbers, and leave out times."""
    if isinstance(value, dict):
        return {key: reduce(each) for key, each in value.items() if key not in TIMES}
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else str(value)
    if not isinstance(value, list | tuple):
        return value
    all_leaves = list(leaves(value))
    if all(isinstance(each, int | float | None) for each in all_leaves):
        if len(all_leaves) <= SHORT:
            return [reduce(each) for each in value]
        return {"shape": shape(value), **sums(all_leaves), "first": reduce(all_leaves[:FIRST])}
    if len(value) <= MANY:
        return [reduce(each) for each in value]
    return {"shape": [len(value)], **sums(value), "first": [reduce(each) for each in value[:4]], "last": reduce(value[-1])}


def leaves(value: Any) -> Iterator[Any]:
    """Yield the numbers and texts in a value of JSON."""
    if isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from leaves(each)
    else:
        yield value


def shape(value: Any) -> list[int]:
    """Return the lengths of nested lists along their first items."""
    return [len(value), *(shape(value[0]) if value else [])] if isinstance(value, list | tuple) else []


def sums(items: Sequence[Any]) -> dict:
    """Return sums of the items' numbers: plain, by places and by texts; and a checksum of the texts, in any order where there are fractions."""
    flat = [list(leaves(item)) for item in items]
    texts = [zlib.crc32("\0".join(each for each in item if isinstance(each, str)).encode()) for item in flat]
    totals = [math.fsum(each for each in item if isinstance(each, int | float) and math.isfinite(each)) for item in flat]
    in_order = not any(isinstance(each, float) for item in flat for each in item)
    placed = math.fsum(k * total for k, total in enumerate(totals, 1)) / max(1, len(items))
    paired = math.fsum(text / 2**32 * total for text, total in zip(texts, totals, strict=True))
    checksum = sum(k * text if in_order else text for k, text in enumerate(texts, 1)) % 2**32
    return {"sum": reduce(math.fsum(totals)), "placed": reduce(placed), "paired": reduce(paired), "texts": checksum}


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield each difference of two answers with its path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if key in old and key in new:
                yield from differences(old[key], new[key], f"{path}/{key}")
            else:
                yield f"{path}/{key} {'is gone' if key in old else 'is new'}"
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{path} {len(old)} items -> {len(new)}"
        for k, (before, now) in enumerate(zip(old, new, strict=False)):
            found = list(differences(before, now, f"{path}/{k}"))
            if found and not any(is_tied(before, each) and not list(differences(each, now)) for each in old):
                yield from found
    elif not is_equal(old, new):
        yield f"{path} {json.dumps(old, ensure_ascii=False)} -> {json.dumps(new, ensure_ascii=False)}"


def is_equal(old: Any, new: Any) -> bool:
    """Return whether two values are the same, numbers up to the tolerance."""
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in (old, new)):
        return type(old) is type(new) and old == new
    return math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def is_tied(one: Any, other: Any) -> bool:
    """Return whether two items of a list may change places: the first fractions in them are equal."""
    first, second = (next((each for each in leaves(item) if isinstance(each, float)), None) for item in (one, other))
    return isinstance(one, dict | list) and first is not None and second is not None and is_equal(first, second)
