"""Pre-train a biLM: forward and backward language models, trained together, with exact resumption.

Loss: the mean over both directions of -log p(next) under a softmax over `negatives` sampled words, log-uniform by
frequency rank, corrected by their expected counts (Jean et al. 2015; as TensorFlow's sampled_softmax_loss).

The char-CNN is the most expensive part of a step on a CPU. With `table_types` > 0 the LSTMs first learn over a plain
embedding table (started from static vectors, core.training.warm_start) and the char-CNN is then fitted to that table. A
run with `table_types` = 0 joins them: every `character_every`-th step trains the char-CNN with its gradient, and the
others use each word's vector from the last time it was computed.
"""

import json
import math
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from ..common.config import ModelShape
from ..common.device import CPU, CUDA, PROCESSOR, seeded
from ..common.errors import BadInput
from ..elmo.language_model import SPECIALS, Softmax
from ..elmo.model import BiLM, CharacterCNN, PackedBatch
from ..elmo.recurrence import side_by_side
from ..files import artifacts
from ..learning.fit import of_like_lengths
from .data import Corpus
from .losses import LogUniformSampler, next_rows, sampled_loss

SPELLED_AT_ONCE = 512  # words
MOMENTUM = 0.95
LIKE_ADAM = 0.2  # root mean square of a step over the learning rate, as Adam's usually is (Liu et al. 2025, section 2.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class PretrainConfig:
    """Everything that determines the result of a run, besides the prepared corpus."""

    vocabulary: int = 50_000  # words in the softmax, besides the three special ones
    tokens: int = 8_000_000  # tokens to see; far less than one pass over the corpus needs no dropout
    batch_tokens: int = 4096
    negatives: int = 4096
    learning_rate: float = 1e-3
    warmup_steps: int = 100
    decay: float = 0.6  # share of the tokens over which the learning rate falls, in a straight line ...
    last_rate: float = 0.02  # ... to this share of itself
    average: float = 0.1  # at the end the weights become their mean over this last share of the tokens (Izmailov et al. 2018)
    average_every: int = 50  # steps between two of those that are averaged
    clip_norm: float = 5.0
    character_rate: float = 0.1  # the char-CNN's learning rate, as a share of the others'
    character_every: int = 4  # steps between two that train the char-CNN
    table_types: int = 0  # types with a vector of their own instead of the char-CNN's; 0: char-CNN
    oversample: tuple[tuple[str, int], ...] = (("wikinews", 3),)
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("vocabulary", "tokens", "batch_tokens", "negatives", "character_every"):
            if (size := getattr(self, name)) < 1:
                raise BadInput(f"{name} must be at least 1, got {size}.")
        if self.negatives > self.vocabulary:
            raise BadInput(f"negatives ({self.negatives}) cannot exceed the vocabulary ({self.vocabulary}).")
        if not 0 <= self.average < 1 or self.average_every < 1:
            raise BadInput(f"average must be from 0 up to 1 and average_every at least 1, got {self.average}, {self.average_every}")


@dataclass(frozen=True, slots=True)
class StepProgress:
    """One line of the training log."""

    step: int
    tokens: int
    loss: float  # nats a word, sampled softmax, running mean
    tokens_per_second: float
    learning_rate: float
    seconds_left: float


class Trainer:
    """Model, softmax, optimizer and word cache of one run. `run` yields progress, `save` and `load` checkpoint it.

    Everything learned is on `device`. Type ids, and the set of types with known vectors, stay in the processor's memory.
    """

    def __init__(self, corpus: Corpus, shape: ModelShape, config: PretrainConfig, device: torch.device = PROCESSOR) -> None:
        self.corpus, self.config, self.device = corpus, config, device
        self.generator = seeded(config.seed)  # of this run alone: others may train at the same time
        self.model = BiLM(shape, self.generator)  # all first weights are drawn on the processor
        self.n_words = min(config.vocabulary, len(corpus.types) - 2) + len(SPECIALS)
        self.softmax = Softmax(self.n_words, shape.projection, self.generator)
        self.model.to(device)
        self.softmax.to(device)
        recurrent = [*self.model.forward_layers.parameters(), *self.model.backward_layers.parameters()]
        matrices = [p for p in recurrent if p.ndim == 2]
        biases = [p for p in recurrent if p.ndim == 1]
        self.threads = ThreadPoolExecutor(2, thread_name_prefix="direction")
        self.matrix_optimizer = OrthogonalMomentum(matrices, config.learning_rate, rows=shape.hidden, threads=self.threads)
        groups = [{"params": biases}, {"params": list(self.softmax.parameters())}]
        self.optimizer = torch.optim.Adam(groups, lr=config.learning_rate, betas=(0.9, 0.99), fused=True)
        self.table = torch.nn.Embedding(config.table_types + 1, shape.projection, sparse=True) if config.table_types else None
        if self.table:  # the last row is shared by all rarer types
            torch.nn.init.zeros_(self.table.weight)
            self.table.to(device if device.type in (CPU, CUDA) else PROCESSOR)  # where torch has sparse gradients
            self.word_optimizer = torch.optim.SparseAdam(self.table.parameters(), lr=config.learning_rate)
        else:
            self.word_optimizer = torch.optim.Adam(self.model.characters.parameters(), lr=config.learning_rate, fused=True)
        self.optimizers = [self.matrix_optimizer, self.optimizer, self.word_optimizer]
        self.cache = torch.zeros(len(corpus.types), shape.projection, device=device)  # each type's vector when last computed
        self.known = torch.zeros(len(corpus.types), dtype=torch.bool)
        self.step = self.tokens = 0
        self.learned = torch.nn.ModuleList([self.model, self.softmax, *filter(None, (self.table,))])
        self.average: AveragedModel | None = None  # of `learned`, once the end is near
        self.sampler = LogUniformSampler(self.n_words, config.negatives, device)

    def vocabulary(self) -> list[str]:
        """Return the softmax's words."""
        return [*SPECIALS, *self.corpus.types[2 : self.n_words - 1]]

    def targets(self, ids: Tensor) -> Tensor:
        """Convert type ids to softmax ids: 0, 1 are the boundaries, 2 is <UNK>, word k of the types is k + 1."""
        return torch.where(ids < 2, ids, torch.where(ids < self.n_words - 1, ids + 1, 2))

    def word_vectors(self, ids: Tensor, *, train: bool) -> Tensor:
        """Return the vectors (N, P) of type ids (N,): from the table, or with `train` through the char-CNN, else from its cache."""
        if self.table:
            return self.table(ids.clamp_max(self.config.table_types).to(self.table.weight.device)).to(self.device)
        distinct, where = ids.unique(return_inverse=True)
        with torch.set_grad_enabled(train):
            wanted = distinct if train else distinct[~self.known[distinct]]
            fresh = spell(self.model.characters, [self.corpus.types[k] for k in wanted.tolist()], self.device)
        self.cache[wanted.to(self.device)] = fresh.detach()
        self.known[wanted] = True
        return (fresh if train else self.cache[distinct.to(self.device)])[where.to(self.device)]

    def gradients(self, batch: PackedBatch, negatives: Tensor, *, train_characters: bool) -> float:
        """Add the batch's gradients to every parameter's and return the language model's loss in nats per word.

        The directions are independent; each has a thread for its forward and backward pass.
        """
        x = self.word_vectors(torch.from_numpy(batch.ids), train=train_characters)

        def train_direction(backward: bool) -> tuple[float, Tensor | None]:
            """Return half of one direction's loss, and the gradient of x."""
            read = x.detach().requires_grad_(x.requires_grad)
            loss = self.loss(read, batch, negatives, backward=backward)
            (loss / 2).backward()
            return loss.item() / 2, read.grad

        (ahead, grad), (behind, grad_behind) = side_by_side(train_direction, self.threads, self.device)
        if x.requires_grad:
            x.backward(grad + grad_behind)
        return ahead + behind

    def loss(self, x: Tensor, batch: PackedBatch, negatives: Tensor, *, backward: bool) -> Tensor:
        """Return one direction's mean sampled loss of the next word over packed vectors x (N, P)."""
        follows, first = next_rows(batch.batch_sizes, x.device)
        ids = torch.from_numpy(batch.ids).to(x.device)
        order = torch.from_numpy(batch.reverse).to(x.device) if backward else torch.arange(len(batch.ids), device=x.device)
        states = self.model.run_direction(x[order], batch.batch_sizes, backward=backward)[0]
        return sampled_loss(self.softmax, states[-1][first], self.targets(ids[order][follows]), negatives, self.sampler.log_count)

    def learning_rate(self) -> float:
        """Return the learning rate of the next step."""
        config = self.config
        done = self.tokens / config.tokens
        fall = min(1.0, max(0.0, (1 - done) / config.decay))  # 1 until the fall begins, 0 at the end
        return config.learning_rate * min(1.0, (self.step + 1) / config.warmup_steps) * (config.last_rate + (1 - config.last_rate) * fall)

    def run(self) -> Iterator[StepProgress]:
        """Train until `config.tokens`; yields after every step. At the end the weights are their average."""
        config = self.config
        stream = self.corpus.batches(tokens=config.batch_tokens, seed=config.seed, oversample=dict(config.oversample), skip=self.step)
        self.model.train()
        started = time.perf_counter()
        first_tokens = self.tokens
        mean = 0.0
        for batch in stream:
            if self.tokens >= config.tokens:
                self._take_average()
                return
            self.generator.manual_seed(config.seed * 1_000_003 + self.step)  # the negatives: a function of the step
            rate = self.learning_rate()
            train_characters = self.step % config.character_every == 0
            value = self.gradients(batch, self.sampler.draw(self.generator), train_characters=train_characters)
            if not math.isfinite(value):  # before it spoils the weights
                advice = "Go on from the last checkpoint with a lower learning rate."
                raise BadInput(f"At step {self.step} the loss is {value}, not a finite number. {advice}")
            self._update(rate, train_characters)
            self.step += 1
            self.tokens += len(batch.ids) - batch.batch_sizes[0] * 2
            if self.tokens > (1 - config.average) * config.tokens and self.step % config.average_every == 0:
                self.average = self.average or AveragedModel(self.learned)
                self.average.update_parameters(self.learned)
            mean += (value - mean) / min(self.step, 100) if mean else value
            speed = (self.tokens - first_tokens) / (time.perf_counter() - started)
            yield StepProgress(self.step, self.tokens, mean, speed, rate, (config.tokens - self.tokens) / speed)

    def _update(self, rate: float, train_characters: bool) -> None:
        for optimizer in self.optimizers if self.table or train_characters else self.optimizers[:2]:
            is_of_words = optimizer is self.word_optimizer
            for group in optimizer.param_groups:
                group["lr"] = rate * (self.config.character_rate if is_of_words and not self.table else 1.0)
                if not (is_of_words and self.table):  # sparse gradients have no such norm
                    torch.nn.utils.clip_grad_norm_(group["params"], self.config.clip_norm)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if train_characters and not self.table:
            self.model.characters.anchor()  # its weights have moved

    def _take_average(self) -> None:
        """Replace the weights by their running average, which lowers perplexity like a longer decay of the learning rate."""
        if self.average is not None:
            self.learned.load_state_dict(self.average.module.state_dict())
            self.known.zero_()  # the cached word vectors are of the last step's weights

    def save(self, path: Path) -> None:
        """Write a checkpoint of the complete state."""
        state = {
            "learned": self.learned.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "cache": self.cache[self.known.to(self.device)],
            "known": self.known,
            "average": self.average.state_dict() if self.average is not None else {},
            "counters": torch.tensor([self.step, self.tokens]),
            "config": json.dumps(asdict(self.config)),
            "corpus": json.dumps(self.corpus.meta.get("made_of")),
        }
        artifacts.write_checkpoint(path, state)

    def load(self, path: Path) -> None:
        """Continue from the file of `save`. Raises CorruptArtifact if it is damaged or from another run."""
        with artifacts.read_checkpoint(path) as state:
            before = {"corpus": json.loads(state["corpus"]), **json.loads(state["config"])}
            mine = {"corpus": self.corpus.meta.get("made_of"), **json.loads(json.dumps(asdict(self.config)))}
            if differences := artifacts.describe_differences(before, mine):
                raise ValueError(differences)
            self.learned.load_state_dict(state["learned"])
            for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
                optimizer.load_state_dict(saved)
            self.known = state["known"]
            self.cache[self.known.to(self.device)] = state["cache"].to(self.device)
            if state["average"]:
                self.average = AveragedModel(self.learned)
                self.average.load_state_dict(state["average"])
            self.step, self.tokens = state["counters"].tolist()


def spell(characters: CharacterCNN, words: list[str], device: torch.device = PROCESSOR) -> Tensor:
    """Return the char-CNN vectors (N, P) of words, in order. Words of similar length share a product."""
    groups = of_like_lengths([len(word) for word in words], SPELLED_AT_ONCE)
    vectors = [characters(characters.ids([words[k] for k in group])) for group in groups]
    no_words = torch.empty(0, characters.projection.out_features, device=device)
    order = torch.tensor([k for group in groups for k in group], dtype=torch.long)
    return torch.cat([no_words, *vectors])[order.argsort().to(device)]


class OrthogonalMomentum(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalized block by block, for matrices (n * rows, cols) of n stacked blocks, or transposed."""

    def __init__(self, parameters, lr: float, *, rows: int, threads: Executor | None = None) -> None:
        """Prepare the update of matrices, shared by `threads`. A matrix with `rows` columns is one block, transposed."""
        super().__init__(parameters, {"lr": lr, "rows": rows, "momentum": MOMENTUM})
        self.map = threads.map if threads else map

    def step(self, closure=None) -> None:
        """Update all matrices once."""
        for group in self.param_groups:
            for _ in self.map(partial(self._step, group), (p for p in group["params"] if p.grad is not None)):
                pass

    @torch.no_grad()
    def _step(self, group: dict, parameter: Tensor) -> None:
        state = self.state[parameter]
        if not state:
            state["momentum"] = torch.zeros_like(parameter)
        state["momentum"].lerp_(parameter.grad, 1 - group["momentum"])
        ahead = parameter.grad.lerp(state["momentum"], group["momentum"])
        turned = ahead.shape[0] % group["rows"] != 0
        blocks = (ahead.t() if turned else ahead).reshape(-1, group["rows"], ahead.shape[0 if turned else 1])
        step = orthogonal(blocks).flatten(0, 1)
        parameter.add_(step.t() if turned else step, alpha=-group["lr"] * LIKE_ADAM * group["rows"] ** 0.5)


def orthogonal(blocks: Tensor) -> Tensor:
    """Return the nearest blocks (n, rows, cols), rows >= cols, with orthonormal columns; a zero block stays zero."""
    products = blocks.transpose(1, 2) @ blocks  # (n, cols, cols)
    if products.device.type == "mps":  # which has neither double precision nor this decomposition
        products = products.cpu()
    values, vectors = torch.linalg.eigh(products.double())  # (n, cols), (n, cols, cols)
    least = (values[:, -1:] * 1e-7).clamp_min(1e-30)  # directions this weak are rounding
    root = (vectors * values.clamp_min(least).rsqrt()[:, None]) @ vectors.transpose(1, 2)
    return blocks @ root.to(blocks.dtype).to(blocks.device)
