"""Open the classifiers once for all users, and store those that a user trained in this session.

This is a module of its own, so that other pages need not import scikit-learn.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import streamlit as st

from core.classify import tasks
from core.classify.data import Dataset
from core.classify.tasks import OpenHeads
from core.common.i18n import t
from core.workspace import Workspace
from pages._cached.cache import keep, workspace
from pages._frame.in_use import InUse

R = TypeVar("R")
READS = ("model", "vectors")
KEPT_PER_USER = 4  # data sets


@dataclass
class Trained:
    """Classifiers that a user trained on the Train page, with their training rows."""

    opened: OpenHeads
    dataset: Dataset
    workspace: Workspace  # with the model and the vectors they were trained with
    pooled: dict[str, np.ndarray]  # by variant: the vector of each training text before the last linear layer


def own_heads() -> dict[str, Trained]:
    """Return the classifiers of this session by name. No other user sees them."""
    return st.session_state.setdefault("trained_here", {})


def hold(title: str, trained: Trained) -> tuple[str, str]:
    """Store classifiers in the session. Return their name, and the name of those dropped beyond KEPT_PER_USER, or ""."""
    mine = own_heads()
    names = (title, *(f"{title} ({k})" for k in range(2, KEPT_PER_USER + 2)))
    name = next(name for name in names if name not in mine or mine[name].dataset is trained.dataset)
    mine.pop(name, None)
    mine[name] = trained
    dropped = next(iter(mine)) if len(mine) > KEPT_PER_USER else ""
    mine.pop(dropped, None)
    return name, dropped


def workspace_for(task: str, in_use: InUse) -> Workspace:
    """Return the workspace with the model and the vectors that the classifiers of a task read."""
    return mine.workspace if (mine := own_heads().get(task)) else workspace(in_use)


def _versions(task: str) -> tuple[tuple[str, int], ...]:
    """Return the folder and modification time of each head of a task, which a command may train meanwhile."""
    folders = [folder for places in tasks.head_folders(task).values() for folder in places]
    return tuple((str(folder), (folder / "meta.json").stat().st_mtime_ns) for folder in folders)


def open_for(task: str, in_use: InUse) -> OpenHeads:
    """Return the user's own classifiers of a task, or the bundled ones that fit the selected model and vectors."""
    if mine := own_heads().get(task):
        return mine.opened
    over = workspace(in_use)

    def open_heads() -> OpenHeads:
        return tasks.open_heads(tasks.task_named(task), model=over.model, vectors=over.vectors)

    key = task, _versions(task)
    return keep("heads", over.reads(*READS), key, open_heads, most=12, weighed=False, meanwhile=t("Opening classifiers…"))


def ask(compute: Callable[..., R], task: str, in_use: InUse, *request: Hashable, meanwhile: str = "") -> R:
    """Call a function of core.classify.tasks with the classifiers of a task. Cache the answer unless the user trained them."""
    over, heads = workspace_for(task, in_use), open_for(task, in_use)

    def work() -> R:
        return compute(heads, *request, model=over.model, vectors=over.vectors)

    if task in own_heads():
        return work()
    key = task, _versions(task), request
    return keep(f"classifiers.{compute.__qualname__}", over.reads(*READS), key, work, most=512, meanwhile=meanwhile)
