"""One trainer for every head: Adam, a learning rate reduced on a plateau, early stopping, exact resumption.

A job defines the network, the data and the measures. `Fit` yields after every step, with its measures after every epoch.
"""

import contextlib
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ..common.config import cache_folder
from ..common.errors import BadInput, MissingArtifact
from ..common.i18n import t
from ..elmo.mix import ScalarMix
from ..files import artifacts

MOST_CHECKPOINTS = 20  # of other runs, in the cache


@dataclass(frozen=True, slots=True)
class Epoch:
    """One step, with the measures if it was the last of an epoch."""

    epoch: int  # from 1
    epochs: int  # at most
    step: int  # of this epoch, from 1
    steps: int
    loss: float  # of training, mean over the epoch so far
    seconds: float  # since the run began, all its sessions together
    seconds_left: float  # if training does not stop early
    measures: dict[str, float] | None = None
    best: bool = False  # so far
    mixes: dict[str, dict] | None = None  # as learned so far

    def record(self) -> dict:
        """Return a complete epoch as a run's history stores it, with its measures by name in place of `measures`."""
        record = {}
        for field in fields(self):
            value = getattr(self, field.name)
            record |= value if field.name == "measures" else {field.name: value}
        return record


class Fit:
    """One run of a job in complete epochs, determined by its seed even when interrupted and resumed.

    A job has `network`, `generator` (its own: others may train at the same time), `key` (16 hex digits of all that decides the run),
    `batches(epoch)` (the examples' numbers, in an order determined by the seed and the epoch), `loss(numbers)` (a scalar), `measure()` (the
    first measure decides which epoch is best) and `finish(history, epochs, seconds)`, which returns the head of the current network.
    The configuration has `epochs`, `learning_rate`, `decay` and `plateau`, `patience`, `clip_norm`, `mix_l2` and `seed`, as
    core.classify.train.TrainConfig explains them. `fused` is Adam's quicker kernel, whose last bits differ.
    """

    PARTS = ("network", "optimizer", "scheduler")

    def __init__(self, job: Any, config: Any, *, fused: bool = False, higher_is_better: bool = False) -> None:
        self.job, self.config, self.network, self.key = job, config, job.network, job.key
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate, fused=fused or None)
        self.higher_is_better = higher_is_better  # of the measure that decides
        mode = "max" if higher_is_better else "min"
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            self.optimizer, mode=mode, factor=config.decay, patience=config.plateau - 1
        )
        self.epoch, self.since_best, self.seconds = 0, 0, 0.0
        self.best: dict = {}  # the network's tensors after its best epoch
        self.history: list[dict] = []  # every epoch's record

    @property
    def done(self) -> bool:
        """Return whether the run has ended."""
        return self.epoch >= self.config.epochs or self.since_best >= self.config.patience

    def run(self, stop: Callable[[], bool] = lambda: False) -> Iterator[Epoch]:
        """Train on; yields after every step. `stop` is called after every step and ends the run with the best epoch. Save after epochs."""
        while not self.done:
            for progress in self._epoch():
                yield progress
                if stop():
                    return

    def _epoch(self) -> Iterator[Epoch]:
        """Train one pass over the examples, with order and dropout determined by the seed and the epoch."""
        config = self.config
        started = time.perf_counter()
        before = self.seconds
        total = 0.0
        self.job.generator.manual_seed(config.seed * 1_000_003 + self.epoch)
        batches = self.job.batches(self.epoch)
        self.network.train()
        for step, numbers in enumerate(batches, 1):
            total += self._step(numbers)
            seconds = time.perf_counter() - started
            left = seconds / step * (len(batches) * (config.epochs - self.epoch) - step)
            progress = Epoch(self.epoch + 1, config.epochs, step, len(batches), total / step, before + seconds, left)
            if step < len(batches):
                yield progress
        measures = self.job.measure()
        name, value = next(iter(measures.items()))
        past = [record[name] for record in self.history]
        is_best = not past or (value > max(past) if self.higher_is_better else value < min(past))
        self.seconds = before + time.perf_counter() - started
        self.scheduler.step(value)
        self.since_best = 0 if is_best else self.since_best + 1
        if is_best:
            self.best = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        self.epoch += 1
        complete = replace(progress, seconds=self.seconds, measures=measures, best=is_best, mixes=learned_mixes(self.network))
        self.history.append(complete.record())
        yield complete

    def _step(self, numbers: Sequence[int]) -> float:
        """Update the network once and return the loss of the batch."""
        loss = self.job.loss(numbers)
        if not math.isfinite(loss.item()):  # before it spoils the weights
            values = {"epoch": self.epoch + 1, "loss": loss.item()}
            raise BadInput(t("In epoch {epoch} the loss is {loss}. Train with a lower learning rate.", **values))
        penalty = sum(self.config.mix_l2 * mix.scores.square().sum() for mix in _mixes(self.network).values())
        self.optimizer.zero_grad(set_to_none=True)
        (loss + penalty).backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip_norm)
        self.optimizer.step()
        return loss.item()

    def finish(self) -> Any:
        """Return the job's head of the best epoch (of the current network, if the first epoch was interrupted)."""
        self.network.load_state_dict(self.best or self.network.state_dict())
        return self.job.finish(self.history, self.epoch, self.seconds)

    def save(self, path: Path) -> None:
        """Write a checkpoint after a complete epoch."""
        state = {name: getattr(self, name).state_dict() for name in self.PARTS}
        counters = [self.epoch, self.since_best, self.seconds]
        artifacts.write_checkpoint(
            path, {**state, "best": self.best, "counters": counters, "history": json.dumps(self.history), "run": self.key}
        )

    def load(self, path: Path) -> None:
        """Continue from the file of `save`. Raises CorruptArtifact if it is damaged or from another run."""
        with artifacts.read_checkpoint(path) as state:
            if state["run"] != self.key:
                raise ValueError(t("it belongs to other data, another configuration, or another model"))
            for name in self.PARTS:
                getattr(self, name).load_state_dict(state[name])
            self.best = state["best"]
            self.history = json.loads(state["history"])
            self.epoch, self.since_best, self.seconds = state["counters"]


def resumed(fit: Fit, stop: Callable[[], bool] = lambda: False) -> Iterator[Epoch]:
    """Run to the end, resuming an interrupted run from the cache, which is updated after every epoch.

    The checkpoint stays there until `forget` is called, or until there are MOST_CHECKPOINTS newer ones. Thus a run killed before its head is
    stored loses nothing.
    """
    path = _checkpoint(fit.key)
    with contextlib.suppress(OSError):  # another process may be removing them, too
        others = sorted({*path.parent.glob("*.pt")} - {path}, key=lambda file: file.stat().st_mtime)
        for old in others[:-MOST_CHECKPOINTS]:
            old.unlink()
    if path.is_file():
        with contextlib.suppress(MissingArtifact):  # the same run, started twice, may end meanwhile
            fit.load(path)
    for progress in fit.run(stop):
        if progress.measures is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            fit.save(path)
        yield progress


def forget(key: str) -> None:
    """Delete the checkpoint of a run whose head is stored."""
    _checkpoint(key).unlink(missing_ok=True)


def _checkpoint(key: str) -> Path:
    return cache_folder() / "training" / f"{key}.pt"


def batches_by_length(lengths: np.ndarray, size: int, random: np.random.Generator) -> list[list[int]]:
    """Return the numbers of examples in batches of similar length, in random order."""
    batches = of_like_lengths(lengths, size)
    return [batches[k] for k in random.permutation(len(batches))]


def of_like_lengths(lengths: Sequence[float], size: int) -> list[list[int]]:
    """Return the numbers of examples in batches of similar length, the shortest first."""
    order = np.argsort(lengths, kind="stable").tolist()
    return [order[k : k + size] for k in range(0, len(order), size)]


def learned_mixes(network: nn.Module) -> dict[str, dict]:
    """Return the layer weights s and gamma that each mix of a network has learned, by its place: "input", "output"."""
    return {place: {"s": mix.scores.detach().softmax(0).tolist(), "gamma": mix.gamma.item()} for place, mix in _mixes(network).items()}


def _mixes(network: nn.Module) -> dict[str, ScalarMix]:
    mixes = {name: module for name, module in network.named_modules() if isinstance(module, ScalarMix)}
    return {"output" if name.endswith("output") else "input": module for name, module in mixes.items()}
