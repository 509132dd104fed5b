"""What the classification pages open once and share, and what a user trained in this session, which is theirs alone.

Apart from `opened`, so that other pages need not wait for scikit-learn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import streamlit as st

from core.classify import tasks
from core.classify.data import Dataset
from core.classify.tasks import OpenHeads
from core.common.i18n import t
from core.workbench import Bench
from pages._cached.kept import keep
from pages._cached.views import bench, view
from pages._frame.in_use import InUse

R = TypeVar("R")
KEPT_PER_USER = 4  # data sets


@dataclass
class Trained:
    """Heads that a user trained on the Train page, with the rows they were trained on."""

    opened: OpenHeads
    dataset: Dataset
    bench: Bench  # of what they were trained with
    pooled: dict[str, np.ndarray]  # by variant: of each training text, the vector before the last linear layer


def trained_here() -> dict[str, Trained]:
    """This session's own heads by a name that a page shows; nobody else sees them."""
    return st.session_state.setdefault("trained_here", {})


def hold(name: str, trained: Trained) -> None:
    """Among a session's own heads, the last of them."""
    mine = trained_here()
    mine.pop(name, None)
    mine[name] = trained
    while len(mine) > KEPT_PER_USER:
        del mine[next(iter(mine))]


def bench_for(task: str, in_use: InUse) -> Bench:
    """The model and the vectors that the heads of a task read."""
    return mine.bench if (mine := trained_here().get(task)) else bench(in_use)


def opened(task: str, in_use: InUse) -> OpenHeads:
    """The user's own heads of that name, or those that ship and fit the model and the vectors in use."""
    if mine := trained_here().get(task):
        return mine.opened
    over, reads = bench(in_use), (("model", in_use.model), ("vectors", in_use.vectors))

    def open_heads() -> OpenHeads:
        return tasks.open_heads(tasks.task_named(task), model=over.model, vectors=over.vectors)

    return keep("heads", reads, task, open_heads, most=12, weighed=False, meanwhile=t("Opening classifiers…"))


def ask(compute: Callable[..., R], in_use: InUse, request: Any, *, meanwhile: str = "") -> R:
    """What a function of core.views.classification says of a request by its task's heads: of the user's own each time anew, of others once for all."""
    over, heads = bench_for(request.task, in_use), opened(request.task, in_use)
    if request.task in trained_here():
        return compute(over, request, heads)
    return view(compute, over, request, heads, most=512, meanwhile=meanwhile)
