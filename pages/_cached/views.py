"""Answers of core.views, computed once for all visitors and kept by what they were asked and read."""

import sys
from collections.abc import Callable, Hashable
from typing import TypeVar

from core.workbench import Bench, Names
from pages._cached import opened
from pages._cached.kept import KEPT, version
from pages._frame.in_use import InUse

R = TypeVar("R")


def bench(in_use: InUse) -> Bench:
    """What is in use on a page."""
    return Bench(Names(model=in_use.model, vectors=in_use.vectors, corpus=in_use.corpus), opened)


def bench_of(model_name: str) -> Bench:
    """A model with what belongs to its language."""
    return Bench(Names(model=model_name), opened)


def view(compute: Callable[[Bench, Hashable], R], over: Bench, request: Hashable, *, most: int = 64) -> R:
    """The answer of a view, a module of core.views, which names in READS what it hangs on beside the request and what that `reads`."""
    module = sys.modules[compute.__module__]
    names = [*((kind, getattr(over.names, kind)) for kind in module.READS), *getattr(request, "reads", ())]
    key = tuple((name, version(name, kind)) for kind, name in names)
    return KEPT.value(module.__name__, (key, request), lambda: compute(over, request), most=most)
