"""What the classification pages open once and share, and what a user trained in this session, which is theirs alone.

Apart from store, so that other pages need not wait for scikit-learn.
"""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.classify import tasks
from core.classify.data import Dataset
from core.classify.explain import Explanation, NearRow, explain, nearest_rows
from core.classify.head import Answer
from core.classify.inputs import live_layers
from core.classify.readable_words import letters_of
from core.classify.tasks import OpenHeads
from core.common.i18n import t
from core.experiments import variants
from core.experiments.context_gains import Size, sizes
from core.experiments.typing_errors import NoisyAnswer, answers_under_noise
from pages._cached.kept import kept
from pages._cached.opened import model, vectors
from pages._frame.in_use import InUse

KEPT_PER_USER = 4  # data sets


@dataclass
class Trained:
    """Heads that a user trained on the Train page, with the rows they were trained on."""

    opened: OpenHeads
    dataset: Dataset
    model: str  # names of what they were trained with
    vectors: str
    pooled: dict[str, np.ndarray]  # by variant: of each training text, the vector before the last linear layer


def trained_here() -> dict[str, Trained]:
    """This session's own heads by a name that a page shows; nobody else sees them."""
    return st.session_state.setdefault("trained_here", {})


def keep(name: str, trained: Trained) -> None:
    mine = trained_here()
    mine.pop(name, None)
    mine[name] = trained
    while len(mine) > KEPT_PER_USER:
        del mine[next(iter(mine))]


@kept(12, weighed=False)
def _shipped(task: str, model_name: str, vectors_name: str) -> OpenHeads:
    with st.spinner(t("Opening classifiers…")):
        return tasks.open_heads(tasks.task_named(task), model=model(model_name), vectors=vectors(vectors_name))


def opened(task: str, in_use: InUse) -> OpenHeads:
    """The user's own heads of that name, or those that ship and fit the model and the vectors in use."""
    mine = trained_here().get(task)
    return mine.opened if mine else _shipped(task, in_use.model, in_use.vectors)


def frozen(task: str, in_use: InUse) -> dict:
    """The model and the vectors that the heads of a task read."""
    mine = trained_here().get(task)
    names = (mine.model, mine.vectors) if mine else (in_use.model, in_use.vectors)
    return {"model": model(names[0]), "vectors": vectors(names[1])}


@kept(512)
def _answers(task: str, model_name: str, vectors_name: str, text: str, names: tuple[str, ...]) -> dict[str, Answer]:
    given = {"model": model(model_name), "vectors": vectors(vectors_name)}
    return _asked(_shipped(task, model_name, vectors_name), text, names, **given)


def _asked(open_heads: OpenHeads, text: str, names: tuple[str, ...], **given) -> dict[str, Answer]:
    some = replace(open_heads, heads={name: open_heads.heads[name] for name in names})
    return tasks.classify_text(some, text, **given)[1]


def answers(task: str, in_use: InUse, text: str, names: tuple[str, ...]) -> dict[str, Answer]:
    """The answers of the heads named on a text."""
    if task in trained_here():
        return _asked(opened(task, in_use), text, names, **frozen(task, in_use))
    return _answers(task, in_use.model, in_use.vectors, text, names)


@kept(12)
def _letters(task: str, model_name: str, vectors_name: str) -> frozenset[str]:
    return letters_of(_shipped(task, model_name, vectors_name).heads.values(), vectors(vectors_name))


def letters(task: str, in_use: InUse) -> frozenset[str]:
    """The letters of the texts that a task's heads learned from."""
    if task in trained_here():
        return letters_of(opened(task, in_use).heads.values(), frozen(task, in_use)["vectors"])
    return _letters(task, in_use.model, in_use.vectors)


@kept(128)
def under_noise(task: str, model_name: str, vectors_name: str, text: str) -> dict[str, NoisyAnswer]:
    """What every head that ships answers on a cleaned text, and what it keeps of that as letters are disturbed."""
    result = _shipped(task, model_name, vectors_name)
    return answers_under_noise(result.heads, text, vectors=vectors(vectors_name), encoder=model(model_name).encoder)


@kept(256)
def _explanation(task: str, variant: str, model_name: str, vectors_name: str, text: str) -> Explanation:
    result = _shipped(task, model_name, vectors_name)
    with st.spinner(t("Rereading without each word…")):
        return _explained(result, variant, text, model=model(model_name), vectors=vectors(vectors_name))


def _explained(open_heads: OpenHeads, variant: str, text: str, *, model, vectors) -> Explanation:
    tokens = tasks.text_tokens(open_heads.task, text)
    return explain(open_heads.heads[variant], tokens, vectors=vectors, layers=live_layers(model.encoder))


def explanation(task: str, variant: str, in_use: InUse, text: str) -> Explanation:
    """Why a head says what it says of a text."""
    if task in trained_here():
        return _explained(opened(task, in_use), variant, text, **frozen(task, in_use))
    return _explanation(task, variant, in_use.model, in_use.vectors, text)


def near_rows(task: str, variant: str, in_use: InUse, text: str, k: int = 5) -> list[tuple[NearRow, str, str]]:
    """The user's own training rows that the head sees as most alike, with their text and label; none for heads that ship."""
    mine = trained_here().get(task)
    if not mine or variant not in mine.pooled:
        return []
    given = frozen(task, in_use)
    given = {"vectors": given["vectors"], "layers": live_layers(given["model"].encoder)}
    tokens = tasks.text_tokens(mine.opened.task, text)
    rows = nearest_rows(mine.opened.heads[variant], tokens, mine.pooled[variant], k, **given)
    examples = [mine.dataset.train[row.row] for row in rows]
    return [(row, example.text, mine.dataset.labels[example.label]) for row, example in zip(rows, examples, strict=True)]


@kept(2)
def _runs(changed: tuple[int, int]) -> list[dict]:
    return variants.read_results()


@kept(2, weighed=False)
def _contexts(changed: tuple[int, int]) -> list[Size]:
    return sizes(_runs(changed))


def runs() -> list[dict]:
    """The experiments' lines, read again when their file has changed; it must be there."""
    return _runs(_changed())


def contexts() -> list[Size]:
    """What its runs of core.experiments.context_curve come to."""
    return _contexts(_changed())


def _changed() -> tuple[int, int]:
    stat = variants.RESULTS.stat()
    return stat.st_mtime_ns, stat.st_size
