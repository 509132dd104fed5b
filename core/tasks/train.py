"""Training a head of a task: Adam, a rate that halves on a plateau, early stopping on the dev set; resumable to the bit.

`run` yields after every step, and with the dev set's score after every epoch; `finish` makes the head of the best epoch, rounded as it
is stored and scored on the test set.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property

import numpy as np
import torch
from torch import nn

from core.classify.features import Report, open_features
from core.classify.tasks import vectors_fingerprint
from core.common.draws import seeded
from core.common.errors import BadInput
from core.common.i18n import t
from core.elmo.models import Model
from core.files.artifacts import provenance, text_fingerprint
from core.files.checkpoint import Resumable, resumed
from core.files.disk_space import layers_folder
from core.static.vectors import StaticVectors
from core.tasks.heads import Head, make_batch
from core.tasks.inputs import Layers
from core.tasks.reader import mixes
from core.tasks.task import VARIANTS, Data, Example, Recipe, Shape, Task, longest


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a run reads and never changes; `layers` is None without ELMo."""

    vectors: StaticVectors
    layers: Layers | None = None
    facts: dict = field(default_factory=dict)  # model, model_name, vectors, vectors_name
    n_layers: int = 0
    elmo_dim: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """One step; with the dev set's score where it was the last of an epoch."""

    epoch: int  # from 1
    epochs: int  # at most
    step: int  # of this epoch, from 1
    steps: int
    loss: float  # mean over the epoch so far
    seconds: float  # since the run began, all its sessions together
    seconds_left: float  # if no epoch is spared
    score: float | None = None  # the task's measure on the dev set
    best: bool = False
    mixes: dict | None = None  # what the mixes have learned so far


def freeze(variant: str, data: Data, model: Model | None, vectors: StaticVectors, *, report: Report | None = None) -> Frozen:
    """Vectors, and for the ELMo variant the layers of all sentences, from disk or computed now."""
    if variant not in VARIANTS:
        raise BadInput(t("There is no variant {name!r}. There are: {names}.", name=variant, names=", ".join(VARIANTS)))
    facts = {"vectors": vectors_fingerprint(vectors), "vectors_name": vectors.name}
    if variant == "baseline":
        return Frozen(vectors, facts=facts)
    if model is None:
        raise BadInput(t("{title} needs a model.", title=variant))
    layers = open_features(data.sentences, model.encoder, model.fingerprint, layers_folder(), report=report)
    facts |= {"model": model.fingerprint, "model_name": model.name}
    return Frozen(vectors, layers, facts, model.encoder.n_layers, model.encoder.dim)


class Trainer(Resumable):
    """One run; a seed decides it, wherever it is cut and resumed."""

    def __init__(self, task: Task, variant: str, data: Data, recipe: Recipe, frozen: Frozen) -> None:
        self.task, self.variant, self.data, self.recipe, self.frozen = task, variant, data, recipe, frozen
        self.generator = seeded(recipe.seed)  # of this run alone
        self.shape = Shape(task.labels(data.train), frozen.vectors.dim, frozen.n_layers, frozen.elmo_dim)
        self.network = task.network(self.shape, recipe, self.generator)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=recipe.learning_rate)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, mode="max", factor=0.5, patience=1)
        self._begin(recipe.epochs, recipe.patience)

    def _epoch(self) -> Iterator[Progress]:
        """One pass over the training examples; the seed and the epoch's number decide its order and dropout."""
        recipe = self.recipe
        started = time.perf_counter()
        before = self.seconds
        total = 0.0
        self.generator.manual_seed(recipe.seed * 1_000_003 + self.epoch)
        batches = batches_of(self.data.train, recipe.batch_size, np.random.default_rng([recipe.seed, self.epoch]))
        self.network.train()
        for step, numbers in enumerate(batches, 1):
            total += self._step([self.data.train[k] for k in numbers])
            seconds = time.perf_counter() - started
            left = seconds / step * (len(batches) * (recipe.epochs - self.epoch) - step)
            progress = Progress(self.epoch + 1, recipe.epochs, step, len(batches), total / step, before + seconds, left)
            if step < len(batches):
                yield progress
        score = self._scores(self.data.dev)[self.task.measure]
        is_best = not self.history or score > max(past["score"] for past in self.history)
        self.seconds = before + time.perf_counter() - started
        self._end_epoch(score, is_best)
        whole = replace(progress, seconds=self.seconds, score=score, best=is_best, mixes=self._head().mixes())
        self.history.append(asdict(whole))
        yield whole

    def _step(self, examples: Sequence[Example]) -> float:
        """One update; returns the loss of the batch."""
        texts = make_batch(examples, self.frozen.vectors, self.frozen.layers)
        loss = self.network.loss(texts, examples)
        if not math.isfinite(loss.item()):  # before it spoils the weights
            told = {"epoch": self.epoch + 1, "loss": loss.item()}
            raise BadInput(t("In epoch {epoch} the loss is {loss}. Train with a lower learning rate.", **told))
        held = sum(self.recipe.mix_l2 * mix.scores.square().sum() for mix in mixes(self.network).values())
        self.optimizer.zero_grad(set_to_none=True)
        (loss + held).backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe.clip_norm)
        self.optimizer.step()
        return loss.item()

    def finish(self) -> Head:
        """The head of the best epoch (of the network as it stands, if the first was cut short), scored on the test set."""
        self.network.load_state_dict(self.best or self.network.state_dict())
        head = self._head()
        head.round()
        sizes = {part: len(getattr(self.data, part)) for part in ("train", "dev", "test")}
        data = {"data": data_fingerprint(self.data), "sizes": sizes, "whole": dict(self.data.whole)}
        parameters = sum(p.numel() for p in self.network.parameters())
        made = {
            "mixes": head.mixes(),
            "curve": self.history,
            "epochs": self.epoch,
            "seconds": round(self.seconds, 1),
            "parameters": parameters,
        }
        scored = {"dev": self._scores(self.data.dev), "test": self._scores(self.data.test)}
        head.meta = provenance(**data, **self.frozen.facts, **made, **scored)
        return head

    def _scores(self, examples: Sequence[Example]) -> dict[str, float]:
        return self.task.score(examples, self._head().predictions(examples, self.frozen.vectors, self.frozen.layers))

    def _head(self) -> Head:
        return Head(self.task, self.variant, self.shape, self.recipe, self.network, {})

    @cached_property
    def key(self) -> str:
        """16 hex digits of all that decides this run: task, variant, data, recipe, frozen parts."""
        facts = [self.task.name, self.variant, data_fingerprint(self.data), asdict(self.recipe), self.frozen.facts]
        return text_fingerprint([json.dumps(facts, sort_keys=True)])[:16]


def run(trainer: Trainer, stop: Callable[[], bool] = lambda: False) -> Iterator[Progress]:
    """Train to the end, going on from where the same run was cut before: it is kept in the cache after every epoch."""
    return resumed(trainer, lambda progress: progress.score is not None, stop)


def data_fingerprint(data: Data) -> str:
    """sha256 of every example's tokens and target, and the split it is in, 64 hex digits."""
    cells = []
    for part in ("train", "dev", "test"):
        for example in getattr(data, part):
            cells += [part, repr(example.target), *(token for p in example.passages for s in p for token in s)]
    return text_fingerprint(cells)


def batches_of(examples: Sequence[Example], size: int, random: np.random.Generator) -> list[list[int]]:
    """Numbers of the examples in batches of like length, in random order; those that share their longest passage stay together."""
    passages = list(map(longest, examples))
    noise = {passage: 3 * random.random() for passage in dict.fromkeys(passages)}
    lengths = np.array([sum(map(len, passage)) + noise[passage] for passage in passages])
    order = np.argsort(lengths, kind="stable").tolist()
    batches = [order[k : k + size] for k in range(0, len(order), size)]
    return [batches[k] for k in random.permutation(len(batches))]
