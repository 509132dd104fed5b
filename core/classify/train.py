"""Training a head: cross entropy, Adam, a rate that halves on a plateau, early stopping; resumable to the bit.

`run` yields after every step, and with validation figures after every epoch; `finish` makes the head of the best epoch,
rounded as it is stored, with its temperature (validation set) and its scores (test set).
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from core.classify import baselines
from core.classify.data import Dataset, Example
from core.classify.head import Head
from core.classify.inputs import Vocabulary, make_batch
from core.classify.model import Network, Variant
from core.classify.runs import EpochProgress, Frozen, TrainConfig, finished, texts_of, truth_of
from core.classify.scores import nll
from core.common.device import PROCESSOR
from core.common.draws import seeded
from core.common.errors import BadInput
from core.common.i18n import t
from core.files.artifacts import text_fingerprint
from core.files.checkpoint import Resumable
from core.static.vectors import StaticVectors

SMALLEST_BATCH = 8  # texts
SMALL_BATCH = 16  # texts, up to which a step is quicker on one thread than on two


def make_trainer(
    variant: Variant, dataset: Dataset, config: TrainConfig, frozen: Frozen, device: torch.device = PROCESSOR
) -> NetworkTrainer | BaselineTrainer:
    """The trainer of a variant; both kinds have run, finish, save and load. BadInput for a committee, which is made, not trained.

    A network is trained on `device`; scikit-learn knows the processor alone.
    """
    if variant.members:
        raise BadInput(f"{variant.title} is made of {' and '.join(variant.members)}: train those (core.classify.committee).")
    if (variant.elmo and frozen.layers is None) or (variant.glove and frozen.vectors is None):
        if variant.elmo and frozen.layers is None:
            raise BadInput(t("{title} needs a model.", title=variant.title))
        raise BadInput(t("{title} needs word vectors.", title=variant.title))
    if variant.network in ("lstm", "mean"):
        return NetworkTrainer(variant, dataset, config, frozen, device)
    return BaselineTrainer(variant, dataset, config, frozen)


class NetworkTrainer(Resumable):
    """One run of a network; a seed decides it, wherever it is cut and resumed."""

    def __init__(self, variant: Variant, dataset: Dataset, config: TrainConfig, frozen: Frozen, device: torch.device = PROCESSOR) -> None:
        self.device = device
        self.generator = seeded(config.seed)  # of this run alone: others may train at the same time
        self.variant, self.dataset, self.config, self.frozen = variant, dataset, config, frozen
        texts = [example.tokens for example in dataset.train] if variant.learned or variant.glove == "trained" else []
        self.vocabulary = Vocabulary.of(texts, min_count=config.min_count, max_words=config.max_words)
        static_dim = frozen.vectors.dim if variant.glove else 0
        sizes = {"n_layers": frozen.n_layers, "elmo_dim": frozen.elmo_dim} if variant.elmo else {}
        self.shape = {"n_words": len(self.vocabulary), "static_dim": static_dim, **sizes}
        self.network = Network(variant, config.network, n_classes=len(dataset.labels), generator=self.generator, **self.shape)
        if self.network.tuned is not None:
            self.network.start_from(_start_rows(self.vocabulary, frozen.vectors))
        self.network.to(device)  # its first weights are drawn on the processor
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate, fused=True)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, factor=config.decay, patience=config.plateau - 1)
        self._begin(config.epochs, config.patience)

    @property
    def batch_size(self) -> int:
        """Texts in a batch: of few training texts, fewer."""
        return min(self.config.batch_size, max(SMALLEST_BATCH, len(self.dataset.train) // 100))

    def _epoch(self) -> Iterator[EpochProgress]:
        """One pass over the training texts; the seed and the epoch's number decide its order and dropout."""
        config = self.config
        started = time.perf_counter()
        before = self.seconds
        total = 0.0
        self.generator.manual_seed(config.seed * 1_000_003 + self.epoch)
        batches = _batches(self.dataset.train, self.batch_size, np.random.default_rng([config.seed, self.epoch]))
        self.network.train()
        for step, numbers in enumerate(batches, start=1):
            total += self._step([self.dataset.train[k] for k in numbers])
            seconds = time.perf_counter() - started
            left = seconds / step * (len(batches) * (config.epochs - self.epoch) - step)
            progress = EpochProgress(self.epoch + 1, config.epochs, step, len(batches), total / step, before + seconds, left)
            if step < len(batches):
                yield progress
        logits = self._head().logits(texts_of(self.dataset.valid), vectors=self.frozen.vectors, layers=self.frozen.layers)
        truth = truth_of(self.dataset.valid)
        loss = nll(logits, truth)
        accuracy = float((logits.argmax(axis=1) == truth).mean())
        is_best = not self.history or loss < min(past["valid_loss"] for past in self.history)
        self.seconds = before + time.perf_counter() - started
        self._end_epoch(loss, is_best)
        facts = {"valid_loss": loss, "valid_accuracy": accuracy, "best": is_best, "mix": self.mix()}
        whole = replace(progress, seconds=self.seconds, **facts)
        self.history.append(asdict(whole))
        yield whole

    def _step(self, examples: Sequence[Example]) -> float:
        """One update; returns the mean cross entropy of the batch."""
        batch = make_batch(
            texts_of(examples),
            self.vocabulary,
            vectors=self.frozen.vectors if self.variant.glove else None,
            layers=self.frozen.layers if self.variant.elmo else None,
            device=self.device,
        )
        loss = nn.functional.cross_entropy(self.network(batch), torch.from_numpy(truth_of(examples)).to(self.device))
        if not math.isfinite(loss.item()):  # before it spoils the weights
            told = {"epoch": self.epoch + 1, "loss": loss.item()}
            raise BadInput(t("In epoch {epoch} the loss is {loss}. Train with a lower learning rate.", **told))
        held = self.config.mix_l2 * self.network.mix.scores.square().sum() if self.network.mix is not None else 0.0
        self.optimizer.zero_grad(set_to_none=True)
        (loss + held).backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip_norm)
        self.optimizer.step()
        return loss.item()

    def mix(self) -> dict | None:
        """The weights s and gamma as they stand, if there is a mix."""
        mix = self.network.mix
        return None if mix is None else {"s": mix.scores.detach().softmax(0).tolist(), "gamma": mix.gamma.item()}

    def finish(self) -> Head:
        """The head of the best epoch (of the network as it stands, if the first was cut short), scored on the test set."""
        self.network.load_state_dict(self.best or self.network.state_dict())
        made = {"mix": self.mix(), "curve": self.history, "epochs": self.epoch, "seconds": round(self.seconds, 2)}
        return finished(self._head(), self.dataset, self.config, self.frozen, self.shape, made)

    def _head(self) -> Head:
        return Head(self.variant, self.dataset.labels, self.network, self.vocabulary, 1.0, {})

    @cached_property
    def key(self) -> str:
        """16 hex digits of all that decides this run: data, variant, configuration, frozen parts."""
        return run_key(self.variant, self.dataset, self.config, self.frozen)


class BaselineTrainer:
    """The same for scikit-learn's: one event, after which there is nothing to resume."""

    def __init__(self, variant: Variant, dataset: Dataset, config: TrainConfig, frozen: Frozen) -> None:
        self.variant, self.dataset, self.config, self.frozen = variant, dataset, config, frozen
        self.fitted: baselines.Baseline | None = None
        self.made: dict = {}

    def run(self, stop: Callable[[], bool] = lambda: False) -> Iterator[EpochProgress]:
        started = time.perf_counter()
        n = len(self.dataset.labels)
        texts = texts_of(self.dataset.train)
        truth = truth_of(self.dataset.train)
        valid = texts_of(self.dataset.valid)
        true_valid = truth_of(self.dataset.valid)

        if self.variant.network == "tfidf":
            fit = baselines.fit_tf_idf(texts, truth, n_classes=n, analyzer=self.config.analyzer)
        else:
            fit = baselines.fit_mean_vectors(texts, truth, n_classes=n, vectors=self.frozen.vectors)

        def loss(fitted: baselines.Baseline) -> float:
            return nll(fitted.logits(valid, self.frozen.vectors), true_valid)

        self.fitted, strength, valid_loss = baselines.strongest(fit, loss)
        train_loss = nll(self.fitted.logits(texts, self.frozen.vectors), truth)
        named = self.fitted.logits(valid, self.frozen.vectors).argmax(axis=1)
        seconds = time.perf_counter() - started
        self.made = {"strength": strength, "seconds": round(seconds, 2), "epochs": 1, "mix": None}
        accuracy = float((named == true_valid).mean())
        event = EpochProgress(1, 1, 1, 1, train_loss, seconds, 0.0, valid_loss, accuracy, True)
        self.made["curve"] = [asdict(event)]
        yield event

    @cached_property
    def key(self) -> str:
        return run_key(self.variant, self.dataset, self.config, self.frozen)

    @property
    def done(self) -> bool:
        return self.fitted is not None

    def save(self, path: Path) -> None:
        """Nothing: a run of seconds is simply run again."""

    def load(self, path: Path) -> None:
        """Nothing, as `save` keeps nothing."""

    def finish(self) -> Head:
        if self.fitted is None:
            raise BadInput(t("{title} was stopped before it was fitted. Start it again.", title=self.variant.title))
        shape = {"static_dim": self.frozen.vectors.dim if self.variant.glove else 0, "analyzer": self.fitted.analyzer}
        head = Head(self.variant, self.dataset.labels, self.fitted, Vocabulary(()), 1.0, {})
        return finished(head, self.dataset, self.config, self.frozen, shape, self.made)


def run_key(variant: Variant, dataset: Dataset, config: TrainConfig, frozen: Frozen) -> str:
    """16 hex digits of all that decides a run."""
    facts = [dataset.fingerprint, variant.name, asdict(config), frozen.facts]
    return text_fingerprint([json.dumps(facts, sort_keys=True)])[:16]


def _batches(examples: Sequence[Example], size: int, random: np.random.Generator) -> list[list[int]]:
    """Numbers of the examples in batches of like length, in random order; the last places of a length are drawn anew."""
    lengths = np.array([len(example.tokens) for example in examples]) + 2 * random.random(len(examples))
    order = np.argsort(lengths).tolist()
    batches = [order[k : k + size] for k in range(0, len(order), size)]
    return [batches[k] for k in random.permutation(len(batches))]


def _start_rows(vocabulary: Vocabulary, vectors: StaticVectors) -> Tensor:
    """(V, S) GloVe's rows of the vocabulary, NaN where there is none (and for the unknown word)."""
    rows = np.full((len(vocabulary), vectors.dim), np.nan, np.float32)
    for number, word in enumerate(vocabulary.words, start=1):
        vector = vectors.vector(word)
        if vector is not None:
            rows[number] = vector
    return torch.from_numpy(rows)
