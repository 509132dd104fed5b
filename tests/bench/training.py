"""Pre-training: a step of our Trainer against a plain PyTorch loop of the same biLM on the same batch.

The plain loop is what one writes first: nn.Linear one time step at a time, clips by clamp, one direction after the other, the
sampled softmax as one matrix of logits, all gradients by autograd. (nn.LSTM with proj_size is no peer: it cannot clip.)
Both sides end a step with the same optimizers, and their gradients must be equal. Word vectors come from a table, as in the
first four fifths of elmo-mini's training, or from the char-CNN: there the plain loop sends every token through it at every
step; ours each distinct spelling, with a gradient at every fourth step (the one at which gradients are compared).
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from core.elmo.model import PackedBatch, ProjectedLSTM
from core.text.tokens import character_ids, join_tokens
from core.training.data import Corpus, prepare
from core.training.trainer import PretrainConfig, Trainer
from tests.bench import texts
from tests.bench.engine import SMALL, TINY
from tests.bench.measure import Bound, Check, Row, Setting, difference, figure, paired, quotient, timed

TIMES = 2.5
RATE = 1e-4  # learning rate of the timed steps
FULL = PretrainConfig(batch_tokens=2048, negatives=3072, vocabulary=50_000, table_types=50_000)  # as `pretrain` trains elmo-mini


def rows(setting: Setting) -> Iterator[Row]:
    """Tokens a second of whole steps, from a table and with the char-CNN."""
    corpus = Corpus(_prepared(setting))
    config = setting.pick(FULL, replace(FULL, batch_tokens=256, negatives=64))
    config = replace(config, vocabulary=min(config.vocabulary, len(corpus.types)))
    table = replace(config, table_types=len(corpus.types))
    yield _steps(setting, corpus, table, "a training step, words from a table", setting.pick(15, 2), 1)
    every = config.character_every
    yield _steps(setting, corpus, config, "a training step with the char-CNN", setting.pick(3, 1), every)


def _steps(setting: Setting, corpus: Corpus, config: PretrainConfig, what: str, rounds: int, n: int) -> Row:
    """n steps a round on each side, on the same batches."""
    sides = [Side(Trainer(corpus, setting.pick(SMALL, TINY), config), plain) for plain in (False, True)]
    stream = corpus.batches(tokens=config.batch_tokens, seed=0, oversample={})
    check = _gradients(sides, next(stream))
    batches = [[next(stream) for _ in range(n)] for _ in range(rounds + 1)]
    turns = [iter(batches), iter(batches)]
    pair = paired(*(timed(side.steps, lambda turn=turn: (next(turn),)) for side, turn in zip(sides, turns, strict=True)), rounds)
    counts = [sum(len(b.ids) - 2 * b.batch_sizes[0] for b in some) for some in batches[1:]]  # boundaries are no tokens
    each = [[s / count for s, count in zip(times, counts, strict=True)] for times in (pair.ours, pair.peer)]  # seconds a token
    return setting.row(
        "training",
        what,
        ours=figure("core.training.trainer", [1 / s for s in each[0]], "tokens/s"),
        peer=figure("plain PyTorch, nn.Linear step by step", [1 / s for s in each[1]], "tokens/s"),
        ratio=quotient("ours / plain", each[1], each[0], "x"),
        bound=Bound(text=f"at least {TIMES} x", number=TIMES),
        checks=[check],
        sizes=f"batches of about {config.batch_tokens:,} tokens, {config.negatives:,} sampled words "
        f"of {sides[0].trainer.n_words:,}, {n} to a round; forward, backward, clipping and update",
        ms_of_round_and_of_an_update=[1000 * float(np.median(times)) for times in (pair.ours, sides[0].updating)],
    )


def _prepared(setting: Setting) -> Path:
    """Our own sentences as a prepared corpus."""
    lines = [join_tokens(list(sentence.tokens)) for sentence in texts.labeled()]
    file = setting.folder / "sentences.txt"
    file.write_text("\n".join(lines[: setting.pick(None, 300)]), encoding="utf-8", newline="\n")
    return prepare([file], setting.folder / "prepared", setting.report, processes=1)


class Side:
    """One of two equal trainers; `plain` takes its gradients by the plain loop."""

    def __init__(self, trainer: Trainer, plain: bool) -> None:
        self.trainer, self.plain, self.updating = trainer, plain, []  # seconds of every update
        torch.manual_seed(1)
        if trainer.table:
            nn.init.normal_(trainer.table.weight, std=0.3)  # as static vectors would fill it; a fresh one is all zeros
        self.stacks = [[PlainLSTM(layer) for layer in layers] for layers in (trainer.model.forward_layers, trainer.model.backward_layers)]

    def steps(self, batches: list[PackedBatch]) -> None:
        """Whole steps; the first trains the char-CNN, if that is where the words come from."""
        for number, batch in enumerate(batches):
            self.gradients(batch, train_characters=number == 0)
            self.updating.append(timed(lambda n=number: self.trainer._update(RATE, self.plain or n == 0))()[0])

    def gradients(self, batch: PackedBatch, *, train_characters: bool = True) -> float:
        """Adds the gradients to every parameter's; returns the loss, nats a word."""
        torch.manual_seed(2)  # the same negatives on both sides
        negatives = self.trainer.sampler.draw()
        if not self.plain:
            return self.trainer.gradients(batch, negatives, train_characters=train_characters)
        x = self._words(torch.from_numpy(batch.ids))
        loss = sum(self._loss(x, batch, negatives, backward=backward) for backward in (False, True)) / 2
        loss.backward()
        return loss.item()

    def _words(self, ids: Tensor) -> Tensor:
        """(N,) type ids -> (N, P), every token for itself."""
        trainer = self.trainer
        if trainer.table:
            return trainer.table(ids.clamp_max(trainer.config.table_types))
        spelled = torch.from_numpy(character_ids([trainer.corpus.types[k] for k in ids.tolist()]))  # (N, 50)
        cnn = trainer.model.characters
        x = cnn.embedding(spelled).transpose(1, 2)  # (N, 16, 50)
        pooled = torch.cat([torch.relu(convolution(x).amax(dim=2)) for convolution in cnn.convolutions], dim=1)
        return cnn.projection(cnn.after_highways(pooled))

    def _loss(self, x: Tensor, batch: PackedBatch, negatives: Tensor, *, backward: bool) -> Tensor:
        trainer, ids = self.trainer, torch.from_numpy(batch.ids)
        if backward:
            order = torch.from_numpy(batch.reverse)
            x, ids = x[order], ids[order]
        for j, lstm in enumerate(self.stacks[backward]):
            y = lstm(x, batch.batch_sizes)
            x = y + x if j and trainer.model.shape.skip_connections else y
        starts = np.concatenate([[0], np.cumsum(batch.batch_sizes)])
        steps = zip(batch.batch_sizes[1:], starts, strict=False)
        h = torch.cat([x[start : start + n] for n, start in steps])  # of every token that has one after it
        return plain_sampled_loss(trainer, h, trainer.targets(ids[starts[1] :]), negatives)


class PlainLSTM(nn.Module):
    """One direction's layer as one writes it first (Sak et al. 2014, eqs. 1-7), on the weights of a layer of ours."""

    def __init__(self, layer: ProjectedLSTM) -> None:
        super().__init__()
        size, hidden = layer.projection.shape
        self.input, self.state = nn.Linear(size, 4 * hidden), nn.Linear(size, 4 * hidden, bias=False)
        self.output = nn.Linear(hidden, size, bias=False)
        self.input.weight, self.input.bias, self.state.weight = layer.input_weight, layer.bias, layer.state_weight
        self.output.weight, self.clips = layer.projection, layer.clips

    def forward(self, x: Tensor, batch_sizes: list[int]) -> Tensor:
        """Packed (N, P) -> packed (N, P)."""
        n = batch_sizes[0]
        h, c = x.new_zeros(n, x.shape[1]), x.new_zeros(n, self.output.in_features)
        outputs, row = [], 0
        for n in batch_sizes:
            gates = self.input(x[row : row + n]) + self.state(h[:n])  # (n, 4H)
            i, f, o, new = gates.chunk(4, dim=1)
            c = (torch.sigmoid(f) * c[:n] + torch.sigmoid(i) * torch.tanh(new)).clamp(-self.clips[0], self.clips[0])
            h = self.output(torch.sigmoid(o) * torch.tanh(c)).clamp(-self.clips[1], self.clips[1])
            outputs.append(h)
            row += n
        return torch.cat(outputs)


def plain_sampled_loss(trainer: Trainer, h: Tensor, targets: Tensor, negatives: Tensor) -> Tensor:
    """As core.training.losses: mean -log p(target) among target and negatives, counts taken off."""
    weight, bias = trainer.softmax.weight, trainer.softmax.bias
    true = (h * weight[targets]).sum(1) + bias[targets] - trainer.sampler.log_count[targets]  # (N,)
    others = h @ weight[negatives].t() + bias[negatives] - trainer.sampler.log_count[negatives]  # (N, K)
    others = others.masked_fill(negatives == targets[:, None], -1e9)  # a row's own target must not count twice
    logits = torch.cat([true[:, None], others], dim=1)
    return nn.functional.cross_entropy(logits, torch.zeros(len(h), dtype=torch.long))


def _gradients(sides: list[Side], batch: PackedBatch) -> Check:
    """Largest difference of loss and of any gradient on one batch, both sides being equal before it."""
    losses = [side.gradients(batch) for side in sides]
    result = []
    for side in sides:
        trainer = side.trainer
        words = trainer.table or trainer.model.characters
        modules = (trainer.model.forward_layers, trainer.model.backward_layers, trainer.softmax, words)
        grads = [parameter.grad for module in modules for parameter in module.parameters()]
        result.append([(grad.to_dense() if grad.is_sparse else grad).numpy().copy() for grad in grads])
        for module in modules:
            module.zero_grad(set_to_none=True)
    apart = max(difference(*result), abs(losses[0] - losses[1]))
    return Check(what="loss and every gradient of one batch", difference=apart)
