"""A training job that runs in a thread, reports each step, and can be stopped."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.classify import tasks
from core.classify.data import Dataset, SplitConfig
from core.classify.head import TextHead
from core.classify.model import VARIANTS, Variant, variant_titles
from core.classify.train import make_committee, make_text_fit, with_members
from core.classify.trainings import Order, cost, left_of_all
from core.common.errors import LEFT, ElmoscopeError
from core.common.i18n import t, tn
from core.elmo.models import Model
from core.learning.features import Frozen
from core.static.vectors import StaticVectors
from pages._frame.jobs import Job, describe_place


@dataclass
class Training:
    """A training for the page: its job, the current step, and the results so far. Only the job's thread writes it."""

    order: Order
    job: Job
    stage: str = ""
    seconds_left: float | None = None  # at most, to the end of all runs; of the layers alone while these are computed
    curves: dict[tuple[str, int], list[dict]] = field(
        default_factory=dict
    )  # by variant and seed: epoch, train_loss, valid_loss, valid_accuracy
    heads: dict[tuple[str, int], TextHead] = field(default_factory=dict)
    pooled: dict[str, np.ndarray] = field(default_factory=dict)  # the first seed's networks: a vector a training text
    dataset: Dataset | None = None
    notes: tuple[str, ...] = ()
    has_layers: bool = False  # the first run has begun

    @property
    def message(self) -> str:
        """The current step, or the length of the queue."""
        return describe_place(self.job) if self.job.began is None else self.stage

    @property
    def error(self) -> str | None:
        """Why the training ended, for the page, unless it is done or the user stopped it."""
        return t("Stopped: the page was closed.") if self.job.why_ended == LEFT else self.job.error

    def start(self, model: Model, vectors: StaticVectors) -> Training:
        failed = t("Training stopped with an error; the terminal shows it. Results so far are kept.")
        self.job.start(lambda job: self.train(model, vectors), failed=failed)
        return self

    def title_of(self, variant: str, seed: int) -> str:
        """Return the title of a run, with its seed if there are several."""
        title = variant_titles()[variant]
        return t("{classifier}, seed {seed}", classifier=title, seed=seed) if len(self.order.seeds) > 1 else title

    def train(self, model: Model, vectors: StaticVectors) -> int:
        """Train all classifiers of the order and return their number. Raises JobEnded after the results of a job that should end."""
        order = self.order
        task = tasks.task_named(self.order.task)
        self.stage = t("Reading the texts")
        split = SplitConfig(share=order.share, duplicates=task.duplicates)
        self.dataset = tasks.open_data(task, split=split, **order.files, **order.columns, language=model.language)
        self.notes = self.dataset.notes
        variants = with_members(VARIANTS[name] for name in order.variants)
        if any(variant.elmo for variant in variants):
            n = len(variants) * len(order.seeds)
            self.stage = tn(
                "Computing ELMo’s layers once, then {n} training run", "Computing ELMo’s layers once, then {n} training runs", n
            )
        frozen = tasks.freeze(variants, self.dataset, model, vectors, report=self._layers)
        runs = [(variant, seed) for seed in order.seeds for variant in variants]
        costs = [cost(variant) for variant, _ in runs]
        self.has_layers, self.seconds_left = True, None
        for number, (variant, seed) in enumerate(runs):
            if variant.members:
                self._make_committee(variant, seed, frozen[variant.name])
                continue
            config = tasks.task_config(task, seed=seed, epochs=order.epochs)
            parts = frozen[variant.name]
            trainer = make_text_fit(variant, self.dataset, config, parts, model.encoder.device)
            values = {"classifier": self.title_of(variant.name, seed), "k": number + 1, "n": len(runs)}
            self.stage = t("Training {classifier} ({k} of {n})", **values)
            for event in tasks.run(trainer, stop=self.job.is_over):
                within = (event.epoch - 1 + event.step / event.steps) / event.epochs
                self.job.done = (sum(costs[:number]) + within * costs[number]) / sum(costs)
                self.seconds_left = left_of_all(costs, number, event.seconds, event.seconds_left)
                if event.measures:
                    self._keep_curve(variant.name, seed, getattr(trainer, "history", []))
            head = trainer.finish()
            self._keep_curve(variant.name, seed, head.meta["curve"])
            if seed == order.seeds[0] and variant.network in ("lstm", "mean"):
                tokens = [example.tokens for example in self.dataset.train]
                self.pooled[variant.name] = head.pooled(tokens, vectors=parts.vectors, layers=parts.layers)
            self.heads[variant.name, seed] = head
            self.job.check()
        return len(runs)

    def _keep_curve(self, variant: str, seed: int, history: list[dict]) -> None:
        """Store the epochs of a run, including those of an earlier visit that it resumed."""
        points = ("epoch", "train_loss", "valid_loss", "valid_accuracy")
        self.curves[variant, seed] = [{name: past[name] for name in points} for past in history]

    def _make_committee(self, variant: Variant, seed: int, frozen: Frozen) -> None:
        trained = {name: head for (name, s), head in self.heads.items() if s == seed}
        config = tasks.task_config(tasks.task_named(self.order.task), seed=seed, epochs=self.order.epochs)
        self.heads[variant.name, seed] = make_committee(variant, trained, self.dataset, config, frozen)

    def _layers(self, done: int, total: int, speed: float) -> None:
        self.job.done, self.seconds_left = done / max(1, total), (total - done) / speed if speed else None
        if self.job.is_over():
            raise _Stopped(t("Stopped before the first epoch. Layers computed so far are kept."))


class _Stopped(ElmoscopeError):
    """The user stopped the training."""
