"""Cache computed values of all functions in memory within one budget (ELMOSCOPE_MAX_KEPT_MB), dropping the least recently used."""

import mmap
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from .limits import limits

SAMPLE = 256  # items of a long list that are weighed, as a sample of all
DEEPEST = 8  # levels of nesting that are weighed
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Bounded(Generic[K, V]):
    """A dictionary of at most `capacity` entries, safe to share between threads; the least recently used entry is dropped first."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """Return the entry, or None."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: K, value: V) -> None:
        """Store an entry and drop the least recently used ones."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            while len(self._entries) > self.capacity:
                self._entries.popitem(last=False)

    def value(self, key: K, make: Callable[[], V]) -> V:
        """Return the entry, made now if it is missing. Threads that request it at once may each make it."""
        if (value := self.get(key)) is None:
            value = make()
            self.put(key, value)
        return value


class Kept:
    """A cache of values by maker and key. A maker is the name of the function that makes the value; the values of each are limited."""

    def __init__(self) -> None:
        self._values: OrderedDict[tuple[str, Hashable], tuple[Any, int]] = OrderedDict()
        self._making: dict[tuple[str, Hashable], threading.Lock] = {}
        self._lock = threading.RLock()
        self.n_bytes = 0  # of all values together

    def __len__(self) -> int:
        return len(self._values)

    def value(self, maker: str, key: Hashable, make: Callable[[], Any], *, most: int, weighed: bool = True) -> Any:
        """Return the value of a key, making it now unless it is cached. Threads that request it at once wait for one to make it.

        Errors are not cached, nor is None, which means that there is nothing yet. At most `most` values of a maker are cached. Values that
        are not `weighed`, such as memory-mapped files, do not count toward the budget.
        """
        place = maker, key
        with self._lock:
            if place in self._values:
                self._values.move_to_end(place)
                return self._values[place][0]
            making = self._making.setdefault(place, threading.Lock())
        try:
            with making:
                with self._lock:
                    if place in self._values:
                        return self._values[place][0]
                if (new_value := make()) is None:
                    return None
                size = weight(new_value) if weighed else 0
                with self._lock:
                    if place in self._values:  # stored meanwhile by a thread that came after the first had finished
                        self._drop(place)
                    self._values[place] = new_value, size
                    self.n_bytes += size
                    self._trim(place, most)
                return new_value
        finally:
            with self._lock:
                self._making.pop(place, None)

    def values(self, maker: str, keys: Sequence[Hashable], make: Callable[[list[Hashable]], Iterable[Any]], *, most: int) -> list[Any]:
        """Return the values of several keys. Missing ones are made together by one call with their keys."""
        with self._lock:
            values = {key: self._values[maker, key][0] for key in keys if (maker, key) in self._values}
        if new := [key for key in dict.fromkeys(keys) if key not in values]:
            values |= zip(new, make(new), strict=True)
        return [self.value(maker, key, partial(values.get, key), most=most) for key in keys]

    def _trim(self, latest: tuple[str, Hashable], most: int) -> None:
        """Drop the oldest values beyond the maker's number and the budget, but not the latest one, which is on the screen."""
        for place in [place for place in self._values if place[0] == latest[0]][:-most]:
            self._drop(place)
        budget = limits().max_kept_mb * 10**6
        if self.n_bytes > budget:
            for place in [place for place, (_, size) in self._values.items() if size and place != latest]:
                self._drop(place)
                if self.n_bytes <= budget:
                    return

    def _drop(self, place: tuple[str, Hashable]) -> None:
        self.n_bytes -= self._values.pop(place)[1]


def weight(value: Any) -> int:
    """Return the approximate memory of a value in bytes: arrays exactly, long lists by a sample, mapped files as zero."""
    return _weight(value, set(), DEEPEST)


def _weight(value: Any, seen: set[int], depth: int) -> int:
    if depth < 0 or id(value) in seen or callable(value):
        return 0
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return sys.getsizeof(value)
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return _of_array(value, seen) + (0 if value.dtype != object else _of_items(value.ravel().tolist(), seen, depth))
    size = sys.getsizeof(value, 64)
    if isinstance(value, Mapping):
        return size + _of_items(list(value), seen, depth) + _of_items(list(value.values()), seen, depth)
    if isinstance(value, list | tuple | set | frozenset):
        return size + _of_items(list(value), seen, depth)
    for measured in ("memory_usage", "nbytes"):  # a table of pandas, one of Arrow or a tensor of torch
        with suppress(Exception):
            size_of = getattr(value, measured)
            return size + int(np.sum(size_of(deep=True) if callable(size_of) else size_of))
    if is_dataclass(value):
        return size + sum(_weight(getattr(value, field.name, None), seen, depth - 1) for field in fields(value))
    return size + sum(_weight(item, seen, depth - 1) for item in getattr(value, "__dict__", {}).values())


def _of_array(array: np.ndarray, seen: set[int]) -> int:
    """Return the memory behind an array or a view of it, counted once; zero for a mapped file."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    if isinstance(base, np.memmap) or isinstance(base.base, mmap.mmap):
        return 0
    if base is not array and id(base) in seen:
        return 0
    seen.add(id(base))
    return base.nbytes


def _of_items(items: list, seen: set[int], depth: int) -> int:
    if len(items) <= SAMPLE:
        return sum(_weight(item, seen, depth - 1) for item in items)
    step = len(items) / SAMPLE
    return int(step * sum(_weight(items[int(k * step)], seen, depth - 1) for k in range(SAMPLE)))
