"""A training that runs beside the pages when it is its turn, each step told, stopped at a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from core.classify import tasks
from core.classify.committee import make_committee, with_members
from core.classify.data import Dataset, SplitConfig
from core.classify.head import TextHead
from core.classify.model import VARIANTS, Variant, variant_titles
from core.classify.train import make_text_fit
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import command
from core.common.turns import Turn
from core.elmo.models import Model
from core.learning.frozen import Frozen
from core.static.vectors import StaticVectors
from pages._frame.server_jobs import Background, waiting_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be trained."""

    task: str
    title: str  # for people
    files: dict  # train, test, valid -> path, as core.classify.tasks.open_data takes them
    columns: dict  # text_columns, label_column
    variants: tuple[str, ...]
    seeds: tuple[int, ...]
    share: float
    epochs: int
    model: str
    vectors: str

    @property
    def command(self) -> str:
        """The same on the command line."""
        words = ["python", "-m", "core", "train", "--task", self.task, "--variant", *self.variants]
        for option, value in self.files.items():
            words += [f"--{option}", value]
        for option, names in (("text", self.columns.get("text_columns")), ("label", [self.columns.get("label_column")])):
            if names and all(names):
                words += [f"--{option}-column", *names]
        words += ["--seeds", *self.seeds, "--share", f"{self.share:g}", "--epochs", self.epochs]
        return command(*words, "--model", self.model, "--vectors", self.vectors, "--json")


@dataclass
class TrainingJob(Background):
    """What a page looks at while the thread works; only the thread writes, but for `stop_asked`."""

    order: Order
    turn: Turn
    stage: str = ""
    share_done: float = 0.0
    seconds_left: float | None = None  # at most, to the end of all runs; of the layers alone while these are computed
    curves: dict[tuple[str, int], list[dict]] = field(
        default_factory=dict
    )  # by variant and seed: epoch, train_loss, valid_loss, valid_accuracy
    heads: dict[tuple[str, int], TextHead] = field(default_factory=dict)
    pooled: dict[str, np.ndarray] = field(default_factory=dict)  # the first seed's networks: a vector a training text
    dataset: Dataset | None = None
    notes: tuple[str, ...] = ()
    training: bool = False  # the layers are there, the first run has begun

    @property
    def stop_asked(self) -> bool:
        """By the user; or nobody is there any more, or its time is over."""
        return self.turn.is_over()

    def stop(self) -> None:
        self.turn.stop_asked = True

    @property
    def told(self) -> str:
        """What it does now, or how long the queue is."""
        return waiting_text(self.turn) if self.turn.began is None else self.stage

    def start(self, model: Model, vectors: StaticVectors) -> TrainingJob:
        failed = t("Training stopped with an error; the terminal shows it. Results so far are kept.")
        return self.begin(lambda: self._work(model, vectors), failed=failed, name="training")

    def title_of(self, variant: str, seed: int) -> str:
        """A run's name for people: the seed stands in it where there are several."""
        title = variant_titles()[variant]
        return t("{classifier}, seed {seed}", classifier=title, seed=seed) if len(self.order.seeds) > 1 else title

    def _work(self, model: Model, vectors: StaticVectors) -> None:
        with self.turn:
            self._train(model, vectors)
            if not self.turn.stop_asked:
                self.turn.check()  # ended by the clock: the page says so beside what there is

    def _train(self, model: Model, vectors: StaticVectors) -> None:
        order = self.order
        task = tasks.task_named(self.order.task)
        self.stage = t("Reading the texts")
        split = SplitConfig(share=order.share, duplicates=task.duplicates)
        self.dataset = tasks.open_data(task, split=split, **order.files, **order.columns)
        self.notes = self.dataset.notes
        variants = with_members(VARIANTS[name] for name in order.variants)
        self.stage = t("Computing ELMo’s layers once, then {n} trainings", n=len(variants) * len(order.seeds))
        frozen = tasks.freeze(variants, self.dataset, model, vectors, report=self._layers)
        runs = [(variant, seed) for seed in order.seeds for variant in variants]
        costs = [cost(variant) for variant, _ in runs]
        self.training, self.seconds_left = True, None
        for number, (variant, seed) in enumerate(runs):
            if variant.members:
                self._make_committee(variant, seed, frozen[variant.name])
                continue
            config = tasks.task_config(task, seed=seed, epochs=order.epochs)
            parts = frozen[variant.name]
            trainer = make_text_fit(variant, self.dataset, config, parts, model.encoder.device)
            values = {"classifier": self.title_of(variant.name, seed), "k": number + 1, "n": len(runs)}
            self.stage = t("Training {classifier} ({k} of {n})", **values)
            for event in tasks.run(trainer, stop=lambda: self.stop_asked):
                within = (event.epoch - 1 + event.step / event.steps) / event.epochs
                self.share_done = (sum(costs[:number]) + within * costs[number]) / sum(costs)
                self.seconds_left = left_of_all(costs, number, event.seconds, event.seconds_left)
                if event.measures:
                    self._keep_curve(variant.name, seed, getattr(trainer, "history", []))
            head = trainer.finish()
            self._keep_curve(variant.name, seed, head.meta["curve"])
            if seed == order.seeds[0] and variant.network in ("lstm", "mean"):
                tokens = [example.tokens for example in self.dataset.train]
                self.pooled[variant.name] = head.pooled(tokens, vectors=parts.vectors, layers=parts.layers)
            self.heads[variant.name, seed] = head
            if self.stop_asked:
                return

    def _keep_curve(self, variant: str, seed: int, history: list[dict]) -> None:
        """A run's epochs, also those of an earlier visit that it went on from."""
        points = ("epoch", "train_loss", "valid_loss", "valid_accuracy")
        self.curves[variant, seed] = [{name: past[name] for name in points} for past in history]

    def _make_committee(self, variant: Variant, seed: int, frozen: Frozen) -> None:
        trained = {name: head for (name, s), head in self.heads.items() if s == seed}
        config = tasks.task_config(tasks.task_named(self.order.task), seed=seed, epochs=self.order.epochs)
        self.heads[variant.name, seed] = make_committee(variant, trained, self.dataset, config, frozen)

    def _layers(self, done: int, total: int, speed: float) -> None:
        self.share_done, self.seconds_left = done / max(1, total), (total - done) / speed if speed else None
        if self.stop_asked:
            raise _Stopped(t("Stopped before the first epoch. Layers computed so far are kept."))


def cost(variant: Variant) -> float:
    """About how long a variant takes beside the others: an epoch of those that ship, nn.Embedding's LSTM being 1."""
    if variant.members:
        return 0.02  # its members are trained already
    if variant.network not in ("lstm", "mean"):
        return 0.1
    return (1.0 if variant.network == "lstm" else 0.3) + 0.9 * variant.elmo + 0.2 * bool(variant.glove)


def left_of_all(costs: Sequence[float], number: int, spent: float, left: float) -> float:
    """Seconds to the end of all runs, if those to come take as long, for their cost, as run `number` with its seconds spent and left."""
    return left + (spent + left) / costs[number] * sum(costs[number + 1 :])


class _Stopped(ElmoscopeError):
    """The user asked for it."""
