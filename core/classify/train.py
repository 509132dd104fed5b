"""Train a head of texts: cross entropy, Adam, a learning rate halved on a plateau, early stopping, exact resumption.

`finish` makes the head of the best epoch, rounded as it is stored, with its temperature (validation set) and its scores (test set). A
committee is made of trained heads.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np
import torch
from torch import Tensor, nn

from ..common.device import PROCESSOR, limit, seeded
from ..common.errors import BadInput
from ..common.i18n import t
from ..elmo.models import Model
from ..files.artifacts import provenance, text_fingerprint
from ..learning.features import Frozen, Report, freeze_each
from ..learning.fit import Epoch, Fit, batches_by_length, learned_mixes, resumed
from ..static.vectors import StaticVectors
from . import baselines
from .data import Dataset, LabeledText
from .head import Committee, TextHead
from .model import VARIANTS, Network, NetworkConfig, TextVocabulary, Variant, make_batch
from .scores import best_temperature, evaluate, nll, softmax_rows

SMALLEST_BATCH = 8  # texts
SMALL_BATCH = 16  # texts, up to which a step is quicker on one thread than on two (the bundled headlines: 36 s, not 106)
ALL_TEXTS_UP_TO = 40_000  # texts of a file, up to which layers are computed for all of them, so that any split can use them


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """Everything that determines a run, besides the data, the variant, and the fingerprints of the frozen parts."""

    network: NetworkConfig = field(default_factory=NetworkConfig)
    epochs: int = 30  # at most
    batch_size: int = 64  # texts, at most: a hundredth of the training texts, but at least 8, where those are few
    learning_rate: float = 3e-3
    decay: float = 0.5  # factor of the learning rate on a plateau
    plateau: int = 2  # epochs without a lower validation loss, then the learning rate decays
    patience: int = 4  # epochs without a lower validation loss, then training ends
    clip_norm: float = 5.0
    mix_l2: float = 0.001  # lambda of lambda * |w|^2 on the mix's weights before the softmax: 1 keeps it an average, 0.001 lets layers differ (Peters et al. 2018, section 3.3)
    min_count: int = 2  # least count of a word in the training texts; rarer words are unknown
    max_words: int = 8000  # the most frequent; head files stay small
    analyzer: str = "word"  # the TF-IDF baseline's analyzer: "word" or "char"
    seed: int = 0


def make_text_fit(
    variant: Variant, dataset: Dataset, config: TrainConfig, frozen: Frozen, device: torch.device = PROCESSOR
) -> Fit | BaselineFit:
    """Return the run of a network, on `device`, or of a baseline. Raises BadInput if the static vectors have no word of the texts."""
    if variant.glove and not any(token in frozen.vectors for text in texts_of(dataset.train) for token in text):
        raise BadInput(t("No word of the texts is in {vectors}. Choose other vectors.", vectors=frozen.vectors.name))
    if variant.network in ("lstm", "mean"):
        return Fit(TextJob(variant, dataset, config, frozen, device), config, fused=True)
    return BaselineFit(variant, dataset, config, frozen)


class TextJob:
    """A network of a variant, which `Fit` trains."""

    def __init__(self, variant: Variant, dataset: Dataset, config: TrainConfig, frozen: Frozen, device: torch.device) -> None:
        self.device = device
        self.generator = seeded(config.seed)
        self.variant, self.dataset, self.config, self.frozen = variant, dataset, config, frozen
        texts = [example.tokens for example in dataset.train] if variant.learned or variant.glove == "trained" else []
        self.vocabulary = TextVocabulary.of(texts, min_count=config.min_count, max_words=config.max_words)
        static_dim = frozen.vectors.dim if variant.glove else 0
        sizes = {"n_layers": frozen.n_layers, "elmo_dim": frozen.elmo_dim} if variant.elmo else {}
        self.shape = {"n_words": len(self.vocabulary), "static_dim": static_dim, **sizes}
        self.network = Network(variant, config.network, n_classes=len(dataset.labels), generator=self.generator, **self.shape)
        if self.network.tuned is not None:
            self.network.start_from(self.vocabulary, frozen.vectors)
        self.network.to(device)  # its first weights are drawn on the processor
        self.key = run_key(variant, dataset, config, frozen)
        self.batch_size = min(config.batch_size, max(SMALLEST_BATCH, len(dataset.train) // 100))

    def batches(self, epoch: int) -> list[list[int]]:
        """Return an epoch's batches of texts of similar length; the last places of a length are filled at random, by the seed."""
        random = np.random.default_rng([self.config.seed, epoch])
        lengths = np.array([len(example.tokens) for example in self.dataset.train])
        return batches_by_length(lengths + 2 * random.random(len(lengths)), self.batch_size, random)

    def loss(self, numbers: Sequence[int]) -> Tensor:
        """Return the mean cross entropy."""
        examples = [self.dataset.train[k] for k in numbers]
        reads = {"vectors": self.frozen.vectors, "layers": self.frozen.layers, "device": self.device}
        batch = make_batch(texts_of(examples), self.vocabulary, **reads)
        return nn.functional.cross_entropy(self.network(batch), torch.from_numpy(truth_of(examples)).to(self.device))

    def measure(self) -> dict[str, float]:
        """Return the measures on the validation set."""
        logits = self._head().logits(texts_of(self.dataset.valid), vectors=self.frozen.vectors, layers=self.frozen.layers)
        return _measures(logits, truth_of(self.dataset.valid))

    def finish(self, history: list[dict], epochs: int, seconds: float) -> TextHead:
        """Return the head, rounded as it is stored, with its temperature and its scores on the test set."""
        mix = next(iter(learned_mixes(self.network).values()), None)
        origin = {"mix": mix, "curve": history, "epochs": epochs, "seconds": round(seconds, 2)}
        return finish_head(self._head(), self.dataset, self.config, self.frozen, self.shape, origin)

    def _head(self) -> TextHead:
        return TextHead(self.variant, self.dataset.labels, self.network, self.vocabulary, 1.0, {})


class BaselineFit:
    """A run of a scikit-learn baseline: one event, and nothing to resume."""

    def __init__(self, variant: Variant, dataset: Dataset, config: TrainConfig, frozen: Frozen) -> None:
        self.variant, self.dataset, self.config, self.frozen = variant, dataset, config, frozen
        self.key = run_key(variant, dataset, config, frozen)

    def run(self) -> Iterator[Epoch]:
        """Fit the baseline; yields one event."""
        started = time.perf_counter()
        vectors = self.frozen.vectors
        texts, truth = texts_of(self.dataset.train), truth_of(self.dataset.train)
        valid, true_valid = texts_of(self.dataset.valid), truth_of(self.dataset.valid)
        self.fitted, strength = baselines.fit_baseline(
            texts,
            truth,
            n_classes=len(self.dataset.labels),
            loss=lambda fitted: nll(fitted.logits(valid, vectors=vectors), true_valid),
            analyzer=self.config.analyzer if self.variant.network == "tfidf" else "",
            vectors=vectors,
        )
        train_loss = nll(self.fitted.logits(texts, vectors=vectors), truth)
        measures = _measures(self.fitted.logits(valid, vectors=vectors), true_valid)
        seconds = time.perf_counter() - started
        event = Epoch(1, 1, 1, 1, train_loss, seconds, 0.0, measures, True, {})
        self.made = {"strength": strength, "seconds": round(seconds, 2), "epochs": 1, "mix": None, "curve": [event.record()]}
        yield event

    def finish(self) -> TextHead:
        """Return the head with its temperature and scores."""
        shape = {"static_dim": self.frozen.vectors.dim if self.variant.glove else 0, "analyzer": self.fitted.analyzer}
        head = TextHead(self.variant, self.dataset.labels, self.fitted, TextVocabulary(()), 1.0, {})
        return finish_head(head, self.dataset, self.config, self.frozen, shape, self.made)


def finish_head(head: TextHead, dataset: Dataset, config: TrainConfig, frozen: Frozen, shape: dict, origin: dict) -> TextHead:
    """Round the head as it is stored, set its temperature, and fill `meta` with how it was made and its scores."""
    head.round()
    inputs = {"vectors": frozen.vectors, "layers": frozen.layers}
    valid, test = (head.logits(texts_of(part), **inputs) for part in (dataset.valid, dataset.test))
    head.temperature = best_temperature(valid, truth_of(dataset.valid))
    sizes = {name: len(getattr(dataset, name)) for name in ("train", "valid", "test")}
    data = {"task": dataset.name, "data": dataset.fingerprint, "sizes": sizes, "notes": dataset.notes, "language": dataset.language}
    truth = truth_of(dataset.test)
    head.right = test.argmax(axis=1) == truth
    scored = {
        "test": evaluate(softmax_rows(test, head.temperature), truth, dataset.labels),
        "ece_uncalibrated": evaluate(softmax_rows(test), truth, dataset.labels)["ece"],
        "valid_accuracy": float((valid.argmax(axis=1) == truth_of(dataset.valid)).mean()),
    }
    how = {"config": asdict(config), "seed": config.seed, "shape": shape, **frozen.facts, **origin}
    head.meta = provenance(**data, **how, **scored)
    return head


def texts_of(examples: Sequence[LabeledText]) -> list[tuple[str, ...]]:
    """Return the token lists of examples."""
    return [example.tokens for example in examples]


def truth_of(examples: Sequence[LabeledText]) -> np.ndarray:
    """Return the class numbers of examples."""
    return np.array([example.label for example in examples], np.int64)


def run_key(variant: Variant, dataset: Dataset, config: TrainConfig, frozen: Frozen) -> str:
    """Return 16 hex digits of everything that determines a run."""
    parts = [dataset.fingerprint, variant.name, asdict(config), frozen.facts]
    return text_fingerprint([json.dumps(parts, sort_keys=True)])[:16]


def _measures(logits: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    return {"valid_loss": nll(logits, truth), "valid_accuracy": float((logits.argmax(axis=1) == truth).mean())}


def with_members(variants: Iterable[Variant]) -> list[Variant]:
    """Return the variants and the members that their committees need, members before committees."""
    chosen = list(variants)
    members = [VARIANTS[name] for variant in chosen for name in variant.members]
    return sorted(dict.fromkeys([*chosen, *members]), key=lambda variant: bool(variant.members))


def make_committee(variant: Variant, trained: dict[str, TextHead], dataset: Dataset, config: TrainConfig, frozen: Frozen) -> TextHead:
    """Return the head of a committee from its members' heads, trained on the same data."""
    members = {name: trained[name] for name in variant.members}
    metas = [head.meta for head in members.values()]
    origin = {
        "mix": next((meta["mix"] for meta in metas if meta.get("mix")), None),
        "curve": metas[0].get("curve", []),
        "epochs": max(meta["epochs"] for meta in metas),
        "seconds": round(sum(meta["seconds"] for meta in metas), 2),
        "members": list(members),
    }
    head = TextHead(variant, dataset.labels, Committee(members), TextVocabulary(()), 1.0, {})
    return finish_head(head, dataset, config, frozen, {}, origin)


def freeze(
    variants: Sequence[Variant], dataset: Dataset, model: Model | None, vectors: StaticVectors | None, *, report: Report | None = None
) -> dict[str, Frozen]:
    """Return the frozen parts of each variant: vectors, and the layers of all texts, from disk or computed now."""
    # All texts of a file, so that every split and share finds its own; of a large file only what this one reads.
    texts = dataset.texts if len(dataset.texts) <= ALL_TEXTS_UP_TO else dataset.texts_in_use
    reads = {variant.name: (bool(variant.glove), variant.elmo) for variant in variants}
    return freeze_each(reads, texts, model, vectors, report=report)


def run(fit: Fit | BaselineFit, stop: Callable[[], bool] = lambda: False) -> Iterator[Epoch]:
    """Train to the end, resuming an interrupted run from the cache, which is updated after every epoch."""
    if isinstance(fit, BaselineFit):  # takes seconds: nothing to resume
        yield from fit.run()
        return
    threads = torch.get_num_threads()
    if fit.job.batch_size <= SMALL_BATCH:
        limit(1)
    try:
        yield from resumed(fit, stop)
    finally:
        limit(threads)


def train_head(
    variant: Variant,
    dataset: Dataset,
    config: TrainConfig,
    frozen: Frozen,
    trained: dict[str, TextHead],
    device: torch.device,
    *,
    watch: Callable[[Epoch], None] = lambda event: None,
) -> TextHead:
    """Train one head of a variant, calling `watch` at each step. A committee is made from heads in `trained`.

    Call `core.learning.fit.forget` with its `run` when the head or its scores are stored.
    """
    if variant.members:
        return make_committee(variant, trained, dataset, config, frozen)
    trainer = make_text_fit(variant, dataset, config, frozen, device)
    for event in run(trainer):
        watch(event)
    return replace(trainer.finish(), run=trainer.key)
