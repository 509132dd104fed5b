"""Train a task's head: Adam, a rate that halves on a plateau, early stopping on the dev set; resumable with equal results."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property

import numpy as np
from torch import Tensor

from ..common.device import seeded
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..elmo.models import Model
from ..files.artifacts import provenance, text_fingerprint
from ..learning.features import Frozen, Report, freeze_each
from ..learning.fit import Epoch, Fit, FitConfig, batches_by_length, learned_mixes
from ..static.vectors import StaticVectors
from .heads import TaskHead, make_batch
from .task import PARTS, VARIANTS, Data, Example, Shape, Task, TaskRecipe, longest


def freeze(variant: str, data: Data, model: Model | None, vectors: StaticVectors, *, report: Report | None = None) -> Frozen:
    """Return the vectors, and with ELMo the layers of all sentences, from disk or computed now."""
    if variant not in VARIANTS:
        raise BadInput(t("There is no variant {name!r}. There are: {names}.", name=shorten(variant), names=", ".join(VARIANTS)))
    reads_elmo = variant == "elmo"
    if reads_elmo and model is None:
        raise BadInput(t("{title} needs a model.", title=variant))
    return freeze_each({variant: (True, reads_elmo)}, data.sentences, model, vectors, report=report)[variant]


def make_fit(task: Task, variant: str, data: Data, recipe: TaskRecipe, frozen: Frozen) -> Fit:
    """Return a run, which depends only on the seed, even if it is interrupted and resumed."""
    return Fit(TaskJob(task, variant, data, recipe, frozen), FitConfig.of(recipe, higher_is_better=True))


class TaskJob:
    """The training job of a task's network, scored by the task's measure on the dev set."""

    def __init__(self, task: Task, variant: str, data: Data, recipe: TaskRecipe, frozen: Frozen) -> None:
        self.task, self.variant, self.data, self.recipe, self.frozen = task, variant, data, recipe, frozen
        self.generator = seeded(recipe.seed)
        self.shape = Shape(task.labels(data.train), frozen.vectors.dim, frozen.n_layers, frozen.elmo_dim)
        self.network = task.network(self.shape, recipe, self.generator)

    def batches(self, epoch: int) -> list[list[int]]:
        return batches_of(self.data.train, self.recipe.batch_size, np.random.default_rng([self.recipe.seed, epoch]))

    def loss(self, numbers: Sequence[int]) -> Tensor:
        examples = [self.data.train[k] for k in numbers]
        return self.network.loss(make_batch(examples, self.frozen.vectors, self.frozen.layers), examples)

    def measure(self) -> dict[str, float]:
        return {"score": self._scores(self.data.dev)[self.task.measure]}

    def record(self, epoch: Epoch) -> dict:
        return epoch.record()

    def finish(self, history: list[dict], epochs: int, seconds: float) -> TaskHead:
        """Return the head, rounded as it is stored and scored on the test set."""
        head = self.head()
        head.round()
        sizes = {part: len(getattr(self.data, part)) for part in PARTS}
        data = {"data": data_fingerprint(self.data), "sizes": sizes, "whole": dict(self.data.whole)}
        parameters = sum(p.numel() for p in self.network.parameters())
        made = {
            "mixes": learned_mixes(self.network),
            "curve": history,
            "epochs": epochs,
            "seconds": round(seconds, 1),
            "parameters": parameters,
        }
        scored = {"dev": self._scores(self.data.dev), "test": self._scores(self.data.test)}
        head.meta = provenance(**data, **self.frozen.facts, **made, **scored)
        return head

    def _scores(self, examples: Sequence[Example]) -> dict[str, float]:
        return self.task.score(examples, self.head().predictions(examples, self.frozen.vectors, self.frozen.layers))

    def head(self) -> TaskHead:
        """Return the head of the current network."""
        return TaskHead(self.task, self.variant, self.shape, self.recipe, self.network, {})

    @cached_property
    def key(self) -> str:
        parts = [self.task.name, self.variant, data_fingerprint(self.data), asdict(self.recipe), self.frozen.facts]
        return text_fingerprint([json.dumps(parts, sort_keys=True)])[:16]


def data_fingerprint(data: Data) -> str:
    """Return sha256, 64 hex digits, of every example's tokens, target and split."""
    cells = []
    for part in PARTS:
        for example in getattr(data, part):
            cells += [part, repr(example.target), *(token for p in example.passages for s in p for token in s)]
    return text_fingerprint(cells)


def batches_of(examples: Sequence[Example], size: int, random: np.random.Generator) -> list[list[int]]:
    """Return example numbers in batches of similar length, in random order. Examples with the same longest passage stay together."""
    passages = list(map(longest, examples))
    noise = {passage: 3 * random.random() for passage in dict.fromkeys(passages)}
    lengths = np.array([sum(map(len, passage)) + noise[passage] for passage in passages])
    return batches_by_length(lengths, size, random)
