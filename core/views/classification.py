"""What trained classifiers say of a text: their predictions, the reasons, and what typing errors change."""

from dataclasses import dataclass, replace

import numpy as np

from core.classify import readable_words, tasks
from core.classify.data import Dataset
from core.classify.explain import Explanation, NearRow, explain, nearest_rows
from core.classify.head import Answer
from core.classify.inputs import live_layers
from core.classify.tasks import OpenHeads
from core.experiments.typing_errors import NoisyAnswer, answers_under_noise
from core.workbench import Bench

READS = ("model", "vectors")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassificationRequest:
    """A text for the heads of a task, those of these variants where some are named. The heads themselves are handed on beside it."""

    task: str
    text: str = ""
    variants: tuple[str, ...] = ()


def compute(bench: Bench, request: ClassificationRequest, opened: OpenHeads) -> dict[str, Answer]:
    """Each variant's prediction. BadInput for a blank text."""
    chosen = replace(opened, heads={name: opened.heads[name] for name in request.variants}) if request.variants else opened
    return tasks.classify_text(chosen, request.text, model=bench.model, vectors=bench.vectors)[1]


def letters(bench: Bench, request: ClassificationRequest, opened: OpenHeads) -> frozenset[str]:
    """The letters of the texts that the heads learned from; the request's text is not read."""
    return readable_words.letters_of(opened.heads.values(), bench.vectors)


def under_noise(bench: Bench, request: ClassificationRequest, opened: OpenHeads) -> dict[str, NoisyAnswer]:
    """What every head answers on a cleaned text, and what it keeps of that as letters are disturbed."""
    return answers_under_noise(opened.heads, request.text, vectors=bench.vectors, encoder=bench.model.encoder)


def reasons(bench: Bench, request: ClassificationRequest, opened: OpenHeads) -> Explanation:
    """Why the head of the one variant named predicts what it does."""
    tokens = tasks.text_tokens(opened.task, request.text)
    return explain(opened.heads[request.variants[0]], tokens, vectors=bench.vectors, layers=live_layers(bench.model.encoder))


def near_texts(
    bench: Bench, request: ClassificationRequest, opened: OpenHeads, pooled: np.ndarray, dataset: Dataset, k: int = 5
) -> list[tuple[NearRow, str, str]]:
    """The training texts that the one head named sees as most alike, with their labels; `pooled` (N, E) of all of them."""
    given = {"vectors": bench.vectors, "layers": live_layers(bench.model.encoder)}
    rows = nearest_rows(opened.heads[request.variants[0]], tasks.text_tokens(opened.task, request.text), pooled, k, **given)
    examples = [dataset.train[row.row] for row in rows]
    return [(row, example.text, dataset.labels[example.label]) for row, example in zip(rows, examples, strict=True)]
