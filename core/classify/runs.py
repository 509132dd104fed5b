"""What every training run shares: its configuration, its events, what is frozen, and how a finished head is measured."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from core.classify.baselines import ANALYZERS
from core.classify.data import Dataset, Example
from core.classify.head import Head
from core.classify.inputs import Layers
from core.classify.model import NetworkConfig
from core.classify.scores import best_temperature, evaluate, softmax_rows
from core.common.errors import BadInput
from core.files.artifacts import provenance
from core.static.vectors import StaticVectors


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """Everything that decides a run, with the data, the variant, and the fingerprints of what is frozen."""

    network: NetworkConfig = field(default_factory=NetworkConfig)
    epochs: int = 30  # at most
    batch_size: int = 64  # texts, at most: a hundredth of the training texts, but at least 8, where those are few
    learning_rate: float = 3e-3
    decay: float = 0.5  # of the rate, when ...
    plateau: int = 2  # ... this many epochs have not lowered the validation loss
    patience: int = 4  # epochs without a lower validation loss, then training ends
    clip_norm: float = 5.0
    mix_l2: float = 0.001  # lambda of lambda * |w|^2 on the mix's weights before the softmax: 1 keeps it an average, 0.001 lets layers differ (Peters et al. 2018, section 3.3)
    min_count: int = 2  # of a word in the training texts, or it is the unknown word
    max_words: int = 8000  # the most frequent; head files stay small
    analyzer: str = "word"  # of the TF-IDF baseline: "word" or "char"
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch_size, self.min_count, self.max_words, self.patience) < 1:
            raise BadInput(f"Epochs, batch size, patience and counts of words must be at least 1, got {self}.")
        if not 0 < self.learning_rate < 1:
            raise BadInput(f"The learning rate must lie between 0 and 1, got {self.learning_rate}.")
        if self.analyzer not in ANALYZERS:
            raise BadInput(f"TF-IDF counts 'word' or 'char' n-grams, not {self.analyzer!r}.")


@dataclass(frozen=True, slots=True)
class EpochProgress:
    """One step; with the validation figures where it was the last of an epoch."""

    epoch: int  # from 1
    epochs: int  # at most
    step: int  # of this epoch, from 1
    steps: int
    train_loss: float  # nats, mean over the epoch so far
    seconds: float  # since the run began, all its sessions together
    seconds_left: float  # if no epoch is spared
    valid_loss: float | None = None
    valid_accuracy: float | None = None
    best: bool = False  # the lowest validation loss so far
    mix: dict | None = None  # {"s": [...], "gamma": ...} as learned so far


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a run reads and never changes, with the names and fingerprints that its head will carry."""

    vectors: StaticVectors | None = None
    layers: Layers | None = None
    facts: dict = field(default_factory=dict)  # model, model_name, vectors, vectors_name
    n_layers: int = 0
    elmo_dim: int = 0


def finished(head: Head, dataset: Dataset, config: TrainConfig, frozen: Frozen, shape: dict, made: dict) -> Head:
    """`head` rounded as stored, its temperature set, and `meta` filled with how it was made and how good it is."""
    head.round()
    given = {"vectors": frozen.vectors, "layers": frozen.layers}
    valid, test = (head.logits(texts_of(part), **given) for part in (dataset.valid, dataset.test))
    head.temperature = best_temperature(valid, truth_of(dataset.valid))
    sizes = {name: len(getattr(dataset, name)) for name in ("train", "valid", "test")}
    data = {"task": dataset.name, "data": dataset.fingerprint, "sizes": sizes, "notes": dataset.notes}
    truth = truth_of(dataset.test)
    head.right = test.argmax(axis=1) == truth
    scored = {
        "test": asdict(evaluate(softmax_rows(test, head.temperature), truth, dataset.labels)),
        "ece_uncalibrated": evaluate(softmax_rows(test), truth, dataset.labels).ece,
        "valid_accuracy": float((valid.argmax(axis=1) == truth_of(dataset.valid)).mean()),
    }
    how = {"config": asdict(config), "seed": config.seed, "shape": shape, **frozen.facts, **made}
    head.meta = provenance(**data, **how, **scored)
    return head


def texts_of(examples: Sequence[Example]) -> list[tuple[str, ...]]:
    return [example.tokens for example in examples]


def truth_of(examples: Sequence[Example]) -> np.ndarray:
    return np.array([example.label for example in examples], np.int64)
