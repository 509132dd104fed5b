"""Answers of core, computed once for all visitors and kept by what was asked and by the contents of what it was read from."""

import sys
from collections.abc import Callable, Hashable
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeVar

from core.text.readings import WordInContext
from core.workbench import Bench, Names
from pages._cached import opened
from pages._cached.kept import keep, within_run
from pages._frame.in_use import InUse

R = TypeVar("R")
READS = {"model": ("model",), "language_model": ("model",), "targets": ("model", "corpus")}  # by part of a bench


def bench(in_use: InUse) -> Bench:
    """What is in use on a page."""
    return Bench(Names(model=in_use.model, vectors=in_use.vectors, corpus=in_use.corpus), opened)


@within_run
def about(in_use: InUse, *words: WordInContext) -> InUse:
    """What is in use on a page about these words (`Bench.about`)."""
    return replace(in_use, corpus=bench(in_use).about(*words).corpus)


def bench_of(model_name: str, vectors_name: str = "") -> Bench:
    """A model with what belongs to its language, or with other vectors."""
    return Bench(Names(model=model_name, vectors=vectors_name), opened)


def view(compute: Callable[..., R], over: Bench, request: Hashable, *further: Any, most: int = 64, **options: Any) -> R:
    """The answer of a view, whose module names in READS what it hangs on beside the request and what that `reads`.

    `further` is handed on too and hangs on the same; `options` are those of `pages._cached.kept.keep`.
    """
    reads = [*over.reads(*sys.modules[compute.__module__].READS), *getattr(request, "reads", ())]
    return keep(_maker(compute), reads, request, lambda: compute(over, request, *further), most=most, **options)


def of(part: str, compute: Callable[..., R], over: Bench, *request: Hashable, most: int = 64, **options: Any) -> R:
    """The answer of a function of one part of a bench, such as its "targets" or its "model.encoder", and of a request."""
    reads = over.reads(*READS[part.partition(".")[0]])
    return keep(_maker(compute), reads, request, lambda: compute(attrgetter(part)(over), *request), most=most, **options)


def _maker(compute: Callable) -> str:
    return f"{compute.__module__}.{compute.__qualname__}"
