"""Entailment: does the second sentence follow from the first, contradict it, or neither? SNLI (Bowman et al. 2015), accuracy.

The network is a small ESIM (Chen et al. 2017), the paper's baseline: the words of each sentence attend to the other sentence, the results
are compared, read by an LSTM and pooled.
"""

import itertools
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Generator, Tensor, nn

from ..common.device import Dropout, initialize
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..files.atomic import replacing
from .inputs import BiLSTM, PassageBatch, Reader, flat, masked, passage_of
from .task import PARTS, Example, Shape, Task, TaskRecipe, deal_targets, lines_in

KEYS = ("sentence1", "sentence2", "gold_label")
TRAIN_PAIRS = 33_069  # pairs that `unpack` takes of the 549,367 labeled ones
LABELS = ("entailment", "neutral", "contradiction")


class ESIM(nn.Module):
    """A network from two passages to scores of `shape.labels` (B, 3)."""

    def __init__(self, shape: Shape, recipe: TaskRecipe, generator: Generator | None) -> None:
        super().__init__()
        self.labels, hidden = shape.labels, recipe.hidden
        self.reader = Reader(shape, recipe, generator)
        self.compared = nn.Linear(4 * self.reader.dim, hidden)
        self.again = BiLSTM(hidden, hidden)
        self.joined = nn.Linear(8 * hidden, hidden)
        self.scores = nn.Linear(hidden, len(shape.labels))
        self.dropout = Dropout(recipe.dropout, generator)
        initialize(self, generator)

    def forward(self, texts: Sequence[PassageBatch]) -> Tensor:
        """Return the scores of the labels (B, 3)."""
        a, b = (self.reader(side)[side.rows] for side in texts)  # (B, S, R), (B, T, R)
        mask_a, mask_b = (side.mask[side.rows] for side in texts)
        alike = a @ b.transpose(1, 2)  # (B, S, T)
        of_b = masked(alike, mask_b[:, None]).softmax(dim=2) @ b  # (B, S, R): for each word of a, its likes in b
        of_a = masked(alike, mask_a[:, :, None]).softmax(dim=1).transpose(1, 2) @ a
        pooled = torch.cat([*self._pooled(a, of_b, mask_a), *self._pooled(b, of_a, mask_b)], dim=1)  # (B, 8H)
        return self.scores(self.dropout(self.joined(self.dropout(pooled)).tanh()))

    def _pooled(self, states_a: Tensor, states_b: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the maximum and the mean of one side's states, (B, 2H) each."""
        compared = self.compared(torch.cat([states_a, states_b, states_a - states_b, states_a * states_b], dim=2)).relu()
        states = self.again(self.dropout(compared), mask.sum(dim=1))
        is_token = mask[..., None]
        return masked(states, is_token).amax(dim=1), (states * is_token).sum(dim=1) / is_token.sum(dim=1)

    def loss(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> Tensor:
        """Return the cross entropy of the labels, a scalar."""
        return nn.functional.cross_entropy(self(texts), torch.tensor([self.labels.index(e.target) for e in examples]))

    def predictions(self, texts: Sequence[PassageBatch], examples: Sequence[Example]) -> list[dict[str, float]]:
        """Return each example's probabilities by label."""
        return [dict(zip(self.labels, row, strict=True)) for row in self(texts).softmax(dim=1).tolist()]


def read(path: Path) -> list[Example]:
    """Read JSON lines with sentence1, sentence2 and gold_label. Pairs without agreement of the annotators ("-") are left out."""
    examples = []
    for number, line in lines_in(path):
        values = {"file": path.name, "n": number}
        try:
            row = json.loads(line)
            label = row["gold_label"]
            sides = (row["sentence1"], row["sentence2"])
            if label == "-":
                continue
            # Each side as one sentence, however many end marks it has: SNLI's sides are segmented differently.
            passages = tuple((flat(passage_of(" ".join(side.split()))[0]),) for side in sides)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadInput(t("{file}, line {n}: sentence1, sentence2 and gold_label are expected as JSON.", **values)) from None
        if label not in LABELS:
            labels = ", ".join(LABELS)
            raise BadInput(
                t("{file}, line {n}: the label {label!r} is not one of {labels}.", label=shorten(label), labels=labels, **values)
            )
        if not all(sentence for (sentence,) in passages):
            raise BadInput(t("{file}, line {n}: a sentence is empty. Delete the line.", **values))
        examples.append(Example(passages, label))
    return examples


def unpack(archive: Path, pairs: int = TRAIN_PAIRS) -> list[Path]:
    """Unpack SNLI's archive into three files: the first `pairs` labeled pairs of the training set, all of dev and test. Existing files stay."""
    paths = []
    try:
        with zipfile.ZipFile(archive) as packed:
            for part, limit in (("train", pairs), ("dev", None), ("test", None)):
                path = archive.parent / Path(TASK.files[part]).name.removesuffix(".xz")
                paths.append(path)
                if path.exists():
                    continue
                with packed.open(f"snli_1.0/snli_1.0_{part}.jsonl") as stream, replacing(path) as temporary:
                    rows = ({key: row[key] for key in KEYS} for row in map(json.loads, stream))
                    chosen = itertools.islice((row for row in rows if row["gold_label"] != "-"), limit) if limit else rows
                    temporary.write_text("".join(f"{json.dumps(row)}\n" for row in chosen), encoding="utf-8", newline="\n")
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError):
        raise BadInput(t("{file} is not SNLI’s archive. Download it again.", file=archive.name)) from None
    return paths


def score(examples: Sequence[Example], predictions: Sequence) -> dict[str, float]:
    """Return the share of pairs with the right label."""
    right = sum(max(shares, key=shares.get) == example.target for example, shares in zip(examples, predictions, strict=True))
    return {"accuracy": right / max(len(examples), 1), "right": right, "gold": len(examples)}


TASK = Task(
    name="entailment",
    title="Entailment",
    files={"train": "entailment/snli_train_33k.jsonl.xz", "dev": "entailment/snli_dev.jsonl.xz", "test": "entailment/snli_test.jsonl.xz"},
    readers=dict.fromkeys(PARTS, read),
    labels=lambda examples: LABELS,
    network=ESIM,
    score=score,
    scrambled=deal_targets,
    measure="accuracy",
    recipe=TaskRecipe(epochs=3, output_elmo=True, train_limit=6_000, dev_limit=800, test_limit=3_000, patience=2),
)
