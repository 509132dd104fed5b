"""Cache the results of core's views for all users, by request and by the contents of what was read."""

import sys
from collections.abc import Callable, Hashable
from operator import attrgetter
from typing import Any, TypeVar

from core.workspace import Names, Workspace
from pages._cached import opened
from pages._cached.kept import keep
from pages._frame.in_use import InUse

R = TypeVar("R")
READS = {"model": ("model",), "language_model": ("model",), "targets": ("model", "corpus")}  # by part of a workspace


def workspace(in_use: InUse) -> Workspace:
    """Return the workspace for the selected model and data."""
    return Workspace(Names(model=in_use.model, vectors=in_use.vectors, corpus=in_use.corpus), opened)


def workspace_of(model_name: str, vectors_name: str = "") -> Workspace:
    """Return the workspace of a model with the data of its language, or with other vectors."""
    return Workspace(Names(model=model_name, vectors=vectors_name), opened)


def view(compute: Callable[..., R], over: Workspace, request: Hashable, *further: Any, most: int = 64, **options: Any) -> R:
    """Return the cached result of a view. Its module's READS names what it depends on besides the request.

    The arguments in `further` are passed to `compute`, and are part of the key. `options` are those of `pages._cached.kept.keep`.
    """
    reads = [*over.reads(*sys.modules[compute.__module__].READS), *getattr(request, "reads", ())]
    return keep(_maker(compute), reads, request, lambda: compute(over, request, *further), most=most, **options)


def of(part: str, compute: Callable[..., R], over: Workspace, *request: Hashable, most: int = 64, **options: Any) -> R:
    """Return the cached result of a function of one part of a workspace, such as "targets" or "model.encoder", and of a request."""
    reads = over.reads(*READS[part.partition(".")[0]])
    return keep(_maker(compute), reads, request, lambda: compute(attrgetter(part)(over), *request), most=most, **options)


def _maker(compute: Callable) -> str:
    return f"{compute.__module__}.{compute.__qualname__}"
